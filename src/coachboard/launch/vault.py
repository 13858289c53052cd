"""Keys of browser sessions, held in this process alone: the browser keeps a random name for its key, never the key.

A reload or a second tab finds the key again by a cookie that ends with the browser session. Nothing is written
to disk; the process forgets a key after half a day without use, and at once on signing out.
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


class Vault:
    """Keys by unguessable names; a name is put into a browser's cookie against a ticket that works once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._tickets: dict[str, tuple[str, float]] = {}

    def keep(self, key: SecretStr) -> tuple[str, str]:
        """Hold a key; gives its name and the ticket with which the browser fetches the name once."""
        name, ticket = token_urlsafe(32), token_urlsafe(32)
        with self._lock:
            self._sweep()
            self._held[name] = _Held(key, self._clock())
            self._tickets[ticket] = (name, self._clock() + TICKET_S)
        return name, ticket

    def redeem(self, ticket: str) -> str | None:
        """The name behind a ticket, once and within a minute."""
        with self._lock:
            name, until = self._tickets.pop(ticket, ("", 0.0))
            return name if name in self._held and self._clock() <= until else None

    def key_of(self, name: str | None) -> SecretStr | None:
        """The key under a name; None where it was forgotten."""
        with self._lock:
            held = self._held.get(name or "")
            if held is None or self._clock() - held.used_at > IDLE_S:
                return None
            held.used_at = self._clock()
            return held.key

    def forget(self, name: str | None) -> None:
        with self._lock:
            self._held.pop(name or "", None)

    def _sweep(self) -> None:
        now = self._clock()
        self._tickets = {ticket: entry for ticket, entry in self._tickets.items() if entry[1] > now}
        fresh = [(name, held) for name, held in self._held.items() if now - held.used_at <= IDLE_S]
        self._held = dict(sorted(fresh, key=lambda entry: entry[1].used_at)[-MOST + 1 :])


# One for the process: the route that sets the cookie and the pages that read it are not made by the same hand.
VAULT = Vault()


def routes() -> list[Route]:
    return [Route(PATH, _set_cookie, methods=["POST"])]


async def _set_cookie(request: Request) -> Response:
    """Exchange a ticket for the cookie; only a page of this very origin may."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return PlainTextResponse("Forbidden", 403)
    name = VAULT.redeem((await request.body())[:200].decode("ascii", "replace"))
    if name is None:
        return PlainTextResponse("Not found", 404)
    reply = Response(status_code=204)
    # Without an age it ends with the browser session.
    reply.set_cookie(COOKIE, name, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return reply
