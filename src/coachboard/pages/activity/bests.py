"""The session's best efforts as a list: value, time, percent of the season's best, records with their dates."""

import pandas as pd

from coachboard.formulas.session.mean_maximal import BestEffort
from coachboard.pages.activity.curves import ALL, YEAR, Record, SpanCurves, own_bests
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.selection import draw_choosing_rows
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export

_RECORDS = {YEAR: "Best, 12 months", ALL: "Best, all time"}
_SHARE = "% of {}"


def draw_bests(
    page: Page, data: ActivityData, column: str, *, spans: SpanCurves, span: str, against: str
) -> None:
    """A row per duration; a click selects its section in the panels. `against` names the span of the percentage."""
    efforts = own_bests(data, column)
    if not efforts:
        return
    rows = pd.DataFrame([_row(page, data, column, effort, spans, (span, against)) for effort in efforts])
    table, share = rows.dropna(axis="columns", how="all"), _SHARE.format(against)
    draw_choosing_rows(
        table,
        [(float(effort.start), float(effort.start + effort.duration_s)) for effort in efforts],
        key=f"activity.bests.{data.activity.id}",
        # A phone has room for one column more: the comparison was behind "All columns".
        first=("Duration", _head(data, column), share if share in table else "Start"),
        alt="Best efforts of this session by duration. Select a row to mark it in the panels.",
        width="content",
    )
    export.draw_downloads(
        lambda: pd.DataFrame(
            {
                "duration_s": [effort.duration_s for effort in efforts],
                f"mean_{column}": [effort.mean for effort in efforts],
                "from_s": [effort.start for effort in efforts],
            }
        ),
        name=f"bests-{data.activity.id}",
        key="activity.export.bests",
    )


def _row(
    page: Page,
    data: ActivityData,
    column: str,
    effort: BestEffort,
    spans: SpanCurves,
    against: tuple[str, str],
) -> dict[str, str | None]:
    weight_kg = data.capacities.weight_kg
    best = spans.record(against[0], effort.duration_s)
    return {
        "Duration": formats.duration_hm(effort.duration_s)
        if effort.duration_s >= 60
        else f"{effort.duration_s} s",
        _head(data, column): _value_text(page, data, column, effort.mean),
        "W/kg": f"{effort.mean / weight_kg:.2f}" if column == "power" and weight_kg else None,
        "Heart rate": _heart_rate(data, effort),
        "Start": formats.duration_hms(effort.start),
        _SHARE.format(against[1]): formats.percent(100 * effort.mean / best.value)
        if best is not None
        else None,
    } | {
        head: _record_text(page, data, column, spans.record(span, effort.duration_s))
        for span, head in _RECORDS.items()
    }


def _record_text(page: Page, data: ActivityData, column: str, record: Record | None) -> str | None:
    if record is None:
        return None
    is_this = record.activity_id == data.activity.id
    when = "this session" if is_this else formats.day(record.day, today=page.today)
    return f"{_value_text(page, data, column, record.value)}, {when}"


def _head(data: ActivityData, column: str) -> str:
    if column == "power":
        return "Power"
    name = "Pace" if data.activity.sport in formats.PACED_SPORTS else "Speed"
    return name if column == "speed" else f"Grade-adjusted {name.lower()}"


def _value_text(page: Page, data: ActivityData, column: str, value: float) -> str:
    if column == "power":
        return formats.power(value)
    return formats.speed_or_pace(value, data.activity.sport, units=page.units)


def _heart_rate(data: ActivityData, effort: BestEffort) -> str | None:
    streams = data.streams
    if streams is None:
        return None
    part = streams.between(effort.start, effort.start + effort.duration_s)
    text = formats.heart_rate(streams.mean("heart_rate", part))
    return None if text == formats.MISSING else text
