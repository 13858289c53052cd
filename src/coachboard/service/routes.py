"""The nine reading endpoints ("Endpoints", 1 to 9)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.models.streams import ActivityStreams
from coachboard.service.compression import json_reply, streams_reply
from coachboard.service.errors import NotFound
from coachboard.service.gate import Visit, visit_of
from coachboard.service.ids import is_id
from coachboard.service.limits import Limits
from coachboard.service.memory import Memory
from coachboard.service.ranges import DayRange, day_range
from coachboard.service.store import RowKind, Store, StreamRecipe
from coachboard.service.store.streams import packed

StreamMaker = Callable[[bytes], ActivityStreams]
UntilWritten = Callable[[str, RowKind, date | None], Awaitable[None]]

NO_USER = "There is no such user, or you have no access to them."
NO_STREAMS = "There is no such activity, you have no access to it, or it has no streams."

_RANGED = {
    "activities": RowKind.ACTIVITIES,
    "training-prescriptions": RowKind.PRESCRIPTIONS,
    "notes": RowKind.NOTES,
    "events": RowKind.EVENTS,
    "metrics": RowKind.METRICS,
    "sleeps": RowKind.SLEEPS,
}


async def all_is_written(_user_id: str, _kind: RowKind, _since: date | None) -> None:
    """Nothing of anybody is still to come."""


class Reading:
    """The endpoints over one store; each checks the user's limit, then the path, then the query."""

    def __init__(
        self,
        store: Store,
        *,
        memory: Memory,
        limits: Limits,
        stream_makers: Mapping[str, StreamMaker],
        until_written: UntilWritten = all_is_written,
    ) -> None:
        self._store = store
        self._memory = memory
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
        visit = visit_of(request.scope)
        bodies = await self._memory.ask(self._store.athlete_bodies, visit.caller.user_id)
        return visit.keep(await json_reply(_array(bodies), visit.encoding))

    async def get_user(self, request: Request) -> Response:
        visit = visit_of(request.scope)
        user_id = await self._queried_user(request, visit)
        await self._until_written(user_id, RowKind.METRICS, None)
        is_own = user_id == visit.caller.user_id
        body = await self._memory.ask(self._store.profile, user_id, is_own=is_own)
        return visit.keep(await json_reply(body, visit.encoding), user_id)

    def _ranged(self, kind: RowKind) -> Callable[[Request], Awaitable[Response]]:
        async def list_rows(request: Request) -> Response:
            visit = visit_of(request.scope)
            user_id = await self._queried_user(request, visit)
            days = day_range(request.scope["query_string"])
            await self._until_written(user_id, kind, days.start)
            body = _array(await self._rows(kind, user_id, days=days, visit=visit))
            return visit.keep(await json_reply(body, visit.encoding), user_id)

        return list_rows

    async def _rows(self, kind: RowKind, user_id: str, *, days: DayRange, visit: Visit) -> Sequence[bytes]:
        today = visit.remembered.today
        question: Callable[..., Sequence[bytes]] = self._store.row_bodies
        args: tuple[Any, ...] = (kind, user_id)
        named: dict[str, Any] = {"start": days.start, "end": days.end}
        if kind is RowKind.NOTES:
            question, args = self._store.note_bodies, (user_id,)
            named.update(seen_by=visit.caller.user_id, today=today)
        if days.is_wide(today):
            return await run_in_threadpool(question, *args, **named)
        rows: Sequence[bytes] = await self._memory.ask(question, *args, **named)
        return rows

    async def _queried_user(self, request: Request, visit: Visit) -> str:
        """The user that the path names, the limit taken first; raises `NotFound` alike for all others."""
        named: str = request.path_params["user_id"]
        user_id = visit.caller.user_id if named == "me" else named
        await self._limits.take_for_user(visit.caller.key_id, user_id)
        if not visit.caller.may_read(user_id):
            raise NotFound(NO_USER)
        return user_id

    async def get_streams(self, request: Request) -> Response:
        visit = visit_of(request.scope)
        activity_id: str = request.path_params["activity_id"]
        stored = await self._memory.ask(self._store.streams, activity_id) if is_id(activity_id) else None
        if stored is None or not visit.caller.may_read(stored.user_id):
            raise NotFound(NO_STREAMS)
        body = stored.body or await self._make_streams(stored.recipe)
        return visit.keep(await streams_reply(body, visit.encoding))

    async def _make_streams(self, recipe: StreamRecipe | None) -> bytes:
        if recipe is None:
            raise NotFound(NO_STREAMS)
        return await run_in_threadpool(self._make_and_keep, recipe)

    def _make_and_keep(self, recipe: StreamRecipe) -> bytes:
        body = packed(self._makers[recipe.maker](recipe.recipe))
        self._store.put_packed_streams(recipe.activity_id, body)
        return body


def _array(bodies: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(bodies) + b"]"
