"""A planned workout as a profile over time: a block per step, as high as its target, coloured by intensity."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.execution.structure import FlatStep, References, Target, step_duration_s
from coachboard.pages.workout_outlook import words
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.prescriptions import TrainingPrescription

_RANK = {intensity: rank for rank, intensity in enumerate(palette.INTENSITY_RAMP, 1)}


class ProfileScale(StrEnum):
    """The meaning of a block's height."""

    POWER = "Power (W)"
    HEART_RATE = "Heart rate (bpm)"
    SPEED = "Speed"
    INTENSITY = "Intensity"


@dataclass(frozen=True, slots=True)
class SpeedAxis:
    """An axis of speed: its title, the height of 1 m/s, and pace labels instead of numbers."""

    title: str = "Speed (km/h)"
    per_mps: float = 3.6
    ticks: Sequence[tuple[float, str]] = ()


KMH = SpeedAxis()


def draw_profile(
    page: Page,
    prescription: TrainingPrescription,
    steps: Sequence[FlatStep],
    *,
    free_s: float | None,
    references: References,
) -> None:
    """The profile with a line at the athlete's reference."""
    scale, axis = scale_of(steps), speed_axis(steps, prescription.sport, units=page.units)
    reference = {
        ProfileScale.POWER: references.critical_power_w,
        ProfileScale.HEART_RATE: references.max_heart_rate_bpm,
        ProfileScale.SPEED: references.critical_speed_mps * axis.per_mps
        if references.critical_speed_mps
        else None,
    }.get(scale)
    line = {
        ProfileScale.POWER: "critical power",
        ProfileScale.HEART_RATE: "maximum heart rate",
        ProfileScale.SPEED: "critical speed",
    }
    unrolled = ", repeats expanded" if any(step.repeats for step in steps) else ""
    dotted = f"; dotted line = {line[scale]}" if reference else ""
    draw_chart(
        partial(structure_chart, steps, free_duration_s=free_s, reference=reference, speed_axis=axis),
        key=f"prescription.{prescription.id}",
        says=f"Workout over time, {formats.count(len(steps), 'step')}{unrolled}{dotted}.",
    )


def speed_axis(steps: Sequence[FlatStep], sport: str, *, units: Units) -> SpeedAxis:
    """Speeds in the sport's form and the user's units: paces for running, swimming and rowing."""
    if sport not in formats.PACED_SPORTS:
        return SpeedAxis("Speed (mph)", 3.6 / formats.KM_PER_MILE) if units.is_imperial(sport) else KMH
    per_m, unit = formats.pace_unit(sport, units=units)
    edges = [edge for step in steps for edge in heights(step, ProfileScale.SPEED, per_mps=1.0) if edge]
    ticks = pace_ticks(min(edges), max(edges), per_m) if edges else ()
    return SpeedAxis(f"Pace ({unit})", 1.0, ticks)


def scale_of(steps: Sequence[FlatStep]) -> ProfileScale:
    """The quantity of most targets; the rank of the intensity if no step has a target."""
    counts = {
        ProfileScale.POWER: sum(step.power_w is not None for step in steps),
        ProfileScale.SPEED: sum(step.speed_mps is not None for step in steps),
        ProfileScale.HEART_RATE: sum(step.heart_rate_bpm is not None for step in steps),
    }
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ProfileScale.INTENSITY


def structure_chart(
    steps: Sequence[FlatStep],
    *,
    free_duration_s: float | None = None,
    reference: float | None = None,
    speed_axis: SpeedAxis = KMH,
) -> go.Figure:
    """The profile; `reference` (critical power, maximum heart rate or critical speed) is a dotted line."""
    scale = scale_of(steps)
    figure = go.Figure()
    start = 0.0
    drawn = set[str | None]()
    for step in steps:
        end = start + step_duration_s(step, free_duration_s=free_duration_s)
        low, high = heights(step, scale, per_mps=speed_axis.per_mps)
        _add_block(figure, step, (start, end), (low, high), is_first=step.intensity not in drawn)
        drawn.add(step.intensity)
        start = end
    if reference:
        figure.add_hline(y=reference, line={"color": palette.MUTED.light, "width": 1, "dash": "dot"})
    palette.layout(figure, height=240)
    figure.update_layout(hovermode="closest")
    set_clock_axis(figure, start, title_text="Time", showgrid=False)
    figure.update_yaxes(
        title_text=speed_axis.title if scale is ProfileScale.SPEED else scale.value, rangemode="tozero"
    )
    if scale is ProfileScale.SPEED and speed_axis.ticks:
        figure.update_yaxes(
            tickvals=[tick for tick, _ in speed_axis.ticks], ticktext=[text for _, text in speed_axis.ticks]
        )
    if scale is ProfileScale.INTENSITY:
        figure.update_yaxes(
            tickvals=list(_RANK.values()), ticktext=[str(intensity) for intensity in _RANK], title_text=None
        )
    return figure


def heights(step: FlatStep, scale: ProfileScale, *, per_mps: float = KMH.per_mps) -> tuple[float, float]:
    """Lower and upper edge of a step's target on the scale; an open end equals the other."""
    targets: dict[ProfileScale, tuple[Target | None, float]] = {
        ProfileScale.POWER: (step.power_w, 1.0),
        ProfileScale.HEART_RATE: (step.heart_rate_bpm, 1.0),
        ProfileScale.SPEED: (step.speed_mps, per_mps),
    }
    target, factor = targets.get(scale, (None, 1.0))
    if target is None or target.middle is None:
        rank = (
            float(_RANK.get(step.intensity, 0)) if step.intensity and scale is ProfileScale.INTENSITY else 0.0
        )
        return rank, rank
    low = target.low if target.low is not None else target.middle
    high = target.high if target.high is not None else target.middle
    return low * factor, high * factor


def _add_block(
    figure: go.Figure,
    step: FlatStep,
    span: tuple[float, float],
    edges: tuple[float, float],
    *,
    is_first: bool,
) -> None:
    colour = palette.intensity(step.intensity) if step.intensity else palette.PLANNED.light
    name = str(step.intensity or "no intensity")
    (start, end), (low, high) = span, edges
    shared = {
        "mode": "lines", "legendgroup": name, "hoverinfo": "text", "fill": "toself",
        "fillpattern": {"shape": palette.shape_of(colour), "fillmode": "overlay", "size": 6, "solidity": 0.2, "fgcolor": colour},
    }  # fmt: skip
    # Draws a target range as a lighter part on top: from zero to its lower edge, then to the upper.
    figure.add_scatter(
        x=[start, start, end, end, start],
        y=[0, low, low, 0, 0],
        fillcolor=palette.translucent(colour, 0.45),
        line={"color": colour, "width": 1},
        name=palette.intensity_title(step.intensity) if step.intensity else "No intensity",
        showlegend=is_first,
        text=words(step),
        **shared,
    )
    if high > low:
        figure.add_scatter(
            x=[start, start, end, end, start],
            y=[low, high, high, low, low],
            fillcolor=palette.translucent(colour, 0.22),
            line={"color": colour, "width": 1},
            showlegend=False,
            text=words(step),
            **shared,
        )
