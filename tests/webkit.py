"""A WebKit window, driven over W3C WebDriver: Playwright's WebKit is a build of its own that has to be downloaded."""

import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

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
    return found if all(found) else None


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
        return self._post(f"{self._session}/execute/sync", script=f"return {expression}", args=[])

    def wait_for(self, expression):
        wait_until(lambda: self.evaluate(expression), f"not so in WebKit: {expression}")

    def close(self):
        self._client.delete(self._session)


@contextmanager
def webkit(driver, browser, screen):
    """A fresh screen, driver and window; all end with the block."""
    with ExitStack() as ends:
        display = _started(ends, [screen, "-displayfd", "1", "-screen", "0", "1366x900x24"]).stdout.readline()
        environment = os.environ | SOFTWARE_RENDERING | {"DISPLAY": f":{display.decode().strip()}"}
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
