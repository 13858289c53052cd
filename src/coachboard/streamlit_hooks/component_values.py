"""Read a component without values from `st.session_state` without a new class for each read.

Streamlit defines a class at each read of a component. It reads each at the start of a run and twice when it is drawn: 4 KB
a read, which only a full collection frees. Without this hook, a rerun of a session leaves 112 instead of 18 KB.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.components.v2.bidi_component import main
from streamlit.runtime.state.session_state import SessionState


class _NoValues(dict[str, Any]):
    """The values of a component that has sent none: each of them is None. The product does not write to them."""

    def __getattr__(self, name: str) -> None:
        return None


def install() -> None:
    """Wrap the function that presents the values of a component."""
    make_presenter = vars(main)["make_bidi_component_presenter"]
    if not hasattr(make_presenter, "__wrapped__"):
        vars(main)["make_bidi_component_presenter"] = _presenting(make_presenter)


def _presenting(make_presenter: Any) -> Any:
    @wraps(make_presenter)
    def make(aggregator_id: str, *others: Any, **named: Any) -> Callable[[object, SessionState], object]:
        present_values = make_presenter(aggregator_id, *others, **named)

        def present(stored: object, state: SessionState) -> object:
            # The widget `aggregator_id` holds the events of this run; None or an empty list without one.
            if stored != {} or state._new_widget_state.get(aggregator_id):  # noqa: SLF001
                return present_values(stored, state)
            return _NoValues()

        return present

    return make
