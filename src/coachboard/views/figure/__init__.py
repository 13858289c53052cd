"""The component that draws a Plotly figure, with the part of Plotly's script that our charts need.

Streamlit's own chart element loads all of Plotly (4.7 MB to fetch and evaluate) and mounts the chart anew where its
figure changes. Ours loads the "basic" bundle (scatter and bar, 1.2 MB) of the same version and redraws in place; a
figure that stands in a page's first window may be still, drawn without Plotly until somebody comes to it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson
import plotly.graph_objects as go
from plotly.io import to_json

from coachboard.charts.palette import Spec
from coachboard.launch import assets
from coachboard.views import state
from coachboard.views.component import component

_BUNDLE = Path(__file__).with_name("plotly-basic.min.js")
_STILL = Path(__file__).with_name("still.js")
_SCRIPTS = tuple(Path(__file__).with_name(f"{name}.js") for name in ("clock", "keys", "touch"))

Gesture = Literal["box", "point"]
"""What a figure reports: a box drawn along x, or a click on a point."""

Report = dict[str, Any]
"""A box as `{"x": [from, to]}` on the first x axis, a click as `{"curve": int, "point": int}`."""


class Listener(NamedTuple):
    """Who hears of a gesture; None where the reader took the choice back by a double click."""

    gesture: Gesture
    hears: Callable[[Report | None], None]


_HTML = """<div class="framed"><div class="figure"></div>
<div class="cursor" role="application" tabindex="0"></div><p class="spoken" aria-live="polite"></p></div>"""
"""The arrow keys go to an element of role application: on any other a screen reader keeps them for itself.

It lies beside the figure, as Plotly empties the element that it draws into.
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
    """Draw the figure at its own height, as wide as there is room."""
    about = {
        "alt": alt,
        "scripts": [bundle(), *map(assets.address_of, _SCRIPTS)],
        "keys": _KEYS[listener and listener.gesture],
        "config": _CONFIG
        | {"toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name(key)}},
        "height": figure.layout["height"] or 450,
        "reports": listener and listener.gesture,
        "still": assets.address_of(_STILL) if (figure.layout["meta"] or {}).get("still") else None,
    }
    component(
        __package__,
        "figure",
        html=_HTML,
        # Plotly puts its styles into the document's head, where a shadow root would not see them.
        isolate_styles=False,
    )(
        key=key,
        data=orjson.dumps({"about": about, "figure": orjson.Fragment(_sent(figure))}),
        on_reported_change=lambda: _pass_on(key, listener),
        on_themed_change=lambda: None,  # to be run anew is all it asks for
    )


def _sent(figure: go.Figure | Spec) -> bytes | str:
    """Serialised once; of Plotly's own object by its own encoder, which looks at every value."""
    if isinstance(figure, Spec):
        return orjson.dumps(figure._asdict(), option=orjson.OPT_SERIALIZE_NUMPY)
    written: str = to_json(figure, validate=False, engine="orjson")
    return written


def file_name(key: str) -> str:
    """What a figure and its data are called as files: which chart of what."""
    return key.replace(".", "-")


def bundle() -> str:
    """The address of the script that draws."""
    return assets.address_of(_BUNDLE)


def _pass_on(key: str, listener: Listener | None) -> None:
    reported = state.get(key).reported
    if listener is not None and reported is not None:
        listener.hears(reported["chosen"])
