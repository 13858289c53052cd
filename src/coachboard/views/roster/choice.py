"""What the reader of the roster chose: the view, a search, filters, the order; all of it in the address."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from coachboard.analytics.flag_rules import BY_ID
from coachboard.analytics.load import CLASSIC, MODELS, LoadModel
from coachboard.models.enums import Sport
from coachboard.views import formats, state, theme
from coachboard.views.bar import Choice as OneOf
from coachboard.views.bar import Control, Pick, Search, draw_bar
from coachboard.views.roster import membership
from coachboard.views.shell import Page
from coachboard.views.text import md

View = Literal["everyone", "look", "week", "stimulus"]
VIEWS = {
    "everyone": "Everyone",
    "look": "Needs a look",
    "week": "Squad week",
    "stimulus": "Stimulus",
}
ANY_FLAG, LITTLE_DATA = "any", "little-data"
_FLAGS = {ANY_FLAG: "Any flag", LITTLE_DATA: "Too little data"} | {
    rule.id: rule.title for rule in BY_ID.values()
}
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
    controls: list[Control] = [
        OneOf("view", "View", VIEWS, choice.view),
        Search("q", "Search by name", choice.search, width=130),
    ]
    if theme.is_phone():
        orders = ORDERS | {choice.sort: ORDERS.get(choice.sort, "As the link says")}
        controls.append(Pick("sort", "Sort", orders, choice.sort, width=172))
    draw_bar(controls, key="roster.bar", hears=_hear)
    # Behind a button because the browser draws them only when it is opened: five lists took as long as the table.
    with st.popover(_filter_label(choice, page), key="roster.filter", icon=":material/filter_list:"):
        _draw_lists(choice, page)
    if choice.workspace:
        membership.draw(page, choice.workspace)


def _draw_lists(choice: Choice, page: Page) -> None:
    _draw_list("flag", choice.flag, {_ALL: "All athletes"} | _FLAGS)
    _draw_list("sport", choice.sport, {_ALL: "All sports"} | {sport: formats.sport(sport) for sport in Sport})
    if workspaces := membership.led(page):
        _draw_list("workspace", choice.workspace, {_ALL: "All workspaces"} | workspaces)
    state.put("roster.model", choice.model.id)
    st.selectbox(
        "Load model",
        list(MODELS),
        key="roster.model",
        format_func=lambda model: MODELS[model].title,
        help=" ".join(model.says for model in MODELS.values()),
        on_change=_take,
        args=("model", CLASSIC.id),
    )


def _filter_label(choice: Choice, page: Page) -> str:
    """What narrows the roster, or that nothing does; `md` because names of workspaces are text of strangers."""
    chosen = (
        _FLAGS.get(choice.flag or ""),
        formats.sport(choice.sport) if choice.sport else None,
        membership.led(page).get(choice.workspace or ""),
        choice.model.title if choice.model is not CLASSIC else None,
    )
    return md(", ".join(name for name in chosen if name)) or "Filter"


def _draw_list(name: str, chosen: str | None, options: dict[str, str]) -> None:
    state.put(f"roster.{name}", chosen or _ALL)
    st.selectbox(
        name.capitalize(),
        list(options),
        key=f"roster.{name}",
        format_func=options.__getitem__,
        on_change=_take,
        args=(name, _ALL),
    )


_USUAL = {"view": "everyone", "q": "", "sort": DEFAULT_SORT}


def _hear(name: str, says: str) -> None:
    state.set_param(name, None if says == _USUAL[name] else says)


def _take(name: str, default: str) -> None:
    value = state.get(f"roster.{name}")
    state.set_param(name, None if value in (default, None) else value)


def _one_of(value: str | None, allowed: object) -> str | None:
    return value if value and value in allowed else None  # type: ignore[operator] # any container of words
