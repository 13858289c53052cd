"""Keeps what a page that was left still has to say from bringing it back.

A fragment that reports after the reader asked for another page, and before the browser has it, still names the old
page. Streamlit runs the new page first and then that fragment, of which nothing is left by then: the old page comes
back, empty. It happens when a place comes into view, or a `run_every` ticks, in the moment of a step back.
"""

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_STREAM = "/_stcore/stream"
_NAME_A_PAGE = {"new_session", "navigation"}


class LeftPages:
    """Follows, on each connection, which page was asked for or sent last, and passes over fragments of any other."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(_STREAM):
            connection = _Connection(receive, send)
            await self._app(scope, connection.receive, connection.send)
        else:
            await self._app(scope, receive, send)


class _Connection:
    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._page = ""

    async def receive(self) -> Message:
        while self._is_of_a_left_page(message := await self._receive()):
            pass
        return message

    async def send(self, message: Message) -> None:
        if payload := message.get("bytes"):
            self._page = _page_sent(payload) or self._page
        await self._send(message)

    def _is_of_a_left_page(self, message: Message) -> bool:
        rerun = _rerun_asked(message.get("bytes") or b"")
        page = rerun.page_script_hash
        if rerun.fragment_id:
            return bool(page and self._page and page != self._page)
        # A first request names its page by address, and what is sent for it tells which one that is.
        self._page = page or self._page
        return False


def _rerun_asked(payload: bytes) -> ClientState:
    message = BackMsg()
    try:
        message.ParseFromString(payload)
    except DecodeError:
        return ClientState()  # for Streamlit to refuse
    return message.rerun_script


def _page_sent(payload: bytes) -> str:
    """The page that a message is the beginning of; nothing of most messages."""
    message = ForwardMsg.FromString(payload)
    kind = message.WhichOneof("type")
    return str(getattr(message, kind).page_script_hash) if kind in _NAME_A_PAGE else ""
