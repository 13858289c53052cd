"""Similar intervals in other sessions, for a selected lap: by power of classified laps, by pace of runs and swims."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from html import escape
from math import isnan, nan
from typing import Any, NamedTuple

import orjson
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.day_axis import day_ticks
from coachboard.charts.shades import add_shades
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.execution.pool_lengths import swum
from coachboard.formulas.plausible import or_nan, plausible_value
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.session.even_speed import ON_FOOT
from coachboard.formulas.session.part_measures import device_spans, indexed_spans, measures_of
from coachboard.formulas.session.power import power_vs_mean_w
from coachboard.formulas.session.zones import POWER_BANDS
from coachboard.loaders import pool_lengths
from coachboard.loaders.summary_motion import recorded_session
from coachboard.pages.activity.data import HISTORY_DAYS, ActivityData, load_year
from coachboard.pages.activity.selection import Selection
from coachboard.pages.activity.session_parts import Part, parts_of
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import Activity, Lap, local_day
from coachboard.wire.enums import LapCharacteristic, LapIntensity, Sport, TrainingStimulus

HEIGHT_PX = 190


@dataclass(frozen=True, slots=True)
class IntervalPoint:
    """A similar lap: day, value, and whether it belongs to this session."""

    day: date
    value: float
    is_this: bool
    text: str


def interval_trend_chart(
    points: Sequence[IntervalPoint],
    *,
    shades: Sequence[Circumstance] = (),
    quantity: str = "power",
    title: str = "Average power, W",
    ticks: Sequence[tuple[float, str]] = (),
) -> go.Figure:
    """Dots by day over the shaded races; a thin line marks the selected interval's level."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    colour = palette.quantity(quantity)
    for is_this, name, symbol in ((False, "Other sessions", "circle-open"), (True, "This session", "circle")):
        own = [point for point in points if point.is_this is is_this]
        figure.add_scatter(
            x=[point.day for point in own], y=[point.value for point in own], name=name, mode="markers",
            marker={"color": colour, "size": 8, "symbol": symbol, "line": {"width": 1.5, "color": colour}},
            customdata=[escape(point.text) for point in own], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    for point in points:
        if point.is_this:
            figure.add_hline(y=point.value, line={"color": colour, "width": 0.5, "dash": "dot"})
    figure.update_layout(hovermode="closest", dragmode=False, margin={"t": 34, "b": 28, "l": 46, "r": 12})
    figure.update_xaxes(fixedrange=True, tickformat="%-d %b", **day_ticks([point.day for point in points], 8))
    figure.update_yaxes(fixedrange=True, nticks=4, title={"text": title})
    if ticks:
        figure.update_yaxes(tickvals=[value for value, _ in ticks], ticktext=[text for _, text in ticks])
    return add_shades(figure, shades)


DURATION_SHARE = 0.2
"""Largest difference in duration, as a share of the selected lap."""
EFFORTS = tuple(LapIntensity(band.name) for band in POWER_BANDS.bands[1:])
"""From tempo up: a repetition that fails falls into an easier class."""

COLUMNS = (
    "day",
    "session",
    "activity_id",
    "from_index",
    "intensity",
    "duration_s",
    "average_power_w",
    "average_heart_rate_bpm",
    "average_cadence",
    "average_speed_mps",
    "work_before_kj",
)


def like_intervals(lap: Lap, sessions: Iterable[Activity], *, sport: Sport | None) -> pd.DataFrame:
    """A row per similar lap, oldest first, with the columns `COLUMNS`; reads no streams."""
    rows = [
        row_of(other, session)
        for session in sessions
        if session.sport == sport and local_day(session) is not None
        for other in like_laps(lap, session.laps)
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.sort_values(["day", "activity_id", "from_index"], ignore_index=True)


def more_power_w(lap: Lap, others: pd.DataFrame) -> float:
    """Power of the lap against the mean of the similar laps. [W]."""
    return power_vs_mean_w(lap.average_power, others["average_power_w"])


def races_between(sessions: Iterable[Activity], first: date, last: date) -> tuple[Circumstance, ...]:
    """The race days, oldest first, as the service marks the sessions; the legs of a race are one."""
    names: dict[date, str] = {}
    for session in sessions:
        day = local_day(session)
        is_race = session.race_type is not None or session.training_stimulus is TrainingStimulus.RACE
        if is_race and day is not None and first <= day <= last:
            names.setdefault(day, session.name or "Race")
    return tuple(Circumstance(day, day, "race", names[day]) for day in sorted(names))


def like_laps(lap: Lap, laps: Iterable[Lap]) -> list[Lap]:
    """The laps of a session that are the same interval.

    An easy lap is like those of its class. An effort is like every effort of the session, if one of them is in its class
    or the next: by class alone, the failed repetitions of a session are left out and its mean is too high.
    """
    of_its_length = [
        other
        for other in laps
        if _is_pause(other) == _is_pause(lap)
        and abs(other.duration - lap.duration) <= DURATION_SHARE * lap.duration
    ]
    if lap.intensity not in EFFORTS:
        return [other for other in of_its_length if other.intensity == lap.intensity]
    efforts = [other for other in of_its_length if other.intensity in EFFORTS]
    rank = EFFORTS.index(lap.intensity)
    is_same_interval = any(abs(EFFORTS.index(other.intensity) - rank) <= 1 for other in efforts)
    return efforts if is_same_interval else []


def lap_at(
    activity: Activity, from_s: float, to_s: float, *, spans: Iterable[tuple[float, float]]
) -> Lap | None:
    """The classified lap that the selection covers, within two seconds at each end."""
    for lap, (start, end) in zip(activity.laps, spans, strict=True):
        if _covers(start, end, from_s, to_s):
            return lap
    return None


def _covers(start: float, end: float, from_s: float, to_s: float) -> bool:
    return abs(start - from_s) <= 2 and abs(end - to_s) <= 2


def _is_pause(lap: Lap) -> bool:
    return lap.characteristic is LapCharacteristic.INTRA_RECOVERY


def row_of(lap: Lap, session: Activity) -> dict[Hashable, Any]:
    """A lap as a row, by the names of `COLUMNS`."""
    values = (
        local_day(session),
        session.name or "",
        session.id,
        lap.started_at_index,
        str(lap.intensity),
        float(lap.duration),
        or_nan(lap.average_power),
        plausible_value("average_heart_rate", lap.average_heart_rate),
        or_nan(lap.average_cadence),
        or_nan(lap.average_speed),
        or_nan(lap.work_before),
    )
    return dict(zip(COLUMNS, values, strict=True))


_SHORT = f"{HISTORY_DAYS} days"


def draw_like_intervals(page: Page, data: ActivityData, chosen: Selection) -> None:
    """A table and a small trend of the athlete's laps that are the same interval; both have the laps of the mean."""
    spans = [(stretch.from_s, stretch.to_s) for stretch in parts_of(data, Part.LAPS).stretches]
    lap = lap_at(data.activity, chosen.from_s, chosen.to_s, spans=spans)
    if lap is None:
        part = paced_at(data, chosen.from_s, chosen.to_s)
        if part is not None:
            _draw_like_paces(page, data, part)
        return
    st.subheader("Same interval in other sessions", anchor=False)
    span, sessions = _sessions(page, data)
    others = like_intervals(lap, sessions, sport=data.activity.sport)
    rule = f"{formats.duration_hms(lap.duration)} ± {formats.percent(100 * DURATION_SHARE)} within {span}"
    if others.empty:
        _say_none(data, f"{formats.label(lap.intensity).lower()} laps of {rule}")
        return
    left, right = st.columns([3, 2])
    with left:
        days = [*others["day"], local_day(data.activity) or data.today]
        races = races_between([data.activity, *sessions], min(days), max(days))
        _draw_trend(page, data, others, lap, rule=rule, races=races)
    with right:
        _draw_table(_shown(page, others), ("Day", "Duration", "Power, W", "HR, bpm"))


def _say_none(data: ActivityData, laps: str) -> None:
    notices.say_empty(
        f"No {laps}.",
        fills="Other sessions with a similar lap appear here.",
        rows="activities",
        of=data.results,
    )


def _draw_table(table: pd.DataFrame, first: Collection[str]) -> None:
    """A phone shows the columns in `first`."""
    st.dataframe(
        fitted(table, first, key="activity.like"),
        hide_index=True, placeholder=formats.MISSING, height=240, key="activity.like",
        alt=f"{formats.count(len(table), 'lap')} similar to the selected one.",
    )  # fmt: skip


def _sessions(page: Page, data: ActivityData) -> tuple[str, tuple[Activity, ...]]:
    """The days to search in words, and their sessions: loaded ones, or on request a year's lists; fetches no streams."""
    key = "activity.like.year"
    if not state.get(key):
        st.button("Search the last 12 months", key=f"{key}.ask", icon=":material/history:", type="tertiary",
                  on_click=state.put, args=(key, True))  # fmt: skip
        return _SHORT, data.history
    st.button(f"Only {_SHORT}", key=f"{key}.end", type="tertiary", on_click=state.forget, args=(key,))
    try:
        year = load_year(page.client, data)
    except ServiceError as error:
        notices.say(error, about="sessions of the last 12 months")
        return _SHORT, data.history
    notices.say_stale(year)
    return "12 months", tuple(other for other in year.value if other.id != data.activity.id)


def _draw_trend(
    page: Page,
    data: ActivityData,
    others: pd.DataFrame,
    lap: Lap,
    *,
    rule: str,
    races: tuple[Circumstance, ...],
) -> None:
    this_day = local_day(data.activity)
    points = [_point(page, row) for row in [*others.to_dict("records"), row_of(lap, data.activity)]]
    points[-1] = replace(points[-1], is_this=True)
    more_w = more_power_w(lap, others)
    with_power = int(others["average_power_w"].notna().sum())
    mean = "their mean" if with_power == len(others) else f"the mean of {with_power} with power"
    against = "" if isnan(more_w) else f", {formats.signed(more_w, 0, 'W')} vs {mean}"
    is_effort = lap.intensity in EFFORTS
    classes = ", repetitions that fell into an easier class included" if is_effort else f", {lap.intensity}"
    sessions = formats.count(others["activity_id"].nunique(), "other session")
    draw_chart(
        partial(interval_trend_chart, points, shades=races),
        key=f"activity.trend.{data.activity.id}",
        says=f"{formats.count(len(others), 'lap')} in {sessions}: {rule}{classes}. This lap, "
        f"{formats.day(this_day, today=page.today)}: {formats.power(lap.average_power)}{against}.{_race_words(page, races)}",
        formulas=formula_help.text_of(power_vs_mean_w, window="this session, and the sessions searched."),
    )


def _race_words(page: Page, races: tuple[Circumstance, ...]) -> str:
    """The name of a race is on its shade only for a mouse."""
    named = [f"{formats.day(race.start, today=page.today)} ({plain(race.title)})" for race in races]
    return f" Shaded: {formats.count(len(races), 'race')}, {', '.join(named)}." if named else ""


def _point(page: Page, row: Mapping[Hashable, Any]) -> IntervalPoint:
    texts = (
        formats.power(row["average_power_w"]),
        formats.heart_rate(row["average_heart_rate_bpm"]),
        formats.duration_hms(row["duration_s"]),
    )
    text = f"{formats.day(row['day'], today=page.today)}: {', '.join(texts)}"
    return IntervalPoint(row["day"], row["average_power_w"], False, text)


def _shown(page: Page, others: pd.DataFrame) -> pd.DataFrame:
    newest = others.iloc[::-1]
    return pd.DataFrame(
        {
            "Day": [formats.day(day, today=page.today) for day in newest["day"]],
            "Session": list(newest["session"]),
            "Intensity": [formats.label(intensity) for intensity in newest["intensity"]],
            "Duration": [formats.duration_hms(seconds) for seconds in newest["duration_s"]],
            "Power, W": newest["average_power_w"].round().tolist(),
            "HR, bpm": newest["average_heart_rate_bpm"].round().tolist(),
            "Prior work, kJ": newest["work_before_kj"].round().tolist(),
        }
    )


# Runs and swims, whose laps the interface neither classifies nor measures.

KIND, VERSION = "run laps", 1
PACE_SHARE = 0.15
"""Largest difference in speed, as a share of the selected part: warm-up and rests are other intervals."""


class PacedPart(NamedTuple):
    """A device lap of a run or a repetition of a swim; the speed of a run is grade-adjusted where altitude is known."""

    duration_s: float
    distance_m: float
    speed_mps: float
    heart_rate_bpm: float
    is_adjusted: bool

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> "PacedPart":
        """From a row of the tables of parts."""
        adjusted_mps = row.get("adjusted_speed_mps", nan)
        is_adjusted = not isnan(adjusted_mps)
        speed_mps = adjusted_mps if is_adjusted else row["average_speed_mps"]
        return cls(
            row["duration_s"], row["distance_m"], speed_mps, row["average_heart_rate_bpm"], is_adjusted
        )

    def is_like(self, other: "PacedPart", *, by_distance: bool) -> bool:
        """Whether another part is the same interval: in water of the same distance, on foot about as long."""
        is_as_long = (
            abs(other.distance_m - self.distance_m) < 1
            if by_distance
            else abs(other.duration_s - self.duration_s) <= DURATION_SHARE * self.duration_s
        )
        return is_as_long and abs(other.speed_mps - self.speed_mps) <= PACE_SHARE * self.speed_mps


def paced_at(data: ActivityData, from_s: float, to_s: float) -> PacedPart | None:
    """The repetition of a swim or device lap of a run that the selection covers, within two seconds at each end."""
    sport = data.activity.sport
    kind = Part.REPETITIONS if sport is Sport.SWIMMING else Part.DEVICE if sport in ON_FOOT else None
    if kind is None:
        return None
    parts = parts_of(data, kind)
    for stretch, row in zip(parts.stretches, parts.table.to_dict("records"), strict=True):
        if _covers(stretch.from_s, stretch.to_s, from_s, to_s):
            part = PacedPart.of(row)
            return part if part.speed_mps > 0 else None
    return None


def like_paces(
    client: Client, part: PacedPart, sessions: Iterable[Activity], *, sport: Sport | None
) -> tuple[list[tuple[Activity, PacedPart]], int]:
    """The same intervals of other sessions, oldest first, and the number of sessions that the background still reads.

    A swim has its lengths in the list; the laps of a run are measured on its streams and kept.
    """
    by_distance = sport is Sport.SWIMMING
    others = [session for session in sessions if session.sport == sport and local_day(session) is not None]
    if by_distance:
        parts = {session.id: _swum(session) for session in others if session.lengths}
    else:
        others = [session for session in others if _may_be_like(session, part)]
        parts = _run_laps(client, others)
    bare = client.without_streams()
    unread = 0 if by_distance else sum(row.id not in parts and row.id not in bare for row in others)
    like = [
        (session, other)
        for session in others
        for other in parts.get(session.id, ())
        if part.is_like(other, by_distance=by_distance)
    ]
    return sorted(like, key=lambda pair: str(local_day(pair[0]))), unread


def _may_be_like(session: Activity, part: PacedPart) -> bool:
    """Whether a device lap is as long, before the streams are read; a single lap is the whole session."""
    lengths_s = [(lap.ended_at - lap.started_at).total_seconds() for lap in session.provider_laps]
    return len(lengths_s) > 1 and any(
        abs(seconds - part.duration_s) <= DURATION_SHARE * part.duration_s for seconds in lengths_s
    )


def _swum(session: Activity) -> list[PacedPart]:
    spans = indexed_spans(session, None, swum(session))
    _, table = pool_lengths.repetitions_of(session, spans)
    return [PacedPart.of(row) for row in table.to_dict("records")]


def _run_laps(client: Client, sessions: Sequence[Activity]) -> dict[str, list[PacedPart]]:
    """The kept laps by session; the background measures those of the others."""
    kept = client.known_derived_of(KIND, VERSION, [session.id for session in sessions])
    bare = client.without_streams()
    for session in sessions:
        if session.id not in kept and session.id not in bare:
            client.pool.later((KIND, session.id), partial(_measure_laps, client, session))
    return {
        activity_id: [PacedPart._make(row) for row in _decoded(body)] for activity_id, body in kept.items()
    }


def _decoded(body: bytes) -> list[list[Any]]:
    return [[nan if value is None else value for value in row] for row in orjson.loads(body)]


def _measure_laps(client: Client, session: Activity) -> None:
    streams = recorded_session(client.pass_streams(session.id), session)
    spans = device_spans(session, streams)
    parts = [PacedPart.of(measures_of(streams, span) | {"duration_s": span[1] - span[0]}) for span in spans]
    rows = [(*map(float, part[:-1]), part.is_adjusted) for part in parts]
    client.keep_derived(KIND, VERSION, session.id, orjson.dumps(rows))


def _draw_like_paces(page: Page, data: ActivityData, part: PacedPart) -> None:
    """A table and a trend of the same interval by pace, as for classified laps by power."""
    sport = data.activity.sport
    st.subheader("Same interval in other sessions", anchor=False)
    span, sessions = _sessions(page, data)
    others, unread = like_paces(page.client, part, sessions, sport=sport)
    length = (
        pool_lengths.distance_words(data.activity, part.distance_m)
        if sport is Sport.SWIMMING
        else f"{formats.duration_hms(part.duration_s)} ± {formats.percent(100 * DURATION_SHARE)}"
    )
    rule = f"{length}, pace ± {formats.percent(100 * PACE_SHARE)}, within {span}"
    if unread:
        st.caption(f"{formats.count(unread, 'session')} still to be read in the background.")
    if not others:
        _say_none(data, f"laps of {rule}")
        return
    left, right = st.columns([3, 2])
    with left:
        _draw_pace_trend(page, data, part, others, rule=rule, sessions=sessions)
    with right:
        pace, (_, unit) = "GAP" if part.is_adjusted else "Pace", formats.pace_unit(sport, units=page.units)
        table = pd.DataFrame(
            {
                "Day": [formats.day(local_day(session), today=page.today) for session, _ in others],
                "Session": [session.name or "" for session, _ in others],
                "Duration": [formats.duration_hms(other.duration_s) for _, other in others],
                f"{pace} {unit}": [
                    formats.pace(other.speed_mps, sport, units=page.units).removesuffix(f" {unit}")
                    for _, other in others
                ],
                "HR, bpm": [round(other.heart_rate_bpm, 0) for _, other in others],
            }
        ).iloc[::-1]
        _draw_table(table, ("Day", "Duration", f"{pace} {unit}", "HR, bpm"))


def _draw_pace_trend(
    page: Page,
    data: ActivityData,
    part: PacedPart,
    others: Sequence[tuple[Activity, PacedPart]],
    *,
    rule: str,
    sessions: Sequence[Activity],
) -> None:
    sport = data.activity.sport
    per_m, unit = formats.pace_unit(sport, units=page.units)
    pairs = [*others, (data.activity, part)]
    points = [
        IntervalPoint(
            local_day(session) or data.today,
            other.speed_mps,
            place == len(others),
            f"{formats.day(local_day(session), today=page.today)}: "
            f"{formats.pace(other.speed_mps, sport, units=page.units)}, "
            f"{formats.heart_rate(other.heart_rate_bpm)}, {formats.duration_hms(other.duration_s)}",
        )
        for place, (session, other) in enumerate(pairs)
    ]
    speeds = [point.value for point in points]
    apart_s = per_m / part.speed_mps - per_m / (sum(speeds[:-1]) / len(others))
    way = "faster" if apart_s < 0 else "slower"
    of_mean = f"{formats.duration_hms(abs(apart_s))} {unit} {way} than" if round(apart_s) else "as"
    days = [point.day for point in points]
    races = races_between([data.activity, *sessions], min(days), max(days))
    count = formats.count(len({session.id for session, _ in others}), "other session")
    draw_chart(
        partial(
            interval_trend_chart,
            points,
            shades=races,
            quantity="speed",
            title=f"{'Grade-adjusted pace' if part.is_adjusted else 'Pace'}, {unit}",
            ticks=pace_ticks(min(speeds), max(speeds), per_m),
        ),
        key=f"activity.trend.{data.activity.id}",
        says=f"{formats.count(len(others), 'lap')} in {count}: {rule}. This lap, "
        f"{formats.day(local_day(data.activity), today=page.today)}: "
        f"{formats.pace(part.speed_mps, sport, units=page.units)}, {of_mean} their mean speed.{_race_words(page, races)}",
    )
