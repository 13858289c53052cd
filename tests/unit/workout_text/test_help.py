"""The grammar that coaches read is the grammar that is parsed."""

import itertools
import re
from pathlib import Path
from textwrap import dedent

import pytest

from coachboard.wire.enums import Sport
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.values import ZONE_LIMITS, DayValues

PAGE = (Path(__file__).parents[3] / "docs/workout-text.md").read_text(encoding="utf-8")
EXAMPLE = dedent("".join(re.findall(r"(?m)^    .*\n|^\n(?=    )", PAGE.partition("| write |")[0]))).strip()
TABLE = PAGE.partition("| write | meaning |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
ROWS = [re.findall("`([^`]+)`", row.split(" | ")[0]) for row in TABLE]
"""The pieces of each row; the last two rows are lines without a dash, the others pieces of a step."""
LENGTHS = ("h", "s", "'", '"', "m30", ":00", "mtr", "km", "mi", "yd", "lap", "- 10m 80%")


def as_line(piece):
    if piece.startswith("-"):
        return piece
    return f"- {piece}" if piece.endswith(LENGTHS) and "/" not in piece else f"- 10min {piece}"


def test_the_page_has_an_example_and_a_table():
    assert EXAMPLE.startswith("Warm-up\n- 15m")
    assert EXAMPLE.endswith("ramp 60-40%")
    assert len(ROWS) == 13
    assert all(ROWS)


@pytest.mark.parametrize("text", [EXAMPLE, *(as_line(piece) for row in ROWS[:-2] for piece in row)])
def test_examples_are_parsed(text):
    workout = parse_workout(text, Sport.RUNNING, DayValues(threshold_heart_rate_bpm=170))

    assert workout.errors == ()
    assert workout.structure


@pytest.mark.parametrize("title", [piece for row in ROWS[-2:] for piece in row])
def test_titles_are_parsed(title):
    assert parse_workout(f"{title}\n- 10m", Sport.RUNNING).errors == ()


def test_the_page_for_coaches_has_the_limits_of_the_zones():
    for limits in ZONE_LIMITS.values():
        cells = [f"{low:g}–{high:g} %" for low, high in itertools.pairwise(limits)]
        assert " | ".join(cells) in PAGE
