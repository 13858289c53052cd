"""The columns of laps: their units, and which of them are shown."""

from types import SimpleNamespace

import pandas as pd
import pytest

from coachboard.models.enums import Sport
from coachboard.views.activity.part_table import _first_columns, _shown_table
from coachboard.views.frame.formats import METRIC


def shown(sport, **columns):
    data = SimpleNamespace(activity=SimpleNamespace(sport=sport))
    return _shown_table(METRIC, data, SimpleNamespace(table=pd.DataFrame(columns)))


@pytest.mark.parametrize(
    ("sport", "head", "value"),
    [
        (Sport.RUNNING, "Cadence, steps/min", 176),
        (Sport.WALKING, "Cadence, steps/min", 176),
        (Sport.CYCLING, "Cadence, rpm", 88),
        (Sport.SWIMMING, "Cadence, strokes/min", 88),
    ],
)
def test_cadence_has_a_unit_and_runners_count_steps(sport, head, value):
    assert shown(sport, average_cadence=[88.0])[head].tolist() == [value]


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

    assert _first_columns(length) == ["#", "Stroke", "Pace /100 m", "SWOLF"]
    assert _first_columns(length.drop(columns="SWOLF")) == [
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
