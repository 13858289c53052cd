"""A WebKit window, driven over W3C WebDriver: Playwright's WebKit is a build of its own that has to be downloaded."""

import json
import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from firefox import DEEP
from running import free_port, wait_until

SOFTWARE_RENDERING = {
    "GDK_BACKEND": "x11",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
}
"""A virtual screen has no graphics card."""


def webkit_paths():
    """The driver, the browser it starts and the virtual screen; None where one of them is absent."""
    browsers = sorted(Path("/usr").glob("lib*/**/webkit2gtk-4.1/MiniBrowser"))
    found = shutil.which("WebKitWebDriver"), browsers and str(browsers[0]), shutil.which("Xvfb")
    return found if all(found) and shutil.which("localedef") else None


class WebKit:
    """One window of one WebDriver session."""

    def __init__(self, client, browser):
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"alwaysMatch": {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}}
        self._client = client
        self._session = f"/session/{self._post('/session', capabilities=wanted)['sessionId']}"

    def _post(self, path, **body):
        reply = self._client.post(path, json=body)
        assert reply.is_success, reply.text
        return reply.json()["value"]

    def open(self, address):
        self._post(f"{self._session}/url", url=address)

    def evaluate(self, expression):
        """The value of an expression that may use `deep` and `seen`."""
        return self._post(f"{self._session}/execute/sync", script=f"{DEEP} return {expression}", args=[])

    def wait_for(self, expression):
        wait_until(lambda: self.evaluate(expression), f"not so in WebKit: {expression}")

    def wait_for_text(self, text):
        self.wait_for(f"deep(document).some((e) => seen(e) && e.textContent.includes({json.dumps(text)}))")

    def drag(self, start, end):
        """Press at one point of the window, move to another, release."""
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        moves = [
            _move(start),
            {"type": "pointerDown", "button": 0},
            _move(middle),
            _move(end),
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {
            "type": "pointer",
            "id": "mouse",
            "parameters": {"pointerType": "mouse"},
            "actions": moves,
        }
        self._post(f"{self._session}/actions", actions=[pointer])

    def click(self, found):
        """Click the middle of the first element that the expression finds."""
        self.wait_for(f"{found} !== undefined")
        box = self.evaluate(
            f"(({found}).scrollIntoView({{block: 'center'}}), ({found}).getBoundingClientRect().toJSON())"
        )
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.drag(at, at)

    def press(self, *keys, holding=()):
        """Press and release keys, one after the other, while others are down: WebDriver's code points or characters."""
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        presses = [
            *({"type": "keyDown", "value": key} for key in holding),
            *presses,
            *({"type": "keyUp", "value": key} for key in holding),
        ]
        self._post(f"{self._session}/actions", actions=[{"type": "key", "id": "keys", "actions": presses}])

    def close(self):
        self._client.delete(self._session)


def _move(at):
    return {
        "type": "pointerMove",
        "x": round(at[0]),
        "y": round(at[1]),
        "duration": 100,
        "origin": "viewport",
    }


def with_locale(folder, locale):
    """The environment for a locale, which is compiled into the folder: without its files WebKit is American English."""
    name = {"ar": "ar_EG"}.get(locale, locale.replace("-", "_"))
    compiled = folder / f"{name}.UTF-8"
    subprocess.run(["localedef", "-i", name, "-f", "UTF-8", compiled], check=True, capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": compiled.name, "LANG": compiled.name, "LANGUAGE": name}


@contextmanager
def webkit(driver, browser, screen, *, zone, locale=()):
    """A fresh screen, driver and window in a time zone and the environment of a locale; all end with the block."""
    with ExitStack() as ends:
        display = _started(ends, [screen, "-displayfd", "1", "-screen", "0", "1366x900x24"]).stdout.readline()
        environment = (
            os.environ
            | SOFTWARE_RENDERING
            | {"TZ": zone, "DISPLAY": f":{display.decode().strip()}"}
            | dict(locale)
        )
        port = free_port()
        _started(ends, [driver, f"--port={port}"], env=environment)
        client = ends.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60))
        wait_until(lambda: _answers(client), "WebKitWebDriver did not start")
        window = WebKit(client, browser)
        ends.callback(window.close)
        yield window


def _started(ends, command, **options):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
    ends.callback(process.stdout.close)
    ends.callback(process.wait, 20)
    ends.callback(process.terminate)
    return process


def _answers(client):
    try:
        return client.get("/status").is_success
    except httpx.TransportError:
        return False
