"""The list of plans, the open one, and its title, sharing and deletion."""

from collections.abc import Callable
from datetime import date

import streamlit as st

from coachboard.client.errors import EditConflict, NotFound, ServiceError
from coachboard.formulas.days import week_start
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.toolbar import Pick, draw_bar
from coachboard.wire.training_plans import TrainingPlan, TrainingPlanInput, TrainingPlanRow

PLAN, SAVING = "plan", "new"
"""URL parameters: the open plan; the form that makes one."""
VIEWS = {"weeks": "Weeks", "apply": "Apply", "athletes": "Athletes with it", "settings": "Title and sharing"}
NEWS = "plans.news"
_LIST = "list"
_PRIVATE = ""
_WEEK = 7


def require(page: Page) -> None:
    """Stop with the reason if the service has no plans."""
    if not page.client.planning.has("plans"):
        notices.say_empty(
            "No plans of several weeks are available.", fills="The service has none, or does not answer now."
        )
        st.stop()


def pick(page: Page) -> TrainingPlan:
    """The plan in the URL, with the list of all next to the title; stops after the list without one."""
    rows = page.client.planning.plans()
    asked = state.get_id(PLAN)
    _draw_news()
    if asked is None:
        _draw_list(page, rows)
        st.stop()
    try:
        plan = page.client.planning.plan(asked)
    except NotFound:
        notices.say_empty(
            "That plan is gone, or you have no access.", fills="These are the plans you may use."
        )
        state.set_param(PLAN, None)
        _draw_list(page, rows)
        st.stop()
    names = {_LIST: "All plans"} | {row.id: row.title for row in rows}
    with page.picks:
        draw_bar([Pick(PLAN, "Plan", names, plan.id, width=260)], key="plans.pick", on_change=_open)
    st.subheader(md(plan.title), anchor=False)
    st.caption(md(facts_of(page, plan)))
    if plan.description:
        st.markdown(md(plan.description, longest=10_000))
    return plan


def pick_view() -> str:
    """The section of the open plan, in the URL."""
    return pickers.pick_one("Section", VIEWS, param="view")


def facts_of(page: Page, plan: TrainingPlanRow) -> str:
    """`12 weeks · Cycling · 60 workouts · private`."""
    workspaces = {each.id: each.name for each in page.profile.workspaces or ()}
    owner = (
        "private"
        if plan.workspace_id is None
        else f"shared in {workspaces.get(plan.workspace_id, 'a workspace')}"
    )
    sport = formats.sport(plan.sport) if plan.sport else ""
    workouts = formats.count(plan.workouts, "workout")
    return " · ".join(part for part in (length_words(plan.days), sport, workouts, owner) if part)


def length_words(days: int) -> str:
    weeks, rest = divmod(days, _WEEK)
    return formats.count(days, "day") if rest or not weeks else formats.count(weeks, "week")


def _draw_news() -> None:
    news = state.get(NEWS)
    if news:
        st.success(news, icon=":material/check:")
        state.forget(NEWS)


def _draw_list(page: Page, rows: tuple[TrainingPlanRow, ...]) -> None:
    st.button(
        "New plan", icon=":material/add:", key="plans.new", on_click=state.set_param, args=(SAVING, "weeks")
    )
    if not rows:
        notices.say_empty(
            "No plan yet.",
            fills="Make one from weeks of a calendar, then apply it to many athletes at once.",
        )
        return
    for row in rows:
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"plans.row.{row.id}"
        ):
            st.button(
                md(row.title),
                key=f"plans.open.{row.id}",
                type="tertiary",
                on_click=_open,
                args=(PLAN, row.id),
            )
            changed = f"changed {formats.ago(row.changed_at, page.now)} by {row.changed_by.name}"
            st.caption(md(f"{facts_of(page, row)} · {changed}"), width="content")


def _open(_name: str, plan_id: str) -> None:
    state.set_params({PLAN: None if plan_id == _LIST else plan_id, "entry": None})


def week_of(page: Page, day: date) -> date:
    """The first day of a week, as the reader begins it."""
    return week_start(day, first_weekday=page.first_weekday)


def input_of(plan: TrainingPlan, **changes: object) -> TrainingPlanInput:
    """The plan with some fields changed, to be sent."""
    names = TrainingPlanInput.model_fields
    return TrainingPlanInput(**{name: getattr(plan, name) for name in names} | changes)


def sharing_options(page: Page) -> dict[str, str]:
    """Private, and the workspaces that the user leads, by id."""
    led = {each.id: each.name for each in inviting_workspaces(page.profile)}
    return {_PRIVATE: "Private"} | {name_id: f"Coaches of {name}" for name_id, name in led.items()}


def draw_settings(page: Page, plan: TrainingPlan) -> None:
    """Title, purpose, length and sharing of the plan, and its deletion."""
    key = f"plans.settings.{plan.id}.{plan.version}"
    options = sharing_options(page)
    if plan.workspace_id is not None:
        options.setdefault(plan.workspace_id, "Its workspace")
    with st.form(f"{key}.form", border=False, width=640):
        title = st.text_input("Title", plan.title, max_chars=200, key=f"{key}.title")
        description = st.text_area("Purpose", plan.description or "", max_chars=10_000, key=f"{key}.text")
        with st.container(horizontal=True):
            days = st.number_input("Length in days", 1, 366, plan.days, key=f"{key}.days", width=160)
            owner = st.selectbox(
                "Who may use it", list(options), list(options).index(plan.workspace_id or _PRIVATE),
                format_func=options.__getitem__, key=f"{key}.owner", width=280,
            )  # fmt: skip
        is_saved = st.form_submit_button("Save", type=theme.main_button())
    if is_saved:
        changed = {
            "title": title,
            "description": description or None,
            "days": int(days),
            "workspace_id": owner or None,
        }
        if not (title or "").strip():
            st.error("Not saved. Enter a title.", icon=":material/error:")
        else:
            send(lambda: page.client.planning.replace_plan(plan, input_of(plan, **changed)), "Plan saved.")
    _draw_deletion(page, plan)


def _draw_deletion(page: Page, plan: TrainingPlan) -> None:
    key = f"plans.delete.{plan.id}"
    if not state.get(key):
        st.button(
            "Delete plan",
            key=f"{key}.ask",
            type="tertiary",
            icon=":material/delete:",
            on_click=state.put,
            args=(key, True),
        )
        return
    st.markdown("Delete this plan? What it wrote on calendars stays.")
    with st.container(horizontal=True):
        if st.button("Delete", key=f"{key}.yes"):
            state.forget(key)
            send(lambda: page.client.planning.delete_plan(plan), f"Deleted {md(plan.title)}.", leaves=True)
        st.button("Keep", key=f"{key}.no", type="tertiary", on_click=state.forget, args=(key,))


def send(do: Callable[[], object], news: str, *, leaves: bool = False) -> None:
    """Do a change and draw the page again with its news; say why if the service refuses it."""
    try:
        do()
    except EditConflict:
        st.error(
            "Not saved: the plan was changed or deleted meanwhile. Reload the page to see it as it is now.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        say_rejected(error, "Not saved")
        return
    state.put(NEWS, news)
    if leaves:
        state.set_param(PLAN, None)
    st.rerun()
