"""A proxy between client and service that goes wrong on request: each fault is used up by one exchange."""

import http.client
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """A reply of the proxy to the client."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def with_body(self, body: bytes) -> "Reply":
        return replace(self, body=body)


Fault = Callable[["Exchange"], None]


@dataclass
class Exchange:
    """One request on its way."""

    connection: socket.socket
    proxy: "FaultyProxy"
    raw: bytes
    body: bytes

    def ask(self) -> Reply:
        """Have the service answer."""
        method, target, _ = self.raw.split(b"\r\n", 1)[0].decode().split(" ")
        headers = dict(line.split(": ", 1) for line in self.raw.decode("latin-1").split("\r\n")[1:] if line)
        headers["Accept-Encoding"] = "identity"  # so that a fault can change what it reads
        upstream = http.client.HTTPConnection(self.proxy.host, self.proxy.port)
        try:
            upstream.request(method, target, body=self.body or None, headers=headers)
            reply = upstream.getresponse()
            kept = tuple((n, v) for n, v in reply.getheaders() if n.lower() in KEPT)
            return Reply(reply.status, kept, reply.read())
        finally:
            upstream.close()

    def answer(self, reply: Reply, *, promised: int | None = None) -> None:
        lines = [f"HTTP/1.1 {reply.status} X", f"Content-Length: {promised or len(reply.body)}"]
        lines += [f"{name}: {value}" for name, value in reply.headers]
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode() + reply.body)


KEPT = {"content-type", "retry-after", "content-encoding", "location"}
JSON = ("content-type", "application/json")


def reset(exchange: Exchange) -> None:
    """The connection is reset before any reply."""
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError


def reset_after_arrival(exchange: Exchange) -> None:
    """The service acts, and the connection is reset before its reply."""
    exchange.ask()
    reset(exchange)


def cut(exchange: Exchange) -> None:
    """Half of the body, then the end."""
    reply = exchange.ask()
    exchange.answer(reply.with_body(reply.body[: len(reply.body) // 2]), promised=len(reply.body))
    raise ConnectionAbortedError


def silent(exchange: Exchange) -> None:
    """No reply, until the proxy closes."""
    exchange.proxy.closing.wait(30)
    raise ConnectionAbortedError


def held(exchange: Exchange) -> None:
    """The right reply, once the test lets it go."""
    exchange.proxy.gate.wait(30)
    exchange.answer(exchange.ask())


def says(status: int, body: bytes = b"", *headers: tuple[str, str]) -> Fault:
    """A reply of the proxy's own."""
    return lambda exchange: exchange.answer(Reply(status, headers or (JSON,), body))


def limited(retry_after: str = "7") -> Fault:
    """A 429 as the service writes it."""
    return says(429, b'{"code":"rate_limited","error":"Slow down."}', JSON, ("retry-after", retry_after))


def changed(change: Callable[[bytes], bytes]) -> Fault:
    """The service's reply with another body."""

    def fault(exchange: Exchange) -> None:
        reply = exchange.ask()
        exchange.answer(reply.with_body(change(reply.body)))

    return fault


@dataclass
class FaultyProxy:
    """Forwards to a service; `faults` are taken in turn, or all get `always`."""

    host: str
    port: int
    url: str = ""
    faults: deque[Fault] = field(default_factory=deque)
    always: Fault | None = None
    requests: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)

    def serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as reader:
            try:
                while not self.closing.is_set() and self._exchange(connection, reader):
                    pass
            except OSError:
                return

    def _exchange(self, connection, reader) -> bool:
        lines = []
        while (line := reader.readline()) not in {b"\r\n", b""}:
            lines.append(line)
        if not lines:
            return False
        raw = b"".join(lines)
        length = next(
            (int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length")), 0
        )
        exchange = Exchange(connection, self, raw, reader.read(length))
        self.requests.append(raw.split(b" HTTP", 1)[0].decode())
        fault = self.faults.popleft() if self.faults else self.always
        if fault is None:
            exchange.answer(exchange.ask())
        else:
            fault(exchange)
        return True


@contextmanager
def faulty(address: str) -> Iterator[FaultyProxy]:
    """A proxy before the service at that address."""
    target = urlsplit(address)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        proxy = FaultyProxy(target.hostname, target.port)
        proxy.url = f"http://127.0.0.1:{listener.getsockname()[1]}{target.path}"
        threads = [threading.Thread(target=_accept, args=(listener, proxy), daemon=True)]
        threads[0].start()
        try:
            yield proxy
        finally:
            proxy.closing.set()
            proxy.gate.set()
            listener.shutdown(socket.SHUT_RDWR)
            threads[0].join(5)


def _accept(listener: socket.socket, proxy: FaultyProxy) -> None:
    while not proxy.closing.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=proxy.serve, args=(connection,), daemon=True).start()
