"""The load of a session in a table."""

from coachboard.execution.adherence import Done
from coachboard.ui.frame import formats
from coachboard.ui.widgets.people_table import Cell


def load_cell(session: Done) -> Cell:
    """The volume, else the computed load with its method below."""
    method = session.load_method
    return Cell(
        formats.number(session.volume), method or "", title=formats.load_source([method] if method else [])
    )
