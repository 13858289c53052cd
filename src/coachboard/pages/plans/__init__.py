"""The sections of the page of plans, in the order of the page; the workouts of a plan as files for devices."""

from functools import cache

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages import file_formats
from coachboard.pages.plans.applying import draw_applying
from coachboard.pages.plans.listing import draw_settings, pick, pick_view, require
from coachboard.pages.plans.rolling_out import draw_athletes, names_of
from coachboard.pages.plans.saving import draw_saving
from coachboard.pages.plans.weeks import draw_weeks
from coachboard.pages.workout_preview import day_values_of
from coachboard.ui.frame import formats, groups, notices
from coachboard.ui.frame.page import Page
from coachboard.wire.enums import Sport
from coachboard.wire.training_plans import TrainingPlan
from coachboard.workout_files.formats import file_stem, workout_archive
from coachboard.workout_files.workout import plan_workouts
from coachboard.workout_text.values import DayValues

__all__ = [
    "draw_applying",
    "draw_athletes",
    "draw_files",
    "draw_saving",
    "draw_settings",
    "draw_weeks",
    "pick",
    "pick_view",
    "require",
]

_FILES = "plans.files"
_NOBODY = ""


def draw_files(page: Page, plan: TrainingPlan) -> None:
    """All workouts in one archive, in percent or in the values of an athlete, folded; nothing for a plan without workouts."""
    if not plan.workouts:
        return
    box = st.expander("Files for devices", icon=":material/watch:", key=_FILES, on_change="rerun")
    if not box.open:
        return
    with box:
        names = {_NOBODY: "In percent"} | {
            user_id: f"In the values of {groups.listed(page, user_id, name)}"
            for user_id, name in names_of(page).items()
        }
        user_id = st.selectbox(
            "Targets", names, format_func=names.__getitem__, key=f"{_FILES}.for", width=300
        )
        kind = file_formats.pick_format(_FILES)
        values = cache(lambda sport: _values(page, user_id, sport))
        drafts = sum(entry.value.is_draft is True for entry in plan.entries)
        if drafts:
            st.caption(f"Not in the archive: {formats.count(drafts, 'draft')}. Correct the text first.")
        archive = workout_archive(plan_workouts(plan.entries, values), kind)
        file_formats.draw_archive(archive, f"{file_stem(plan.title, '')} {kind.upper()}", _FILES)


def _values(page: Page, user_id: str, sport: Sport) -> DayValues:
    """The athlete's values of today; without them targets in percent stay in percent."""
    if user_id == _NOBODY:
        return DayValues()
    try:
        return day_values_of(page.client.planning.values(user_id, sport, page.today))
    except ServiceError as error:
        notices.say(error, about="The values of the athlete")
        return DayValues()
