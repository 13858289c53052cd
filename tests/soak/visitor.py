"""A browser tab without a browser: it speaks Streamlit's websocket, signs in with a key, and opens and scrolls pages."""

import asyncio
import json
import ssl
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

TIMEOUT_S = 120.0
_SILENT_S, _AFTER_S = 15.0, 0.05
"""The longest silence before an answer, and after it: st.rerun begins its run after the end of the one before."""
_SETTLED_S = 0.5
"""After so long without a message no run is under way."""
_KEPT_RUNS = 2
"""As in a browser. A run that the page asked for under the former run's hashes may still be under way: with the messages of
one run alone, a busy machine had visitors who lost messages that the server took for kept."""
_WATCH, _ACCOUNT = ".watch", "shell.account.bar"
"""Ends of the ids of a lazy section and of the account in the sidebar."""

_UNCHECKED = ssl.create_default_context()
_UNCHECKED.check_hostname = False
_UNCHECKED.verify_mode = ssl.CERT_NONE


class Visitor:
    """One tab until it is closed; `faults` keeps tracebacks and messages of faults, `texts` what the page says."""

    def __init__(self, address: str, *, host: str | None = None, browser: str = "visitor") -> None:
        """`host` is the name of a dashboard behind a proxy with a certificate of a test."""
        self._address = address
        self._host = host
        self._browser = browser
        self._socket: ClientConnection | None = None
        self._hashes: dict[str, str] = {}  # of the scripts, by the page's name in the address
        self._query = ""
        self._widgets: dict[str, str] = {}  # ids by label
        self._components: dict[str, tuple[str, Any]] = {}  # fragments and data by id
        # By hash, of this run of the page and of the last ones before it.
        self._large: deque[dict[str, ForwardMsg]] = deque([{}], maxlen=1 + _KEPT_RUNS)
        self._repeated: dict[str, float] = {}  # seconds between reruns by fragment
        self._is_running = False
        self._ended = 0.0
        self.page = ""
        self.texts: list[str] = []
        self.faults: list[str] = []

    async def __aenter__(self) -> Self:
        headers = {"User-Agent": self._browser} | ({"Host": self._host} if self._host else {})
        async with httpx.AsyncClient(timeout=TIMEOUT_S, headers=headers, verify=self._host is None) as http:
            reply = await http.get(self._address)
        reply.raise_for_status()
        cookies = "; ".join(f"{name}={value}" for name, value in reply.cookies.items())
        parts = urlsplit(self._address)
        proxied: dict[str, Any] = {"host": parts.hostname, "port": parts.port, "ssl": _UNCHECKED}
        self._socket = await connect(
            f"{'wss' if self._host else 'ws'}://{self._host or parts.netloc}/_stcore/stream",
            subprotocols=["streamlit", "none"],  # type: ignore[list-item] # its own type of text
            origin=f"https://{self._host}" if self._host else self._address,  # type: ignore[arg-type] # the same
            additional_headers={"Cookie": cookies},
            user_agent_header=self._browser,
            max_size=None,
            open_timeout=TIMEOUT_S,
            **(proxied if self._host else {}),
        )
        await self._run(ClientState())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()

    @property
    def pages(self) -> list[str]:
        return list(self._hashes)

    @property
    def is_signed_in(self) -> bool:
        return "API key" not in self._widgets

    async def sign_in(self, key: str) -> None:
        typed = WidgetState(id=self._widgets["API key"], string_value=key)
        await self._press("Sign in", typed)

    async def sign_out(self) -> None:
        """Unfold the account in the sidebar, and press the button there.

        A run of the page, such as the one after a refresh, may drop the first press: press again.
        """
        # A page without the service has the button alone, and the page of invitations has no account.
        if self._account() is None and "Sign out" not in self._widgets:
            await self.open("settings")
        async with asyncio.timeout(TIMEOUT_S):
            while "Sign out" not in self._widgets:
                if (found := self._account()) and not found[2]:
                    await self._trigger(found[0], found[1], "action", {"name": "account", "says": ""})
                while (message := await self._next(_SETTLED_S)) or self._is_running:
                    if message is not None:
                        self._read(message)
        await self._press("Sign out")

    def _account(self) -> tuple[str, str, bool] | None:
        """The account in the sidebar, its fragment, and whether it is unfolded."""
        for widget, (fragment, presses) in self._components.items():
            if widget.endswith(_ACCOUNT):
                return widget, fragment, presses[0]["is_open"]
        return None

    async def open(self, page: str, **query: str) -> None:
        self.page, self._query = page, urlencode(query)
        await self._run(self._state())

    async def rerun(self) -> float:
        """Run the page again as a click does; seconds until the script has ended."""
        started = time.monotonic()
        await self._run(self._state())
        return self._ended - started

    async def scroll(self) -> None:
        """Come near each section that waits for it; each is reported once, as a section that draws may wait again."""
        seen: set[str] = set()
        while found := next(self._waiting(seen), None):
            widget, fragment, key = found
            seen.add(key)
            await self._trigger(widget, fragment, "near", key)

    def _waiting(self, seen: set[str]) -> Iterator[tuple[str, str, str]]:
        for widget, (fragment, places) in self._components.items():
            if widget.endswith(_WATCH):
                yield from ((widget, fragment, place["key"]) for place in places if place["key"] not in seen)

    async def stay(self, seconds: float) -> None:
        """Read on, with the reruns that the page asks for."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            await asyncio.sleep(min([rest, *self._repeated.values()]))
            for fragment in list(self._repeated) if time.monotonic() < end else ():
                await self._run(self._state(fragment=fragment, is_auto_rerun=True))

    async def _trigger(self, widget: str, fragment: str, event: str, value: object) -> None:
        """Send an event as a component of this project sends it."""
        events = json.dumps([{"event": event, "value": value}])
        state = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{widget}__events", json_trigger_value=events)
        await self._run(self._state(state, fragment=fragment))

    async def _press(self, label: str, *others: WidgetState) -> None:
        await self._run(self._state(*others, WidgetState(id=self._widgets[label], trigger_value=True)))

    def _state(self, *widgets: WidgetState, fragment: str = "", is_auto_rerun: bool = False) -> ClientState:
        if not fragment:
            self._large.append({})
        state = ClientState(
            page_script_hash=self._hashes.get(self.page, ""),
            page_name=self.page,
            query_string=self._query,
            fragment_id=fragment,
            is_auto_rerun=is_auto_rerun,
            cached_message_hashes={name for kept in self._large for name in kept},
        )
        state.widget_states.widgets.extend(widgets)
        return state

    async def _run(self, state: ClientState) -> None:
        """Ask for a run, and read until the last one that follows has ended."""
        assert self._socket is not None
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        async with asyncio.timeout(TIMEOUT_S):
            is_asked = True
            while is_asked or self._is_running:
                message = await self._next(_SILENT_S)
                if message is not None:
                    is_asked = self._read(message) and is_asked
                elif state.fragment_id and not self._is_running:
                    break  # Streamlit drops a fragment's run if the page's run begins meanwhile
            self._ended = time.monotonic()
            while (message := await self._next(_AFTER_S)) or self._is_running:
                if message is not None:
                    self._read(message)

    async def _next(self, wait_s: float) -> ForwardMsg | None:
        """The next message, None if there is none for so long."""
        assert self._socket is not None
        try:
            return ForwardMsg.FromString(await asyncio.wait_for(self._socket.recv(), wait_s))  # type: ignore[arg-type]
        except TimeoutError:
            return None

    def _read(self, message: ForwardMsg) -> bool:
        """Take a message; whether the script is still running after it."""
        message = self._whole(message)
        kind = message.WhichOneof("type")
        if kind == "session_status_changed":
            self._is_running = message.session_status_changed.script_is_running
        elif kind == "new_session" and not message.metadata.run.fragment_ids:
            self.texts, self._widgets, self._components, self._repeated = [], {}, {}, {}
        elif kind == "navigation":
            self._hashes = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "auto_rerun":
            self._repeated[message.auto_rerun.fragment_id] = max(message.auto_rerun.interval, 0.1)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._repeated.pop(fragment, None)
        elif kind == "delta":
            self._read_delta(message)
        done = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
        return not (kind == "script_finished" and message.script_finished in done)

    def _whole(self, message: ForwardMsg) -> ForwardMsg:
        """The message: of a large one that the browser keeps, Streamlit sends the hash only."""
        if message.ref_hash:
            message = next(kept[message.ref_hash] for kept in self._large if message.ref_hash in kept)
        if message.metadata.cacheable:
            self._large[-1][message.hash] = message
        return message

    def _read_delta(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind is None:
            return
        value = getattr(element, kind)
        self.texts += _texts(value)
        if label := getattr(value, "label", ""):
            self._widgets[label] = getattr(value, "id", "")
        if kind == "exception":
            self.faults.append(f"{self.page}: {value.type} {value.message}")
        elif kind == "alert" and "went wrong" in value.body:
            self.faults.append(f"{self.page}: {value.body}")
        elif kind == "bidi_component" and value.id.endswith((_WATCH, _ACCOUNT)):
            self._components[value.id] = message.delta.fragment_id, json.loads(value.json or value.bytes)


def _texts(value: Any) -> Iterator[str]:
    for name in ("body", "json", "label"):
        text = getattr(value, name, "")
        if isinstance(text, str) and text:
            yield text
