"""The columns of laps: their units, and which of them are shown."""

from types import SimpleNamespace

import pandas as pd
import pytest

import rides
from coachboard.pages.activity.part_table import _first_columns, _shown_table, exported
from coachboard.pages.activity.session_parts import Part
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.enums import Sport


def shown(sport, **columns):
    data = SimpleNamespace(activity=rides.activity(sport=sport))
    return _shown_table(METRIC, data, SimpleNamespace(kind=Part.LAPS, table=pd.DataFrame(columns)))


@pytest.mark.parametrize(
    ("sport", "head", "value"),
    [
        (Sport.RUNNING, "Cadence, steps/min", 176),
        (Sport.WALKING, "Cadence, steps/min", 176),
        (Sport.CYCLING, "Cadence, rpm", 88),
        (Sport.SWIMMING, "Stroke rate, /min", 88),
    ],
)
def test_cadence_has_a_unit_and_runners_count_steps(sport, head, value):
    assert shown(sport, average_cadence=[88.0])[head].tolist() == [value]


@pytest.mark.parametrize(
    ("sport", "head", "value"),
    [
        (Sport.HIKING, "average_cadence_steps_per_min", 176),
        (Sport.CYCLING, "average_cadence_rpm", 88),
        (Sport.SWIMMING, "average_cadence_strokes_per_min", 88),
    ],
)
def test_a_file_has_the_cadence_of_the_page_with_its_unit(sport, head, value):
    """A file of climbs had the strides of a run, half of the steps on the page, without a unit."""
    table = pd.DataFrame({"number": [1], "average_cadence": [88.0]})

    assert exported(table, sport).to_dict("records") == [{"number": 1, head: value}]
    assert exported(table[["number"]], sport).to_dict("records") == [{"number": 1}]


def test_a_column_of_empty_labels_is_hidden():
    heads = shown(Sport.CYCLING, number=[1, 2], label=["", ""], trigger=[None, None]).columns

    assert list(heads) == ["#"]
    assert "Label" in shown(Sport.CYCLING, number=[1, 2], label=["", "rest"])


def test_the_end_of_a_lap_is_in_words_and_untrusted_text_is_one_line():
    ends = shown(Sport.CYCLING, trigger=["manual", "session_end", "time", "distance", "odd\nword"])[
        "Lap ended by"
    ]

    assert list(ends) == ["Lap button", "End of session", "Time reached", "Distance reached", "odd word"]


def test_a_trait_says_which_recovery_it_is():
    traits = shown(Sport.CYCLING, characteristic=["intra-recovery", "torque", None])["Trait"]

    assert list(traits) == ["Within a set", "Torque", ""]


def test_a_phone_shows_the_swolf_of_a_length_instead_of_its_duration():
    """SWOLF was cut off at the edge."""
    length = pd.DataFrame(columns=["#", "Stroke", "Duration", "HR, bpm", "Pace /100 m", "Strokes", "SWOLF"])

    assert _first_columns(length, Part.LENGTHS) == ["#", "Stroke", "Pace /100 m", "SWOLF"]
    assert _first_columns(length.drop(columns="SWOLF"), Part.LENGTHS) == [
        "#",
        "Stroke",
        "Duration",
        "Pace /100 m",
        "HR, bpm",
    ]


def test_prior_work_comes_before_the_columns_beyond_the_edge():
    """It was the last of 14 columns."""
    heads = list(
        shown(
            Sport.CYCLING,
            average_speed_mps=[9.0],
            elevation_gain_m=[10.0],
            average_cadence=[90.0],
            work_before_kj=[300.0],
        )
    )

    assert heads[0] == "Prior work, kJ"
