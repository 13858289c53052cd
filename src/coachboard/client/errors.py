"""The errors of the client; no error carries the key.

ServiceError
├── Unreachable              no reply: refused, reset, cut, no such host
│   ├── TimedOut             no reply in time
│   └── Untrusted            its certificate is not valid: nothing was sent
├── BadRequest               400
├── Unauthorized             401
├── NotFound                 404, also for a resource that the key may not read
├── RateLimited              429, with the seconds to wait
├── Forbidden                403 under `/own/v1` and `/plan/v1`
├── RequestConflict          409 there: it does not fit the data of the service
├── EditConflict             412 there, with the row as it is now
├── UnexpectedStatus         any other status, redirects and 5xx among them
└── UnreadableResponse       a reply that breaks the interface
"""

# ruff: noqa: N818 (the names say what happened, as httpx's do; the agreement of the project names them)

from dataclasses import dataclass
from datetime import date
from typing import Any

LONGEST_RETRY_AFTER_S = 900.0
"""Windows last a minute. A longer `Retry-After` is a fault of the service, and must not block the client for years."""


class ServiceError(Exception):
    """The root; carries the request and the reply, if there was one.

    `may_have_arrived` is true if the service may have acted on the request: a write must then not be repeated.
    `Http.send` names the request in each error that leaves it.
    """

    summary = "Could not read from the service"

    def __init__(
        self,
        method: str = "",
        path: str = "",
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
        parts = (
            self.summary,
            f"{self.method} {self.path}".strip(),
            self._reply(),
            self.text,
            self._arrival(),
        )
        return ": ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def words(self) -> str:
        """The text that a page quotes: the message of the service, or the reason that the client found."""
        return self.text or ""

    def _reply(self) -> str:
        return " ".join(str(part) for part in (self.status, self.code) if part is not None)

    def _arrival(self) -> str | None:
        """A warning for writes: a second request may act twice."""
        is_open = self.method != "GET" and self.may_have_arrived
        return "the request may have reached the service, so it is not repeated" if is_open else None


class Unreachable(ServiceError):
    """No reply arrived."""

    summary = "Could not reach the service"

    @property
    def words(self) -> str:
        """Nothing: a page must not quote the operating system ("[Errno 111] Connection refused"); the log does."""
        return ""


class TimedOut(Unreachable):
    """No reply arrived in time."""

    summary = "The service did not answer in time"


class Untrusted(Unreachable):
    """The certificate of the service is not valid, so nothing was sent; a second request would find the same."""

    summary = "The service's certificate is not valid"

    @property
    def words(self) -> str:
        """Why the certificate is not valid."""
        return self.text or ""


class BadRequest(ServiceError):
    """The service found the request invalid."""

    summary = "The service rejected the request"


class Unauthorized(ServiceError):
    """The key is missing, unknown or revoked."""

    summary = "The service does not accept the API key"


class NotFound(ServiceError):
    """The resource does not exist, or the key may not read it; the service does not say which."""

    summary = "Not found, or not visible with this API key"


class RateLimited(ServiceError):
    """A rate limit is exceeded; the service asks to wait `retry_after_s`, the client waits `wait_s`."""

    summary = "The rate limit of the service is exceeded"

    def __init__(
        self, method: str = "", path: str = "", *, retry_after_s: float = 60.0, **reply: Any
    ) -> None:
        super().__init__(method, path, **reply)
        self.retry_after_s = retry_after_s

    @property
    def wait_s(self) -> float:
        """The seconds until the client sends again, at most `LONGEST_RETRY_AFTER_S`."""
        return min(self.retry_after_s, LONGEST_RETRY_AFTER_S)


class Forbidden(ServiceError):
    """The caller may read the row but not write it; `text` is the sentence of the service."""

    summary = "Not allowed"


class RequestConflict(ServiceError):
    """The change does not fit the data of the service: too many rows, the only admin, a key that was used for another batch."""

    summary = "The change does not fit the data of the service"


class EditConflict(ServiceError):
    """The row has changed since it was read; nothing was written. `current` is the row as it is now, as JSON values."""

    summary = "The data has changed since you opened it"

    def __init__(self, method: str = "", path: str = "", *, current: Any = None, **reply: Any) -> None:
        super().__init__(method, path, **reply)
        self.current = current


class UnexpectedStatus(ServiceError):
    """A status that the interface does not list."""

    summary = "The service sent an unexpected status"


class UnreadableResponse(ServiceError):
    """A reply that is not JSON, is too large, or is not of the promised shape; `place` names the field."""

    summary = "Could not read the service's reply"

    def __init__(
        self,
        method: str = "",
        path: str = "",
        *,
        place: str | None = None,
        is_cut: bool = False,
        **reply: Any,
    ) -> None:
        super().__init__(method, path, **reply)
        self.place = place
        self.is_cut = is_cut  # the reply broke off; a second request may help


CLASS_BY_STATUS: dict[int, type[ServiceError]] = {
    400: BadRequest,
    401: Unauthorized,
    404: NotFound,
    429: RateLimited,
}
"""The error table of the interface ("Errors")."""

OWN_CLASS_BY_STATUS: dict[int, type[ServiceError]] = {
    **CLASS_BY_STATUS,
    403: Forbidden,
    409: RequestConflict,
    412: EditConflict,
}
"""The errors of `/own/v1` and `/plan/v1`."""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row, field or value that differs from the interface.

    `is_set_aside` is true where the row was left out; otherwise the row is shown without the odd part.
    """

    place: str  # "activities[3].sport"
    says: str
    is_set_aside: bool
    row_id: str | None = None
    day: date | None = None  # of a row that was left out, if that could be read
