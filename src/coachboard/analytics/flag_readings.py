"""What each rule of `flags.RULES` reads from an athlete's last days; nothing is decided twice here."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics import hrv
from coachboard.analytics.adherence import EXCUSING_NOTES, Adherence, Match, summarize
from coachboard.analytics.baseline import MINIMUM_DAYS, own_normal, trailing_mean
from coachboard.analytics.frames import FITNESS, FORM
from coachboard.analytics.load import CLASSIC, fitness_fatigue_form, warm_seed
from coachboard.analytics.monotony import acute_chronic_ratio, rolling_monotony
from coachboard.models.enums import NoteType, TrainingStimulus

LOOK_BACK_D = 28
"""How far back a standing flag is followed."""
RECENT_NIGHT_D = 2
"""A night older than this many days says nothing about this morning."""
HARD_STIMULI = frozenset(
    {
        TrainingStimulus.THRESHOLD,
        TrainingStimulus.VO2MAX,
        TrainingStimulus.ANAEROBIC,
        TrainingStimulus.NEUROMUSCULAR,
        TrainingStimulus.LACTATE_CLEARANCE,
        TrainingStimulus.DURABILITY,
        TrainingStimulus.TEST,
        TrainingStimulus.RACE,
    }
)
"""Stimuli that poor recovery should not meet; ours."""


@dataclass(frozen=True, slots=True, eq=False)
class AthleteDays:
    """What is known of an athlete's last days; arrays have one value a day and end today."""

    today: date
    daily_load: NDArray[np.float64]
    sessions_a_day: NDArray[np.float64]
    hrv_ms: NDArray[np.float64]
    resting_hr_bpm: NDArray[np.float64]
    asleep_h: NDArray[np.float64]
    matches: Sequence[Match] = field(default=())  # plans and sessions from 28 days ago to what lies ahead
    notes: Sequence[tuple[date, NoteType]] = field(default=())
    feelings: Sequence[tuple[date, float]] = field(default=())  # rated sessions, oldest first


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule found; NaN where it has no such number."""

    is_raised: bool
    value: float = nan
    low: float = nan
    high: float = nan
    days_standing: int = 0
    as_of: date | None = None
    shortage: str = ""
    detail: str = ""


def _short(shortage: str, as_of: date | None = None) -> Reading:
    return Reading(is_raised=False, shortage=shortage, as_of=as_of)


def _days_at_end(holds: NDArray[np.bool_]) -> int:
    recent = holds[-LOOK_BACK_D:][::-1]
    return int(len(recent) if recent.all() else np.argmin(recent))


def _last_known(values: NDArray[np.float64], today: date) -> date | None:
    known = np.flatnonzero(~np.isnan(values))
    return today - timedelta(days=int(len(values) - 1 - known[-1])) if len(known) else None


def _night_shortage(values: NDArray[np.float64], line: NDArray[np.float64], today: date) -> str:
    nights = int((~np.isnan(values[-61:-1])).sum())
    if nights < MINIMUM_DAYS:
        return f"not enough nights yet: {nights} of {MINIMUM_DAYS}"
    newest = _last_known(values, today)
    if newest is None or (today - newest).days > RECENT_NIGHT_D or isnan(line[-1]):
        return "no recent nights"
    return ""


def _against_normal(
    values: NDArray[np.float64], line: NDArray[np.float64], today: date, *, width: float, below: bool
) -> Reading:
    if shortage := _night_shortage(values, line, today):
        return _short(shortage, _last_known(values, today))
    normal = own_normal(values, width_sd=0.5)
    # The threshold is in standard deviations below and in units of the series above.
    holds = line <= normal.mean - width * normal.deviation if below else line >= normal.mean + width
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        days_standing=_days_at_end(holds),
        as_of=_last_known(values, today),
    )


def hrv_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The 7-day line of ln HRV against its own normal; numbers are given back in ms."""
    logs = hrv.ln_hrv(athlete.hrv_ms)
    found = _against_normal(
        logs, hrv.seven_day_line(athlete.hrv_ms), athlete.today, width=threshold, below=True
    )
    return replace(
        found,
        value=float(np.exp(found.value)),
        low=float(np.exp(found.low)),
        high=float(np.exp(found.high)),
    )


def resting_hr_high(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three nights against the own normal. [bpm]."""
    line = trailing_mean(athlete.resting_hr_bpm, 3, minimum_days=2)
    return _against_normal(athlete.resting_hr_bpm, line, athlete.today, width=threshold, below=False)


def sleep_short(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three nights against the limit, own normal beside it. [h]."""
    line = trailing_mean(athlete.asleep_h, 3, minimum_days=2)
    as_of = _last_known(athlete.asleep_h, athlete.today)
    if isnan(line[-1]):
        return _short("no recent nights", as_of)
    normal = own_normal(athlete.asleep_h, width_sd=0.5)
    holds = line < threshold
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        days_standing=_days_at_end(holds),
        as_of=as_of,
    )


def _last_session(athlete: AthleteDays) -> date | None:
    return _last_known(np.where(athlete.sessions_a_day > 0, 1.0, np.nan), athlete.today)


def _training_days(athlete: AthleteDays) -> int:
    trained = np.flatnonzero(athlete.sessions_a_day > 0)
    return int(len(athlete.sessions_a_day) - trained[0]) if len(trained) else 0


def form_low(athlete: AthleteDays, threshold: float) -> Reading:
    """Form as a share of fitness, start of the day. [%]."""
    days = _training_days(athlete)
    if days < CLASSIC.fitness_d:
        return _short(
            f"not enough training yet: {days} of {CLASSIC.fitness_d:g} days", _last_session(athlete)
        )
    frame = fitness_fatigue_form(athlete.daily_load, seed=warm_seed(athlete.daily_load))
    fitness = frame[FITNESS].shift(fill_value=np.nan).to_numpy()
    share = (
        np.divide(frame[FORM].to_numpy(), fitness, out=np.full(len(fitness), nan), where=fitness > 0) * 100
    )
    holds = share <= threshold
    usual = own_normal(share, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(share[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        days_standing=_days_at_end(holds),
        as_of=_last_session(athlete),
    )


def load_jump(athlete: AthleteDays, threshold: float) -> Reading:
    """Acute over chronic load as the day begins."""
    days = _training_days(athlete)
    if days < LOOK_BACK_D:
        return _short(f"not enough training yet: {days} of {LOOK_BACK_D} days", _last_session(athlete))
    ratio = acute_chronic_ratio(athlete.daily_load, seed=warm_seed(athlete.daily_load))
    holds = ratio > threshold
    usual = own_normal(ratio, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(ratio[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        days_standing=_days_at_end(holds),
        as_of=_last_session(athlete),
    )


def monotony_high(athlete: AthleteDays, threshold: float) -> Reading:
    """Monotony of the seven days up to yesterday, since today is not over."""
    week = athlete.sessions_a_day[-8:-1]
    if len(week) < 7 or week.sum() < 4:
        return _short(f"not enough sessions: {int(week.sum())} of 4 in 7 days", _last_session(athlete))
    values = rolling_monotony(athlete.daily_load[:-1])
    holds = values >= threshold
    usual = own_normal(values, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(values[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        days_standing=_days_at_end(holds),
        as_of=athlete.today - timedelta(days=1),
    )


def _week(athlete: AthleteDays) -> list[Match]:
    first = athlete.today - timedelta(days=7)
    return [match for match in athlete.matches if first <= match.day < athlete.today]


def missed_sessions(athlete: AthleteDays, threshold: float) -> Reading:
    """Plans of the last seven days that were neither done nor excused."""
    week = _week(athlete)
    summary = summarize(week)
    if summary.due == 0:
        return _short("nothing was planned in the last 7 days")
    missed = [match.day for match in week if match.adherence is Adherence.MISSED]
    return Reading(
        is_raised=len(missed) >= threshold,
        value=float(len(missed)),
        low=0.0,
        high=float(summary.due),
        days_standing=(athlete.today - max(missed)).days if missed else 0,
        as_of=max(missed, default=athlete.today - timedelta(days=1)),
    )


def over_plan(athlete: AthleteDays, threshold: float) -> Reading:
    """Time done, planned or not, over time planned, of the last seven days. [%]."""
    week = _week(athlete)
    planned = [
        m.planned.duration_s for m in week if m.planned is not None and not isnan(m.planned.duration_s)
    ]
    if len(planned) < 2 or not sum(planned):
        return _short(f"{len(planned)} planned sessions with a duration in 7 days, 2 are needed")
    done = [m.done.duration_s for m in week if m.done is not None and not isnan(m.done.duration_s)]
    share = sum(done) / sum(planned) * 100
    return Reading(
        is_raised=share >= threshold,
        value=share,
        low=80.0,
        high=120.0,
        days_standing=1,
        as_of=_last_session(athlete),
    )


def feeling_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of the last three rated sessions. [1 to 5]."""
    recent = [rated for rated in athlete.feelings if (athlete.today - rated[0]).days <= 14]
    if len(recent) < 3:
        return _short(f"not enough rated sessions: {len(recent)} of 3 in 14 days")
    usual = [value for _, value in athlete.feelings]
    value = float(np.mean([feeling for _, feeling in recent[-3:]]))
    spread = float(np.std(usual))
    return Reading(
        is_raised=value <= threshold,
        value=value,
        low=float(np.mean(usual)) - spread,
        high=float(np.mean(usual)) + spread,
        days_standing=(athlete.today - recent[-3][0]).days,
        as_of=recent[-1][0],
    )


def no_session(athlete: AthleteDays, threshold: float) -> Reading:
    """Days since the last session, unless a note excuses them. [days]."""
    last = _last_session(athlete)
    if last is None or (athlete.today - last).days > 90:
        return _short("no session in the last 90 days", last)
    days = (athlete.today - last).days
    excused = any(kind in EXCUSING_NOTES and last < day <= athlete.today for day, kind in athlete.notes)
    gaps = np.diff(np.flatnonzero(athlete.sessions_a_day[-91:] > 0))
    return Reading(
        is_raised=days >= threshold and not excused,
        value=float(days),
        low=1.0,
        high=float(np.percentile(gaps, 90)) if len(gaps) else nan,
        days_standing=max(days - int(threshold) + 1, 0),
        as_of=last,
        detail="excused by a note" if excused else "",
    )


def medical_note(athlete: AthleteDays, threshold: float) -> Reading:
    """Whether the newest medical note is recent; the run of notes that it ends tells how long it stands."""
    past = sorted(day for day, kind in athlete.notes if kind is NoteType.MEDICAL and day <= athlete.today)
    if not past:
        return Reading(is_raised=False)
    age = (athlete.today - past[-1]).days
    first = _first_of_run(past, athlete.today)
    return Reading(
        is_raised=age < threshold,
        days_standing=(athlete.today - first).days + 1,
        as_of=past[-1],
    )


def _first_of_run(days: list[date], today: date) -> date:
    first = days[-1]
    for day in reversed(days):
        if (first - day).days > 2 or (today - day).days > LOOK_BACK_D:
            break
        first = day
    return first


def no_plan(athlete: AthleteDays, threshold: float) -> Reading:
    """Days that are planned ahead, for athletes who are planned for at all. [days]."""
    planned = [match.planned.day for match in athlete.matches if match.planned is not None]
    if not any(day >= athlete.today - timedelta(days=LOOK_BACK_D) for day in planned):
        return _short("not planned for in the last 28 days")
    ahead = [day for day in planned if day >= athlete.today]
    next_in = (min(ahead) - athlete.today).days if ahead else None
    last = max(planned)
    return Reading(
        is_raised=next_in is None or next_in > threshold,
        value=float(next_in) if next_in is not None else nan,
        days_standing=max((athlete.today - last).days, 0),
        as_of=last,
    )


def next_hard_session(athlete: AthleteDays) -> Match | None:
    """The first hard plan of today or tomorrow that is not done yet."""
    soon = (athlete.today, athlete.today + timedelta(days=1))
    return next(
        (
            match
            for match in athlete.matches
            if match.adherence is Adherence.AHEAD
            and match.planned is not None
            and match.planned.day in soon
            and match.planned.stimulus in HARD_STIMULI
        ),
        None,
    )


SIGNS = (
    ("HRV low", hrv_low, 0.5),
    ("resting heart rate high", resting_hr_high, 3.0),
    ("short nights", sleep_short, 6.5),
)
"""Signs of poor recovery at their watch limits, milder than the flags': a hard session weighs on them."""


def hard_meets_poor_recovery(athlete: AthleteDays, threshold: float) -> Reading:
    """How many signs of poor recovery a hard session of today or tomorrow meets."""
    hard = next_hard_session(athlete)
    signs = [(name, read(athlete, limit)) for name, read, limit in SIGNS]
    known = [found for _, found in signs if not found.shortage]
    if not known:
        return _short("no recovery sign is known: " + signs[0][1].shortage)
    poor = [(name, found) for name, found in signs if found.is_raised]
    nights = [found.as_of for found in known if found.as_of is not None]
    return Reading(
        is_raised=hard is not None and len(poor) >= threshold,
        value=float(len(poor)),
        low=0.0,
        high=float(len(known)),
        days_standing=max((found.days_standing for _, found in poor), default=0),
        as_of=max(nights, default=None),
        detail=_meeting(hard, [name for name, _ in poor], athlete.today),
    )


def _meeting(hard: Match | None, poor: list[str], today: date) -> str:
    if hard is None or hard.planned is None:
        return ""
    when = "today" if hard.planned.day == today else "tomorrow"
    return f"{hard.planned.stimulus} {when}, {' and '.join(poor) or 'recovery as usual'}"
