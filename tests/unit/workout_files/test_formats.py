"""The table of formats is what the writers do and what the documentation says; names of files; archives."""

import re
from datetime import date
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.wire.enums import Sport
from coachboard.workout_files.formats import FORMATS, WorkoutFormat, file_stem, workout_archive, workout_file
from coachboard.workout_files.workout import NoWorkoutFile
from unit.workout_files.workouts import ANA, INTERVALS, NOBODY, typed

DAY = date(2026, 5, 4)
DOCS = Path(__file__).parents[3] / "docs"
TARGETS = (
    "60%",
    "95-105%",
    "200w",
    "140bpm",
    "105% HR",
    "4:30-5:00/km Pace",
    "90% Pace",
    "90rpm",
    "85-95rpm",
    "",
)
STEPS = st.builds(
    lambda cue, length, targets: " ".join(filter(None, ("-", cue, length, *targets))),
    st.sampled_from(["", "Easy", "Ä " * 140]),
    st.sampled_from(["10m", "2km", "press lap"]),
    st.sampled_from(
        [(), *((target,) for target in TARGETS), ("60%", "140bpm", "90rpm"), ("200w", "5:00/km Pace")]
    ),
)


@given(
    steps=st.lists(STEPS, min_size=1, max_size=4),
    is_repeated=st.booleans(),
    sport=st.sampled_from([Sport.CYCLING, Sport.RUNNING, Sport.ROWING]),
    references=st.sampled_from([ANA, NOBODY]),
    kind=st.sampled_from(list(WorkoutFormat)),
)
def test_a_writer_loses_only_what_the_table_of_its_format_says(steps, is_repeated, sport, references, kind):
    workout = typed("\n".join([*(["3x"] if is_repeated else []), *steps]), sport, references, description="x")
    try:
        file = workout_file(workout, kind)
    except NoWorkoutFile:
        return

    assert set(file.losses) <= {*FORMATS[kind].replaces, *FORMATS[kind].drops}


def test_the_documentation_has_the_table():
    page = (DOCS / "planning.md").read_text(encoding="utf-8")
    for kind, facts in FORMATS.items():
        cells = [kind.upper(), facts.devices, facts.keeps, "; ".join(facts.replaces), "; ".join(facts.drops)]
        assert f"| {' | '.join(cells)} |" in page


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "2026-05-04 etc passwd"),
        ("C:\\a\\b.exe", "2026-05-04 C a b exe"),
        ("=HYPERLINK(1)", "2026-05-04 HYPERLINK 1"),
        ("\u202egnp.exe", "2026-05-04 gnp exe"),
        ("Größe 3 × 12", "2026-05-04 Größe 3 12"),
        ("///", "2026-05-04 Workout"),
        ("x" * 300, f"2026-05-04 {'x' * 80}"),
    ],
)
def test_the_name_of_a_file_has_the_day_and_the_words_of_the_title(title, name):
    assert file_stem(title, DAY) == name


def test_an_archive_has_each_file_once_and_names_those_that_are_refused():
    workouts = [typed(INTERVALS), typed(INTERVALS, title="OVER-UNDERS"), typed("- 400mtr", Sport.SWIMMING)]
    archive = workout_archive(workouts, WorkoutFormat.ZWO)
    with ZipFile(BytesIO(archive.content)) as files:
        names = files.namelist()
        first = files.read(names[0])

    assert names == list(archive.names) == ["2026-05-04 Over-unders.zwo", "2026-05-04 OVER-UNDERS 2.zwo"]
    assert first == workout_file(workouts[0], WorkoutFormat.ZWO).content
    assert [
        (workout, re.match(r"ZWO is for rides", reason) is not None) for workout, reason in archive.refused
    ] == [(workouts[2], True)]
    assert archive.content == workout_archive(workouts, WorkoutFormat.ZWO).content
