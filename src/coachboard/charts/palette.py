"""Colours with a meaning, the same on every page, and the shared look of all figures.

Charts use the light variant; `to_dark` replaces it by its dark twin when the figure is drawn, so that charts do not
depend on the theme. Therefore each light colour has one meaning.
"""

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from coachboard.wire.enums import LapIntensity, TrainingStimulus
from coachboard.wire.stream_columns import COLUMNS


class Tone(NamedTuple):
    """A colour in the light and in the dark theme."""

    light: str
    dark: str


INK = Tone("#101418", "#e8eaed")
MUTED = Tone("#5d656e", "#a3abb4")
GRID = Tone("#e4e7eb", "#2c3238")
SURFACE = Tone("#ffffff", "#15181c")
RAISED = Tone("#f5f6f8", "#1e2227")
ACCENT = Tone("#0d6470", "#55bccb")
PLANNED = Tone("#7b838c", "#8a929b")
"""Outline of planned sessions; done sessions are filled."""
STALE = Tone("#a9b0b8", "#5b636b")

QUANTITIES = MappingProxyType(
    {
        "power": Tone("#7a3fb8", "#b58be8"),
        "heartRate": Tone("#c2303f", "#f0757e"),
        "speed": Tone("#1f6ec2", "#6db0f2"),
        "cadence": Tone("#ad5a0b", "#eda552"),
        "altitude": Tone("#666d74", "#9ba3ab"),
        "grade": Tone("#71742f", "#b5b96a"),
        "temperature": Tone("#0a7a72", "#4ec4b7"),
        "coreTemperature": Tone("#b23a1f", "#ee8a6d"),
        "skinTemperature": Tone("#9c5b28", "#dda476"),
        "wPrimeBalance": Tone("#866600", "#d9bb45"),
        "torque": Tone("#93457a", "#d68fc0"),
        "intensity": Tone("#8b4a12", "#d99a62"),
        "leftRightBalance": Tone("#4b6b8f", "#94b3d6"),
        "breathing": Tone("#2f7d4f", "#72c994"),
        "dynamics": Tone("#5a55b5", "#a29df0"),
        "fluid": Tone("#17748f", "#62bfdc"),
        "distance": Tone("#3f5d73", "#8fb0c8"),
        "load": Tone("#3b4754", "#b4c0cc"),
        "fitness": Tone("#1a67b8", "#66a9ee"),
        "fatigue": Tone("#b8336a", "#f07fae"),
        "form": Tone("#8a6a10", "#d6b655"),
        "hrv": Tone("#237a57", "#62c79c"),
        "restingHeartRate": Tone("#b93a4a", "#ee808c"),
        "weight": Tone("#55606b", "#a6b1bc"),
        "deep": Tone("#2c3f86", "#7d92e6"),
        "light": Tone("#5d86c9", "#a9c4f2"),
        "rem": Tone("#7f5cc0", "#c1a5f0"),
        "awake": Tone("#c07b2a", "#e9b36f"),
        "noData": Tone("#8e959d", "#70787f"),
        "unphased": Tone("#4b7f9c", "#8cc0dc"),
        "nap": Tone("#2a8c7a", "#63c9b6"),
    }
)
"""A colour for each quantity of the charts."""

_OF_STREAMS = MappingProxyType({column.wire_name: column.colour for column in COLUMNS})

INTENSITY_RAMP = MappingProxyType(
    {
        LapIntensity.RECOVERY: Tone("#b9c4cf", "#8a949e"),
        LapIntensity.AEROBIC: Tone("#6aa5d8", "#74b7ec"),
        LapIntensity.TEMPO: Tone("#2f8f6b", "#23895f"),
        LapIntensity.THRESHOLD: Tone("#e3bf45", "#e6c550"),
        LapIntensity.VO2MAX: Tone("#d9762b", "#dd7c33"),
        LapIntensity.ANAEROBIC: Tone("#b3243a", "#c93a4c"),
        LapIntensity.NEUROMUSCULAR: Tone("#5b2a86", "#9a6fd8"),
    }
)
"""Seven steps from easy to hard; neighbours differ for protan, deutan and tritan viewers."""

STIMULI = MappingProxyType(
    {TrainingStimulus(name): tone for name, tone in INTENSITY_RAMP.items()}
    | {
        TrainingStimulus.LACTATE_CLEARANCE: Tone("#2a667b", "#99dfe3"),
        TrainingStimulus.DURABILITY: Tone("#757893", "#c9cdf9"),
        TrainingStimulus.ACTIVATION: Tone("#425516", "#9eb575"),
        TrainingStimulus.TEST: Tone("#293026", "#e5e7d0"),
        TrainingStimulus.RACE: Tone("#ad2fbd", "#d446a1"),
        TrainingStimulus.HEAT: Tone("#4c1e06", "#d79897"),
    }
)
"""A colour for each training stimulus, in the order of legends: the ramp, then the stimuli without an intensity."""

_PATTERNS: MappingProxyType[LapIntensity | TrainingStimulus, str] = MappingProxyType(
    {
        LapIntensity.RECOVERY: "",
        LapIntensity.AEROBIC: ".",
        LapIntensity.TEMPO: "/",
        LapIntensity.THRESHOLD: "-",
        LapIntensity.VO2MAX: "x",
        LapIntensity.ANAEROBIC: "|",
        LapIntensity.NEUROMUSCULAR: "+",
        TrainingStimulus.LACTATE_CLEARANCE: "\\",
        TrainingStimulus.DURABILITY: "x",
        TrainingStimulus.ACTIVATION: ".",
        TrainingStimulus.TEST: "/",
        TrainingStimulus.RACE: "-",
        TrainingStimulus.HEAT: "|",
    }
)
"""A pattern for each stimulus, for users and printers without colours. Plotly has eight: similar colours differ."""

_SHAPES = MappingProxyType(
    {STIMULI[TrainingStimulus(name)].light: shape for name, shape in _PATTERNS.items()} | {PLANNED.light: "/"}
)


KEY: dict[str, Any] = {"x": 0, "y": 1, "itemclick": False, "itemdoubleclick": False}
"""A legend that only explains: its entries are no switches."""


class State(NamedTuple):
    """A compliance state: colour, icon and word."""

    tone: Tone
    sign: str
    word: str


COMPLIANCE = MappingProxyType(
    {
        "on target": State(Tone("#1e7a4c", "#5cc48f"), "✓", "on target"),
        "off": State(Tone("#8d6708", "#dcb64e"), "Δ", "off"),
        "far off": State(Tone("#b4500f", "#f0975a"), "!", "far off"),
        "missed": State(Tone("#b01f4b", "#f27a9a"), "✕", "missed"),
        "duration only": State(Tone("#616973", "#9fa8b1"), "○", "duration only"),
    }
)
"""The states of a planned session; open plans and unplanned sessions have no colour."""

CATEGORICAL = tuple(
    QUANTITIES[name]
    for name in (
        "speed",
        "cadence",
        "power",
        "temperature",
        "heartRate",
        "wPrimeBalance",
        "hrv",
        "torque",
        "altitude",
        "dynamics",
    )
)
"""Ten, because Plotly uses its own colours with fewer."""

FONT = (
    "Inter, system-ui, Noto Sans, Noto Sans Arabic, Noto Sans Hebrew, Noto Sans CJK SC, PingFang SC, Hiragino Sans, "
    "Microsoft YaHei, Apple Color Emoji, Segoe UI Emoji, Noto Color Emoji, sans-serif"
)
"""As in .streamlit/config.toml: fonts for other scripts and emoji come before the generic family."""


def quantity(name: str) -> str:
    """The colour of a quantity, by its name on the wire or its family's name."""
    return QUANTITIES[_OF_STREAMS.get(name, name)].light


def intensity(name: LapIntensity | str) -> str:
    """The colour of an intensity."""
    return INTENSITY_RAMP[LapIntensity(name)].light


def pattern(colours: Sequence[str]) -> dict[str, Any]:
    """Plotly's pattern for bars of these colours; hatches the darker of two alternating greys.

    Plotly paints each bar in its own colour; without one background it reads the list as a colour, and writes
    "Invalid color specifier" to the console three times for each trace.
    """
    return {
        "shape": [shape_of(colour) for colour in colours],
        "bgcolor": next(iter(colours), SURFACE.light),
        "size": 6,
        "solidity": 0.25,
        "fillmode": "overlay",
    }


def shape_of(colour: str) -> str:
    """The pattern of a bar of this colour."""
    return _SHAPES.get(colour, "")


def intensity_legend(colours: Sequence[str]) -> list[dict[str, Any]]:
    """Traces without data: colour, pattern and name of the intensities among these colours, from easy to hard."""
    return [
        {"type": "bar", "x": [None], "y": [None], "name": name, "showlegend": True, "hoverinfo": "skip",
         "marker": {"color": colour, "pattern": pattern([colour])}}
        for colour, name in intensity_names(colours)
    ]  # fmt: skip


def intensity_names(colours: Sequence[str]) -> list[tuple[str, str]]:
    """The intensities among these colours from easy to hard: colour and name, for a legend.

    Among intensities the grey of a lap without one has a name too, because it looks like recovery.
    """
    intensities = [
        (intensity(name), intensity_title(name)) for name in INTENSITY_RAMP if intensity(name) in colours
    ]
    unknown = [(tone.light, "No intensity") for tone in (STALE, PLANNED) if tone.light in colours]
    return [*intensities, *unknown[:1]] if intensities else []


def intensity_title(name: LapIntensity) -> str:
    """The name of an intensity with a capital: "VO2max"."""
    return {LapIntensity.VO2MAX: "VO2max"}.get(name, str(name).capitalize())


def compliance(name: str) -> str:
    """The colour of a compliance state."""
    return COMPLIANCE[name].tone.light


def translucent(colour: str, alpha: float) -> str:
    """The colour with transparency, for areas and bands."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def layout(figure: go.Figure, *, height: int | None = None) -> go.Figure:
    """The shared look of a figure: few light lines, the page's font, one tooltip over all panels."""
    # As a template it applies to axes that are added later, and costs 0.5 ms; updating each axis costs 18 ms.
    figure.layout.template = _look()
    figure.layout.height = height
    return figure


class Spec(NamedTuple):
    """A figure as plain data: creating and serialising a Plotly object takes a third of a page's run."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]


def figure(traces: list[dict[str, Any]], layout: dict[str, Any], *, height: int) -> Spec:
    """The figure of these traces in the shared look.

    Plotly does not validate the figure here. Each caller has a test in which Plotly does.
    """
    shared = {"template": _sent_look(), "height": height}
    return Spec(traces, shared | layout)


@cache
def _sent_look() -> dict[str, Any]:
    sent: dict[str, Any] = _look().to_plotly_json()
    return sent


@cache
def _look() -> go.layout.Template:
    axis = {
        "gridcolor": GRID.light,
        "linecolor": GRID.light,
        "zerolinecolor": STALE.light,
        "zerolinewidth": 1,
        "tickfont": {"color": MUTED.light},
        "title": {"font": {"color": MUTED.light, "size": 12}},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            # The page's background, so that an exported picture is readable on any background.
            "paper_bgcolor": SURFACE.light,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": [tone.light for tone in CATEGORICAL],
            "font": {"family": FONT, "size": 12, "color": INK.light},
            "margin": {"l": 56, "r": 16, "t": 12, "b": 36},
            "hovermode": "x unified",
            "hoversubplots": "axis",
            "hoverlabel": {
                "bgcolor": RAISED.light,
                "bordercolor": GRID.light,
                "font": {"family": FONT, "size": 12, "color": INK.light},
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"color": INK.light},
            },
            "separators": ".,",
            "modebar": {"color": MUTED.light, "activecolor": ACCENT.light, "bgcolor": "rgba(0,0,0,0)"},
            "xaxis": {**axis, "showgrid": False},
            "yaxis": {**axis, "nticks": 5},
        }
    )


def to_dark(figure: go.Figure | Spec) -> go.Figure | Spec:
    """The figure with every palette colour replaced by its dark twin."""
    if isinstance(figure, Spec):
        return Spec(_exchanged(figure.data), _exchanged(figure.layout))
    # Only colours change in a figure that Plotly has validated.
    return go.Figure(_exchanged(figure.to_plotly_json()), _validate=False)


def tones() -> tuple[Tone, ...]:
    plain = (INK, MUTED, GRID, SURFACE, RAISED, ACCENT, PLANNED, STALE)
    states = tuple(state.tone for state in COMPLIANCE.values())
    return plain + tuple(QUANTITIES.values()) + tuple(STIMULI.values()) + states


def _rgb(colour: str) -> str:
    return translucent(colour, 0).rpartition(",")[0]


_TWINS = MappingProxyType({tone.light: tone.dark for tone in tones()})
_RGB_TWINS = MappingProxyType({_rgb(tone.light): _rgb(tone.dark) for tone in tones()})


def _exchanged(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _exchanged(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_exchanged(value) for value in part]
    if isinstance(part, np.ndarray):
        return _exchanged(part.tolist()) if part.dtype.kind in "OU" else part
    return _exchanged_colour(part) if isinstance(part, str) else part


def _exchanged_colour(text: str) -> str:
    if text.startswith("#"):
        return _TWINS.get(text.lower(), text)
    if text.startswith("rgba("):
        solid, _, alpha = text.rpartition(",")
        return f"{_RGB_TWINS[solid]},{alpha}" if solid in _RGB_TWINS else text
    return text
