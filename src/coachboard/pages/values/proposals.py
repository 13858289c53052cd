"""Values that the recordings allow, with method, fit and interval; a click sets one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.execution.pool_lengths import pool_length_m, swum
from coachboard.formulas.session.critical_power import FIT_DURATIONS_S, CriticalFit, fit_critical
from coachboard.formulas.session.mean_maximal import DURATIONS, holders_of
from coachboard.formulas.session.swim import best_length_speeds_mps
from coachboard.loaders.power_curves import best_of_ids, curves_of_ids
from coachboard.pages.values.form import save_new, sport_words, value_words
from coachboard.plurals import count
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.page import Athlete, Page
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.athlete_settings import NewAthleteValue
from coachboard.wire.body import Sleep
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import METRICS, MetricType

Row = TypeVar("Row")
Floats: TypeAlias = NDArray[np.float64]

LEAST_FIT_SESSIONS = 2
"""Sessions with best efforts: the efforts of one ride are parts of each other and fit any line."""
FIT_DAYS, HEART_DAYS, NIGHT_DAYS = 90, 365, 28
_READ = partial(curves_of_ids, most_new=200)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the recordings allow, with its interval and how it follows from them."""

    type: MetricType
    sport: MetricSport
    value: float
    low: float
    high: float
    method: str
    day: date
    caution: str = ""  # why the value may be far off


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals, and how many recordings they still wait for."""

    found: list[Proposal]
    unread: int


def proposals(client: Client, user_id: str = "me") -> Proposals:
    """The proposals that the recordings allow, each up to its newest recording.

    Two requests, whatever the age of the data: every change drops the cached lists, and a minute has 30 requests.
    """
    sessions = [session for session in client.list_activities(user_id).value if local_day(session)]
    nights = client.list_sleeps(user_id).value
    rides, unread_rides = _of_efforts(client, sessions, Sport.CYCLING, "power")
    runs, unread_runs = _of_efforts(client, sessions, Sport.RUNNING, "speed")
    power_runs, unread_power_runs = _of_efforts(client, sessions, Sport.RUNNING, "power")
    proposed = [
        *rides,
        *power_runs,
        *runs,
        *_swims(sessions),
        *_max_heart_rate(sessions),
        *_resting_heart_rate(nights),
    ]
    return Proposals(proposed, unread_rides + unread_runs + unread_power_runs)


def _last_days(
    rows: Sequence[Row], day_of: Callable[[Row], date | None], days: int
) -> tuple[list[Row], date]:
    """The rows of the days that end with the newest row, and its day."""
    end = max((day for row in rows if (day := day_of(row))), default=date.min)
    first = end - timedelta(days=min(days - 1, (end - date.min).days))
    return [row for row in rows if (day := day_of(row)) and first <= day], end


def _of_efforts(
    client: Client, sessions: Sequence[Activity], sport: Sport, column: str
) -> tuple[list[Proposal], int]:
    """The fit to the best efforts of the sport, and the recordings that are not read yet."""
    figure = "average_power" if column == "power" else "average_speed"
    with_column = [
        session for session in sessions if session.sport == sport and getattr(session, figure) is not None
    ]
    used, end = _last_days(with_column, local_day, FIT_DAYS)
    if not used:
        return [], 0
    curve = best_of_ids(client, [session.id for session in used], column, _READ)
    places = [list(DURATIONS).index(seconds) for seconds in FIT_DURATIONS_S]
    best = np.asarray(curve.best)
    fit = fit_critical(FIT_DURATIONS_S, best[places]) if len(best) == len(DURATIONS) else None
    holders = len({curve.held_by[place] for place in places} - {None}) if fit else 0
    fitted = [] if fit is None else _of_fit(fit, end, MetricSport(str(sport)), column, (curve.used, holders))
    return fitted, curve.total - curve.used


def _swims(sessions: Sequence[Activity]) -> list[Proposal]:
    """Critical speed from the lengths of pool swims; GPS speeds of open water are too rough for it."""
    in_pool = [session for session in sessions if session.sport == Sport.SWIMMING and session.lengths]
    used, end = _last_days(in_pool, local_day, FIT_DAYS)
    speeds = [speed for session in used if (speed := _length_speeds(session)) is not None]
    if not speeds:
        return []
    fit = fit_critical(FIT_DURATIONS_S, np.fmax.reduce(speeds))
    holders = len({int(holder) for holder in holders_of(speeds, len(FIT_DURATIONS_S)) if holder >= 0})
    return [] if fit is None else _of_fit(fit, end, MetricSport.SWIMMING, "speed", (len(speeds), holders))


def _length_speeds(session: Activity) -> Floats | None:
    pool_m, lengths = pool_length_m(session), swum(session)
    if not pool_m > 0:
        return None
    starts_s = [length.started_at.timestamp() for length in lengths]
    ends_s = [length.ended_at.timestamp() for length in lengths]
    return best_length_speeds_mps(starts_s, ends_s, FIT_DURATIONS_S, pool_m=pool_m)


def _of_fit(
    fit: CriticalFit, end: date, sport: MetricSport, column: str, sessions: tuple[int, int]
) -> list[Proposal]:
    """`sessions`: how many were read, and how many of them have a best effort."""
    used, holders = sessions
    is_rough = holders < LEAST_FIT_SESSIONS
    r_squared = "" if is_rough else f", R² {fit.r_squared:.3f}"
    caution = (
        f"Unreliable: all best efforts are from {count(holders, 'session')}; needs {LEAST_FIT_SESSIONS}."
        if is_rough
        else ""
    )
    source = " of whole pool lengths" if sport is MetricSport.SWIMMING else ""
    method = (
        f"Two-parameter model, best efforts of 2 to 20 min{source} from {count(used, 'session')} in {FIT_DAYS} "
        f"days; {fit.efforts} efforts{r_squared}. Too low if the efforts were not maximal."
    )
    if column == "speed":
        return [
            Proposal(
                MetricType.CRITICAL_SPEED, sport, fit.critical, *fit.critical_range, method, end, caution
            )
        ]
    return [
        Proposal(MetricType.CRITICAL_POWER, sport, fit.critical, *fit.critical_range, method, end, caution),
        Proposal(MetricType.W_PRIME, sport, fit.reserve, *fit.reserve_range, method, end, caution),
    ]


def _max_heart_rate(sessions: Sequence[Activity]) -> list[Proposal]:
    low, high = METRICS[MetricType.MAX_HEART_RATE].plausible
    used, end = _last_days(sessions, local_day, HEART_DAYS)
    peaks = sorted(peak for session in used if (peak := session.max_heart_rate) and low <= peak <= high)
    if not peaks:
        return []
    counted = count(len(peaks), "session")
    method = f"Highest heart rate of {counted} in 12 months. Too low without a maximal effort."
    third = peaks[-min(3, len(peaks))]
    return [Proposal(MetricType.MAX_HEART_RATE, MetricSport.GLOBAL, peaks[-1], third, peaks[-1], method, end)]


def _resting_heart_rate(nights: Sequence[Sleep]) -> list[Proposal]:
    low, high = METRICS[MetricType.RESTING_HEART_RATE].plausible
    used, end = _last_days(nights, lambda night: night.day, NIGHT_DAYS)
    rates = [rate for night in used if (rate := night.resting_heart_rate) and low <= rate <= high]
    if not rates:
        return []
    quarter, median, three_quarters = (float(rate) for rate in np.percentile(rates, [25, 50, 75]))
    counted = count(len(rates), "night")
    method = f"Median of {counted} in {NIGHT_DAYS} days; the range is the middle half of the nights."
    kind = MetricType.RESTING_HEART_RATE
    return [Proposal(kind, MetricSport.GLOBAL, median, quarter, three_quarters, method, end)]


_SHOWN = "values.proposals"
_POLL_S = 1.0


def draw_proposals(page: Page, athlete: Athlete) -> None:
    """A line for each proposal, on demand: a year of recordings is read for them."""
    if not state.get(_SHOWN):
        st.button(
            "Show suggestions",
            key="values.propose",
            icon=":material/query_stats:",
            on_click=state.put,
            args=(_SHOWN, True),
        )
        return
    try:
        read = [proposals(page.client, athlete.id)]
    except ServiceError as error:
        notices.say(error, about="Suggested values")
        return
    waits = bool(read[0].unread)
    st.fragment(_draw_found, run_every=_POLL_S if waits else None)(page, athlete, read, waits=waits)


def _draw_found(page: Page, athlete: Athlete, read: list[Proposals], *, waits: bool) -> None:
    """Draw the proposals that the page has just read; each later run of the fragment reads them itself."""
    try:
        suggested = read.pop() if read else proposals(page.client, athlete.id)
    except ServiceError as error:
        notices.say(error, about="Suggested values")
        return
    if suggested.unread:
        st.caption(
            f":material/hourglass: Reading {formats.count(suggested.unread, 'recording')} for best efforts."
        )
    elif not suggested.found:
        notices.say_empty(
            "No suggestion.",
            fills="Suggestions need recordings with power, running speed, pool lengths or heart rate, or nights.",
        )
    for place, proposal in enumerate(suggested.found):
        _draw(page, athlete, proposal, place)
    st.caption("Recordings do not measure weight: set it above, or import a table of weights.")
    if bool(suggested.unread) != waits:  # never in a run of the page, whose buttons below would be lost
        st.rerun()


def _draw(page: Page, athlete: Athlete, proposal: Proposal, place: int) -> None:
    record = METRICS[proposal.type]
    value_text, low, high = (
        value_words(page, proposal.type, proposal.sport, value)
        for value in (proposal.value, proposal.low, proposal.high)
    )
    name = (
        record.title
        if proposal.sport == "global"
        else f"{record.title}, {sport_words(proposal.sport).lower()}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap="xxsmall", width="stretch"):
            st.markdown(f"**{name}: {value_text}**" + (f" ({low} to {high})" if low != high else ""))
            if proposal.caution:
                st.caption(f":material/warning: {proposal.caution}")
            st.caption(f"{proposal.method} Up to {formats.day(proposal.day, today=page.today)}.")
        value = round(proposal.value / record.per_shown, record.digits) * record.per_shown
        new = NewAthleteValue(
            type=str(proposal.type),
            value=value,
            date=proposal.day,
            sport=proposal.sport,
            source=MetricSource.SERVICE,
        )
        label = "Use anyway" if proposal.caution else "Use"
        if st.button(label, key=f"values.use.{place}", help=f"Set {name} to {value_text}"):
            save_new(page, athlete, new)
