"""Calendars as iCalendar subscriptions: one entry for each session, planned or done, races and notes on whole days."""

import hashlib
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo, available_timezones

import orjson
from icalendar import Event as IEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.calendar_file import (
    add_owner,
    calendar_file,
    done_entry,
    note_entry,
    planned_entry,
    race_entry,
)
from coachboard.execution.adherence import Adherence, Match
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow, TooManyRequests
from coachboard.service.api.limits import RateLimits
from coachboard.service.api.request_checks import PLAN_PATH, checked_request
from coachboard.service.ids import new_id
from coachboard.service.own_data.requests import (
    caller_of,
    existing,
    expected_tag,
    list_reply,
    read_model,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes, Calendars
from coachboard.service.planning.scores import matches_of, prescription_of, summary_of
from coachboard.service.planning.targets import PLANNED, PlannedAthlete
from coachboard.service.store import RowKind
from coachboard.service.store.feeds import StoredFeed
from coachboard.service.store.keys import digest_of
from coachboard.service.store.plans import PlanRow, Plans
from coachboard.throttle import Throttle
from coachboard.wire.activities import Activity
from coachboard.wire.planning import EntryKind, Feed, NewFeed, PlanProfile, ProfilePatch
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.workout_text.writing import write_workout

DAYS_BACK, DAYS_AHEAD = 90, 365
MOST_FEEDS = 100
"""Subscriptions of one person."""
WRONG_ADDRESSES = 60
"""Wrong addresses of one network address in a minute."""
NO_FEED = "This address is unknown: it was revoked or renewed, or the key that made it has ended."
T = TypeVar("T")
_HEADERS = {"Cache-Control": "private, no-cache"}


class Subscriptions(CalendarRoutes):
    """The routes over one store: subscriptions of a person, and their files, which need no key."""

    def __init__(self, calendars: Calendars, limits: RateLimits) -> None:
        super().__init__(calendars)
        self._limits = limits
        self._wrong = Throttle(limit=WRONG_ADDRESSES)

    def routes(self) -> list[Route]:
        path, profile = f"{PLAN_PATH}/feeds", f"{PLAN_PATH}/users/{{user_id}}"
        return [
            Route(path, self.list_feeds, methods=["GET"]),
            Route(path, self.create, methods=["POST"]),
            Route(f"{path}/{{secret}}.ics", self.file, methods=["GET"]),
            Route(f"{path}/{{feed_id}}", self.revoke, methods=["DELETE"]),
            Route(f"{path}/{{feed_id}}/renew", self.renew, methods=["POST"]),
            Route(profile, self.get_profile, methods=["GET"]),
            Route(profile, self.change_profile, methods=["PATCH"]),
        ]

    async def list_feeds(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._store.feeds_of, caller_of(request), self._now())
        return list_reply([_feed(row) for row in rows])

    async def create(self, request: Request) -> Response:
        asked, caller = await read_model(request, NewFeed), checked_request(request.scope).caller
        athlete_id = caller.user_id if asked.user_id == "me" else asked.user_id
        if (athlete_id is None) is (asked.workspace_id is None):
            raise InvalidRequest("Send userId or workspaceId: one of the two.")
        if asked.group is not None and asked.workspace_id is None:
            raise InvalidRequest("group: send the workspaceId of the group, too.")
        feed = StoredFeed(
            id=new_id("fed"),
            owner_id=caller.user_id,
            athlete_id=athlete_id,
            workspace_id=asked.workspace_id,
            group=asked.group,
            is_busy_only=asked.busy_only,
            created_at=self._now(),
        )
        await run_in_threadpool(self._read_feed, feed, self._require)
        if len(await run_in_threadpool(self._store.feeds_of, caller.user_id, self._now())) >= MOST_FEEDS:
            raise Conflict(f"You have {MOST_FEEDS} subscriptions; revoke one first.")
        secret = await run_in_threadpool(self._store.add_feed, feed, caller.key_id)
        return reply(_feed(replace(feed, digest=digest_of(secret)), secret))

    async def renew(self, request: Request) -> Response:
        """Give a subscription another address; the old address is unknown from then on."""
        tag, feed = expected_tag(request), await self._own(request)
        key_id = checked_request(request.scope).caller.key_id
        if _feed(feed).etag != tag:
            return stale_reply(_feed(feed))
        secret = await run_in_threadpool(self._store.renew_feed, feed, key_id)
        renewed = await self._own(request)
        return stale_reply(_feed(renewed)) if secret is None else reply(_feed(renewed, secret))

    async def revoke(self, request: Request) -> Response:
        tag, feed = expected_tag(request), await self._own(request)
        if _feed(feed).etag != tag or not await run_in_threadpool(self._store.remove_feed, feed):
            return stale_reply(_feed(await self._own(request)))
        return reply(_feed(feed))

    async def file(self, request: Request) -> Response:
        """The file of a secret address. Wrong addresses are counted for each network address."""
        address = request.client.host if request.client else "unknown address"
        if (wait_s := math.ceil(self._wrong.wait_s(address))) > 0:
            text = f"Too many wrong addresses; try again in {wait_s} s."
            raise TooManyRequests(text, retry_after_s=wait_s)
        feed = await run_in_threadpool(self._store.feed, request.path_params["secret"], self._now())
        if feed is None:
            self._wrong.note_failure(address)
            raise NoSuchRow(NO_FEED)
        await self._limits.take_for_feed(feed.id)
        for user_id in await run_in_threadpool(self._read_feed, feed, athletes_of):
            for kind in (*sorted(PLANNED), RowKind.ACTIVITIES):
                await self._until_written(user_id, kind, self._today() - timedelta(days=DAYS_BACK))
        body = await run_in_threadpool(self._read_feed, feed, feed_file)
        tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers = {**_HEADERS, "ETag": tag}
        if tag in request.headers.get("if-none-match", ""):
            return Response(None, 304, headers)
        return Response(body, 200, headers, "text/calendar; charset=utf-8")

    async def get_profile(self, request: Request) -> Response:
        return reply(_profile(*await self._read(_zone, request)))

    async def change_profile(self, request: Request) -> Response:
        tag, zone = expected_tag(request), (await read_model(request, ProfilePatch)).time_zone
        if zone is not None and zone not in available_timezones():
            raise InvalidRequest("timeZone: write a name such as Europe/Oslo.")
        user_id, before = await self._read(_zone, request)
        is_same = _profile(user_id, before).etag == tag
        if not is_same or not await run_in_threadpool(self._store.replace_time_zone, user_id, before, zone):
            return stale_reply(_profile(*await self._read(_zone, request)))
        return reply(_profile(user_id, zone))

    async def _own(self, request: Request) -> StoredFeed:
        rows = await run_in_threadpool(self._store.feeds_of, caller_of(request), self._now())
        feed_id = request.path_params["feed_id"]
        return existing(next((row for row in rows if row.id == feed_id), None), "subscription")

    def _read_feed(self, feed: StoredFeed, read: Callable[[StoredFeed, Plans, Rights], T]) -> T:
        with self._store.reading_plans() as plans:
            return read(feed, plans, Rights(plans, feed.owner_id, self._today()))

    @staticmethod
    def _require(feed: StoredFeed, plans: Plans, rights: Rights) -> None:
        """Raise a refusal unless the person may read the calendars; a workspace may have no athletes yet, a group has some."""
        rights.require_workspace(feed.workspace_id)
        if feed.group is not None and not athletes_of(feed, plans, rights):
            raise InvalidRequest("group: the workspace has no such group.")
        if feed.athlete_id is not None:
            rights.person(feed.athlete_id)


def _zone(plans: Plans, rights: Rights, request: Request) -> tuple[str, str | None]:
    """The person of the path and their time zone."""
    user_id = rights.person(request.path_params["user_id"])
    return user_id, plans.time_zone_of(user_id)


def _profile(user_id: str, zone: str | None) -> PlanProfile:
    return PlanProfile(time_zone=zone, etag=tag_of(user_id, zone))


def _feed(feed: StoredFeed, secret: str | None = None) -> Feed:
    return Feed(
        id=feed.id,
        user_id=feed.athlete_id,
        workspace_id=feed.workspace_id,
        group=feed.group,
        busy_only=feed.is_busy_only,
        created_at=feed.created_at,
        etag=tag_of(feed.id, feed.digest),
        path=None if secret is None else f"{PLAN_PATH}/feeds/{secret}.ics",
    )


def athletes_of(feed: StoredFeed, plans: Plans, rights: Rights) -> list[str]:
    """The people in a subscription whose calendars its owner may read today. Raises `NoSuchRow`."""
    if feed.athlete_id is not None:
        if not rights.may_read_calendar(feed.athlete_id):
            raise NoSuchRow(NO_FEED)
        return [feed.athlete_id]
    if feed.workspace_id not in rights.led_names:
        raise NoSuchRow(NO_FEED)
    squad = sorted(user_id for user_id, shared in rights.led.items() if feed.workspace_id in shared)
    if feed.group is None:
        return squad
    names = plans.groups([feed.workspace_id])
    return [user_id for user_id in squad if feed.group in names.get((feed.workspace_id, user_id), ())]


def feed_file(feed: StoredFeed, plans: Plans, rights: Rights) -> bytes:
    """The file of a subscription; the same bytes as long as no row changes. Raises `NoSuchRow`."""
    ids, entries = athletes_of(feed, plans, rights), list[IEvent]()
    names = plans.names(ids)
    is_squad = feed.workspace_id is not None
    for user_id in ids:
        for entry in _entries(user_id, plans, rights):
            if feed.is_busy_only:
                _make_discreet(entry)
            elif is_squad:
                add_owner(entry, names[user_id], is_titled=True)
            if not feed.is_busy_only or entry.get("transp") != "TRANSPARENT":
                entries.append(entry)
    owner = feed.group if is_squad else names[ids[0]]
    title = "Training" if owner is None or feed.is_busy_only else f"Training of {owner}"
    return calendar_file(entries, name=title)


def _make_discreet(entry: IEvent) -> None:
    """The time alone."""
    for name in ("description", "categories", "summary"):
        entry.pop(name, None)
    entry.add("summary", "Busy")


def _entries(user_id: str, plans: Plans, rights: Rights) -> Iterator[IEvent]:
    start, end = rights.today - timedelta(days=DAYS_BACK), rights.today + timedelta(days=DAYS_AHEAD)
    rows = [row for row in rights.rows(user_id, start, end) if not row.is_private]
    athlete = PlannedAthlete(plans, user_id, today=rights.today)
    sessions = {row.id: row for row in map(summary_of, plans.activity_bodies(user_id, start))}
    workouts = {row.id: (row, prescription_of(row, athlete)) for row in rows if row.kind is EntryKind.WORKOUT}
    matches = matches_of(workouts.values(), sessions.values(), today=rights.today)
    name = plans.time_zone_of(user_id)
    yield from _session_entries(matches, sessions, workouts, ZoneInfo(name) if name else None)
    unplanned = {match.done.id for match in matches if match.done and not match.planned}
    yield from _dated_entries(rows, unplanned)


_Workout = tuple[PlanRow, TrainingPrescription]


def _session_entries(
    matches: Iterable[Match],
    sessions: Mapping[str, Activity],
    workouts: Mapping[str, _Workout],
    zone: ZoneInfo | None,
) -> Iterator[IEvent]:
    """One entry for each session, planned or done; a session that two plans name is one."""
    by_session: dict[str, list[Match]] = {}
    for match in matches:
        part = match.done or match.planned
        assert part is not None
        by_session.setdefault(part.id, []).append(match)
    for same in by_session.values():
        planned = [workouts[match.planned.id] for match in same if match.planned is not None]
        if same[0].done is None:
            row, plan = planned[0]
            outcome = same[0].adherence
            state = "Planned" if outcome is Adherence.AHEAD else str(outcome).capitalize()
            yield planned_entry(plan, _texts(row, plan), state=state, zone=zone, made_at=_made_at(row))
        elif (entry := _session_entry(sessions[same[0].done.id], planned)) is not None:
            yield entry


def _dated_entries(rows: Iterable[PlanRow], unplanned: Container[str]) -> Iterator[IEvent]:
    """Races, without those whose session has an entry, and notes."""
    for row in rows:
        if row.kind is EntryKind.EVENT:
            event = Event.from_wire(orjson.loads(row.body))
            if event.activity_id not in unplanned:
                yield _whole_day_race(event, row)
        elif row.kind is EntryKind.NOTE:
            note = Note.from_wire(orjson.loads(row.body)).model_copy(update={"time": None})
            yield note_entry(note, zone=None, made_at=_made_at(row), last_day=row.end_day)


def _whole_day_race(event: Event, row: PlanRow) -> IEvent:
    start = f"Start {event.time:%H:%M}" if event.time else None
    text = "\n".join(filter(None, (start, event.description))) or None
    whole = event.model_copy(update={"time": None, "description": text, "distance": None})
    return race_entry(whole, zone=None, made_at=_made_at(row), last_day=row.end_day)


def _session_entry(activity: Activity, planned: list[tuple[PlanRow, TrainingPrescription]]) -> IEvent | None:
    """A session under the titles of its plans, with their texts; else under its own."""
    title = " + ".join(plan.title for _row, plan in planned if plan.title) or activity.name
    texts = [
        activity.name if activity.name != title else None,
        *(line for row, plan in planned for line in _texts(row, plan)),
        activity.description,
    ]
    entry_id = planned[0][1].id if planned else activity.id
    moment = activity.started_at or activity.started_at_local or datetime(1970, 1, 1, tzinfo=UTC)
    made_at = max([moment.replace(tzinfo=UTC), *(_made_at(row) for row, _plan in planned)])
    return done_entry(activity, entry_id, title or str(activity.sport or "Session"), texts, made_at=made_at)


def _texts(row: PlanRow, plan: TrainingPrescription) -> list[str | None]:
    """The description and the steps of a workout."""
    steps = row.entry.get("text")
    if steps is None and plan.structure:
        steps = write_workout(plan.structure, plan.sport)
    skipped = row.entry.get("skipped")
    return [f"Skipped: {skipped['reason']}" if skipped else None, plan.description, steps]


def _made_at(row: PlanRow) -> datetime:
    """The last change; of a row that no person changed its day, which is the same at each read."""
    changed = (row.changed or {}).get("at")
    return (
        datetime.combine(row.day, time(), UTC)
        if changed is None
        else datetime.fromtimestamp(int(changed), UTC)
    )
