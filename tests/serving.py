"""Running an ASGI application over real HTTP on loopback, for as long as a test needs it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from coachboard.listening import HTTP


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve the application on a free port; gives its address, such as http://127.0.0.1:40123."""
    # Given as IPPROTO_TCP, or asyncio leaves out TCP_NODELAY and each request costs 44 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, http=HTTP, log_config=None, access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.005)
            assert thread.is_alive(), "the server did not start"
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
