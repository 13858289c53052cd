"""The roster's view, search, filters and order, all in the URL; whether the filters are open is in the session.

Filters also use the athletes of each workspace as the user assigned them, stored with their settings: `GET /users` lists
the athletes of all the user's workspaces together, and only the user's own profile has `workspaces`.
"""

from dataclasses import dataclass, replace

import streamlit as st

from coachboard.flags.engine import RULES_BY_ID
from coachboard.formulas.season.load import CLASSIC, MODELS, LoadModel
from coachboard.loaders.preferences import Preferences
from coachboard.ui.frame import choices, formats, groups, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.toolbar import Control, Pick, Press, RadioRow, Search, draw_bar
from coachboard.wire.enums import Sport, WorkspaceRole

_LEADS = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})
VIEWS = {
    "everyone": "Everyone",
    "look": "Needs a look",
    "review": "Review",
    "feed": "Newest sessions",
    "week": "Squad week",
    "stimulus": "Stimulus",
}
ANY_FLAG, LITTLE_DATA, PLAN_ENDS = "any", "little-data", "plan-ends"
_FLAGS = {ANY_FLAG: "Any flag", LITTLE_DATA: "Not enough data", PLAN_ENDS: "Plan ends within 7 days"} | {
    rule.id: rule.title for rule in RULES_BY_ID.values()
}
_SPORTS = {str(sport): formats.sport(sport) for sport in Sport}
_MODELS = {model.id: f"Load: {model.title}" for model in MODELS.values()}
_ALL = "all"
WORKSPACE, SPORT, TAG = "workspace", "sport", "tag"
_GROUPS = {WORKSPACE: "By workspace", SPORT: "By sport", TAG: "By your tags"}
FAVOURITES = "★ Favourites"
_OPEN = "roster.filters"
DEFAULT_SORT = "-priority"
ORDERS = {
    "-priority": "Sort: priority",
    "name": "Sort: name",
    "-last": "Sort: longest without a session",
    "form": "Sort: lowest form",
    "done": "Sort: fewest planned sessions done",
    "-week": "Sort: highest load",
    "next": "Sort: next session",
    "event": "Sort: next event",
    "-new": "Sort: new since last visit",
}
"""For a narrow window, whose cards have no headers to click; any other order in the URL applies too."""
_OLD_SORTS = {"look": "priority", "-look": "-priority"}  # of bookmarks from before the column was renamed


@dataclass(frozen=True, slots=True)
class RosterChoice:
    """View options of the roster."""

    view: str
    search: str
    sport: str | None
    flag: str | None
    model: LoadModel
    sort: str  # a column, "-" before it for descending
    athlete: str | None  # whom Needs a look or Review shows
    workspace: str | None  # one of several that the user leads
    group: str | None  # workspace, sport or tag
    members: str = ""  # the name of a group, or favourites


def pick(page: Page) -> RosterChoice:
    """The choice in the URL; draws its controls and, for a workspace, the assignment of its athletes."""
    choice = RosterChoice(
        view=asked_view(),
        search=state.get_text("q"),
        sport=_one_of(state.get_param("sport"), tuple(Sport)),
        flag=_one_of(state.get_param("flag"), (ANY_FLAG, LITTLE_DATA, PLAN_ENDS, *RULES_BY_ID)),
        model=MODELS.get(state.get_param("model") or "", CLASSIC),
        sort=asked_sort(),
        athlete=state.get_id("athlete"),
        workspace=_one_of(state.get_id("workspace"), workspaces_led(page)),
        group=_one_of(state.get_param("group"), _groups(page)),
        members=_one_of(state.get_text("members"), _members(page)) or "",
    )
    views = RadioRow("view", "View", VIEWS, choice.view)
    if theme.is_phone():
        draw_bar([views], key="roster.views", on_change=_take_change)
        # The page's styles keep this row at the top while the cards scroll.
        with st.container(key="sticky.find"):
            _draw_controls([], choice, page)
    else:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _draw_controls([views], choice, page)
    groups.say_failure(page)
    if choice.workspace:
        draw_members(page, choice.workspace)
    return choice


def asked_view() -> str:
    """The view in the URL."""
    return _one_of(state.get_param("view"), VIEWS) or "everyone"


def asked_sort() -> str:
    """The order in the URL."""
    asked = state.get_param("sort") or DEFAULT_SORT
    return _OLD_SORTS.get(asked, asked)


def follow(picked: str | None) -> None:
    """A click on an athlete's flag opens the review, on the age of the data all rules and values."""
    word, _, which = (picked or "").partition(" ")
    if word in {"look", "review"}:
        state.set_params({"view": word, "athlete": which})
        st.rerun()


def _draw_controls(first: list[Control], choice: RosterChoice, page: Page) -> None:
    controls: list[Control] = [*first, Search("q", "Search by name", choice.search, width=130)]
    orders = ORDERS | {choice.sort: ORDERS.get(choice.sort, "Sort: custom")}
    if choice.view not in {"look", "stimulus", "feed"}:  # which have an order of their own
        controls.append(Pick("sort", "Sort", orders, choice.sort, width=156, is_for_narrow=True))
    is_open = bool(state.get(_OPEN))
    label = "Filter" if is_open else _filter_label(choice, page)
    controls.append(Press("filter", label, "", help="Filter athletes", is_open=is_open))
    if is_open:
        controls += _lists(choice, page)
    draw_bar(controls, key="roster.bar", on_change=_take_change)


def _lists(choice: RosterChoice, page: Page) -> list[Control]:
    workspaces = workspaces_led(page)
    lists = [
        Pick("flag", "Flag", {_ALL: "All athletes"} | _FLAGS, choice.flag or _ALL),
        Pick("sport", "Sport", {_ALL: "All sports"} | _SPORTS, choice.sport or _ALL, width=150),
        Pick("workspace", "Workspace", {_ALL: "All workspaces"} | workspaces, choice.workspace or _ALL)
        if workspaces
        else None,
        Pick("members", "Members", {_ALL: "All groups"} | members, choice.members or _ALL, width=150)
        if (members := _members(page))
        else None,
        Pick("group", "Group", {_ALL: "No grouping"} | _groups(page), choice.group or _ALL, width=140),
        Pick("model", "Load model", _MODELS, choice.model.id, width=250),
    ]
    return [control for control in lists if control is not None]


def _groups(page: Page) -> dict[str, str]:
    """The groupings on offer: by workspace only if the user leads several."""
    titles = _GROUPS | ({TAG: "By group"} if groups.shared(page) or groups.failure(page) else {})
    return {key: title for key, title in titles.items() if key != WORKSPACE or workspaces_led(page)}


def _members(page: Page) -> dict[str, str]:
    """The groups and the favourites, of which the roster can show one."""
    favourites = {FAVOURITES: FAVOURITES} if page.preferences.favourites else {}
    return favourites | {name: plain(name) for name in groups.names(page)}


def _filter_label(choice: RosterChoice, page: Page) -> str:
    """The active filters as text, or that there are none."""
    chosen = (
        _FLAGS.get(choice.flag or ""),
        _SPORTS.get(choice.sport or ""),
        workspaces_led(page).get(choice.workspace or ""),
        choice.members,
        _groups(page).get(choice.group or ""),
        choice.model.title if choice.model is not CLASSIC else None,
    )
    return ", ".join(name for name in chosen if name) or "Filter"


_USUAL = {"view": "everyone", "q": "", "sort": DEFAULT_SORT, "model": CLASSIC.id}


def _take_change(name: str, choice: str) -> None:
    if name == "filter":
        state.put(_OPEN, not state.get(_OPEN))
    else:
        state.set_param(name, None if choice == _USUAL.get(name, _ALL) else choice)
    if name == "view":
        state.set_param("session", None)
        state.set_param("athlete", None)  # else "Needs a look" shows the reviewed athlete alone


def _one_of(value: str | None, allowed: object) -> str | None:
    return value if value and value in allowed else None  # type: ignore[operator] # any container of words


def workspaces_led(page: Page) -> dict[str, str]:
    """The workspaces by which the roster can be filtered: empty if the user leads only one."""
    names = {
        workspace.id: plain(workspace.name)
        for workspace in page.profile.workspaces or ()
        if workspace.role in _LEADS
    }
    return names if len(names) > 1 else {}


def members_of(page: Page, workspace_id: str) -> frozenset[str]:
    """The athletes assigned to the workspace."""
    return frozenset(page.preferences.workspace_athletes.get(workspace_id, ()))


def draw_members(page: Page, workspace_id: str) -> None:
    """Assign athletes to the selected workspace."""
    names = {athlete.id: athlete.name for athlete in page.athletes}
    key = f"roster.members.{workspace_id}"
    members = [user_id for user_id in names if user_id in members_of(page, workspace_id)]
    state.put_default(key, members)
    with st.popover("Members", icon=":material/group:"):
        st.caption(
            f"Choose the athletes of {md(workspaces_led(page)[workspace_id])} once: Coachboard cannot look them up. "
            "The choice is saved."
        )
        pickers.pick_athletes(page, names, key=key, on_change=lambda: _take(page, workspace_id, key))


def _take(page: Page, workspace_id: str, key: str) -> None:
    named = tuple(pickers.picked_athletes(page, key))
    # A chosen group is replaced by its athletes: the saved choice stays when the group changes.
    state.put(key, list(named))

    def change(kept: Preferences) -> Preferences:
        return replace(kept, workspace_athletes=dict(kept.workspace_athletes) | {workspace_id: named})

    choices.keep(page, change, key)
