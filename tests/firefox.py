"""A headless Firefox, driven over WebDriver BiDi: Playwright's own protocol needs a patched Firefox."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from itertools import count

from websockets.sync.client import connect

from running import free_port, wait_until

ARGUMENTS = ("--headless", "--no-remote", "--new-instance")
DEEP = """
const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
const seen = (e) => e.getBoundingClientRect().width > 0;
"""
"""`deep(document)` lists every element, those in shadow roots too."""


def firefox_path():
    return os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One tab. `messages` keeps what its console and its script errors say."""

    def __init__(self, socket):
        self._socket, self._ids, self.messages = socket, count(1), []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.resize(1366, 900)

    def resize(self, width, height):
        self.call(
            "browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height}
        )

    def call(self, method, **params):
        """The result of a command; events that arrive meanwhile are kept."""
        sent = next(self._ids)
        self._socket.send(json.dumps({"id": sent, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=60))
            if message.get("method") == "log.entryAdded":
                self.messages.append(f"{message['params']['level']}: {message['params']['text']}")
            if message.get("id") == sent:
                assert message["type"] == "success", message
                return message["result"]

    def open(self, address):
        self.call("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def emulate(self, *, timezone_id, locale):
        self.call("emulation.setTimezoneOverride", contexts=[self._tab], timezone=timezone_id)
        self.call("emulation.setLocaleOverride", contexts=[self._tab], locale=locale)

    def evaluate(self, expression):
        """The value of an expression that may use `deep` and `seen`, by way of JSON."""
        script = f"(() => {{ {DEEP} return JSON.stringify({expression}) ?? 'null'; }})()"
        target = {"context": self._tab}
        result = self.call("script.evaluate", expression=script, target=target, awaitPromise=True)
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def wait_for(self, expression):
        wait_until(lambda: self.evaluate(expression), f"not so in Firefox: {expression}; {self.messages}")

    def wait_for_text(self, text):
        self.wait_for(f"deep(document).some((e) => seen(e) && e.textContent.includes({json.dumps(text)}))")

    def drag(self, start, end):
        """Press at one point of the window, move to another, release."""
        moves = [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1])},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(end[0]), "y": round(end[1]), "duration": 200},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "mouse", "actions": moves}
        self.call("input.performActions", context=self._tab, actions=[pointer])

    def press(self, *keys, holding=()):
        """Press and release keys, one after the other, while others are down: WebDriver's code points or characters."""
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        presses = [
            *({"type": "keyDown", "value": key} for key in holding),
            *presses,
            *({"type": "keyUp", "value": key} for key in holding),
        ]
        keyboard = {"type": "key", "id": "keys", "actions": presses}
        self.call("input.performActions", context=self._tab, actions=[keyboard])

    def click(self, found):
        """Click the middle of the first element that the expression finds."""
        self.wait_for(f"{found} !== undefined")
        box = self.evaluate(
            f"(({found}).scrollIntoView({{block: 'center'}}), ({found}).getBoundingClientRect())"
        )
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.drag(at, at)


@contextmanager
def firefox(path):
    """A fresh profile and process; ends with the block."""
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [path, *ARGUMENTS, "--profile", profile, "--remote-debugging-port", str(port), "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with _connected(port) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            process.wait(20)


def _connected(port):
    end = time.monotonic() + 60
    while True:
        try:
            return connect(f"ws://127.0.0.1:{port}/session", max_size=None, proxy=None)
        except OSError:
            assert time.monotonic() < end, "Firefox did not start"
            time.sleep(0.1)
