"""Mask request lines in the access log: only the path and the days of a query are visible.

A key belongs in a header, which is never logged. A key that a caller sends in the URL by mistake is masked.
A module of its own: the filter belongs to the API, which does not import the commands.
"""

import logging
import re

_DAYS = re.compile(r"(from|to)=\d{4}-\d{2}-\d{2}", re.ASCII)
_KEY = re.compile(r"cb[kf]_[\w-]+")
"""An API key, or the secret of a subscription's address."""
_MASK = "***"
_TARGET_AT = 2
"""The position of the target in uvicorn's log arguments: client, method, target, version, status."""


class TargetsMasked(logging.Filter):
    """Masks a possible key before the line is written; drops no line."""

    def filter(self, record: logging.LogRecord) -> bool:
        arguments = record.args
        if isinstance(arguments, tuple) and len(arguments) > _TARGET_AT:
            target = masked(str(arguments[_TARGET_AT]))
            record.args = (*arguments[:_TARGET_AT], target, *arguments[_TARGET_AT + 1 :])
        return True


def masked(target: str) -> str:
    """The target of a request without a possible key: `/api/users?api_key=abc` is `/api/users?***`."""
    path, _, query = target.partition("?")
    parts = [part if _DAYS.fullmatch(part) else _MASK for part in query.split("&") if part]
    return _KEY.sub(_MASK, path) + ("?" if parts else "") + "&".join(parts)
