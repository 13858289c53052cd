"""ZWO, ERG and MRC, read back by small readers that know only the public descriptions of the formats."""

from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from coachboard.wire.enums import Sport
from coachboard.workout_files.formats import WorkoutFormat, workout_file
from coachboard.workout_files.workout import NoWorkoutFile, loss_words
from unit.execution.test_structure import step, times
from unit.workout_files.workouts import INTERVALS, NOBODY, typed


class Zwo(NamedTuple):
    name: str
    sport: str
    steps: list  # (kind, seconds, power, cadence)
    messages: list  # (second, text)


def read_zwo(content):
    root = ET.fromstring(content)
    steps, messages, second = [], [], 0
    for element in root.find("workout"):
        seconds = int(element.get("Duration"))
        power, cadence = element.get("Power"), element.get("Cadence")
        steps.append((element.tag, seconds, power and float(power), cadence and int(cadence)))
        messages += [
            (second + int(each.get("timeoffset")), each.get("message")) for each in element.iter("textevent")
        ]
        second += seconds
    return Zwo(root.findtext("name"), root.findtext("sportType"), steps, messages)


class Course(NamedTuple):
    header: dict
    unit: str
    parts: list  # (seconds, level)
    messages: list  # (second, text, seconds)


def read_course(content):
    sections, name = {}, None
    for line in content.decode().split("\r\n"):
        if line.startswith("[END "):
            name = None
        elif line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line:
            sections[name].append(line)
    header = dict(line.split(" = ", 1) for line in sections["COURSE HEADER"] if " = " in line)
    points = [tuple(map(float, line.split("\t"))) for line in sections["COURSE DATA"]]
    parts = []
    for (start, level), (end, same) in zip(points[::2], points[1::2], strict=True):
        assert level == same
        parts.append((round((end - start) * 60), level))
    assert [start for start, _ in points[2::2]] == [end for end, _ in points[1:-1:2]]
    messages = [line.split("\t") for line in sections.get("COURSE TEXT", ())]
    return Course(
        header, sections["COURSE HEADER"][-1], parts, [(int(at), text, int(s)) for at, text, s in messages]
    )


def _zwo(workout):
    return workout_file(workout, WorkoutFormat.ZWO)


def test_zwo_has_shares_of_critical_power_repeats_written_out_and_cues():
    file = _zwo(typed(INTERVALS))
    workout = read_zwo(file.content)
    turn = [
        ("SteadyState", 720, 0.975, 90),
        *[("SteadyState", 15, 1.2, None)] * 4,
        ("SteadyState", 240, 0.5, None),
    ]

    assert (workout.name, workout.sport) == ("Over-unders", "bike")
    assert workout.steps == [
        ("SteadyState", 900, 0.55, None), *turn * 3, ("FreeRide", 300, None, None),
        ("SteadyState", 600, 0.88, None), ("SteadyState", 600, 0.4, None),
    ]  # fmt: skip
    assert workout.messages == [(0, "Spin up"), (1680, "Easy"), (2700, "Easy"), (3720, "Easy")]
    assert loss_words(file.losses) == [
        "repeats: written out", "steps until the lap button: their planned time (1 step)",
        "ranges: their middle (7 steps)", "targets of heart rate (1 step)",
    ]  # fmt: skip


def test_zwo_of_a_run_has_shares_of_critical_speed_and_times_of_distances():
    file = _zwo(typed("3x\n- 1km 100% Pace\n- 2m 140bpm", Sport.RUNNING))
    workout = read_zwo(file.content)

    assert workout.sport == "run"
    assert workout.steps == [("SteadyState", 250, 1.0, None), ("FreeRide", 120, None, None)] * 3
    assert "lengths by distance: the expected time (3 steps)" in loss_words(file.losses)


@pytest.mark.parametrize("title", ['"><!ENTITY x "y">', "]]></name><name>x", "a\x00b\u202ec", "=1+1 & co"])
def test_zwo_holds_hostile_texts_as_texts(title):
    plan = typed('- <b>&"x 10m 60%', title=title, description=title)
    content = _zwo(plan).content
    workout = read_zwo(content)

    assert b"<!ENTITY" not in content
    assert workout.name == title.replace("\x00", "").replace("\u202e", "")
    assert workout.messages == [(0, '<b>&"x')]


def test_erg_has_watts_and_mrc_percent_of_the_same_steps():
    erg, mrc = (workout_file(typed(INTERVALS), kind) for kind in (WorkoutFormat.ERG, WorkoutFormat.MRC))
    watts, percent = read_course(erg.content), read_course(mrc.content)
    turn = [(720, 244), *[(15, 300)] * 4, (240, 125)]

    assert (watts.unit, percent.unit) == ("MINUTES WATTS", "MINUTES PERCENT")
    assert watts.header["FTP"] == percent.header["FTP"] == "250"
    assert watts.parts == [(900, 138), *turn * 3, (300, 150), (600, 220), (600, 100)]
    assert [level for _, level in percent.parts[:2] + percent.parts[-3:]] == [55, 97.5, 60, 88, 40]
    assert [seconds for seconds, _ in percent.parts] == [seconds for seconds, _ in watts.parts]
    assert watts.messages[:2] == [(0, "Spin up", 10), (1680, "Easy", 10)]
    assert loss_words(erg.losses) == loss_words(mrc.losses)
    for words in ("targets of heart rate (1 step)", "cadence (3 steps)",
                  "steps without a power target: the power of their intensity (1 step)"):  # fmt: skip
        assert words in loss_words(erg.losses)


@pytest.mark.parametrize("title", ["[END COURSE DATA]\n[COURSE DATA]", "a\tb\r\nMINUTES WATTS", "[]"])
def test_a_course_holds_hostile_texts_in_one_line(title):
    file = workout_file(typed(f"- {title.split()[0]} 10m 60%", title=title), WorkoutFormat.ERG)
    course = read_course(file.content)

    assert course.parts == [(600, 150)]
    assert len(course.messages) == 1


@pytest.mark.parametrize(
    ("kind", "sport", "text", "references", "reason"),
    [
        ("zwo", Sport.SWIMMING, "- 400mtr", None, "ZWO is for rides and runs. Download the workout as FIT."),
        ("erg", Sport.RUNNING, "- 30m", None, "ERG is for rides. Download the workout as FIT."),
        ("mrc", Sport.ROWING, "- 30m", None, "MRC is for rides. Download the workout as FIT."),
        ("erg", Sport.CYCLING, "- 30m 60%", NOBODY, "ERG needs the athlete's critical power on that day."),
        ("mrc", Sport.CYCLING, "- 30m 200w", NOBODY, "This format needs the athlete's critical power on that day."),
        ("zwo", Sport.CYCLING, "- 30m 200w", NOBODY, "This format needs the athlete's critical power on that day."),
    ],
)  # fmt: skip
def test_a_workout_that_a_format_cannot_hold_is_refused_with_the_reason(
    kind, sport, text, references, reason
):
    given = {} if references is None else {"references": references}
    with pytest.raises(NoWorkoutFile) as refusal:
        workout_file(typed(text, sport, **given), WorkoutFormat(kind))

    assert str(refusal.value).startswith(reason)


def test_watts_alone_need_no_critical_power_in_erg():
    file = workout_file(typed("- 30m 200w", references=NOBODY), WorkoutFormat.ERG)

    assert read_course(file.content).parts == [(1800, 200)]


def test_a_workout_of_millions_of_steps_is_refused_at_once():
    nested = step()
    for _ in range(8):
        nested = times(200, nested)
    workout = typed("", structure=(nested,))

    with pytest.raises(NoWorkoutFile, match="more than 2,000 steps"):
        workout_file(workout, WorkoutFormat.ZWO)
    assert len(workout_file(workout, WorkoutFormat.FIT).content) < 1_000
