"""The component that draws a Plotly figure, with the part of Plotly's script that the charts need.

Streamlit's own chart element loads all of Plotly (4.7 MB to fetch and evaluate) and mounts a new chart if the figure
changes. This component loads the "basic" bundle (scatter and bar, 1.2 MB) of the same version and redraws in place.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson
import plotly.graph_objects as go
from plotly.io import to_json

from coachboard.charts.palette import Spec
from coachboard.server import assets
from coachboard.views.frame import state
from coachboard.views.widgets.component import component

_BUNDLE = Path(__file__).with_name("plotly-basic.min.js")
_SCRIPTS = tuple(Path(__file__).with_name(f"{name}.js") for name in ("clock", "keys", "touch"))

Gesture = Literal["box", "point"]
"""Events of a figure: a box drawn along x, or a click on a point."""

Report = dict[str, Any]
"""A box as `{"x": [from, to]}` on the first x axis, a click as `{"curve": int, "point": int}`."""


class Listener(NamedTuple):
    """Called with the event's value; with None after a double click, which clears the selection."""

    gesture: Gesture
    hears: Callable[[Report | None], None]


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


def draw_figure(figure: go.Figure | Spec, *, key: str, alt: str, listener: Listener | None = None) -> None:
    """Draw the figure at its own height and the full width."""
    about = {
        "alt": alt,
        "scripts": [bundle(), *map(assets.address_of, _SCRIPTS)],
        "keys": _KEYS[listener and listener.gesture],
        "config": _CONFIG
        | {"toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name(key)}},
        "height": figure.layout["height"] or 450,
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
        data=orjson.dumps({"about": about, "figure": orjson.Fragment(_sent(figure))}),
        on_reported_change=lambda: _pass_on(key, listener),
        on_themed_change=lambda: None,  # the browser only needs a rerun
    )


def _sent(figure: go.Figure | Spec) -> bytes | str:
    """The figure as JSON; a Plotly figure through its own encoder, once, because the encoder inspects every value."""
    if isinstance(figure, Spec):
        return orjson.dumps(figure._asdict(), option=orjson.OPT_SERIALIZE_NUMPY)
    written: str = to_json(figure, validate=False, engine="orjson")
    return written


def file_name(key: str) -> str:
    """The file name of a figure and its data."""
    return key.replace(".", "-")


def bundle() -> str:
    """The address of Plotly's script."""
    return assets.address_of(_BUNDLE)


def _pass_on(key: str, listener: Listener | None) -> None:
    reported = state.get(key).reported
    if listener is not None and reported is not None:
        listener.hears(reported["chosen"])
