"""Which part is selected, and selection by row or bar."""

from coachboard.pages.activity import selection
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.session_parts import Parts
from coachboard.ui.frame import state


def selected_row(data: ActivityData, parts: Parts) -> int | None:
    """The part that equals the selection."""
    chosen = selection.current(data)
    if chosen is None:
        return None
    texts = [selection.span_text(stretch.from_s, stretch.to_s) for stretch in parts.stretches]
    return texts.index(chosen.text) if chosen.text in texts else None


def take_row(key: str, parts: Parts) -> None:
    """Select the part of the clicked row; without a row clear the selection."""
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    take(rows[0] if rows else None, parts)


def take(row: int | None, parts: Parts) -> None:
    if row is None or row >= len(parts.stretches):
        selection.clear()
    else:
        selection.choose(parts.stretches[row].from_s, parts.stretches[row].to_s)
