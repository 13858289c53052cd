"""API keys of browser sessions, in this process's memory: the browser's cookie holds a random name, never the key.

A reload or a second tab finds the key by the cookie, which ends with the browser session. Nothing is written to disk;
the process deletes a key after half a day without use, and at sign-out.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

COOKIE = "coachboard_session"
PATH = "/session"
IDLE_S = 12 * 3600.0
TICKET_S = 60.0
MOST = 10_000


@dataclass(slots=True)
class _Held:
    key: SecretStr
    used_at: float
    idle_s: float


class SessionKeys:
    """Keys by unguessable names; a one-time ticket puts a name into a browser's cookie."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._tickets: dict[str, tuple[str, float]] = {}

    def keep(self, key: SecretStr, *, idle_s: float = IDLE_S) -> tuple[str, str]:
        """Store a key until it is unused for `idle_s`; returns its name and the ticket for the name."""
        name, ticket = token_urlsafe(32), token_urlsafe(32)
        with self._lock:
            self._sweep()
            self._held[name] = _Held(key, self._clock(), idle_s)
            self._tickets[ticket] = (name, self._clock() + TICKET_S)
        return name, ticket

    def redeem(self, ticket: str) -> str | None:
        """The name for a ticket, once and within a minute."""
        with self._lock:
            name, until = self._tickets.pop(ticket, ("", 0.0))
            return name if name in self._held and self._clock() <= until else None

    def key_of(self, name: str | None) -> SecretStr | None:
        """The key of a name; None after its deletion."""
        with self._lock:
            entry = self._held.get(name or "")
            if entry is None or self._clock() - entry.used_at > entry.idle_s:
                return None
            entry.used_at = self._clock()
            return entry.key

    def forget(self, name: str | None) -> None:
        with self._lock:
            self._held.pop(name or "", None)

    def _sweep(self) -> None:
        now = self._clock()
        self._tickets = {ticket: entry for ticket, entry in self._tickets.items() if entry[1] > now}
        fresh = [(name, held) for name, held in self._held.items() if now - held.used_at <= held.idle_s]
        self._held = dict(sorted(fresh, key=lambda entry: entry[1].used_at)[-MOST + 1 :])


# One per process: the route that sets the cookie and the pages that read it share it.
SESSION_KEYS = SessionKeys()


def routes() -> list[Route]:
    return [Route(PATH, _set_cookie, methods=["POST"])]


async def _set_cookie(request: Request) -> Response:
    """Exchange a ticket for the cookie; accepts only pages of the same origin."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return PlainTextResponse("Forbidden", 403)
    name = SESSION_KEYS.redeem((await request.body())[:200].decode("ascii", "replace"))
    if name is None:
        return PlainTextResponse("Not found", 404)
    reply = Response(status_code=204)
    set_session_cookie(reply, name, request)
    return reply


def set_session_cookie(reply: Response, name: str, request: Request) -> None:
    """Set the cookie with the key's name; without a max-age the cookie ends with the browser session."""
    reply.set_cookie(COOKIE, name, httponly=True, samesite="strict", secure=request.url.scheme == "https")
