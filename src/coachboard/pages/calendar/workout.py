"""A planned workout in full: profile, steps, duration, and whether the athlete can sustain it."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from math import isnan

import pandas as pd
import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.execution.capacities import Capacities, references_of
from coachboard.execution.structure import (
    DEFAULT_FREE_S,
    FlatStep,
    References,
    Target,
    estimated_duration_s,
    step_duration_s,
    unroll,
)
from coachboard.pages import workout_outlook
from coachboard.pages.calendar import device_files
from coachboard.pages.calendar.data import AthleteCalendar
from coachboard.pages.calendar.workout_profile import draw_profile
from coachboard.pages.workout_outlook import capacities_for, outline, words
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, md_lines
from coachboard.ui.widgets import export
from coachboard.wire.prescriptions import TrainingPrescription


@dataclass(frozen=True, slots=True)
class WorkoutSteps:
    """The steps of a planned workout in order, repeats expanded, with their lengths."""

    steps: tuple[FlatStep, ...]
    lengths_s: tuple[float, ...]  # estimated for a distance, assumed for a free step
    total_s: float  # NaN if no step has a length
    free_s: float | None  # of each free step, if the workout states it


def workout_of(prescription: TrainingPrescription, references: References) -> WorkoutSteps:
    """The steps of a workout with a structure."""
    free_s = None if prescription.free_duration is None else float(prescription.free_duration)
    steps = unroll(prescription.structure or (), references)
    return WorkoutSteps(
        tuple(steps),
        tuple(step_duration_s(step, free_duration_s=free_s) for step in steps),
        estimated_duration_s(prescription.structure, free_duration_s=free_s, references=references),
        free_s,
    )


def draw(page: Page, athlete: AthleteCalendar, prescription: TrainingPrescription) -> None:
    """Targets, texts, and the structure with its profile and steps."""
    st.caption(md(" · ".join(facts(prescription, page))))
    if prescription.description:
        st.markdown(md_lines(prescription.description))
    if prescription.comment:
        st.markdown(f"Comment: {md_lines(prescription.comment)}")
    if prescription.structure is None:
        st.caption("This workout has no steps, only the targets above.")
        device_files.draw_file(page, athlete, prescription)
        return
    capacities, references = _values(page, athlete.user_id, prescription)
    workout = workout_of(prescription, references)
    draw_profile(page, prescription, workout.steps, free_s=workout.free_s, references=references)
    _draw_verdict(workout, capacities)
    if prescription.date >= page.today_of(athlete.user_id):
        workout_outlook.draw(page, athlete.user_id, prescription)
    _draw_steps(page, prescription, workout)
    device_files.draw_file(page, athlete, prescription)


def _values(
    page: Page, user_id: str, prescription: TrainingPrescription
) -> tuple[Capacities | None, References]:
    try:
        capacities = capacities_for(page.client, user_id, prescription, today=page.today)
    except ServiceError as error:
        notices.say(error, about="Critical power and maximum heart rate")
        return None, References()
    return capacities, references_of(capacities)


def to_print(page: Page, user_id: str, prescription: TrainingPrescription) -> list[str]:
    """The printed plan: its text, and its steps on one line; plain text."""
    lines = [prescription.description] if prescription.description else []
    if prescription.structure:
        capacities = None
        with suppress(ServiceError):  # leaves out a target in percent without a reference
            capacities = capacities_for(page.client, user_id, prescription, today=page.today)
        steps = outline(
            prescription.structure, references_of(capacities), sport=prescription.sport, units=page.units
        )
        lines.append(f"{steps[:1].upper()}{steps[1:]}")
    return lines


def facts(prescription: TrainingPrescription, page: Page) -> list[str]:
    """Every target of a workout with its unit."""
    stated = [
        f"{prescription.time:%H:%M}" if prescription.time else None,
        f"stimulus {formats.label(prescription.training_stimulus)}"
        if prescription.training_stimulus
        else None,
        formats.duration_hm(prescription.duration),
        formats.distance(prescription.distance, prescription.sport, units=page.units),
        formats.power(prescription.average_power),
        formats.work(prescription.work),
        formats.number(prescription.calories, 0, "kcal"),
        f"{formats.elevation(prescription.elevation_gain, units=page.units, sport=prescription.sport)} gain"
        if prescription.elevation_gain is not None
        else None,
        f"RPE {formats.number(prescription.rpe)} of 10" if prescription.rpe is not None else None,
        formats.number(prescription.carb_intake, 0, "g/h carbohydrate"),
        f"zones by {formats.label(prescription.zones_type).lower()}" if prescription.zones_type else None,
    ]
    return [fact for fact in stated if fact and fact != formats.MISSING]


def _draw_verdict(workout: WorkoutSteps, capacities: Capacities | None) -> None:
    free = sum(step.is_free for step in workout.steps)
    assumed = f", {formats.count(free, 'free step')} counted as {formats.duration_hms(workout.free_s or DEFAULT_FREE_S)} each"
    total = "–" if isnan(workout.total_s) else formats.duration_hms(workout.total_s)
    st.markdown(f"Estimated duration **{total}**{assumed if free else ''}.")
    st.markdown(workout_outlook.verdict(workout.steps, capacities, workout.free_s))


def _draw_steps(page: Page, prescription: TrainingPrescription, workout: WorkoutSteps) -> None:
    steps = workout.steps
    frame = pd.DataFrame(
        {
            "Step": [step.index + 1 for step in steps],
            "Type": [words(step) for step in steps],
            "Intensity": [formats.label(step.intensity) for step in steps],
            "Zone": [step.zone or formats.MISSING for step in steps],
            "Length": [
                workout_outlook.length(step, seconds, prescription.sport, units=page.units)
                for step, seconds in zip(steps, workout.lengths_s, strict=True)
            ],
            "Power": [workout_outlook.between(step.power_w, "W") for step in steps],
            "Heart rate": [workout_outlook.between(step.heart_rate_bpm, "bpm") for step in steps],
            "Pace" if prescription.sport in formats.PACED_SPORTS else "Speed": [
                workout_outlook.speed(step.speed_mps, prescription.sport, units=page.units) for step in steps
            ],
            "Cadence": [workout_outlook.between(step.cadence_rpm, "/min") for step in steps],
        }
    )
    always = ["Step", "Type", "Intensity", "Length"]
    columns = [name for name in frame.columns if name in always or (frame[name] != formats.MISSING).any()]
    st.dataframe(frame[columns], hide_index=True, key=f"prescription.{prescription.id}.steps")
    export.draw_downloads(
        lambda: _step_values(workout), name="workout", key=f"prescription.{prescription.id}.export"
    )


def _step_values(workout: WorkoutSteps) -> pd.DataFrame:
    """The profile's data: start, duration and target range of each step."""
    steps, lengths = workout.steps, workout.lengths_s
    columns: dict[str, object] = {
        "Step": [step.index + 1 for step in steps],
        "Type": [words(step) for step in steps],
        "Intensity": [str(step.intensity or "") for step in steps],
        "Starts (s)": list(accumulate(lengths, initial=0.0))[:-1],
        "Length (s)": lengths,
        "Length (m)": [step.distance_m for step in steps],
    }
    for name, unit, attribute in _TARGETS:
        targets: list[Target | None] = [getattr(step, attribute) for step in steps]
        columns[f"{name} from ({unit})"] = [target.low if target else None for target in targets]
        columns[f"{name} to ({unit})"] = [target.high if target else None for target in targets]
    return pd.DataFrame(columns)


_TARGETS = (
    ("Power", "W", "power_w"),
    ("Heart rate", "bpm", "heart_rate_bpm"),
    ("Speed", "m/s", "speed_mps"),
    ("Cadence", "1/min", "cadence_rpm"),
)
