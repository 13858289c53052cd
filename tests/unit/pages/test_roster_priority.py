"""The priority opens to its formula, window, excluded data and the athlete's numbers, which add up to it."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from coachboard.flags.engine import evaluate
from coachboard.loaders.flag_snooze import FlagOf, Snooze
from coachboard.pages.roster import priority
from flag_cases import CASES, TODAY
from unit.pages.test_roster_cells import ROW, USER, shown

SEVERAL = [case for case in CASES if len(case.sees) > 1][:6]


def row_of(case, *, race_in_d=None):
    event = (TODAY + timedelta(days=race_in_d), "Hill climb") if race_in_d is not None else None
    return replace(ROW, today=TODAY, flags=evaluate(case.athlete), next_event=event)


def worked(text):
    """The value of the first line's formula, and its result."""
    formula, result = text.split("\n\n")[0].partition(":** ")[2].split(" = ")
    plain = re.sub(r"\([^)]*(?:today|in \d+ days?)\)", "", formula)
    return eval(plain.replace("×", "*")), float(result.strip("*"))


@pytest.mark.parametrize("race_in_d", [None, 0, 14, 15])
@pytest.mark.parametrize("case", SEVERAL, ids=lambda case: case.name)
def test_the_worked_example_adds_up_to_the_priority(case, race_in_d):
    row = row_of(case, race_in_d=race_in_d)
    look = shown(row)
    value, result = worked(priority.calculation(look, row))

    assert value == pytest.approx(look.priority(row), rel=0.02)
    assert result == pytest.approx(look.priority(row), abs=0.051)


@pytest.mark.parametrize("case", SEVERAL, ids=lambda case: case.name)
def test_the_factors_of_each_flag_make_its_severity(case):
    row = row_of(case)
    lines = [line for line in priority.calculation(shown(row), row).split("\n") if ", topic " in line]

    assert len(lines) == len(row.raised)
    for line, flag in zip(lines, row.raised, strict=True):
        result, formula = line.partition(": ")[2].partition(", topic")[0].split(" = ")
        assert float(result) == pytest.approx(flag.severity, abs=0.005)
        assert eval(re.sub(r"\([^)]*\)", "", formula).replace("×", "*")) == pytest.approx(
            flag.severity, rel=0.01
        )


def test_one_flag_at_its_limit_is_worth_a_note_and_a_new_injury_a_look():
    def needs_look(name):
        row = row_of(next(case for case in CASES if case.name == name))
        return shown(row).needs_look(row)

    assert needs_look("sprained ankle noted yesterday")
    assert not needs_look("two plans missed and four done")
    assert needs_look("two plans missed")  # the whole of the planned time
    assert not needs_look("steady weeks")


def test_an_old_note_says_when_it_was_noted():
    """The days since the first note would explain 0.8 as an illness of twelve days."""
    row = row_of(
        next(case for case in CASES if case.name == "coughing again, twelve days after the first note")
    )

    assert "0.54 = 0.6 (weight) × 0.9 (noted 4 days ago), topic contact" in priority.calculation(
        shown(row), row
    )


def test_the_calculation_lists_the_factors_of_its_flags():
    row = row_of(next(case for case in CASES if case.name == "fever noted today"))
    text = priority.calculation(shown(row), row)

    assert "3.00 = 0.6 (weight) × 5 (illness noted in the last 3 days)" in text
    assert "| Illness or injury: illness noted in the last 3 days | × 5 |\n" in text
    assert "planned time" not in text  # a factor of missed sessions


def test_the_calculation_has_formula_window_and_excluded_data():
    row = row_of(SEVERAL[0])
    first = row.raised[0].rule
    look = replace(shown(row), snoozes={FlagOf(USER.id, first.id): Snooze(TODAY, "")})
    text = priority.calculation(look, row).replace("\\", "")

    assert [part in text for part in ("**Formula:**", "**Window:**", "**Excluded:**", "**Ana:**")] == [
        True
    ] * 4
    assert f"snoozed: {first.title}" in text
    # "Hard session, poor recovery, plan: 1.85" read as three things.
    assert all(f"- {flag.rule.title}: {flag.severity:.2f} = " in text for flag in look.active_flags(row))
    assert "**Scale:** 0 = no flag; the list starts with the highest number." in text
    assert "not enough data:" in text


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "Hill climb today"), (1, "Hill climb in 1 day"), (14, "Hill climb in 14 days"), (15, ""), (-1, "")],
)
def test_a_race_within_two_weeks_is_marked_with_its_day(days, words):
    assert priority.near_event(row_of(SEVERAL[0], race_in_d=days)) == words


def test_an_athlete_without_a_race_has_no_marker():
    assert priority.near_event(row_of(SEVERAL[0])) == ""
