"""HTTP over httptools with limits for request heads, which uvicorn has for h11 only.

Without limits the server accepted 300 MB of headers, a request line of 60 MB blocked the event loop for 26 s, and
incomplete requests held their connections for ever. `streamlit run` and `uvicorn app:app` choose uvicorn's own class,
so this module replaces its methods; a malformed request gets the interface's error body under every class.
"""

from asyncio import TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from coachboard.service.api.errors import error_reply

MAX_HEAD_BYTES = 64 * 2**10
"""For the request line and all headers together; browsers and clients send less than 8 KB."""

HEAD_TIMEOUT_S = 10.0
"""Time for the head of a connection's first request; uvicorn closes an idle connection after 5 s."""


class HeadTooLarge(ValueError):  # noqa: N818 (what happened)
    """The parser stops when a callback raises this."""


class ServiceProtocol(HttpToolsProtocol):
    """uvicorn loads this class by name, because its import takes half a second."""

    _unread = 0
    """Bytes of the current head, trailer or chunk head that is not complete."""
    _is_too_large = False
    _head_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn's
        _UVICORN.connection_made(self, transport)
        _await_head(self)

    def connection_lost(self, exc: Exception | None) -> None:
        _stop_timer(self)
        _UVICORN.connection_lost(self, exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unread += len(data)
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            _await_head(self)
        _UVICORN.data_received(self, data)
        if self._unread > MAX_HEAD_BYTES and not self.transport.is_closing():
            _refuse_head(self)

    def on_url(self, url: bytes) -> None:
        if len(self.url) + len(url) > MAX_HEAD_BYTES:
            self._is_too_large = True
            raise HeadTooLarge
        _UVICORN.on_url(self, url)

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MAX_HEAD_BYTES:
            self._is_too_large = True
            raise HeadTooLarge
        self._unread = 0
        _stop_timer(self)
        _UVICORN.on_headers_complete(self)

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        _UVICORN.on_body(self, body)

    def on_message_complete(self) -> None:
        self._unread = 0
        _UVICORN.on_message_complete(self)

    def send_400_response(self, msg: str) -> None:
        """Send the error body for a request that the parser rejects, and close the connection."""
        if self._is_too_large:
            _refuse_head(self)
        else:
            _close_with(self, 400, "bad_request", msg)


class _Originals:
    """uvicorn's own methods, which the replaced ones call."""

    connection_made = HttpToolsProtocol.connection_made
    connection_lost = HttpToolsProtocol.connection_lost
    data_received = HttpToolsProtocol.data_received
    on_url = HttpToolsProtocol.on_url
    on_headers_complete = HttpToolsProtocol.on_headers_complete
    on_body = HttpToolsProtocol.on_body
    on_message_complete = HttpToolsProtocol.on_message_complete


_UVICORN: Any = _Originals


def limit_requests() -> None:
    """Set the limits for every server of this process, whichever command started it."""
    for name, part in vars(ServiceProtocol).items():
        if not name.startswith("__"):
            setattr(HttpToolsProtocol, name, part)


def _await_head(protocol: ServiceProtocol) -> None:
    _stop_timer(protocol)
    protocol._head_timer = protocol.loop.call_later(HEAD_TIMEOUT_S, protocol.transport.close)  # noqa: SLF001


def _stop_timer(protocol: ServiceProtocol) -> None:
    timer, protocol._head_timer = protocol._head_timer, None  # noqa: SLF001
    if timer is not None:
        timer.cancel()


def _refuse_head(protocol: ServiceProtocol) -> None:
    text = f"The request line and the headers exceed {MAX_HEAD_BYTES} bytes."
    _close_with(protocol, 431, "headers_too_large", text)


def _close_with(protocol: HttpToolsProtocol, status: int, code: str, text: str) -> None:
    reply = error_reply(status, code, text=text)
    headers = [*protocol.server_state.default_headers, *reply.raw_headers, (b"connection", b"close")]
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    protocol.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[status], lines, bytes(reply.body)))
    protocol.transport.close()
