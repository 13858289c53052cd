"""Every rule of the grammar of workouts, as a table of cases; `docs/workout-text.md` states the rules."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachboard.wire.enums import IntensitySourceKind, LapIntensity, Sport, StepLabel, ZonesType
from coachboard.wire.prescriptions import DistanceLength, DurationLength, FreeLength, StructureRepetition
from coachboard.workout_text.labels import steps_in_order
from coachboard.workout_text.parsing import in_words, parse_workout
from coachboard.workout_text.values import DayValues
from coachboard.workout_text.writing import write_workout

ATHLETE = DayValues(
    critical_power_w=250, critical_speed_mps=4.0, max_heart_rate_bpm=190, threshold_heart_rate_bpm=170
)
RIDE, RUN, SWIM = Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING


def parsed(text, sport=RIDE, values=ATHLETE):
    workout = parse_workout(text, sport, values)
    assert [in_words(error) for error in workout.errors] == []
    return workout.structure


def step_of(text, sport=RIDE, values=ATHLETE):
    (step,) = parsed(text, sport, values)
    return step


def outline(elements):
    """Nested lists of durations; a repetition is a list that begins with its number."""
    return [
        [f"{element.n_repetitions}x", *outline(element.steps)]
        if isinstance(element, StructureRepetition)
        else element.length.duration
        for element in elements
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h2m30s", 3750), ("10m", 600), ("90s", 90), ("1m30", 90), ("5'", 300), ('30"', 30), ("1'30\"", 90),
        ("1'30", 90), ("5:00", 300), ("1:30:00", 5400), ("1h30", 5400), ("1h 30m", 5400), ("1 h 30 min", 5400),
        ("10 M", 600), ("10 mins", 600), ("20 sec", 20), ("45secs", 45), ("1,5h", 5400), ("2.5m", 150), ("2hr", 7200),
        ("5′", 300), ("1′30″", 90), ("5’", 300), ("24h", 86400), ("1s", 1),
    ],
)  # fmt: skip
def test_times(text, seconds):
    assert step_of(f"- {text}").length == DurationLength(type="duration", duration=seconds)


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("500mtr", 500), ("400 MTR", 400), ("2km", 2000), ("0,5 km", 500), ("1mi", 1609.344), ("100yd", 91.44),
        ("100yrd", 91.44), ("50 yds", 45.72), ("500km", 500_000),
    ],
)  # fmt: skip
def test_distances(text, metres):
    assert step_of(f"- {text}", SWIM).length == DistanceLength(type="distance", distance=metres)


def test_a_step_until_the_lap_button_has_no_length():
    assert step_of("- Press  Lap 50%").length == FreeLength(type="free")


POWER = ("min_power_threshold_percentage", "max_power_threshold_percentage", "min_power", "max_power")
RATE = ("min_max_heart_rate_percentage", "max_max_heart_rate_percentage", "min_heart_rate", "max_heart_rate")
SPEED = ("min_speed_threshold_percentage", "max_speed_threshold_percentage", "min_speed", "max_speed")
METRIC, ZONE, ABSOLUTE = IntensitySourceKind.METRIC, IntensitySourceKind.ZONE, IntensitySourceKind.ABSOLUTE


@pytest.mark.parametrize(
    ("text", "fields", "source", "target", "zone"),
    [
        ("75%", POWER, METRIC, (75, 75, 188, 188), None),
        ("95-105%", POWER, METRIC, (95, 105, 238, 262), None),
        ("105 – 95 %", POWER, METRIC, (95, 105, 238, 262), None),
        ("95%-105%", POWER, METRIC, (95, 105, 238, 262), None),
        ("62,5%", POWER, METRIC, (62.5, 62.5, 156, 156), None),
        ("220w", POWER, ABSOLUTE, (None, None, 220, 220), None),
        ("200-240 W", POWER, ABSOLUTE, (None, None, 200, 240), None),
        ("Z2", POWER, ZONE, (55, 75, 138, 188), "Z2"),
        ("z3-z4", POWER, ZONE, (75, 105, 188, 262), "Z3-Z4"),
        ("Z4-Z3", POWER, ZONE, (75, 105, 188, 262), "Z3-Z4"),
        ("70% HR", RATE, METRIC, (70, 70, 133, 133), None),
        ("70-80%hr", RATE, METRIC, (70, 80, 133, 152), None),
        ("95% LTHR", RATE, ABSOLUTE, (None, None, 162, 162), None),
        ("Z2 HR", RATE, ZONE, (60, 70, 114, 133), "Z2"),
        ("145bpm", RATE, ABSOLUTE, (None, None, 145, 145), None),
        ("140-150 bpm", RATE, ABSOLUTE, (None, None, 140, 150), None),
        ("90% Pace", SPEED, METRIC, (90, 90, 3.6, 3.6), None),
        ("Z2 Pace", SPEED, ZONE, (77.5, 87.7, 3.1, 3.508), "Z2"),
        ("5:00/km Pace", SPEED, ABSOLUTE, (None, None, 3.333333, 3.333333), None),
        ("5:00-4:10/km", SPEED, ABSOLUTE, (None, None, 3.333333, 4), None),
        ("1:40-2:05/100m Pace", SPEED, ABSOLUTE, (None, None, 0.8, 1), None),
        ("1:40/100yd Pace", SPEED, ABSOLUTE, (None, None, 0.9144, 0.9144), None),
        ("8:00/mi pace", SPEED, ABSOLUTE, (None, None, 3.3528, 3.3528), None),
    ],
)  # fmt: skip
def test_targets(text, fields, source, target, zone):
    wish = step_of(f"- 10min {text}", RUN).intensity

    assert tuple(getattr(wish, field) for field in fields) == target
    assert {wish.from_power, wish.from_heart_rate, wish.from_speed} == {source, None}
    assert wish.zone == zone


def test_a_percent_stays_a_percent_without_the_value_of_the_athlete():
    wish = step_of("- 10m 95-105%", values=DayValues()).intensity

    assert tuple(getattr(wish, field) for field in POWER) == (95, 105, None, None)
    assert wish.service_intensity is LapIntensity.THRESHOLD


@pytest.mark.parametrize(("text", "cadence"), [("90rpm", (90, 90)), ("95-85 RPM", (85, 95))])
def test_cadences(text, cadence):
    wish = step_of(f"- 10m {text} 80%").intensity

    assert (wish.min_cadence, wish.max_cadence) == cadence


def test_tokens_come_in_any_order_and_a_step_has_a_target_of_each_kind():
    tokens = ["10m", "80%", "150bpm", "5:00/km Pace", "90rpm", "hard", "max"]

    assert step_of(f"- {' '.join(tokens)}") == step_of(f"- {' '.join(reversed(tokens))}")
    assert parse_workout("- hard 10m but 80% easy", RIDE).cues == ("hard but easy",)


@pytest.mark.parametrize("dash", ["-", "- ", "– ", "— ", "* ", "• ", "  -   "])
def test_a_step_begins_with_a_dash_a_star_or_a_bullet(dash):
    assert step_of(f"{dash}10m 80%") == step_of("- 10m 80%")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Warm-up\n- 10m", ["warm up"]),
        ("WARMING up\n- 10m", ["warm up"]),
        ("Cool-down\n- 10m", ["cool down"]),
        ("- warm up 10m\n- 10m", ["warm up", "active"]),
        ("- 10m cooldown\n- 10m", ["cool down", "active"]),
        ("- rest 1m\n- 10m", ["rest", "active"]),
        ("- 10m 90%\n- recover 1m", ["active", "intra-recovery"]),
        ("- 10m 90%\n- 1m easy", ["active", "intra-recovery"]),
        ("Warm-up\n- 10m\n- 10s max\n- rest 1m", ["warm up", "maximum", "rest"]),
        ("- easy 10m intensity=rest\n- 1m intensity = recovery", ["rest", "intra-recovery"]),
        ("Warm-up\n2x\n- 1m 90%\n- 1m 50%", ["active", "intra-recovery"]),
        ("Warm-up\n  2x\n  - 1m 90%", ["warm up"]),
        # By its place: inside a repeat, between harder steps, and below threshold.
        ("3x\n- 4m 110%\n- 3m 60%", ["active", "intra-recovery"]),
        ("3x\n- 4m 5:00/km\n- 3m", ["active", "intra-recovery"]),
        ("3x\n- 2m 95%\n- 1m 105%", ["active", "active"]),
        ("3x\n- 10m 90%\n  4x\n  - 15s 120%\n- 4m 50%", ["active", "active", "intra-recovery"]),
        ("- 4m 110%\n- 3m 60%\n- 4m 110%", ["active", "active", "active"]),
        ("1x\n- 4m 110%\n- 3m 60%", ["active", "active"]),
        # An easy session has nothing to recover from.
        ("Easy run\n- 45m Z2 HR", ["active"]),
        ("Easy\n- 45m Z2 intensity=recovery", ["intra-recovery"]),
    ],
)  # fmt: skip
def test_labels(text, labels):
    assert [str(step.label) for step in steps_in_order(parsed(text))] == labels


BLOCKS = {
    "blank line": ("2x\n- 1m\n\n- 2m", [["2x", 60], 120]),
    "line of spaces": ("2x\n- 1m\n   \n- 2m", [["2x", 60], 120]),
    "same indentation": ("2x\n- 1m\n3x\n- 2m", [["2x", 60], ["3x", 120]]),
    "title of the same indentation": ("2x\n- 1m\nThen\n- 2m", [["2x", 60], 120]),
    "smaller indentation": ("3x\n- 1m\n  2x\n  - 2m\n- 4m", [["3x", 60, ["2x", 120], 240]]),
    "steps below their header": (
        "3x\n  - 1m\n  2x\n    - 2m\n  - 4m\n- 8m",
        [["3x", 60, ["2x", 120], 240], 480],
    ),
    "header first": ("3x\n  2x\n  - 2m\n- 4m", [["3x", ["2x", 120], 240]]),
    "tab": ("3x\n- 1m\n\t2x\n  - 2m\n- 4m", [["3x", 60, ["2x", 120], 240]]),
    "three levels": ("2x\n  3x\n    4x\n    - 1m\n  - 2m\n- 4m", [["2x", ["3x", ["4x", 60], 120], 240]]),
    "title without repeat inside": ("2x\n  Hard\n  - 1m\n- 2m", [["2x", 60, 120]]),
    "repeat before the title": ("3 X Set\n- 1m", [["3x", 60]]),
    "typographic sign": ("Set 3×\n- 1m", [["3x", 60]]),
    "line ends": ("2x\r\n- 1m\r- 2m", [["2x", 60, 120]]),
    "no text": ("\n \n", []),
    "titles alone": ("Keep it easy\n\nRace pace, VO2max, set 2", []),
}


@pytest.mark.parametrize(("text", "structure"), BLOCKS.values(), ids=BLOCKS.keys())
def test_blocks(text, structure):
    assert outline(parsed(text)) == structure


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("- 3m ramp 60-40%", [(53.33, 60), (46.67, 53.33), (40, 46.67)]),
        ("- ramp 3m 40-60%", [(40, 46.67), (46.67, 53.33), (53.33, 60)]),
        ("- 61s 60-40% ramp", [(50, 60), (40, 50)]),
        ("- 1m ramp 60-40%", [(40, 60)]),
        ("- 2m ramp Z1-Z2", [(40, 57.5), (57.5, 75)]),
    ],
)
def test_a_ramp_becomes_steps_of_up_to_a_minute(text, ranges):
    steps = parsed(text)

    assert [tuple(getattr(step.intensity, field) for field in POWER[:2]) for step in steps] == ranges


def test_a_long_ramp_has_ten_steps():
    steps = parsed("- 1h ramp 50-100%")

    assert [step.length.duration for step in steps] == [360] * 10


def test_a_freeride_has_no_target():
    assert step_of("- 10m freeride") == step_of("- 10m free ride") == step_of("- 10m")


NO_THRESHOLD = DayValues(critical_power_w=250)
ERRORS = [
    # text, sport, (line, column, in the reason, the proposal)
    ("- 400m Z2 Pace", SWIM, (1, 3, "400m", "400mtr or 400min")),
    ("- 25 m", SWIM, (1, 3, "25 m", "25mtr or 25min")),
    ("- 400m Z2", RUN, (1, 3, "400m", "400mtr or 400min")),
    ("- 30h", RIDE, (1, 3, "30h", "from 1s to 24h")),
    ("- 24:00:01", RIDE, (1, 3, "24:00:01", "from 1s to 24h")),
    ("- 0m", RIDE, (1, 3, "0m", "from 1s to 24h")),
    ("- 5:75", RIDE, (1, 3, "5:75", "at most 59 behind each colon")),
    ("- 1m75", RIDE, (1, 3, "1m75", "at most 59 there")),
    ("- 501km", RIDE, (1, 3, "501km", "from 1mtr to 500km")),
    ("- 10m 2000rpm", RIDE, (1, 7, "250 rpm", "at most 250rpm")),
    ("- 10m 900%", RIDE, (1, 7, "400 %", "at most 400%")),
    ("- 10m 0-90%", RIDE, (1, 7, "1 %", "at least 1%")),
    ("- 10m 3000w", RIDE, (1, 7, "2500 w", "at most 2500w")),
    ("- 10m 300bpm", RIDE, (1, 7, "250 bpm", "at most 250bpm")),
    ("- 10m 150% HR", RIDE, (1, 7, "110 % HR", "at most 110% HR")),
    ("- 10m 300% Pace", RUN, (1, 7, "250 % Pace", "at most 250% Pace")),
    ("- 10m 0:10/km Pace", RUN, (1, 7, "0:10/km", "from 0:40/km to 66:40/km")),
    ("- 10m 0:00/km Pace", RUN, (1, 7, "0:00/km", "the time for the distance")),
    ("- 10m 4:61/km Pace", RUN, (1, 7, "4:61/km", "at most 59 behind the colon")),
    ("- 10m Z8", RIDE, (1, 7, "Z8", "Z1 to Z7")),
    ("- 10m Z6 HR", RIDE, (1, 7, "Z6 HR", "Z1 to Z5")),
    ("- 100mtr 90%", SWIM, (1, 10, "power", "90% Pace")),
    ("- 100mtr Z3", SWIM, (1, 10, "power", "Z3 Pace")),
    ("- 10m 95% LTHR", RIDE, (1, 7, "threshold heart rate", "a target in bpm, or set the threshold heart rate")),
    ("- easy 80%", RIDE, (1, 1, "length", "a time (10m), a distance (400mtr) or press lap")),
    ("-", RIDE, (1, 1, "length", "a time (10m), a distance (400mtr) or press lap")),
    ("- 10m 80% 2km", RIDE, (1, 11, "one length", "a second step")),
    ("- 10m press lap", RIDE, (1, 7, "one length", "a second step")),
    ("- 10m 80% 90%", RIDE, (1, 11, "one target of power", "one range (75-90%) or a second step")),
    ("- 10m 80rpm 90rpm", RIDE, (1, 13, "one cadence", "a second step")),
    ("- 10m max intensity=rest", RIDE, (1, 11, "one flag", "a second step")),
    ("- 10m freeride 80%", RIDE, (1, 16, "freeride", "one of the two")),
    ("- 10m ramp 60%", RIDE, (1, 7, "ramp", "10m ramp 60-40%")),
    ("- 1km ramp 60-70%", RIDE, (1, 7, "ramp", "10m ramp 60-40%")),
    ("- 4x30s 90%", RIDE, (1, 3, "4x30s", '"4x" and below it "- 30s 90%"')),
    ("- 4x 30s 90%", RIDE, (1, 3, "4x 30s", '"4x" and below it "- 30s 90%"')),
    ("- 4x", RIDE, (1, 3, "4x", '"4x" in a line above, without -')),
    ("- 10m 2.5kmh", RUN, (1, 7, "2.5kmh", "24:00/km Pace")),
    ("- 10m 36 km/h", RIDE, (1, 7, "36 km/h", "1:40/km Pace")),
    ("- 10m 220 watts", RIDE, (1, 7, "220 watts", "220w")),
    ("- 400 metres", SWIM, (1, 3, "400 metres", "400mtr")),
    ("- 5k", RUN, (1, 3, "5k", "5km")),
    ("- 10m 90-95", RIDE, (1, 7, "90-95", "90-95% or 90-95w")),
    ("- 10m 4:30-5:00", RUN, (1, 7, "4:30-5:00", "4:30-5:00/km Pace")),
    ("- 10m 90% easy HR", RIDE, (1, 16, "HR", "90% HR")),
    ("- 10m @90%", RIDE, (1, 7, "@", "90%")),
    ("- 10m intensity=hard", RIDE, (1, 7, "intensity=hard", "intensity=rest, intensity=recovery or max")),
    ("- 10m gear2", RIDE, (1, 7, "gear2", "a length (10m, 400mtr), a target (95%, 220w, Z2) or plain words")),
    ("Main 10m 80%", RIDE, (1, 6, "10m", "- Main 10m 80%")),
    ("10m", RIDE, (1, 1, "10m", "- 10m")),
    ("Z2 ride", RIDE, (1, 1, "Z2", "- Z2 ride")),
    ("4x30s", RIDE, (1, 1, "4x30s", '"4x" and below it "- 30s"')),
    ("Main 4x5min 120% easy", RIDE, (1, 6, "4x5m", '"4x" and below it "- 5min 120% easy"')),
    ("Main 3x 2x\n- 1m", RIDE, (1, 9, "one repeat", "a header for each repeat")),
    ("Main x3\n- 1m", RIDE, (1, 6, "x3", "3x")),
    ("0x\n- 1m", RIDE, (1, 1, "0x", "from 1x to 200x")),
    ("201x\n- 1m", RIDE, (1, 1, "201x", "from 1x to 200x")),
    ("\n\n  3x\n\n- 1m", RIDE, (3, 3, "no steps below", "a step below it: - 10m 90%")),
    ("- 1m\n\t- 10m 900%", RIDE, (2, 8, "400 %", "at most 400%")),
    ("200x\n  200x\n  - 10s", RIDE, (1, 1, "40000 steps", "at most 2000")),
    ("200x\n- 1h", RIDE, (1, 1, "too long", "at most 72 h in all")),
    ("\n".join(" " * depth + "1x" for depth in range(9)) + "\n" + " " * 9 + "- 1m", RIDE, (9, 9, "nested", "at most 8 levels")),
    ("a" * 20_001, RIDE, (1, 1, "20001 characters", "at most 20000")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sport", "expected"), ERRORS, ids=[case[0][:30] for case in ERRORS])
def test_errors_have_their_place_and_a_proposal(text, sport, expected):
    (error,) = parse_workout(text, sport, NO_THRESHOLD).errors

    line, column, words, proposal = expected
    assert (error.line, error.column, error.proposal) == (line, column, proposal)
    assert words in error.text


def test_all_errors_are_reported_in_their_order_and_the_rest_is_read():
    workout = parse_workout("- 30h 900%\n- 10m 80%\n4x30s\n- 5m @90% x9y", RIDE)

    assert [(error.line, error.column) for error in workout.errors] == [
        (1, 3),
        (1, 7),
        (3, 1),
        (4, 6),
        (4, 11),
    ]
    assert 600 in outline(workout.structure)


def test_zones_type_is_the_quantity_of_most_targets():
    assert parse_workout("- 1m 80%\n- 1m 150bpm\n- 1m 150bpm", RIDE).zones_type is ZonesType.HEART_RATE
    assert parse_workout("- 1m", RIDE).zones_type is None


def test_labels_of_easy_steps_have_the_intensity_of_recovery_and_rests_none():
    recovery, rest = parsed("2x\n- 1m 50% intensity=recovery\n- 1m 60% intensity=rest")[0].steps

    assert recovery.intensity.service_intensity is LapIntensity.RECOVERY
    assert rest.intensity.service_intensity is None
    assert rest.label is StepLabel.REST


lengths = st.one_of(
    st.integers(1, 86_400).map("{}s".format),
    st.integers(1, 600).map("{}min".format),
    st.integers(1, 5000).map("{}mtr".format),
    st.sampled_from(["1mi", "50yd", "12.5km", "press lap", "1,5h", "0.75m", "90.5s", "1:30:01"]),
)
percents = st.tuples(st.integers(10, 110), st.integers(10, 110))
paces = st.tuples(st.integers(60, 900), st.integers(60, 900)).map(
    lambda ends: "-".join(f"{end // 60}:{end % 60:02}" for end in ends)
)
targets = st.one_of(
    percents.map("{0[0]}-{0[1]}%".format),
    st.integers(1, 400).map("{}%".format),
    percents.map("ramp {0[0]}-{0[1]}%".format),
    st.integers(1, 2500).map("{}w".format),
    st.tuples(st.integers(1, 7), st.integers(1, 7)).map("Z{0[0]}-Z{0[1]}".format),
)
heart_rates = st.one_of(
    st.integers(30, 110).map("{}% HR".format),
    st.integers(30, 130).map("{}% LTHR".format),
    st.integers(30, 250).map("{}bpm".format),
    st.integers(1, 5).map("Z{} HR".format),
)
speeds = st.one_of(
    st.integers(10, 250).map("{}% Pace".format),
    st.integers(1, 7).map("Z{} Pace".format),
    st.tuples(paces, st.sampled_from(["km", "mi"])).map("{0[0]}/{0[1]} Pace".format),
    st.tuples(st.integers(40, 300), st.sampled_from(["100m", "100yd"])).map(
        lambda pair: f"{pair[0] // 60}:{pair[0] % 60:02}/{pair[1]}"
    ),
)
extras = st.sampled_from(
    ["", "90rpm", "85-95rpm", "max", "intensity=rest", "intensity=recovery", "easy", "warm up", "go"]
)
steps = st.builds(
    lambda length, *rest: "- " + " ".join(word for word in (length, *rest) if word),
    lengths,
    st.one_of(st.just(""), targets),
    st.one_of(st.just(""), st.just(""), heart_rates),
    st.one_of(st.just(""), st.just(""), speeds),
    extras,
)
headers = st.sampled_from(["Warm-up", "Cool-down", "Main", "Easy", "2x", "Set 3x", "1x", "4 X"])
lines = st.one_of(
    st.just(""),
    st.tuples(st.integers(0, 4), st.one_of(steps, steps, headers)).map(lambda pair: "  " * pair[0] + pair[1]),
)
texts = st.lists(lines, max_size=14).map("\n".join)


@settings(max_examples=400, deadline=None)
@given(text=texts, values=st.sampled_from([DayValues(threshold_heart_rate_bpm=170), ATHLETE]))
def test_text_to_structure_to_text_to_structure_is_stable(text, values):
    structure = parse_workout(text, RUN, values).structure
    written = write_workout(structure, RUN)

    again = parse_workout(written, RUN, values)

    assert again.structure == structure
    assert [in_words(error) for error in again.errors if "too long" not in error.text] == []
    assert write_workout(again.structure, RUN) == written


@settings(max_examples=300, deadline=None)
@given(
    text=st.text("0123456789 hms%wx-@=:/,.'\"kZHRrampm\n\t", max_size=80),
    sport=st.sampled_from([RIDE, RUN, SWIM]),
)
def test_any_text_is_read_or_has_errors_at_places_of_the_text(text, sport):
    workout = parse_workout(text, sport)

    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for error in workout.errors:
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        assert error.proposal
