"""The formats of workout files: what each keeps, replaces and leaves out, and how it is written."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from io import BytesIO
from itertools import chain, count
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from coachboard.plain_text import plain
from coachboard.workout_files.fit import write_fit
from coachboard.workout_files.trainers import write_erg, write_mrc, write_zwo
from coachboard.workout_files.workout import OF_WHOLE, DeviceWorkout, Loss, Losses, NoWorkoutFile


class WorkoutFormat(StrEnum):
    """The formats, by their endings."""

    FIT = "fit"
    ZWO = "zwo"
    ERG = "erg"
    MRC = "mrc"


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """The description of a format for people, and its writer; the table in `docs/planning.md` is this one."""

    devices: str
    media_type: str
    keeps: str
    replaces: tuple[Loss, ...]
    drops: tuple[Loss, ...]
    write: Callable[[DeviceWorkout, Losses], bytes]


_TIMES = (Loss.NO_STEPS, Loss.RANGE, Loss.OPEN_END, Loss.REPEATS, Loss.DISTANCE, Loss.FREE)
_OF_COURSES = {
    "replaces": (*_TIMES, Loss.NO_POWER),
    "drops": (Loss.HEART_RATE, Loss.SPEED, Loss.CADENCE, Loss.DESCRIPTION),
}

FORMATS: MappingProxyType[WorkoutFormat, FormatFacts] = MappingProxyType(
    {
        WorkoutFormat.FIT: FormatFacts(
            devices="watches, head units",
            media_type="application/vnd.ant.fit",
            keeps="all sports, nested repeats, times, distances, the lap button, two targets of each step, cues, description",
            replaces=(Loss.NO_STEPS, Loss.OPEN_END, Loss.PERCENT),
            drops=(Loss.THIRD_TARGET, Loss.UNKNOWN, Loss.LONG_TEXT),
            write=write_fit,
        ),
        WorkoutFormat.ZWO: FormatFacts(
            devices="Zwift, other games",
            media_type="application/xml",
            keeps="rides by power, runs by pace, cadence, cues, description",
            replaces=_TIMES,
            drops=(Loss.HEART_RATE, Loss.SPEED, Loss.POWER),
            write=write_zwo,
        ),
        WorkoutFormat.ERG: FormatFacts(
            devices="trainer programs, head units",
            media_type="text/plain; charset=utf-8",
            keeps="rides by power in watts, cues",
            write=write_erg,
            **_OF_COURSES,
        ),
        WorkoutFormat.MRC: FormatFacts(
            devices="trainer programs, head units",
            media_type="text/plain; charset=utf-8",
            keeps="rides by power in percent, cues",
            write=write_mrc,
            **_OF_COURSES,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class WorkoutFile:
    """A workout as a file with its name."""

    name: str
    content: bytes
    losses: Losses


@dataclass(frozen=True, slots=True)
class WorkoutArchive:
    """Files in one archive; `refused` has the workouts that the format cannot hold, each with the reason."""

    content: bytes
    names: tuple[str, ...]
    losses: Losses
    refused: tuple[tuple[DeviceWorkout, str], ...]


def workout_file(workout: DeviceWorkout, kind: WorkoutFormat) -> WorkoutFile:
    """The workout in that format. Raises `NoWorkoutFile`."""
    losses = Losses()
    content = FORMATS[kind].write(workout, losses)
    kept = Losses({loss: losses[loss] for loss in losses if loss in OF_WHOLE or losses[loss]})
    stem = file_stem(workout.prescription.title, workout.day, owner=workout.owner)
    return WorkoutFile(f"{stem}.{kind}", content, kept)


def workout_archive(workouts: Iterable[DeviceWorkout], kind: WorkoutFormat) -> WorkoutArchive:
    """All workouts as files of that format in one archive; equal workouts give equal bytes."""
    content, names, losses, refused = BytesIO(), list[str](), Losses(), list[tuple[DeviceWorkout, str]]()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for workout in workouts:
            try:
                file = workout_file(workout, kind)
            except NoWorkoutFile as error:
                refused.append((workout, str(error)))
                continue
            names.append(_free_name(file.name, names))
            losses.update(file.losses)
            archive.writestr(ZipInfo(names[-1]), file.content, ZIP_DEFLATED)
    return WorkoutArchive(content.getvalue(), tuple(names), losses, tuple(refused))


_MOST_NAME = 80


def file_stem(title: str, day: date | str, *, owner: str = "") -> str:
    """The name of a file without its ending: letters, digits, spaces and hyphens alone."""
    return " ".join(filter(None, (_name_words(owner), str(day), _name_words(title) or "Workout")))


def _name_words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s-]", " ", plain(text)).split())[:_MOST_NAME].strip()


def _free_name(name: str, taken_names: Sequence[str]) -> str:
    """The name, with a number if another file has it; some systems do not tell cases apart."""
    used = {each.casefold() for each in taken_names}
    stem, _, ending = name.rpartition(".")
    numbered = (f"{stem} {number}.{ending}" for number in count(2))
    return next(each for each in chain([name], numbered) if each.casefold() not in used)
