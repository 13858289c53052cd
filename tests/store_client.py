"""A client for loaders that reads a demo squad in this process: the data of a page, without HTTP and cache."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime

import orjson

from coachboard.client import Result
from coachboard.client.errors import NotFound
from coachboard.service.store.rows import RowKind
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import UserProfile
from coachboard_demo.streams import make_streams

AS_OF = datetime(2026, 3, 18, 12, tzinfo=UTC)


def _day_of(row):
    if isinstance(row, Activity):
        return local_day(row) or date.max
    return row.day if isinstance(row, Sleep) else row.date


class Pool(ThreadPoolExecutor):
    """Does the work of the background at once."""

    def later(self, _key, job):
        with suppress(NotFound):
            job()


class StoreClient:
    """Lists as the service orders them; streams only with `streams`, because generating them takes most of the time."""

    def __init__(self, store, *, streams=False):
        self.pool = Pool(1)
        self.planning = self
        self._store, self._streams, self._kept, self._derived = store, streams, {}, {}
        self._bare = set()

    def _list(self, kind, model, user_id, start, end):
        rows = self._rows(kind, model, user_id)
        first, last = start or date.min, end or date.max
        key = kind, user_id, first, last
        # The same object for the same days, as the client's cache returns it.
        if key not in self._kept:
            self._kept[key] = Result(tuple(row for day, row in rows if first <= day <= last), AS_OF)
        return self._kept[key]

    def _rows(self, kind, model, user_id):
        if (kind, user_id) not in self._kept:
            bodies = self._store.row_bodies(kind, user_id)
            rows = [model.from_wire(orjson.loads(body)) for body in bodies]
            self._kept[kind, user_id] = [(_day_of(row), row) for row in rows]
        return self._kept[kind, user_id]

    def list_activities(self, user_id, start=None, end=None):
        return self._list(RowKind.ACTIVITIES, Activity, user_id, start, end)

    def list_prescriptions(self, user_id, start=None, end=None):
        return self._list(RowKind.PRESCRIPTIONS, TrainingPrescription, user_id, start, end)

    def list_events(self, user_id, start=None, end=None):
        return self._list(RowKind.EVENTS, Event, user_id, start, end)

    def list_metrics(self, user_id, start=None, end=None):
        return self._list(RowKind.METRICS, Metric, user_id, start, end)

    def list_sleeps(self, user_id, start=None, end=None):
        return self._list(RowKind.SLEEPS, Sleep, user_id, start, end)

    def list_notes(self, user_id, start=None, end=None):
        bodies = self._store.planned_bodies(
            RowKind.NOTES, user_id, start=start, end=end, seen_by=user_id, today=date.max
        )
        return Result(tuple(Note.from_wire(orjson.loads(row.body)) for row in bodies), AS_OF)

    def get_user(self, user_id="me"):
        body = orjson.loads(self._store.profile(user_id, is_own=False))
        return Result(UserProfile.from_wire(body), AS_OF)

    # The planning API: this service has none, and nothing was decided.

    def has(self, _feature):
        return False

    def decisions(self, _user_id):
        return frozenset()

    def loads(self, _user_id, _start, _end):
        return {}

    def known_derived_of(self, kind, version, keys):
        return {
            key: self._derived[kind, version, key] for key in keys if (kind, version, key) in self._derived
        }

    def keep_derived(self, kind, version, key, body):
        self._derived[kind, version, key] = body

    def pause(self, seconds):
        """Nothing else needs the processor."""

    def without_streams(self):
        return frozenset(self._bare)

    def known_streams(self, activity_id):
        """None, so that the background scores each session."""

    def pass_streams(self, activity_id):
        return self.get_streams(activity_id).value

    def get_streams(self, activity_id):
        stored = self._store.streams(activity_id) if self._streams else None
        if stored is None or stored.recipe is None:
            if self._streams:
                self._bare.add(activity_id)
            raise NotFound("GET", f"/activities/{activity_id}/streams")
        return Result(make_streams(stored.recipe.recipe), AS_OF)
