"""Log lines with time, level and the id of the request, as text or JSON."""

import asyncio
import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from secrets import token_hex

from starlette.types import ASGIApp, Receive, Scope, Send

_LOG = logging.getLogger(__name__)
_REQUEST: ContextVar[str] = ContextVar("coachboard_request", default="-")
_ID = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_HEADER = b"x-request-id"


class LogLines(logging.Formatter):
    """One line per record; a traceback follows in text, and is a field in JSON."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname,
            "request": _REQUEST.get(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fault = self.formatException(record.exc_info) if record.exc_info else ""
        if self._as_json:
            return json.dumps({**fields, "exception": fault} if fault else fields, ensure_ascii=False)
        # A line break in a name would look like another record.
        fields["message"] = fields["message"].replace("\r", "\\r").replace("\n", "\\n")
        head = "{time} {level} {request} {logger}: {message}".format(**fields)
        return f"{head}\n{fault}" if fault else head


class RequestIds:
    """Gives each request an id for its log lines: the proxy's `X-Request-ID` if it is plain, else a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == _HEADER), b"")
        _REQUEST.set(given.decode("ascii") if _ID.fullmatch(given) else token_hex(8))
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            # uvicorn cuts requests that outlast the end of the process, and would write a traceback for each.
            _LOG.warning("a request was cut, because the process ends")


def use(*, as_json: bool) -> None:
    """Format the lines of all loggers of this process, those of uvicorn and Streamlit too."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    loggers = [logging.getLogger(name) for name in root.manager.loggerDict]
    for handler in (handler for logger in (root, *loggers) for handler in logger.handlers):
        handler.setFormatter(LogLines(as_json=as_json))
