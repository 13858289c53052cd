"""Parts as selections: which of them is selected, and selecting one by its row or its bar."""

from coachboard.loaders.activity import ActivityData
from coachboard.loaders.session_parts import Parts
from coachboard.views import state
from coachboard.views.activity import selection


def selected_row(data: ActivityData, parts: Parts) -> int | None:
    """The part that the selection covers exactly."""
    chosen = selection.current(data)
    if chosen is None:
        return None
    texts = [selection.span_text(stretch.from_s, stretch.to_s) for stretch in parts.stretches]
    return texts.index(chosen.text) if chosen.text in texts else None


def take_row(key: str, parts: Parts) -> None:
    """Select the part of the row chosen in a table; without one nothing is selected any more."""
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    take(rows[0] if rows else None, parts)


def take(row: int | None, parts: Parts) -> None:
    if row is None or row >= len(parts.stretches):
        selection.clear()
    else:
        selection.choose(parts.stretches[row].from_s, parts.stretches[row].to_s)
