"""The main sleep and the naps of each day, from the service's rows."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import isnan, log, nan
from statistics import median

from coachboard.formulas.plausible import or_zero, plausible_value
from coachboard.wire.body import Sleep

PHASES = ("deep", "light", "rem")
PHASE_SLACK = 0.05
PHASE_SLACK_AWAKE_UNKNOWN = 0.15
"""Largest difference between the phases' sum and the sleep, as a share of it; a choice of this project.

Without the time awake, a total that includes it is up to 15 % above the phases.
"""
LONGEST_NAP_S = 3 * 3600.0
"""A longer row without times is the same night from a second device; a choice of this project."""
DURATION_UNITS: Mapping[str, float] = {
    "seconds": 1.0,
    "minutes": 60.0,
    "hours": 3600.0,
    "milliseconds": 0.001,
}
_USUAL_NIGHT_S = 8 * 3600.0


@dataclass(frozen=True, slots=True)
class SleepRow:
    """A row of the service in seconds; NaN if missing or implausible."""

    row: Sleep
    total_s: float
    in_bed_s: float
    awake_s: float
    no_data_s: float
    phases_s: Mapping[str, float]  # empty if the row has none that add up to the sleep
    asleep_s: float

    @property
    def length_s(self) -> float:
        """The length that compares rows of a day: time asleep, else in bed, else from start to end."""
        lengths = (self.asleep_s, self.in_bed_s, self.total_s, span_s(self.row))
        return next((length for length in lengths if not isnan(length)), 0.0)

    @property
    def phase_sum_s(self) -> float:
        """The sum of the phases; NaN without phases."""
        return sum(self.phases_s.values()) if self.phases_s else nan


@dataclass(frozen=True, slots=True)
class DaySleep:
    """An athlete's sleep of a day: the main sleep, and naps."""

    day: date
    main: SleepRow
    twins: tuple[SleepRow, ...]  # the same sleep from another device
    naps: tuple[SleepRow, ...]

    @property
    def nap_s(self) -> float:
        """The sum of the naps; NaN without a nap."""
        lengths = [nap.length_s for nap in self.naps]
        return sum(lengths) if lengths else nan

    def value(self, name: str) -> float:
        """A value of the main sleep, or of the same sleep from another device; NaN if none is plausible."""
        values = (plausible_value(name, getattr(sleep.row, name)) for sleep in (self.main, *self.twins))
        return next((value for value in values if not isnan(value)), nan)

    @property
    def started_local(self) -> datetime | None:
        """Local start; computed from the offset if the service sends none."""
        return _local(self.main.row.started_at_local, self.main.row.started_at, self.offset_min)

    @property
    def ended_local(self) -> datetime | None:
        """Local end; computed from the offset if the service sends none."""
        return _local(self.main.row.ended_at_local, self.main.row.ended_at, self.offset_min)

    @property
    def offset_min(self) -> float:
        """Minutes from UTC; computed from the two clocks if the service sends no offset."""
        row = self.main.row
        if row.utc_offset is not None:
            return float(row.utc_offset)
        pairs = ((row.started_at, row.started_at_local), (row.ended_at, row.ended_at_local))
        shifts = (
            (local - moment.replace(tzinfo=None)).total_seconds() / 60
            for moment, local in pairs
            if moment and local
        )
        return next(shifts, nan)


def day_sleeps(rows: Iterable[Sleep]) -> tuple[DaySleep, ...]:
    """The main sleep of each day with its naps.

    Parameters
    ----------
    rows : iterable of Sleep
        Of one athlete, in any order.

    Returns
    -------
    tuple of DaySleep
        Oldest first, one for each day that has a row.

    Notes
    -----
    The longest recorded sleep of a day is its main sleep. Another one is a nap where it does not overlap the main
    sleep; one that does overlap is the same sleep by another device and adds nothing.

    *Missing data*: sleeps that overlap the main sleep (a second device); a day without a recorded sleep has none.

    *Worked example*: 7.5 h and 0.5 h recorded on a day: main sleep 7.5 h and nap 0.5 h.

    Examples
    --------
    >>> day_sleeps([])
    ()
    >>> blank = dict.fromkeys(Sleep.model_fields) | {"day": date(2026, 3, 2)}
    >>> long, short = ({"id": f"slp_{s}", "total_duration": s} for s in (27_000, 1_800))
    >>> (day,) = day_sleeps([Sleep(**blank | long), Sleep(**blank | short)])
    >>> day.main.asleep_s / 3600, day.nap_s / 3600
    (7.5, 0.5)
    """
    sent = tuple(rows)
    unit_s = DURATION_UNITS[duration_unit(sent)]
    by_day: dict[date, list[SleepRow]] = defaultdict(list)
    for row in sent:
        by_day[row.day].append(read_row(row, unit_s=unit_s))
    return tuple(_of_day(day, by_day[day]) for day in sorted(by_day))


def read_row(row: Sleep, *, unit_s: float = 1.0) -> SleepRow:
    """The time asleep of a recorded sleep.

    Parameters
    ----------
    row : Sleep
        As sent.
    unit_s : float
        The unit of its durations. [s]

    Returns
    -------
    SleepRow
        NaN where the row has no plausible value; no phases where they do not add up to the sleep.

    Notes
    -----
    Phases count where their sum fits the total duration, with or without time awake, or the time in bed less the
    time awake. Otherwise sleep is the total duration minus the time awake, unless the time in bed shows that
    the total duration already excludes it.

    *Missing data*: a duration of 0 counts as not measured; phases that do not add up to the sleep.

    *Worked example*: 7.6 h in total with 18 min awake and no phases: 7.3 h asleep.

    Examples
    --------
    >>> fields = dict.fromkeys(Sleep.model_fields) | {"id": "slp_1", "day": date(2026, 3, 2)}
    >>> phaseless = {"light_duration": 0, "rem_duration": 0, "deep_duration": 0}
    >>> night = read_row(Sleep(**fields | phaseless | {"total_duration": 27_360, "awake_duration": 1_080}))
    >>> night.asleep_s / 3600, night.phases_s
    (7.3, {})
    """

    def seconds(name: str) -> float:
        value = getattr(row, f"{name}_duration")
        return plausible_value(f"{name}_duration", None if value is None else value * unit_s)

    total, in_bed = (seconds(name) or nan for name in ("total", "in_bed"))  # 0: not measured
    awake, no_data = seconds("awake"), seconds("no_data")
    phases = {name: seconds(name) for name in PHASES}
    slept = _slept(total, in_bed, awake)
    gaps = or_zero(awake) + or_zero(no_data)
    slack = PHASE_SLACK_AWAKE_UNKNOWN if isnan(awake) else PHASE_SLACK
    if not _add_up(phases, [slept, total, total - gaps, in_bed - gaps], slack):
        phases = {}
    asleep = sum(map(or_zero, phases.values())) if phases else slept
    return SleepRow(row, total, in_bed, awake, no_data, phases, asleep if asleep > 0 else nan)


def duration_unit(rows: Iterable[Sleep]) -> str:
    """The unit of the durations, which the interface does not state.

    Parameters
    ----------
    rows : iterable of Sleep
        Of one athlete.

    Returns
    -------
    str
        Key of `DURATION_UNITS`; "seconds" without a row.

    Notes
    -----
    The unit in which time in bed (else in total) comes nearest to the time from start to end; without both
    times, the unit in which the longest sleep of the usual day comes nearest to eight hours.

    Examples
    --------
    >>> duration_unit([])
    'seconds'
    """
    # spec: not shown: units of sleep fields
    sent = [
        (row, value) for row in rows if (value := row.in_bed_duration or row.total_duration) and value > 0
    ]
    spans = [span_s(row) / value for row, value in sent if span_s(row) > 0]
    if spans:
        return _nearest_unit(median(spans))
    longest: dict[date, float] = {}
    for row, value in sent:
        longest[row.day] = max(value, longest.get(row.day, 0.0))
    return _nearest_unit(_USUAL_NIGHT_S / median(longest.values())) if longest else "seconds"


def span_s(row: Sleep) -> float:
    """The time from start to end.

    Parameters
    ----------
    row : Sleep
        Any row.

    Returns
    -------
    float
        NaN where either is missing. [s]

    Examples
    --------
    >>> span_s(Sleep(**dict.fromkeys(Sleep.model_fields) | {"id": "slp_1", "day": date(2026, 3, 2)}))
    nan
    """
    pairs = ((row.started_at, row.ended_at), (row.started_at_local, row.ended_at_local))
    spans = ((end - start).total_seconds() for start, end in pairs if start and end)
    return next(spans, nan)


def _nearest_unit(seconds: float) -> str:
    return min(DURATION_UNITS, key=lambda name: abs(log(seconds / DURATION_UNITS[name])))


def _slept(total: float, in_bed: float, awake: float) -> float:
    """The time asleep as the totals give it, without a look at the phases."""
    if isnan(awake):
        return total
    asleep_in_bed = in_bed - awake
    if isnan(total):
        return asleep_in_bed
    return total if total <= asleep_in_bed * (1 + PHASE_SLACK) else total - awake


def _add_up(phases: Mapping[str, float], sleeps: Sequence[float], slack: float) -> bool:
    """Whether the phases give one of these times asleep; without a known time any phases do."""
    phases_s = sum(map(or_zero, phases.values()))
    if not phases_s:
        return False
    if all(map(isnan, sleeps)):
        return True
    return any(abs(phases_s - sleep) <= slack * sleep for sleep in sleeps)


def _of_day(day: date, rows: Sequence[SleepRow]) -> DaySleep:
    main, *others = sorted(rows, key=lambda sleep: (-sleep.length_s, sleep.row.id))
    naps: list[SleepRow] = []
    twins: list[SleepRow] = []
    for other in others:
        if _is_same(other, main):
            twins.append(other)
        elif other.length_s > 0 and not any(_is_same(other, nap) for nap in naps):
            naps.append(other)
    return DaySleep(day, main, tuple(twins), tuple(naps))


def _is_same(sleep: SleepRow, other: SleepRow) -> bool:
    """Whether two rows describe one sleep."""
    a, b = sleep.row, other.row
    if a.started_at and a.ended_at and b.started_at and b.ended_at:
        return a.started_at < b.ended_at and b.started_at < a.ended_at
    return sleep.length_s > LONGEST_NAP_S


def _local(local: datetime | None, moment: datetime | None, offset_min: float) -> datetime | None:
    if local is not None or moment is None or isnan(offset_min):
        return local
    return moment.replace(tzinfo=None) + timedelta(minutes=offset_min)
