"""Whether the service lets the reader change their own data."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.client.result import Result
from coachboard.ui.frame import navigation, notices, shell, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.own_data import Features


def has_feature(page: Page, name: str) -> bool:
    """Whether the service has this feature under `/own/v1`; False while the service does not answer."""
    return page.client.own_data.has(name)


def require(page: Page, name: str, otherwise: str, *, fills: str) -> Features:
    """The features of the service; stop with the reason if `name` is none of them or the service does not answer."""
    try:
        features = page.client.own_data.features()
    except ServiceError as error:
        shell.stop_with(error)
    if features is None or name not in features.features:
        notices.say_empty(otherwise, fills=fills)
        st.stop()
    return features


def say_rejected(error: ServiceError, not_done: str) -> None:
    """The rejected change and the reason, in the service's words if it gave a reason."""
    said = md(error.words, longest=300) if error.code else ""
    st.error(f"{not_done}. {said or notices.sentence(error)}", icon=":material/error:")


class _Way(NamedTuple):
    """The button of an empty page of the reader's own data: the page that it opens, and its label."""

    feature: str
    page: str
    label: str
    icon: str
    fills: str


_WAYS = MappingProxyType(
    {
        "sessions": _Way(
            "imports",
            "imports",
            "Import recordings",
            ":material/upload:",
            "Import recordings to see them here.",
        ),
        "plans": _Way(
            "imports",
            "imports",
            "Import recordings",
            ":material/upload:",
            "Import recordings, or planned workouts as FIT files.",
        ),
        "nights": _Way(
            "imports",
            "imports",
            "Import nights",
            ":material/upload:",
            "Import a CSV file of nights, or an export of Garmin or Apple Health.",
        ),
        "values": _Way("metrics", "values", "Open Values", ":material/speed:", "Set your first value."),
        "load": _Way(
            "metrics",
            "values",
            "Open Values",
            ":material/speed:",
            "Set critical power, critical speed, or maximum and resting heart rate.",
        ),
    }
)


def say_empty(  # noqa: PLR0913 (the reasons of an empty state)
    page: Page,
    user_id: str,
    what: str,
    *,
    fills: str,
    kind: str = "sessions",
    rows: str = "",
    of: Iterable[Result[Any]] = (),
) -> None:
    """Show an empty state; on the reader's own page with the button that fills it, if the service can.

    `fills` is for everyone else: a coach cannot import for an athlete, and another service takes no imports. `rows` and
    `of` as in `notices.say_empty`.
    """
    way, results = _WAYS[kind], list(of)
    is_own = user_id in {state.OWN, page.profile.id} and has_feature(page, way.feature)
    notices.say_empty(what, fills=way.fills if is_own else fills, rows=rows, of=results)
    # A link would fail where the page is opened without the navigation.
    if is_own and st.button(way.label, key=f"own.{kind}", icon=way.icon):
        own = {"athlete": state.OWN} if way.page == "values" else None
        st.switch_page(navigation.page_path(way.page), query_params=own)
