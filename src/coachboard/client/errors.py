"""What can go wrong between here and the service; none of it ever carries the key.

ServiceError
├── Unreachable              no reply: refused, reset, cut, no such host
│   └── TimedOut             no reply in time
├── BadRequest               400
├── Unauthorized             401
├── NotFound                 404, which is also the answer for what the key may not see
├── RateLimited              429, with the seconds to wait
├── UnexpectedStatus         any other status, redirects and 5xx among them
└── UnreadableResponse       a reply that is not what the interface promises
"""

# ruff: noqa: N818 (the names say what happened, as httpx's do; the agreement of the project names them)

import re
from typing import Any

_ERRNO = re.compile(r"\[Errno -?\d+\] ")


class ServiceError(Exception):
    """The root; carries what was asked and, where there was a reply, what it said.

    `may_have_arrived` tells whether the service may have acted on the request: of interest for the one write.
    """

    summary = "Could not read from the service"

    def __init__(
        self,
        method: str,
        path: str,
        *,
        status: int | None = None,
        code: str | None = None,
        text: str | None = None,
        may_have_arrived: bool = True,
    ) -> None:
        super().__init__(method, path)
        self.method = method
        self.path = path
        self.status = status
        self.code = code
        self.text = text
        self.may_have_arrived = may_have_arrived

    def __str__(self) -> str:
        parts = (self.summary, f"{self.method} {self.path}", self._reply(), self.text, self._arrival())
        return ": ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def words(self) -> str:
        """What the service or the network said, for a reader: without the operating system's number."""
        return _ERRNO.sub("", self.text or "")

    def _reply(self) -> str:
        return " ".join(str(part) for part in (self.status, self.code) if part is not None)

    def _arrival(self) -> str | None:
        """Of a write it matters: asking again may do it twice."""
        is_open = self.method != "GET" and self.may_have_arrived
        return "the request may have reached the service, so it is not repeated" if is_open else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross process borders whole: arguments first, the rest as state."""
        return (type(self), (self.method, self.path), self.__dict__)


class Unreachable(ServiceError):
    """No reply came."""

    summary = "Could not reach the service"


class TimedOut(Unreachable):
    """No reply came in time."""

    summary = "The service did not answer in time"


class BadRequest(ServiceError):
    """The service found the request invalid."""

    summary = "The service rejected the request"


class Unauthorized(ServiceError):
    """The key is missing, unknown or revoked."""

    summary = "The service does not accept the API key"


class NotFound(ServiceError):
    """It does not exist, or the key may not see it; the service does not say which."""

    summary = "Not found, or not visible with this API key"


class RateLimited(ServiceError):
    """A rate limit is exceeded; `retry_after_s` is what the service asked to wait."""

    summary = "The rate limit of the service is exceeded"

    def __init__(self, method: str, path: str, *, retry_after_s: float = 60.0, **reply: Any) -> None:
        super().__init__(method, path, **reply)
        self.retry_after_s = retry_after_s


class UnexpectedStatus(ServiceError):
    """A status that the interface does not list."""

    summary = "The service sent an unexpected status"


class UnreadableResponse(ServiceError):
    """A reply that is not JSON, is too large, or is not of the promised shape; `place` names the field."""

    summary = "Could not read the service's reply"

    def __init__(
        self, method: str, path: str, *, place: str | None = None, is_cut: bool = False, **reply: Any
    ) -> None:
        super().__init__(method, path, **reply)
        self.place = place
        self.is_cut = is_cut  # it broke off on the way; asking again may help


CLASS_BY_STATUS: dict[int, type[ServiceError]] = {
    400: BadRequest,
    401: Unauthorized,
    404: NotFound,
    429: RateLimited,
}
"""The error table of the interface ("Errors")."""
