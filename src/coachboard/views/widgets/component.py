"""Register the dashboard's own Streamlit components: each package holds a component's script and styles."""

from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

from coachboard.views.frame import state


@cache
def component(package: str, stem: str, *, html: str, isolate_styles: bool = True) -> Any:
    """The component of the package, from its `<stem>.js` and, if present, `<stem>.css`."""
    folder = files(package)
    styles = folder.joinpath(f"{stem}.css")
    return st.components.v2.component(
        f"coachboard_{package.rpartition('.')[2]}",
        html=html,
        css=styles.read_text(encoding="utf-8") if styles.is_file() else None,
        js=folder.joinpath(f"{stem}.js").read_text(encoding="utf-8"),
        isolate_styles=isolate_styles,
    )


def reported(key: str, event: str) -> Any:
    """The value that the component `key` sent with `event`; for its callback. None if the component is gone.

    A run that no longer draws a component deletes the component's state. Streamlit still calls the callback for a
    report that the browser sent during that run, such as the second of two clicks.
    """
    result = state.get(key)
    return None if result is None else result.get(event)
