"""The rules of this table are seen on the default squad, whatever day today is."""

from contextlib import closing
from datetime import UTC, date, datetime

import orjson
import pytest

from coachboard.client.result import Known, Result
from coachboard.flags import engine
from coachboard.flags.engine import RULES_BY_ID
from coachboard.loaders.known_days import load_known
from coachboard.models.activities import Activity
from coachboard.models.body import Sleep
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.service.store import RowKind, Store
from coachboard_demo import generate
from coachboard_demo.people import people_of, user_id, user_of
from coachboard_demo.size import Size

# A whole week, as plans differ by weekday, and another season.
DAYS = (*(date(2026, 11, day) for day in range(16, 23)), date(2027, 6, 18))
YEARS = 0.3

SHOWN_BY = {
    "hard_meets_poor_recovery": "overreached",
    "hrv_low": "overreached",
    "resting_hr_high": "overreached",
    "feeling_low": "overreached",
    "sleep_short": "age group",
    "over_plan": "beginner",
    "load_jump": "beginner",
    "form_low": "beginner",
    "no_plan": "rower",
    "medical_note": "comeback",
    "no_session": "failed",
    "no_taper": "rare",
}
"""The athlete who raises the rule on every day."""

MOSTLY_SHOWN_BY = {"monotony_high": ("masters", "rare"), "missed_sessions": ("rare",)}
"""Athletes of whom at least one raises the rule on at least half of the days."""


class Lists:
    """The lists of a store as the client reads them."""

    def __init__(self, store, today):
        self._store, self._today = store, today

    def _read(self, kind, model, user_id_, start, end):
        return _result(model, self._store.row_bodies(kind, user_id_, start=start, end=end))

    def list_activities(self, user_id_, start, end):
        return self._read(RowKind.ACTIVITIES, Activity, user_id_, start, end)

    def list_prescriptions(self, user_id_, start, end):
        return self._read(RowKind.PRESCRIPTIONS, TrainingPrescription, user_id_, start, end)

    def list_events(self, user_id_, start, end):
        return self._read(RowKind.EVENTS, Event, user_id_, start, end)

    def list_sleeps(self, user_id_, start, end):
        return self._read(RowKind.SLEEPS, Sleep, user_id_, start, end)

    def list_notes(self, user_id_, start, end):
        coach = user_id("coach")
        bodies = self._store.note_bodies(user_id_, start=start, end=end, seen_by=coach, today=self._today)
        return _result(Note, bodies)


def _result(model, bodies):
    return Result(
        Known(tuple(model.from_wire(orjson.loads(body)) for body in bodies)), as_of=datetime.now(UTC)
    )


def raised_by(keys, today, seed):
    """The rules that each of those athletes raises on that day."""
    size = Size(today, years=YEARS, seed=seed)
    found = {}
    with closing(Store.open("sqlite://")) as store:
        people = {person.key: person for person in people_of(size)}
        for key in ("coach", *keys):
            store.add_user(user_of(people[key], today))
        for key in keys:
            generate._write(store, people[key], size)
            known = load_known(Lists(store, today), user_id(key), today=today)
            found[key] = {flag.rule.id for flag in engine.evaluate(known.nights) if flag.is_raised}
    return found


def test_the_table_names_rules():
    assert {*SHOWN_BY, *MOSTLY_SHOWN_BY} <= set(RULES_BY_ID)


def _days():
    """The first day in each run, the others among the slow tests."""
    marks = [(), *[(pytest.mark.slow,)] * (len(DAYS) - 1)]
    return [pytest.param(at, day, marks=marks[at], id=str(day)) for at, day in enumerate(DAYS)]


@pytest.mark.parametrize(("at", "today"), _days())
def test_a_rule_is_raised_by_who_shows_it(at, today):
    found = raised_by(sorted(set(SHOWN_BY.values())), today, seed=at % 3)

    missing = [(rule, key) for rule, key in SHOWN_BY.items() if rule not in found[key]]
    assert missing == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(MOSTLY_SHOWN_BY))
def test_a_rule_of_whole_weeks_is_raised_on_half_of_the_days(rule):
    keys = MOSTLY_SHOWN_BY[rule]
    days = [
        any(rule in raised for raised in raised_by(keys, today, seed=at % 3).values())
        for at, today in enumerate(DAYS)
    ]

    assert sum(days) >= len(DAYS) / 2
