"""Organisational tasks of the coach, apart from flags: no plan, no sessions, no critical power, an import that failed."""

import streamlit as st

from coachboard.analytics.flags.flags import todos
from coachboard.loaders.roster.row import RosterRow
from coachboard.models.enums import DataOnboardingStatus
from coachboard.views.frame import formats
from coachboard.views.frame.shell import Athlete
from coachboard.views.frame.text import md


def draw(people: list[tuple[Athlete, RosterRow]]) -> None:
    """One line for each task of each athlete; nothing without a task."""
    tasks = [(athlete, task) for athlete, row in people for task in _tasks(row)]
    if not tasks:
        return
    st.subheader("To do", anchor=False)
    st.markdown("\n".join(f"- {md(athlete.name)}: {md(task)}" for athlete, task in tasks))


def _tasks(row: RosterRow) -> list[str]:
    planned = [f"{flag.rule.title.lower()} for the next {flag.threshold:g} days" for flag in todos(row.flags)]
    silent = [] if row.last_session else ["no session received"]
    failed = row.user.data_onboarding_status is DataOnboardingStatus.FAILED
    powerless = [
        f"no critical power for {formats.sport(sport).lower()}" for sport in row.without_critical_power
    ]
    return [*planned, *silent, *powerless, *(["history import failed"] if failed else [])]
