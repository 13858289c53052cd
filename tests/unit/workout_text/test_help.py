"""The grammar that coaches read is the grammar that is parsed."""

import itertools
from pathlib import Path
from textwrap import indent

import pytest

from coachboard.wire.enums import Sport
from coachboard.workout_text.help import EXAMPLE, HELP
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.values import ZONE_LIMITS, DayValues

PAGE = (Path(__file__).parents[3] / "docs/workout-text.md").read_text(encoding="utf-8")
LENGTHS = ("h", "s", "'", '"', "m30", ":00", "mtr", "km", "mi", "yd", "lap", "- 10m 80%")


def as_line(piece):
    if piece.startswith("-"):
        return piece
    return f"- {piece}" if piece.endswith(LENGTHS) and "/" not in piece else f"- 10min {piece}"


@pytest.mark.parametrize("text", [EXAMPLE, *(as_line(piece) for row in HELP[:-2] for piece in row.pieces)])
def test_examples_are_parsed(text):
    workout = parse_workout(text, Sport.RUNNING, DayValues(threshold_heart_rate_bpm=170))

    assert workout.errors == ()
    assert workout.structure


@pytest.mark.parametrize("title", [piece for row in HELP[-2:] for piece in row.pieces])
def test_titles_are_parsed(title):
    assert parse_workout(f"{title}\n- 10m", Sport.RUNNING).errors == ()


def test_the_page_for_coaches_has_the_same_rows():
    rows = [f"| {', '.join(f'`{piece}`' for piece in row.pieces)} | {row.meaning} |" for row in HELP]

    assert indent(EXAMPLE, "    ") in PAGE
    assert [row for row in rows if row not in PAGE] == []


def test_the_page_for_coaches_has_the_limits_of_the_zones():
    for limits in ZONE_LIMITS.values():
        cells = [f"{low:g}–{high:g} %" for low, high in itertools.pairwise(limits)]
        assert " | ".join(cells) in PAGE
