"""The reader's values as a table, and the form that sets, changes and deletes one."""

from collections.abc import Callable
from datetime import date
from functools import partial

import pandas as pd
import streamlit as st

from coachboard.catalogues.metrics import METRICS
from coachboard.client.errors import EditConflict, ServiceError
from coachboard.loaders.values import page_data as loader
from coachboard.models.body import Metric
from coachboard.models.enums import Gender, MetricSport, MetricType, MetricUnit
from coachboard.models.own_data import MetricInput, OwnMetric, SavedMetric
from coachboard.views.frame import formats, notices, own_data, state, theme
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md
from coachboard.views.trends.metrics import is_pace, text_of
from coachboard.views.values.recompute import follow
from coachboard.views.widgets.phone_columns import fitted

_PICK, _NEXT, _COUNT = "values.pick", "values.next", "values.count"
_OPENED = "values.opened"
_NEW = ""
_EFFECTS = {
    MetricType.WEIGHT: "W/kg and, with critical power, to estimate the load of rides that have no power, heart rate or RPE.",
    MetricType.CRITICAL_POWER: "load, bands, laps by intensity and W′ balance of sessions with power and, with weight, to estimate "
    "the load of rides that have no power, heart rate or RPE.",
    MetricType.W_PRIME: "W′ balance and laps by intensity. No load depends on W′.",
    MetricType.CRITICAL_SPEED: "load and bands of runs or swims without power.",
    MetricType.MAX_HEART_RATE: "load of sessions without power or critical speed, with the resting heart rate.",
    MetricType.RESTING_HEART_RATE: "load of sessions without power or critical speed, with the maximum heart rate.",
}
"""The effect of a change of each value on the recorded sessions."""
_HEART_RATES = frozenset({MetricType.MAX_HEART_RATE, MetricType.RESTING_HEART_RATE})
_FORMULAS = {Gender.FEMALE: "the formula for women", Gender.MALE: "the formula for men"}
WIDTHS_PX = {"Metric": 150, "Sport": 90}
"""Streamlit keeps the widths of the first rows: a longer name of a later value was cut off."""


def require(page: Page) -> None:
    """Stop with the reason if the service lets nobody change values, or does not answer."""
    own_data.require(
        page,
        "metrics",
        "This service does not let you change values.",
        fills="It sets them from your recordings; Athlete shows them.",
    )


def draw_current(page: Page) -> None:
    """The newest value of each type and sport."""
    rows = loader.latest(page.client.own_data.list_metrics())
    if not rows:
        notices.say_empty(
            "No value yet.",
            fills="Load needs critical power, critical speed, or maximum and resting heart rate; rides without power and "
            "heart rate need critical power and weight. Set them below.",
        )
        return
    table = [
        (
            METRICS[one.type].title,
            sport_words(one.sport),
            value_words(page, one.type, one.sport, one.value),
            formats.day(one.date, today=page.today),
            formats.METRIC_SOURCES[one.source],
        )
        for one in (row.metric for row in rows)
    ]
    shown = fitted(
        pd.DataFrame(table, columns=["Metric", "Sport", "Latest", "Valid from", "Source"]),
        ("Metric", "Sport", "Latest"),
        key="values.table",
    )
    wide = {name: st.column_config.TextColumn(width=px) for name, px in WIDTHS_PX.items()}
    st.dataframe(shown, hide_index=True, key="values.table", width="content", column_config=wide)


def draw_form(page: Page) -> None:
    """One form for a new value and for each value that is there."""
    rows = {row.metric.id: row for row in reversed(page.client.own_data.list_metrics())}
    if state.get(_NEXT) is not None:
        state.put(_PICK, state.get(_NEXT))
        state.forget(_NEXT)
    picked = st.selectbox(
        "Add or change",
        [_NEW, *rows],
        format_func=lambda id_: "A new value" if id_ == _NEW else _row_words(page, rows[id_].metric),
        key=_PICK,
        width=420,
    )
    _draw_fields(page, _as_opened(rows.get(picked or _NEW)))


def _as_opened(row: OwnMetric | None) -> OwnMetric | None:
    """The row with the tag that it had when it was picked: a later tag would hide a change in between."""
    if row is None:
        state.forget(_OPENED)
        return None
    id_, etag = state.get(_OPENED, (None, ""))
    if id_ != row.metric.id:
        state.put(_OPENED, (row.metric.id, row.etag))
        return row
    return row.model_copy(update={"etag": etag})


def _draw_fields(page: Page, row: OwnMetric | None) -> None:
    key = f"values.{row.metric.id if row else state.get(_COUNT, 0)}"
    kind, sport = _draw_kind(key) if row is None else (row.metric.type, row.metric.sport)
    if kind in _EFFECTS:
        st.caption(f"Used for {_EFFECTS[kind]}")
    if kind in _HEART_RATES:
        formula = _FORMULAS.get(
            page.profile.gender or Gender.OTHER, "the mean of the formulas for women and men"
        )
        st.caption(f"Load from heart rate (TRIMP) uses {formula}.")
    # A form: a button outside it would get the value from before the last keystrokes.
    with st.form(f"{key}.form", border=False):
        value, day = _draw_value(page, row, (kind, sport), key=f"{key}.{kind}")
        is_saved = st.form_submit_button("Save", type=theme.main_button())
    if is_saved and value is not None:
        _save(page, row, MetricInput(type=kind, value=value, date=day, sport=sport))
    elif is_saved and _is_pace(kind, sport):
        st.error("Not saved. Enter a pace as minutes:seconds, such as 4:05.", icon=":material/error:")
    if row is not None and st.button(
        "Delete", key="values.delete", type="tertiary", icon=":material/delete:"
    ):
        _change(partial(page.client.own_data.delete_metric, row.metric.id, row.etag))


def _draw_kind(key: str) -> tuple[MetricType, MetricSport]:
    with st.container(horizontal=True):
        kind = st.selectbox(
            "Metric", loader.TYPES, format_func=lambda kind: METRICS[kind].title, key=f"{key}.type", width=200
        )
        sport = st.selectbox(
            "Sport", loader.sports_of(kind), format_func=sport_words, key=f"{key}.{kind}.sport", width=200
        )
    return kind, sport


def _draw_value(
    page: Page, row: OwnMetric | None, of: tuple[MetricType, MetricSport], *, key: str
) -> tuple[float | None, date]:
    """The value in the service's unit, None if the field has none, and its first day."""
    now = None if row is None else row.metric.value
    with st.container(horizontal=True):
        draw = _draw_pace if _is_pace(*of) else _draw_number
        value = draw(page, of, now, key=f"{key}.value")
        day = st.date_input(
            "Valid from",
            value=page.today if row is None else row.metric.date,
            max_value=page.today,
            format="YYYY-MM-DD",
            key=f"{key}.day",
            width=200,
        )
    return value, day


def _draw_number(
    page: Page, of: tuple[MetricType, MetricSport], now: float | None, *, key: str
) -> float | None:
    record = METRICS[of[0]]
    per_shown, unit = record.per_shown, str(record.shown_unit or record.unit)
    if record.unit is MetricUnit.KG:
        factor, unit = formats.weight_scale(page.units)
        per_shown = 1 / factor
    typed = st.number_input(
        f"{record.title} ({unit})",
        min_value=record.plausible.low / per_shown,
        max_value=record.plausible.high / per_shown,
        value=None if now is None else now / per_shown,
        format=f"%.{record.digits}f",
        key=key,
        width=200,
    )
    return None if typed is None else typed * per_shown


def _draw_pace(
    page: Page, of: tuple[MetricType, MetricSport], now: float | None, *, key: str
) -> float | None:
    """A critical speed as runners and swimmers know it; None for a text that is no pace, or not a plausible one."""
    record = METRICS[of[0]]
    per_m, unit = formats.pace_unit(of[1], units=page.units)
    typed = st.text_input(
        f"{record.title} (min:s {unit})",
        value="" if now is None else formats.duration_hms(per_m / now),
        placeholder="4:05",
        key=key,
        width=200,
    )
    seconds = formats.seconds_of(typed)
    speed_mps = per_m / seconds if seconds else 0.0
    return speed_mps if record.plausible.low <= speed_mps <= record.plausible.high else None


def _is_pace(kind: MetricType, sport: MetricSport) -> bool:
    return is_pace(METRICS[kind].unit, sport)


def save_new(page: Page, new: MetricInput) -> None:
    """Add a value and recompute the sessions that it affects."""
    _change(partial(page.client.own_data.add_metric, new))


def _save(page: Page, row: OwnMetric | None, new: MetricInput) -> None:
    if row is None:
        save_new(page, new)
    else:
        _change(partial(page.client.own_data.replace_metric, row.metric.id, new, row.etag))


def _change(send: Callable[[], SavedMetric]) -> None:
    """Send a change and draw the page again; say why if the service rejects it."""
    try:
        follow(send())
    except EditConflict:
        state.forget(_OPENED)
        st.error(
            "Not saved: this value was changed or deleted meanwhile. The list above shows the value as it is now; "
            "save again to replace it.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        st.error(
            f"Not saved. {md(error.words, longest=200) or notices.sentence(error)}", icon=":material/error:"
        )
        return
    state.put(_COUNT, state.get(_COUNT, 0) + 1)
    state.put(_NEXT, _NEW)
    st.rerun()


def sport_words(sport: MetricSport) -> str:
    return "All sports" if sport is MetricSport.GLOBAL else formats.label(sport)


def value_words(page: Page, kind: MetricType, sport: MetricSport, value: float) -> str:
    """`251 W`, `18.2 kJ`, `4:05 /km`: in the reader's unit."""
    record = METRICS[kind]
    return text_of(kind, sport, value / record.per_shown, record.shown_unit or record.unit, units=page.units)


def _row_words(page: Page, metric: Metric) -> str:
    sport = "" if metric.sport is MetricSport.GLOBAL else f", {sport_words(metric.sport).lower()}"
    day = formats.day(metric.date, today=page.today)
    return f"{METRICS[metric.type].title}{sport}: {value_words(page, metric.type, metric.sport, metric.value)}, {day}"
