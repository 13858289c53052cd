"""Formats of files for devices: the choice of one, what it leaves out, and the download of an archive."""

import streamlit as st

from coachboard.ui.frame import formats
from coachboard.ui.frame.text import md
from coachboard.workout_files.formats import FORMATS, WorkoutArchive, WorkoutFormat
from coachboard.workout_files.workout import Losses, loss_words


def pick_format(key: str) -> WorkoutFormat:
    """The format, FIT first."""
    kind = st.segmented_control(
        "Format", list(WorkoutFormat), default=WorkoutFormat.FIT, required=True, key=f"{key}.format", format_func=str.upper
    )  # fmt: skip
    st.caption(f"For {FORMATS[kind].devices}")
    return kind


def draw_archive(archive: WorkoutArchive, name: str, key: str) -> None:
    """Name the workouts that the archive leaves out and the losses, then offer the download."""
    for workout, reason in archive.refused:
        day = workout.label or formats.day(workout.prescription.date)
        st.caption(f"Not in the archive: {md(workout.prescription.title)} ({day}). {md(reason)}")
    if archive.names:
        st.caption(formats.count(len(archive.names), "workout"))
        say_losses(archive.losses)
        st.download_button(
            "Download archive", lambda: archive.content, f"{name}.zip", "application/zip",
            key=f"{key}.download", icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def say_losses(losses: Losses) -> None:
    """The losses of a format, before the download."""
    if not losses:
        st.caption("The file holds the whole workout.")
        return
    st.caption(
        "\n".join(["The format replaces or leaves out:", "", *(f"- {words}" for words in loss_words(losses))])
    )
