"""Changes of power between two seconds: a cell between a low one and a high one is a bit of both."""

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, Ints, between

_LARGE = 0.3
_WOUND_UP_W = 250.0  # more than that takes some turns of the cranks: 110 to 950 W in ten seconds recorded


def changes_of(cells: Floats) -> tuple[Ints, Floats]:
    """The cells in which power changes to another level, and their seconds: the one level, then the other."""
    leap = np.abs(cells[2:] - cells[:-2])
    large = np.flatnonzero(leap > _LARGE * np.maximum(cells[2:], cells[:-2])) + 1
    before, here, after = cells[large - 1], cells[large], cells[large + 1]
    between_them = (here - before) * (after - here) > 0
    before, here, after = before[between_them], here[between_them], after[between_them]
    still_s = CELL_S * (after - here) / (after - before)
    share = np.clip(still_s[:, None] - np.arange(CELL_S), 0, 1)
    seconds = before[:, None] * share + after[:, None] * (1 - share)
    wound = after - before > _WOUND_UP_W
    if wound.any():
        steps = (after - before)[wound, None] * (np.arange(CELL_S) - (CELL_S - 1) / 2) / (2 * CELL_S)
        seconds[wound] = between(here[wound, None] + steps, 0, after[wound, None])
    return large[between_them], seconds
