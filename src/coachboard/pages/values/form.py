"""The values of an athlete as a table, and the form that sets, changes and deletes one."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.pages.recompute import follow
from coachboard.ui.frame import formats, notices, own_data, shell, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.athlete_settings import (
    AthleteValue,
    AthleteValuePatch,
    Availability,
    NewAthleteValue,
    SavedAthleteValue,
)
from coachboard.wire.enums import Gender, MetricSport
from coachboard.wire.metrics import VALUES, MetricType, MetricUnit

_PICK, _NEXT, _COUNT = "values.pick", "values.next", "values.count"
_OPENED, _ATHLETE = "values.opened", "values.athlete"
_NEW = ""
Row = TypeVar("Row", AthleteValue, Availability)
_HEART_RATES = frozenset({MetricType.MAX_HEART_RATE, MetricType.RESTING_HEART_RATE})
_FORMULAS = {Gender.FEMALE: "the formula for women", Gender.MALE: "the formula for men"}
WIDTHS_PX = {"Metric": 150, "Sport": 90, "Set by": 130}
"""Streamlit keeps the widths of the first rows: a longer name of a later value was cut off."""


def latest(rows: Iterable[AthleteValue]) -> list[AthleteValue]:
    """The newest value of each type and sport, in the order of the types."""
    newest: dict[tuple[str, MetricSport], AthleteValue] = {}
    for row in sorted(rows, key=lambda row: row.date):
        newest[row.type, row.sport] = row
    return sorted(newest.values(), key=lambda row: (list(VALUES).index(row.type), row.sport))


def require(page: Page) -> None:
    """Stop with the reason if the service lets nobody change values, or does not answer."""
    own_data.require(
        page,
        "metrics",
        "This service does not let you change values.",
        fills="It sets them from recordings; Athlete shows them.",
    )
    try:
        features = page.client.planning.features()
    except ServiceError as error:
        shell.stop_with(error)
    if features is None or "availability" not in features.features:
        notices.say_empty(
            "This service is too old for this page.",
            fills="Update it; until then the command `coachboard metrics` sets values.",
        )
        st.stop()


def pick(page: Page) -> Athlete:
    """The athlete whose values the page has; the title names an athlete of a coach."""
    if not page.athletes:
        return page.me
    athlete = pickers.pick_athlete(page)
    page.heading.title(f"Values of {md(athlete.name)}", anchor=False, width="stretch")
    return athlete


def draw_current(page: Page, values: Sequence[AthleteValue]) -> None:
    """The newest value of each type and sport."""
    rows = latest(values)
    if not rows:
        notices.say_empty(
            "No value yet.",
            fills="Load needs critical power, critical speed, or maximum and resting heart rate; rides without power and "
            "heart rate need critical power and weight. Set them below.",
        )
        return
    table = [
        (
            VALUES[row.type].title,
            sport_words(row.sport),
            value_words(page, row.type, row.sport, row.value),
            formats.day(row.date, today=page.today),
            formats.METRIC_SOURCES[row.source],
            "" if row.set_by is None else plain(row.set_by.name, longest=40),
        )
        for row in rows
    ]
    latest_frame = fitted(
        pd.DataFrame(table, columns=["Metric", "Sport", "Latest", "Valid from", "Source", "Set by"]),
        ("Metric", "Sport", "Latest"),
        key="values.table",
    )
    wide = {name: st.column_config.TextColumn(width=px) for name, px in WIDTHS_PX.items()}
    st.dataframe(latest_frame, hide_index=True, key="values.table", width="content", column_config=wide)


def draw_form(page: Page, athlete: Athlete, values: Sequence[AthleteValue]) -> None:
    """One form for a new value and for each value that is there."""
    rows = {row.id: row for row in reversed(values)}
    if state.get(_ATHLETE) != athlete.id:
        state.put(_ATHLETE, athlete.id)
        state.forget(_PICK)
    if state.get(_NEXT) is not None:
        state.put(_PICK, state.get(_NEXT))
        state.forget(_NEXT)
    picked = st.selectbox(
        "Add or change",
        [_NEW, *rows],
        format_func=lambda id_: "A new value" if id_ == _NEW else _row_words(page, rows[id_]),
        key=_PICK,
        width=420,
    )
    _draw_fields(page, athlete, as_opened(rows.get(picked or _NEW), _OPENED))


def as_opened(row: Row | None, key: str) -> Row | None:
    """The row with the tag that it had when it was picked: a later tag would hide a change in between."""
    if row is None:
        state.forget(key)
        return None
    id_, etag = state.get(key, (None, ""))
    if id_ != row.id:
        state.put(key, (row.id, row.etag))
        return row
    return row.model_copy(update={"etag": etag})


def _draw_fields(page: Page, athlete: Athlete, row: AthleteValue | None) -> None:
    key = f"values.{row.id if row else state.get(_COUNT, 0)}"
    kind, sport = _draw_kind(key) if row is None else (row.type, row.sport)
    if VALUES[kind].effect:
        st.caption(f"Used for {VALUES[kind].effect}")
    if kind in _HEART_RATES:
        formula = _FORMULAS.get(
            athlete.user.gender or Gender.OTHER, "the mean of the formulas for women and men"
        )
        st.caption(f"Load from heart rate (TRIMP) uses {formula}.")
    # A form: a button outside it would get the value from before the last keystrokes.
    with st.form(f"{key}.form", border=False):
        value, day = _draw_value(page, row, (kind, sport), key=f"{key}.{kind}")
        is_saved = st.form_submit_button("Save", type=theme.main_button())
    if is_saved and value is not None:
        _save(page, athlete, row, NewAthleteValue(type=kind, value=value, date=day, sport=sport))
    elif is_saved and _is_pace(kind, sport):
        st.error("Not saved. Enter a pace as minutes:seconds, such as 4:05.", icon=":material/error:")
    if row is not None and st.button(
        "Delete", key="values.delete", type="tertiary", icon=":material/delete:"
    ):
        _change(page, athlete, partial(page.client.planning.delete_value, athlete.id, row))


def _draw_kind(key: str) -> tuple[str, MetricSport]:
    with st.container(horizontal=True):
        kind = st.selectbox(
            "Metric", list(VALUES), format_func=lambda kind: VALUES[kind].title, key=f"{key}.type", width=200
        )
        sport = st.selectbox(
            "Sport",
            VALUES[kind].sports_to_set,
            format_func=sport_words,
            key=f"{key}.{kind}.sport",
            width=200,
        )
    return kind, sport


def _draw_value(
    page: Page, row: AthleteValue | None, kind_and_sport: tuple[str, MetricSport], *, key: str
) -> tuple[float | None, date]:
    """The value in the service's unit, None if the field has none, and its first day."""
    now = None if row is None else row.value
    with st.container(horizontal=True):
        draw = _draw_pace if _is_pace(*kind_and_sport) else _draw_number
        value = draw(page, kind_and_sport, now, key=f"{key}.value")
        day = st.date_input(
            "Valid from",
            value=page.today if row is None else row.date,
            max_value=page.today if row is None else max(page.today, row.date),
            format="YYYY-MM-DD",
            key=f"{key}.day",
            width=200,
        )
    return value, day


def _draw_number(
    page: Page, kind_and_sport: tuple[str, MetricSport], now: float | None, *, key: str
) -> float | None:
    record = VALUES[kind_and_sport[0]]
    per_shown, unit = record.per_shown, str(record.shown_unit or record.unit)
    if record.unit is MetricUnit.KG:
        factor, unit = formats.weight_scale(page.units)
        per_shown = 1 / factor
    # A value of another program may be outside, and the form corrects it.
    offered = (record.plausible.low, record.plausible.high, *(() if now is None else (now,)))
    typed = st.number_input(
        f"{record.title} ({unit})",
        min_value=min(offered) / per_shown,
        max_value=max(offered) / per_shown,
        value=None if now is None else now / per_shown,
        format=f"%.{record.digits}f",
        key=key,
        width=200,
    )
    return None if typed is None else typed * per_shown


def _draw_pace(
    page: Page, kind_and_sport: tuple[str, MetricSport], now: float | None, *, key: str
) -> float | None:
    """A critical speed as runners and swimmers know it; None for a text that is no pace, or not a plausible one."""
    record = VALUES[kind_and_sport[0]]
    per_m, unit = formats.pace_unit(kind_and_sport[1], units=page.units)
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


def _is_pace(kind: str, sport: MetricSport) -> bool:
    return formats.is_pace(VALUES[kind].unit, sport)


def save_new(page: Page, athlete: Athlete, new: NewAthleteValue) -> None:
    """Add a value and recompute the sessions that it affects."""
    _change(page, athlete, partial(page.client.planning.add_value, athlete.id, new))


def _save(page: Page, athlete: Athlete, row: AthleteValue | None, new: NewAthleteValue) -> None:
    if row is None:
        save_new(page, athlete, new)
        return
    patch = AthleteValuePatch(value=new.value, date=new.date)
    _change(page, athlete, partial(page.client.planning.change_value, athlete.id, row, patch))


def _change(page: Page, athlete: Athlete, send: Callable[[], SavedAthleteValue]) -> None:
    """Send a change and draw the page again; say why if the service rejects it."""
    try:
        job = send().recompute
        if job is None or athlete.id not in {state.OWN, page.profile.id}:
            loads = (
                "" if job is None else f" The loads of {plain(athlete.name)}'s sessions follow in a minute."
            )
            st.toast(f"Saved.{loads}")
        else:
            follow(job)
    except EditConflict:
        state.forget(_OPENED)
        st.error(
            "Not saved: this value was changed or deleted meanwhile. The list above shows the value as it is now; "
            "save again to replace it.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        say_rejected(error, "Not saved")
        return
    state.put(_COUNT, state.get(_COUNT, 0) + 1)
    state.put(_NEXT, _NEW)
    st.rerun()


def sport_words(sport: MetricSport) -> str:
    return "All sports" if sport is MetricSport.GLOBAL else formats.label(sport)


def value_words(page: Page, kind: str, sport: MetricSport, value: float) -> str:
    """`251 W`, `18.2 kJ`, `4:05 /km`: in the reader's unit."""
    record = VALUES[kind]
    # The threshold heart rate, which is no metric, reads as the maximum.
    return formats.metric(
        record.type, sport, value / record.per_shown, record.shown_unit or record.unit, units=page.units
    )


def _row_words(page: Page, row: AthleteValue) -> str:
    sport = "" if row.sport is MetricSport.GLOBAL else f", {sport_words(row.sport).lower()}"
    day = formats.day(row.date, today=page.today)
    return f"{VALUES[row.type].title}{sport}: {value_words(page, row.type, row.sport, row.value)}, {day}"
