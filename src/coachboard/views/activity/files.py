"""Export: every recorded column as a file, and a link to this view."""

import pandas as pd
import streamlit as st

from coachboard.loaders.activity.page_data import ActivityData
from coachboard.views.frame import formats
from coachboard.views.widgets import export


def draw_export(data: ActivityData) -> None:
    """Streams as CSV and Parquet; laps export from their table, charts as PNG from their menu."""
    with st.container(key="screen-only.export"):
        _draw_export(data)


def _draw_export(data: ActivityData) -> None:
    st.header("Export", anchor=False)
    streams = data.streams
    if streams is not None and len(streams):
        st.caption(
            f"All {formats.count(len(streams), 'sample')}, "
            f"{formats.count(len(streams.recorded), 'column')}, in the service's units."
        )
        export.draw_downloads(_frame(data), name=f"streams-{data.activity.id}", key="activity.export.streams")
    st.caption(
        "To export a table, use the buttons below it; to save a chart as PNG, use the camera in its corner. This page's "
        "address reopens the same view (panels, axis, selection, zoom) for anyone with access to this athlete."
    )


def _frame(data: ActivityData) -> pd.DataFrame:
    streams = data.streams
    if streams is None:
        return pd.DataFrame()
    columns: dict[str, object] = {}
    if streams.started_at is not None:
        since = (streams.elapsed_s * 1000).round().astype("timedelta64[ms]")
        columns["timestamp_utc"] = streams.started_at.astype("datetime64[ms]") + since
    columns["elapsed_s"] = streams.elapsed_s
    return pd.DataFrame(columns | streams.recorded)
