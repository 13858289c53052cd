"""What the reader of the roster chose: the view, a search, filters, the order; all of it in the address."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from coachboard.analytics.flag_rules import BY_ID
from coachboard.analytics.load import CLASSIC, MODELS, LoadModel
from coachboard.models.enums import Sport
from coachboard.views import formats, state, theme
from coachboard.views.roster import membership
from coachboard.views.shell import Page

View = Literal["everyone", "look", "week", "stimulus"]
VIEWS = {
    "everyone": "Everyone",
    "look": "Needs a look",
    "week": "Squad week",
    "stimulus": "Stimulus",
}
ANY_FLAG, LITTLE_DATA = "any", "little-data"
_ALL = "all"
DEFAULT_SORT = "-look"
ORDERS = {
    "-look": "Most to look at",
    "name": "By name",
    "-last": "Longest without a session",
    "form": "Lowest form",
    "done": "Least of the plan done",
    "-week": "Most volume",
    "next": "Next session",
    "event": "Next event",
}
"""For a phone, where lines are cards and no heads to press; any other order of the address stays in force."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How the roster is looked at."""

    view: str
    search: str
    sport: str | None
    flag: str | None
    model: LoadModel
    sort: str  # a column, "-" before it for descending
    athlete: str | None  # the one whose flags are open
    workspace: str | None  # one of several that the reader leads


def pick(page: Page) -> Choice:
    """One line of controls; the address follows them and a link brings them back."""
    choice = Choice(
        view=_one_of(state.get_param("view"), VIEWS) or "everyone",
        search=st.query_params.get("q", "")[:80],
        sport=_one_of(state.get_param("sport"), tuple(Sport)),
        flag=_one_of(state.get_param("flag"), (ANY_FLAG, LITTLE_DATA, *BY_ID)),
        model=MODELS.get(state.get_param("model") or "", CLASSIC),
        sort=state.get_param("sort") or DEFAULT_SORT,
        athlete=state.get_id("athlete"),
        workspace=_one_of(state.get_id("workspace"), membership.led(page)),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _draw_controls(choice, page)
    return choice


def _draw_controls(choice: Choice, page: Page) -> None:
    state.put("roster.view", choice.view)
    st.segmented_control(
        "View",
        list(VIEWS),
        key="roster.view",
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=_take,
        args=("view", "everyone"),
    )
    state.put("roster.q", choice.search)
    st.text_input(
        "Search by name",
        key="roster.q",
        placeholder="Search by name",
        label_visibility="collapsed",
        on_change=_take,
        args=("q", ""),
        width=130,
    )
    flags = {_ALL: "All athletes", ANY_FLAG: "Any flag", LITTLE_DATA: "Too little data"}
    _draw_list("flag", choice.flag, flags | {rule.id: rule.title for rule in BY_ID.values()})
    _draw_list("sport", choice.sport, {_ALL: "All sports"} | {sport: formats.sport(sport) for sport in Sport})
    if workspaces := membership.led(page):
        _draw_list("workspace", choice.workspace, {_ALL: "All workspaces"} | workspaces)
    if choice.workspace:
        membership.draw(page, choice.workspace)
    if theme.is_phone():
        _draw_list("sort", choice.sort, ORDERS | {choice.sort: ORDERS.get(choice.sort, "As the link says")})
    state.put("roster.model", choice.model.id)
    st.selectbox(
        "Load model",
        list(MODELS),
        key="roster.model",
        format_func=lambda model: MODELS[model].title,
        label_visibility="collapsed",
        help=" ".join(model.says for model in MODELS.values()),
        on_change=_take,
        args=("model", CLASSIC.id),
        width=172,
    )


def _draw_list(name: str, chosen: str | None, options: dict[str, str]) -> None:
    state.put(f"roster.{name}", chosen or _ALL)
    default = DEFAULT_SORT if name == "sort" else _ALL
    st.selectbox(
        name.capitalize(),
        list(options),
        key=f"roster.{name}",
        format_func=options.__getitem__,
        label_visibility="collapsed",
        on_change=_take,
        args=(name, default),
        width=172 if name == "sort" else 128,
    )


def _take(name: str, default: str) -> None:
    value = state.get(f"roster.{name}")
    state.set_param(name, None if value in (default, None) else value)


def _one_of(value: str | None, allowed: object) -> str | None:
    return value if value and value in allowed else None  # type: ignore[operator] # any container of words
