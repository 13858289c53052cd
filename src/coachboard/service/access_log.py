"""What the access log may hold of a request line: the path and the days asked for.

A key belongs into a header, which is never logged. Somebody who passes one in the address by mistake must not find
it in the log either.
"""

import logging
import re

_DAYS = re.compile(r"(from|to)=\d{4}-\d{2}-\d{2}", re.ASCII)
_KEY = re.compile(r"cbk_[\w-]+")
_MASK = "***"
_TARGET_AT = 2
"""Where uvicorn puts the target among the arguments of a line: client, method, target, version, status."""


class TargetsMasked(logging.Filter):
    """Masks what may be a key before the line is written; drops no line."""

    def filter(self, record: logging.LogRecord) -> bool:
        arguments = record.args
        if isinstance(arguments, tuple) and len(arguments) > _TARGET_AT:
            target = masked(str(arguments[_TARGET_AT]))
            record.args = (*arguments[:_TARGET_AT], target, *arguments[_TARGET_AT + 1 :])
        return True


def masked(target: str) -> str:
    """The target of a request without what may be a key: `/api/users?api_key=abc` is `/api/users?***`."""
    path, _, query = target.partition("?")
    shown = [part if _DAYS.fullmatch(part) else _MASK for part in query.split("&") if part]
    return _KEY.sub(_MASK, path) + ("?" if shown else "") + "&".join(shown)
