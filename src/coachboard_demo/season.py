"""The season: phases that count back from goals, weeks that load and unload, slots that hold workouts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class SeasonPhase(StrEnum):
    """Periods of a plan (Bompa; Issurin)."""

    BASE = "base"
    BUILD = "build"
    PEAK = "peak"
    TAPER = "taper"
    RACE = "race"
    OFF = "off"


# Weeks before a goal at which each phase ends, and its load against the year's usual week.
_UNTIL_WEEKS = ((1, SeasonPhase.RACE), (3, SeasonPhase.TAPER), (6, SeasonPhase.PEAK), (13, SeasonPhase.BUILD))
LOAD = {
    SeasonPhase.BASE: 0.95,
    SeasonPhase.BUILD: 1.1,
    SeasonPhase.PEAK: 1.05,
    SeasonPhase.TAPER: 0.65,
    SeasonPhase.RACE: 0.6,
    SeasonPhase.OFF: 0.4,
}
_WAVE = (0.92, 1.0, 1.1, 0.65)  # three weeks up, one to recover
_OFF_WEEKS = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the week: which day, which menu, what share of the week's time, on what."""

    weekday: int
    menu: str
    share: float
    practice: str
    hour: float = 17.5


_Menu = Mapping[SeasonPhase, tuple[str, ...]]


def _menu(base: str, build: str, peak: str, *, race: str = "openers", off: str = "recovery") -> _Menu:
    return {
        SeasonPhase.BASE: tuple(base.split(", ")), SeasonPhase.BUILD: tuple(build.split(", ")),
        SeasonPhase.PEAK: tuple(peak.split(", ")), SeasonPhase.TAPER: (peak.split(", ", maxsplit=1)[0], race),
        SeasonPhase.RACE: (race,), SeasonPhase.OFF: (off,),
    }  # fmt: skip


MENUS: Mapping[str, _Menu] = {
    "first": _menu("tempo, low cadence, sweet spot, test", "threshold, over-unders, vo2max, threshold", "vo2max, 30/15, anaerobic"),
    "second": _menu("endurance, sweet spot, progressive, endurance", "sweet spot, 30/15, anaerobic, sprints", "over-unders, sprints, threshold"),
    "easy": _menu("endurance, by feel, endurance", "endurance, recovery, endurance", "recovery, endurance", race="recovery"),
    "long": _menu("long", "long, group", "group, long", race="endurance", off="endurance"),
    "long alone": _menu("long", "long", "long", race="endurance", off="endurance"),
    "ski first": _menu("tempo, sweet spot, test", "threshold, over-unders, vo2max, threshold", "vo2max, 30/15, anaerobic"),
    "run easy": _menu("easy run, strides", "easy run, strides", "easy run, strides", race="strides", off="easy run"),
    "run first": _menu("run tempo, hills, easy run", "run reps, run tempo, hills", "run reps, run short", race="strides", off="easy run"),
    "run second": _menu("hills, strides", "run tempo, run short", "run short, run tempo", race="easy run", off="easy run"),
    "run long": _menu("long run", "long run", "long run", race="easy run", off="easy run"),
    "swim first": _menu("swim endurance, css, technique", "css, swim sprints, medley", "swim sprints, css", race="technique", off="technique"),
    "swim second": _menu("technique, medley", "swim endurance, technique", "technique, css", race="technique", off="technique"),
    "row": _menu("endurance, row pieces", "row pieces, threshold", "vo2max, row pieces", race="endurance", off="recovery"),
    "gym": _menu("gym", "gym", "mobility", race="mobility", off="mobility"),
}  # fmt: skip

DISCIPLINES: Mapping[str, tuple[Slot, ...]] = {
    "road": (
        Slot(1, "first", 0.16, "road"), Slot(2, "easy", 0.17, "road"), Slot(3, "second", 0.16, "trainer"),
        Slot(4, "easy", 0.1, "road"), Slot(5, "long", 0.3, "road", 9.0), Slot(6, "easy", 0.21, "road", 9.5),
        Slot(0, "gym", 0.07, "strength", 18.5),
    ),
    "time trial": (
        Slot(1, "first", 0.2, "time trial"), Slot(3, "second", 0.2, "trainer"), Slot(4, "easy", 0.15, "road"),
        Slot(5, "long", 0.3, "road", 9.0), Slot(6, "easy", 0.15, "time trial", 10.0),
    ),
    "mountain bike": (
        Slot(1, "first", 0.2, "road"), Slot(3, "second", 0.2, "trainer"), Slot(5, "long", 0.33, "mountain bike", 10.0),
        Slot(6, "easy", 0.27, "gravel", 10.0),
    ),
    "track": (
        Slot(0, "gym", 0.12, "strength", 10.0), Slot(1, "second", 0.2, "velodrome"), Slot(3, "first", 0.2, "velodrome"),
        Slot(4, "gym", 0.12, "strength", 10.0), Slot(5, "long", 0.3, "road", 9.0),
    ),
    "hand cycle": (
        Slot(1, "first", 0.22, "hand cycle"), Slot(3, "second", 0.2, "hand cycle"), Slot(4, "gym", 0.12, "strength"),
        Slot(6, "long alone", 0.35, "hand cycle", 10.0),
    ),
    "road run": (
        Slot(0, "run easy", 0.13, "run", 7.0), Slot(1, "run first", 0.17, "run"), Slot(2, "run easy", 0.13, "run", 7.0),
        Slot(3, "run second", 0.16, "treadmill"), Slot(5, "run easy", 0.12, "run", 8.0), Slot(6, "run long", 0.3, "run", 8.0),
        Slot(4, "gym", 0.08, "strength", 18.0),
    ),
    "trail run": (
        Slot(1, "run first", 0.16, "run"), Slot(2, "run easy", 0.14, "trail"), Slot(3, "run second", 0.15, "trail"),
        Slot(5, "run long", 0.38, "trail", 7.5), Slot(6, "easy", 0.17, "hike", 9.0),
    ),
    "triathlon": (
        Slot(0, "swim first", 0.09, "pool", 6.5), Slot(1, "first", 0.13, "trainer"), Slot(2, "run first", 0.1, "run"),
        Slot(3, "swim second", 0.09, "pool", 6.5), Slot(3, "easy", 0.11, "road"), Slot(4, "run easy", 0.07, "run", 12.2),
        Slot(5, "long", 0.25, "road", 8.5), Slot(6, "run long", 0.16, "run", 9.0),
    ),
    "swim": (
        Slot(0, "swim first", 0.2, "pool", 5.75), Slot(1, "swim second", 0.18, "pool", 5.75), Slot(2, "gym", 0.1, "strength"),
        Slot(3, "swim first", 0.2, "pool", 5.75), Slot(4, "swim second", 0.16, "pool", 5.75), Slot(5, "swim first", 0.2, "pool", 8.0),
    ),
    "rowing": (
        Slot(1, "row", 0.2, "rowing machine", 6.5), Slot(2, "gym", 0.12, "strength"), Slot(3, "row", 0.2, "rowing machine", 6.5),
        Slot(5, "row", 0.28, "water rowing", 8.0), Slot(6, "easy", 0.2, "water rowing", 9.0),
    ),
    "skiing": (
        Slot(1, "ski first", 0.2, "skating", 16.0), Slot(2, "run easy", 0.12, "run"), Slot(3, "second", 0.18, "skating", 16.0),
        Slot(5, "long alone", 0.3, "skating", 9.5), Slot(6, "run long", 0.2, "trail", 10.0),
    ),
    "beginner": (
        Slot(1, "run easy", 0.25, "run", 18.5), Slot(3, "easy", 0.2, "walk", 18.5), Slot(5, "run easy", 0.3, "run", 9.5),
        Slot(6, "gym", 0.15, "yoga", 10.0),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Week:
    """One week of the plan."""

    monday: date
    phase: SeasonPhase
    load: float  # against the usual week
    number: int


def weeks_of(first: date, last: date, goals: tuple[date, ...]) -> list[Week]:
    """The weeks that touch the span, each in its phase."""
    monday = first - timedelta(days=first.weekday())
    found: list[Week] = []
    while monday <= last:
        phase = _phase(monday, goals)
        wave = _WAVE[len(found) % 4] if phase in {SeasonPhase.BASE, SeasonPhase.BUILD} else 1.0
        found.append(Week(monday, phase, LOAD[phase] * wave, len(found)))
        monday += timedelta(days=7)
    return found


def _phase(monday: date, goals: tuple[date, ...]) -> SeasonPhase:
    since = min((monday - goal for goal in goals if goal < monday), default=None)
    if since is not None and since.days < 7 * _OFF_WEEKS:
        return SeasonPhase.OFF
    until = min(((goal - monday).days for goal in goals if goal >= monday), default=999) / 7
    return next((phase for weeks, phase in _UNTIL_WEEKS if until < weeks), SeasonPhase.BASE)
