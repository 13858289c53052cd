"""The nine reading endpoints ("Endpoints", 1 to 9)."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.compression import json_reply, streams_reply
from coachboard.service.api.database_calls import ask
from coachboard.service.api.errors import InvalidRequest, NoSuchRow
from coachboard.service.api.limits import RateLimits
from coachboard.service.api.reply_cache import CheckedRequest, ReplyCache
from coachboard.service.api.request_checks import checked_request
from coachboard.service.ids import is_id
from coachboard.service.planning.targets import PLANNED, visible_rows
from coachboard.service.store import Caller, RowKind, Store, StoredStreams
from coachboard.service.store.streams import packed
from coachboard.wire.base import parse_day
from coachboard.wire.streams import ActivityStreams

_LOG = logging.getLogger(__name__)

StreamMaker = Callable[[bytes], ActivityStreams]
UntilWritten = Callable[[str, RowKind, date | None], Awaitable[None]]

NO_USER = "No such user, or you have no access."
NO_STREAMS = "No such activity, no access to it, or it has no streams."

_RANGED = {
    "activities": RowKind.ACTIVITIES,
    "training-prescriptions": RowKind.PRESCRIPTIONS,
    "notes": RowKind.NOTES,
    "events": RowKind.EVENTS,
    "metrics": RowKind.METRICS,
    "sleeps": RowKind.SLEEPS,
}


async def all_is_written(_user_id: str, _kind: RowKind, _since: date | None) -> None:
    """Return at once: all rows are in the store."""


_WIDE_DAYS = 400


@dataclass(frozen=True, slots=True)
class DayRange:
    """An inclusive range of days; None is an open end. A start after the end is an empty range."""

    start: date | None
    end: date | None

    def is_wide(self, today: date) -> bool:
        """Whether the range exceeds `_WIDE_DAYS`: reading it on the event loop would block other requests."""
        return self.start is None or ((self.end or today) - self.start).days > _WIDE_DAYS


def day_range(query_string: bytes) -> DayRange:
    """Parse the range of a query; raises `InvalidRequest` for anything but one YYYY-MM-DD each.

    spec: not shown: an empty value and a repeated parameter are malformed; other parameters are ignored.
    """
    if not query_string:
        return DayRange(None, None)
    parameters = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)
    return DayRange(_day(parameters, "from"), _day(parameters, "to"))


def _day(parameters: list[tuple[str, str]], name: str) -> date | None:
    values = [value for given, value in parameters if given == name]
    if not values:
        return None
    if len(values) > 1:
        raise InvalidRequest(f"The query parameter '{name}' is given more than once.")
    try:
        return parse_day(values[0])
    except ValueError as error:
        raise InvalidRequest(f"The query parameter '{name}' is not a date as YYYY-MM-DD.") from error


class ReadEndpoints:
    """The endpoints over one store. Each checks the user's limit, then the path, then the query.

    A replica may be seconds behind, so only rows come from it: the store decides the owner and the rights.
    """

    def __init__(
        self,
        store: Store,
        *,
        reply_cache: ReplyCache,
        limits: RateLimits,
        stream_makers: Mapping[str, StreamMaker],
        until_written: UntilWritten = all_is_written,
        replica: Store | None = None,
    ) -> None:
        self._store = store
        self._replica = replica
        self._reply_cache = reply_cache
        self._limits = limits
        self._makers = stream_makers
        self._until_written = until_written

    def routes(self) -> list[Route]:
        ranged = [Route(f"/users/{{user_id}}/{name}", self._ranged(kind)) for name, kind in _RANGED.items()]
        return [
            *ranged,
            Route("/users", self.list_users),
            Route("/users/{user_id}", self.get_user),
            Route("/activities/{activity_id}/streams", self.get_streams),
        ]

    async def list_users(self, request: Request) -> Response:
        checked = checked_request(request.scope)
        bodies = await ask(self._store, self._store.athlete_bodies, checked.caller.user_id)
        reply = await json_reply(_array(bodies), checked.encoding)
        return self._reply_cache.keep(checked, reply, checked.caller.user_id)

    async def get_user(self, request: Request) -> Response:
        checked = checked_request(request.scope)
        user_id = await self._queried_user(request, checked)
        await self._until_written(user_id, RowKind.METRICS, None)
        is_own = user_id == checked.caller.user_id
        body = await ask(self._store, self._store.profile, user_id, is_own=is_own)
        reply = await json_reply(body, checked.encoding)
        return self._reply_cache.keep(checked, reply, user_id)

    def _ranged(self, kind: RowKind) -> Callable[[Request], Awaitable[Response]]:
        async def list_rows(request: Request) -> Response:
            checked = checked_request(request.scope)
            user_id = await self._queried_user(request, checked)
            days = day_range(request.scope["query_string"])
            await self._until_written(user_id, kind, days.start)
            body = _array(await self._rows(kind, user_id, days=days, checked=checked))
            reply = await json_reply(body, checked.encoding)
            if self._replica is not None and kind not in PLANNED:
                return reply  # would cache old rows under a new number
            return self._reply_cache.keep(checked, reply, user_id)

        return list_rows

    async def _rows(
        self, kind: RowKind, user_id: str, *, days: DayRange, checked: CheckedRequest
    ) -> Sequence[bytes]:
        today = checked.today
        question: Callable[..., Sequence[bytes]] = (self._replica or self._store).row_bodies
        named: dict[str, Any] = {"start": days.start, "end": days.end}
        if kind in PLANNED:
            question = partial(visible_rows, self._store)
            named.update(seen_by=checked.caller.user_id, today=today)
        if days.is_wide(today) and self._store.is_local:
            return await run_in_threadpool(question, kind, user_id, **named)
        rows: Sequence[bytes] = await ask(self._store, question, kind, user_id, **named)
        return rows

    async def _queried_user(self, request: Request, checked: CheckedRequest) -> str:
        """The user in the path, after the limit check; raises the same `NoSuchRow` for an unknown and a forbidden user."""
        named: str = request.path_params["user_id"]
        user_id = checked.caller.user_id if named == "me" else named
        await self._limits.take_for_user(checked.caller.key_id, user_id)
        if not checked.caller.may_read(user_id):
            raise NoSuchRow(NO_USER)
        return user_id

    async def get_streams(self, request: Request) -> Response:
        checked = checked_request(request.scope)
        activity_id: str = request.path_params["activity_id"]
        owner_id = await self._owner_of(activity_id, checked.caller) if is_id(activity_id) else None
        if owner_id is None or not checked.caller.may_read(owner_id):
            raise NoSuchRow(NO_STREAMS)
        checked = await self._reply_cache.about(checked, owner_id)
        source = self._replica or self._store
        stored: StoredStreams | None = await ask(source, source.streams, activity_id, owner_id)
        if stored is None:
            raise NoSuchRow(NO_STREAMS)
        body = stored.body
        if body is None:
            body = await run_in_threadpool(self._made_streams, stored)
        reply = await streams_reply(body, checked.encoding)
        return reply if self._replica is not None else self._reply_cache.keep(checked, reply, owner_id)

    def packed_streams(self, activity_id: str, user_id: str) -> bytes | None:
        """The streams of a person's session as stored; None without a recording."""
        stored = self._store.streams(activity_id, user_id)
        try:
            return None if stored is None else stored.body or self._made_streams(stored)
        except NoSuchRow:
            return None

    async def _owner_of(self, activity_id: str, caller: Caller) -> str | None:
        """The person of a session; an unknown session may be one of the athletes whose rows are still being written.

        A link to a session that was opened in the first seconds of a demo said that the session has no recording.
        """
        owner_id: str | None = await ask(self._store, self._store.owner_of, activity_id)
        if owner_id is None:
            for user_id in (caller.user_id, *sorted(caller.athletes)):
                await self._until_written(user_id, RowKind.ACTIVITIES, None)
            owner_id = await ask(self._store, self._store.owner_of, activity_id)
        return owner_id

    def _made_streams(self, stored: StoredStreams) -> bytes:
        recipe = stored.recipe
        if recipe is None:
            raise NoSuchRow(NO_STREAMS)
        if recipe.maker not in self._makers:
            _LOG.error(
                "the streams of %s need the maker %r, which is not installed",
                recipe.activity_id,
                recipe.maker,
            )
            raise NoSuchRow(NO_STREAMS)
        try:
            body = packed(self._makers[recipe.maker](recipe.recipe))
        except ValueError as error:  # the recipe of another version
            _LOG.error(
                "the maker %r cannot read the recipe of %s: create the demo database again",
                recipe.maker,
                recipe.activity_id,
            )
            raise NoSuchRow(NO_STREAMS) from error
        self._store.put_packed_streams(stored.user_id, recipe.activity_id, body)
        return body


def _array(bodies: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(map(_row, bodies)) + b"]"


def _row(body: object) -> bytes:
    """The body of a row; null for a damaged one, which would make the whole reply unreadable, and which clients count."""
    if isinstance(body, bytes) and body[:1] == b"{" and body[-1:] == b"}":
        return body
    _LOG.error("a row of the database is damaged and is null in a reply: restore the database from a backup")
    return b"null"
