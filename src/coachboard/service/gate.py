"""What stands before every route: the key, then its limit; a reply that is still true is sent from here."""

from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from coachboard.service.auth import bearer_key
from coachboard.service.compression import accepted
from coachboard.service.errors import NotFound, Refusal, reply_to_refusal
from coachboard.service.limits import Limits
from coachboard.service.memory import KnownReply, Memory, Remembered, ReplyKey
from coachboard.service.store import Caller

# spec: not shown: the description of the interface tells nothing of anybody and needs no key.
DESCRIPTION_PATH = "/openapi.json"

_VISIT = "coachboard.visit"


@dataclass(frozen=True, slots=True)
class Visit:
    """A request that passed the gate."""

    caller: Caller
    encoding: str
    remembered: Remembered
    reply_key: ReplyKey

    def keep(self, response: Response, queried_user: str | None = None) -> Response:
        """Remember the reply to this very question."""
        self.remembered.keep(self.reply_key, KnownReply(response, queried_user))
        return response


def visit_of(scope: Scope) -> Visit:
    visit: Visit = scope[_VISIT]
    return visit


def _check_segments(scope: Scope) -> None:
    """An encoded slash is part of an id, and no id has one; decoded it would pass for the end of a segment."""
    if b"%2f" in scope.get("raw_path", b"").lower():
        raise NotFound("There is no such route.")


class Gate:
    """ASGI middleware; order of checks: key, limit of the key, limit of the queried user, the route's own."""

    def __init__(self, app: ASGIApp, *, memory: Memory, limits: Limits) -> None:
        self._app = app
        self._memory = memory
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(scope["root_path"]) == DESCRIPTION_PATH:
            await self._app(scope, receive, send)
            return
        try:
            visit = await self._admit(scope)
            _check_segments(scope)
            known = visit.remembered.replies.get(visit.reply_key) if scope["method"] == "GET" else None
            if known is not None and known.queried_user is not None:
                await self._limits.take_for_user(visit.caller.key_id, known.queried_user)
        except Refusal as refusal:
            await reply_to_refusal(refusal)(scope, receive, send)
            return
        scope[_VISIT] = visit
        await (self._app if known is None else known.response)(scope, receive, send)

    async def _admit(self, scope: Scope) -> Visit:
        credentials, encodings = [], None
        for name, value in scope["headers"]:
            if name == b"authorization":
                credentials.append(value)
            elif name == b"accept-encoding":
                encodings = value
        key = bearer_key(credentials)
        remembered = await self._memory.current()
        caller = await self._memory.caller(key, remembered)
        await self._limits.take_for_key(caller.key_id)
        encoding = accepted(encodings)
        reply_key = (caller.user_id, scope["path"], scope["query_string"], encoding)
        return Visit(caller, encoding, remembered, reply_key)
