"""Components of our own, each made of the script and the styles that lie in its package."""

from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st


@cache
def component(package: str, stem: str, *, html: str, isolate_styles: bool = True) -> Any:
    """The component of that package, from its `<stem>.js` and, where there is one, `<stem>.css`."""
    folder = files(package)
    styles = folder.joinpath(f"{stem}.css")
    return st.components.v2.component(
        f"coachboard_{package.rpartition('.')[2]}",
        html=html,
        css=styles.read_text(encoding="utf-8") if styles.is_file() else None,
        js=folder.joinpath(f"{stem}.js").read_text(encoding="utf-8"),
        isolate_styles=isolate_styles,
    )
