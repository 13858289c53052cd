"""Reviews of athletes with the reader's remark, and the news since the reader's last visit; stored per key."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import IntegrityError

from coachboard.database import writing
from coachboard.loaders.local_store import REVIEWS, VISITS, StoreUnreachable, asked, changing
from coachboard.loaders.memo import once
from coachboard.loaders.roster_row import RosterRow

LONGEST_REMARK = 500
VISIT_GAP = timedelta(hours=1)
"""A roster that is opened again after a longer break begins a new visit."""
_WRITE_AFTER = timedelta(minutes=5)
"""An unchanged visit is written again after this time: a page reruns at each click."""

Seen: TypeAlias = Mapping[str, tuple[str, ...]]
"""An athlete's data by kind (`sessions`, `nights`, `flags`, `notes`), as ids or days."""


class Review(NamedTuple):
    """A reader looked at the athlete on the athlete's day."""

    day: date
    remark: str
    reviewed_at: datetime


@dataclass(frozen=True, slots=True)
class Visit:
    """The end of the reader's previous visit, and the roster's state then; None and empty on the first visit."""

    since: datetime | None = None
    before: Mapping[str, Seen] = field(default_factory=dict)


def load_reviews(engine: Engine, owner: str) -> Mapping[str, tuple[Review, ...]]:
    """The reader's reviews by athlete, newest first; empty if the store is unavailable."""
    mine = select(REVIEWS).where(REVIEWS.c.owner == owner).order_by(REVIEWS.c.day.desc())
    try:
        with asked(), engine.connect() as connection:
            rows = connection.execute(mine).all()
    except StoreUnreachable:
        return {}
    by_athlete: dict[str, list[Review]] = {}
    for row in rows:
        by_athlete.setdefault(row.user_id, []).append(
            Review(row.day, row.remark, row.reviewed_at.replace(tzinfo=UTC))
        )
    return {user_id: tuple(reviews) for user_id, reviews in by_athlete.items()}


def save_review(engine: Engine, owner: str, user_id: str, review: Review) -> None:
    """Save the review of a day; replaces an earlier one of the day. Raises `StoreUnreachable`."""
    row = {"remark": review.remark[:LONGEST_REMARK], "reviewed_at": review.reviewed_at.replace(tzinfo=None)}
    with changing(engine, owner) as connection:
        connection.execute(delete(REVIEWS).where(*_of(owner, user_id, review.day)))
        connection.execute(REVIEWS.insert().values(owner=owner, user_id=user_id, day=review.day, **row))


def delete_review(engine: Engine, owner: str, user_id: str, day: date) -> None:
    """Take a review back. Raises `StoreUnreachable`."""
    with changing(engine, owner) as connection:
        connection.execute(delete(REVIEWS).where(*_of(owner, user_id, day)))


@once
def seen_of(row: RosterRow) -> Seen:
    """The athlete's data that a reader of the roster sees."""
    done = sorted({match.done.id for match in row.week if match.done is not None})
    night = row.sleep_h.day or row.hrv_ms.day
    return {
        "sessions": tuple(done),
        "nights": (night.isoformat(),) if night else (),
        "flags": tuple(sorted(flag.rule.id for flag in row.raised)),
        "notes": tuple(sorted(f"{day} {kind}" for day, kind in row.days.notes if day <= row.today)),
    }


def new_since(visit: Visit, row: RosterRow) -> Seen:
    """The athlete's data that was not there at the reader's last visit; empty for an athlete who was not there."""
    before = visit.before.get(row.user.id)
    if before is None:
        return {}
    pairs = (
        (kind, [id_ for id_ in now if id_ not in before.get(kind, ())]) for kind, now in seen_of(row).items()
    )
    return {kind: tuple(new) for kind, new in pairs if new}


def note_visit(engine: Engine, owner: str, rows: Mapping[str, RosterRow], *, now: datetime) -> Visit:
    """Record that the reader sees these rows now; returns the visit. Without the store nothing is new."""
    current = {user_id: seen_of(row) for user_id, row in rows.items()}
    try:
        with asked():
            return _note(engine, owner, current, now.astimezone(UTC).replace(tzinfo=None))
    except StoreUnreachable:
        return Visit()


def _note(engine: Engine, owner: str, current: dict[str, Seen], now: datetime) -> Visit:
    with engine.connect() as connection:
        row = connection.execute(select(VISITS).where(VISITS.c.owner == owner)).one_or_none()
    if row is None:
        _write(engine, owner, {"since": None, "seen_at": now, "before": "{}", "latest": json.dumps(current)})
        return Visit()
    latest = _parsed(row.latest)
    is_new_visit = now - row.seen_at > VISIT_GAP
    since, before = (row.seen_at, latest) if is_new_visit else (row.since, _parsed(row.before))
    merged = json.dumps({**latest, **current})  # rows that still load keep their former state
    if is_new_visit or now - row.seen_at > _WRITE_AFTER or merged != row.latest:
        _write(
            engine, owner, {"since": since, "seen_at": now, "before": json.dumps(before), "latest": merged}
        )
    return Visit(since.replace(tzinfo=UTC) if since else None, before)


def _write(engine: Engine, owner: str, values: dict[str, Any]) -> None:
    # Of two windows of the reader, the faster one writes.
    with suppress(IntegrityError), writing(engine).begin() as connection:
        connection.execute(delete(VISITS).where(VISITS.c.owner == owner))
        connection.execute(VISITS.insert().values(owner=owner, **values))


def _parsed(body: str) -> dict[str, Seen]:
    try:
        visit = json.loads(body)
    except ValueError:  # a damaged row
        return {}
    return {
        user_id: {kind: tuple(map(str, ids)) for kind, ids in kinds.items() if isinstance(ids, list)}
        for user_id, kinds in (visit.items() if isinstance(visit, dict) else ())
        if isinstance(kinds, dict)
    }


def _of(owner: str, user_id: str, day: date) -> tuple:  # type: ignore[type-arg] # SQLAlchemy's conditions
    return REVIEWS.c.owner == owner, REVIEWS.c.user_id == user_id, REVIEWS.c.day == day
