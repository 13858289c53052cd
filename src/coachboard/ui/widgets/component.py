"""Register the dashboard's own Streamlit components: each package holds a component's script and styles."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st
from pydantic.alias_generators import to_camel

from coachboard.ui.frame import state


@cache
def component(
    package: str, stem: str, *, html: str, isolate_styles: bool = True, parts: tuple[str, ...] = ()
) -> Any:
    """The component of the package, from its `<stem>.js` and, if present, `<stem>.css`.

    `parts` are scripts that come first, as paths from this package: components can share them.
    """
    folder, widgets = files(package), files(__package__)
    scripts = [*(widgets.joinpath(f"{part}.js") for part in parts), folder.joinpath(f"{stem}.js")]
    styles = folder.joinpath(f"{stem}.css")
    return st.components.v2.component(
        f"coachboard_{package.rpartition('.')[2]}",
        html=html,
        css=styles.read_text(encoding="utf-8") if styles.is_file() else None,
        js="".join(script.read_text(encoding="utf-8") for script in scripts),
        isolate_styles=isolate_styles,
    )


def reported(key: str, event: str) -> Any:
    """The value that the component `key` sent with `event`; for its callback. None if the component is gone.

    A run that no longer draws a component deletes the component's state. Streamlit still calls the callback for a
    report that the browser sent during that run, such as the second of two clicks.
    """
    result = state.get(key)
    return None if result is None else result.get(event)


def pass_on(key: str, event: str, take: Callable[[Mapping[str, Any]], None]) -> None:
    """Call `take` with the object that the component sent with `event`, if there is one."""
    report = reported(key, event)
    if isinstance(report, dict):
        take(report)


def camel(value: Any) -> Any:
    """Data for a script: the fields of objects under camelCase names, at each depth."""
    if isinstance(value, dict):
        return {to_camel(name): camel(item) for name, item in value.items()}
    return [camel(item) for item in value] if isinstance(value, (list, tuple)) else value
