"""The rules of this table are seen on the default squad, whatever day today is."""

from contextlib import closing
from datetime import date

import orjson
import pytest

from coachboard.client.result import Result
from coachboard.flags import engine
from coachboard.flags.engine import RULES_BY_ID
from coachboard.loaders.known_days import load_known
from coachboard.service.store import RowKind, Store
from coachboard.wire.plans import Note
from coachboard_demo import generate
from coachboard_demo.people import Size, people_of, user_id, user_of
from store_client import AS_OF, StoreClient

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


class CoachClient(StoreClient):
    """The lists of a store, with the notes that the coach sees on a day."""

    def __init__(self, store, today):
        super().__init__(store)
        self._today = today

    def list_notes(self, user_id_, start=None, end=None):
        coach = user_id("coach")
        bodies = self._store.planned_bodies(
            RowKind.NOTES, user_id_, start=start, end=end, seen_by=coach, today=self._today
        )
        return Result(tuple(Note.from_wire(orjson.loads(row.body)) for row in bodies), AS_OF)


def raised_by(keys, today, seed):
    """The rules that each of those athletes raises on that day."""
    size = Size(today, years=YEARS, seed=seed)
    found = {}
    with closing(Store.open("sqlite://")) as store:
        people = {person.key: person for person in people_of(size)}
        for key in ("coach", *keys):
            store.add_user(user_of(people[key], today))
        for key in keys:
            generate.write_athlete(store, people[key], size)
            known = load_known(CoachClient(store, today), user_id(key), today=today)
            found[key] = {flag.rule.id for flag in engine.evaluate(known.days) if flag.is_raised}
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
