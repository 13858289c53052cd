"""Data quality: gaps, missing and doubtful values by column, unused columns, and the data that each metric excludes."""

import pandas as pd
import streamlit as st

from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.columns import columns_of
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.recording_quality import ColumnReport, QualityReport, report_of
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export
from coachboard.ui.widgets.key_numbers import Card, draw_numbers
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.stream_columns import BY_NAME

_CLOCKS = {
    "recorded": "as recorded",
    "repaired": "some corrected",
    "assumed": "missing, spread evenly",
}
_MOST_GAPS = 20
_SIGNALS = ("power", "speed", "heart_rate")


@st.fragment
def draw_quality(page: Page, data: ActivityData) -> None:
    """Key numbers, the columns as a table, the gaps after a click."""
    report = report_of(data)
    if report is None:
        return
    draw_numbers(
        [
            Card("Samples", f"{report.samples:,}"),
            Card("Recorded", formats.duration_hms(report.recorded_s)),
            Card("Gaps", f"{len(report.gaps)}", _longest(report)),
            Card("Timestamps", _CLOCKS[report.clock]),
        ],
        key="activity.quality.numbers",
    )
    table = _table(page, data, report)
    st.dataframe(
        fitted(table, ("Column", "Found"), key="activity.quality"), hide_index=True, key=f"activity.quality.{data.activity.id}", width="content",
        height="auto" if len(table) <= 12 else 460, alt="Recorded data with missing or doubtful values.",
    )  # fmt: skip
    if report.empty_columns:
        titles = _titles(page, data)
        st.caption(f"Recorded but empty: {', '.join(titles[name] for name in report.empty_columns)}.")
    _draw_missing_values(page, data, report)
    if report.gaps and st.toggle("List gaps", key=f"activity.gaps.{data.activity.id}"):
        _draw_gaps(report)
    export.draw_downloads(lambda: table, name=f"quality-{data.activity.id}", key="activity.export.quality")


def _longest(report: QualityReport) -> str:
    if not report.gaps:
        return ""
    return f"longest {formats.duration_hms(max(gap.length_s for gap, _ in report.gaps))}"


def _table(page: Page, data: ActivityData, report: QualityReport) -> pd.DataFrame:
    titles = _titles(page, data)
    rows = [
        {
            "Column": titles[row.quality.name],
            "Found": _finding(row),
            "Missing": _time(row.quality.missing_s),
            "Not a number": _count(row.non_finite),
            "Dropouts": _count(row.quality.dropouts),
            "Spikes": _count(row.quality.spikes),
            "Flat": _time(row.quality.flat_s),
        }
        for row in report.columns
    ]
    return pd.DataFrame(rows)


def _titles(page: Page, data: ActivityData) -> dict[str, str]:
    """The titles of all columns; those with a panel have the title of the panel."""
    titles = {name: column.title for name, column in BY_NAME.items()}
    if data.streams is not None:
        columns = columns_of(data.streams, data.activity.sport, units=page.units)
        titles |= {name: column.title for name, column in columns.items()}
    return titles


def _draw_missing_values(page: Page, data: ActivityData, report: QualityReport) -> None:
    """The data that each metric excludes; metrics that exclude nothing share one sentence."""
    st.subheader("Data excluded per metric", anchor=False)
    titles = _titles(page, data)
    rows = [
        {
            "Metric": row.number,
            "From": titles[row.column],
            "Excluded": _time(row.left_out_s),
            "Counted as 0": _time(row.as_zero_s),
            "Interpolated": _time(row.bridged_s),
            "Spikes included": _count(row.spikes),
        }
        for row in report.left_out
        if not row.is_whole
    ]
    if rows:
        st.dataframe(
            fitted(pd.DataFrame(rows), ("Metric", "Excluded"), key="activity.left_out"),
            hide_index=True, width="content", key=f"activity.left_out.{data.activity.id}",
            height="auto" if len(rows) <= 14 else 520,
            alt="Time excluded, counted as zero or interpolated for each metric.",
        )  # fmt: skip
    whole = sum(row.is_whole for row in report.left_out)
    further = f"{formats.count(whole, 'more metric')}: nothing excluded. " if whole else ""
    st.caption(
        f"{further}Pauses count as seconds without a value. Spikes and flat sections are reported but not corrected; "
        "a column that is flat for more than half of its time is not used. The numbers at the top of the page come "
        "from the data service, which does not report exclusions."
    )


def _finding(row: ColumnReport) -> str:
    names = {
        "missing": row.quality.missing_s,
        "not a number": row.non_finite,
        "dropouts": row.quality.dropouts,
        "spikes": row.quality.spikes,
        "flat": row.quality.flat_s,
        "not used": not row.quality.is_sensor,
    }
    return ", ".join(name for name, amount in names.items() if amount) or "clean"


def _time(seconds: float) -> str:
    return formats.duration_hms(seconds) if seconds else formats.MISSING


def _draw_gaps(report: QualityReport) -> None:
    longest = sorted(report.gaps, key=lambda row: row[0].length_s, reverse=True)[:_MOST_GAPS]
    st.dataframe(
        pd.DataFrame(
            {
                "After": [formats.duration_hms(start_s) for _, start_s in longest],
                "Length": [formats.duration_hms(gap.length_s) for gap, _ in longest],
            }
        ),
        hide_index=True, width="content", key="activity.gaps.rows", alt="Longest gaps of the recording.",
    )  # fmt: skip


def _count(number: int) -> str:
    return f"{number:,}" if number else formats.MISSING


def say_unused(page: Page, data: ActivityData) -> None:
    """One line for each of power, heart rate and speed without information."""
    streams = data.streams
    for name in _SIGNALS if streams is not None else ():
        if streams is not None and name in streams.unused:
            st.caption(
                f":material/sensors_off: {_why_unused(page, data, streams, name)} {_used_instead(streams)}"
            )


def _why_unused(page: Page, data: ActivityData, streams: SessionStreams, name: str) -> str:
    stuck_column = streams.stuck[name]
    column = columns_of(streams, data.activity.sport, units=page.units, names=(name,))[name]
    value = "0" if stuck_column.stuck_at == 0 else column.text(stuck_column.stuck_at)
    stuck, known_time = formats.duration_hms(stuck_column.stuck_s), formats.duration_hms(stuck_column.known_s)
    return f"{column.title} is not used: it reads {value} for {stuck} of {known_time}."


def _used_instead(streams: SessionStreams) -> str:
    """The signal used instead. The load may use another one: a ride has no load from speed."""
    used = next((name for name in _SIGNALS if name in streams.columns), None)
    if used is None:
        return ""
    users = "Bands use" if used == "heart_rate" else "Best efforts and bands use"
    return f"{users} {used.replace('_', ' ')}."
