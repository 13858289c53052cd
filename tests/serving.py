"""Running an ASGI application over real HTTP on loopback, for as long as a test needs it."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from coachboard.listening import HTTP


class _Server(uvicorn.Server):
    """A server that stops at once; uvicorn's looks every 0.1 s whether to stop, and then waits for another 0.1 s."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 (uvicorn has no event for it)
            await asyncio.sleep(0.002)
        await self.lifespan.shutdown()


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve the application on a free port; gives its address, such as http://127.0.0.1:40123."""
    # Given as IPPROTO_TCP, or asyncio leaves out TCP_NODELAY and each request costs 44 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, http=HTTP, log_config=None, access_log=False)
        server = _Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.005)
            assert thread.is_alive(), "the server did not start"
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.stop()
            thread.join(20)
