"""The component that draws a Plotly figure, with the part of Plotly's script that the charts need.

Streamlit's own chart element loads all of Plotly (4.7 MB to fetch and evaluate) and mounts a new chart if the figure
changes. This component loads the "basic" bundle (scatter and bar, 1.2 MB) of the same version and redraws in place.
"""

import pickle
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson
import plotly.graph_objects as go
from plotly.io import to_json

from coachboard.charts import palette
from coachboard.charts.palette import Spec
from coachboard.client.waiting import Memo
from coachboard.server import assets
from coachboard.ui.frame import state
from coachboard.ui.widgets.component import component

_BUNDLE = Path(__file__).with_name("plotly-basic.min.js")
_SCRIPTS = tuple(Path(__file__).with_name(f"{name}.js") for name in ("clock", "keys", "touch"))

Gesture = Literal["box", "point"]
"""Events of a figure: a box drawn along x, or a click on a point."""

Report = dict[str, Any]
"""A box as `{"x": [from, to]}` on the first x axis, a click as `{"curve": int, "point": int}`."""


class Listener(NamedTuple):
    """Called with the event's value; with None after a double click, which clears the selection."""

    gesture: Gesture
    on_change: Callable[[Report | None], None]


_HTML = """<div class="framed"><div class="figure"></div>
<div class="cursor" role="application"></div><p class="spoken" aria-live="polite"></p></div>"""
"""Role "application" passes arrow keys to the script; a screen reader keeps them on any other element.

The cursor takes the focus once the script listens: a key pressed before was lost.
This element is next to the figure because Plotly empties its own element.
"""

_READS = "Values of the chart: arrow keys read them"
_KEYS: dict[Gesture | None, str] = {
    None: _READS,
    "box": f"{_READS}, Shift and arrow keys select",
    "point": f"{_READS}, Enter selects",
}

_CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtonsToRemove": ["lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    # By default Plotly offers to upload the chart to its maker.
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "doubleClick": "reset",
}


Chart = partial[go.Figure | Spec]
"""A function of `coachboard.charts` with its arguments."""

FIGURE_BYTES = 32 * 2**20
"""JSON of figures that stay in memory for all sessions of the process."""


class _Figure(NamedTuple):
    json: bytes
    height: int


_FIGURES: Memo[_Figure] = Memo(FIGURE_BYTES)


def draw_figure(chart: Chart, *, is_dark: bool, key: str, alt: str, listener: Listener | None = None) -> None:
    """Draw the chart at its own height and the full width."""
    figure = figure_of(chart, is_dark=is_dark)
    about = {
        "alt": alt,
        "scripts": [bundle(), *map(assets.address_of, _SCRIPTS)],
        "keys": _KEYS[listener and listener.gesture],
        "config": _CONFIG
        | {"toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name(key)}},
        "height": figure.height,
        "reports": listener and listener.gesture,
    }
    component(
        __package__,
        "figure",
        html=_HTML,
        # Plotly adds its styles to the document's head, which do not apply inside a shadow root.
        isolate_styles=False,
    )(
        key=key,
        data=orjson.dumps({"about": about, "figure": orjson.Fragment(figure.json)}),
        on_reported_change=lambda: _pass_on(key, listener),
        on_themed_change=lambda: None,  # the browser only needs a rerun
    )


def figure_of(chart: Chart, *, is_dark: bool) -> _Figure:
    """The figure that an equal call drew before for the same API key, else a new one.

    Plotly validates each property: building the same figures again took 35 % of the CPU of a rerun of the activity page.
    """
    drawn_by = chart.func.__module__, chart.func.__qualname__
    digest = blake2b(pickle.dumps((chart.args, chart.keywords))).digest()
    key = state.get(state.OF_KEY), drawn_by, digest, is_dark
    figure = _FIGURES.get(key)
    if figure is None:
        made = chart()
        figure = _Figure(_as_json(palette.to_dark(made) if is_dark else made), made.layout["height"] or 450)
        _FIGURES.put(key, figure, len(figure.json))
    return figure


def _as_json(figure: go.Figure | Spec) -> bytes:
    """A Plotly figure goes through its own encoder, once, because the encoder inspects every value."""
    if isinstance(figure, Spec):
        return orjson.dumps(figure._asdict(), option=orjson.OPT_SERIALIZE_NUMPY)
    written: str = to_json(figure, validate=False, engine="orjson")
    return written.encode()


def file_name(key: str) -> str:
    """The file name of a figure and its data."""
    return key.replace(".", "-")


def bundle() -> str:
    """The address of Plotly's script."""
    return assets.address_of(_BUNDLE)


def _pass_on(key: str, listener: Listener | None) -> None:
    reported = state.get(key).reported
    if listener is not None and reported is not None:
        listener.on_change(reported["chosen"])
