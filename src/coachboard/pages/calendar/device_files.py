"""Files for devices: of an open workout, and of all workouts of a week in one archive."""

from contextlib import suppress
from datetime import date, timedelta

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.execution.capacities import references_of
from coachboard.formulas.days import week_start
from coachboard.pages import file_formats
from coachboard.pages.calendar.choice import CalendarChoice
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.pages.workout_outlook import capacities_for
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.workout_files.formats import FORMATS, workout_archive, workout_file
from coachboard.workout_files.workout import DeviceWorkout, NoWorkoutFile, device_workout

_WEEK = timedelta(days=7)


def draw_file(page: Page, athlete: AthleteCalendar, prescription: TrainingPrescription) -> None:
    """The formats of a planned workout, folded; nothing for a draft, whose steps are not known."""
    entry = (athlete.entries or {}).get(prescription.id)
    if entry is not None and entry.is_draft:
        return
    key = f"calendar.file.{prescription.id}"
    box = st.expander("File for a device", icon=":material/watch:", key=key, on_change="rerun")
    if not box.open:
        return
    with box:
        kind = file_formats.pick_format(key)
        try:
            file = workout_file(_workout_of(page, athlete, prescription), kind)
        except NoWorkoutFile as error:
            st.caption(md(str(error)))
            return
        file_formats.say_losses(file.losses)
        st.download_button(
            f"Download {kind.upper()}", lambda: file.content, file.name, FORMATS[kind].media_type,
            key=f"{key}.download", icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def draw_week(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The weeks of the calendar with the workouts that are still to be done, folded."""
    box = st.expander("Files for devices", icon=":material/watch:", key="calendar.files", on_change="rerun")
    if not box.open:
        return
    with box:
        weeks = _weeks(data, page.first_weekday)
        if not weeks:
            st.caption("No workout to come on the days of this calendar.")
            return
        week = st.selectbox(
            "Week", weeks, key="calendar.files.week", format_func=_week_words, width=300,
        )  # fmt: skip
        kind = file_formats.pick_format("calendar.files")
        _name_drafts(data, week)
        archive = workout_archive(_workouts(page, choice, data, week), kind)
        file_formats.draw_archive(archive, f"{week} {kind.upper()}", "calendar.files")


def _name_drafts(data: CalendarData, week: date) -> None:
    for athlete in data.athletes:
        entries = athlete.entries or {}
        for plan in athlete.prescriptions.values():
            entry = entries.get(plan.id)
            is_draft = entry is not None and entry.is_draft and entry.skipped is None
            if is_draft and max(week, data.today) <= plan.date < week + _WEEK:
                st.caption(
                    f"Not in the archive: {md(plan.title)} ({formats.day(plan.date)}). A draft: correct its text first."
                )


def _weeks(data: CalendarData, first_weekday: int) -> list[date]:
    """The first days of the weeks that have workouts to come."""
    days = (plan.date for athlete in data.athletes for plan in _plans_to_come(athlete, data.today))
    return sorted(
        {week_start(day, first_weekday=first_weekday) for day in days if data.start <= day <= data.end}
    )


def _plans_to_come(athlete: AthleteCalendar, today: date) -> list[TrainingPrescription]:
    """The planned workouts from today on, without those that are done, skipped or drafts."""
    entries = athlete.entries or {}
    shut = {
        name for name, entry in entries.items() if entry.is_draft or entry.skipped is not None
    } | athlete.done_ids
    plans = athlete.prescriptions.values()
    return sorted(
        (plan for plan in plans if plan.date >= today and plan.id not in shut),
        key=lambda plan: plan.date,
    )


def _workouts(page: Page, choice: CalendarChoice, data: CalendarData, week: date) -> list[DeviceWorkout]:
    return [
        _workout_of(page, athlete, plan, owner=choice.full_names.get(athlete.user_id, ""))
        for athlete in data.athletes
        for plan in _plans_to_come(athlete, data.today)
        if week <= plan.date < week + _WEEK
    ]


def _workout_of(
    page: Page, athlete: AthleteCalendar, plan: TrainingPrescription, *, owner: str = ""
) -> DeviceWorkout:
    entry = (athlete.entries or {}).get(plan.id)
    capacities = None
    with suppress(ServiceError):  # targets in percent stay in percent
        capacities = capacities_for(page.client, athlete.user_id, plan, today=page.today)
    return device_workout(plan, entry.text if entry else None, references_of(capacities), owner=owner)


def _week_words(first: date) -> str:
    last = first + _WEEK - timedelta(days=1)
    return f"{first.day} {first:%b} to {last.day} {last:%b %Y}"
