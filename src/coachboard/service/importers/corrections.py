"""A person's corrections of a session, which replace the values of the file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from coachboard.models.enums import Sport, SubSport
from coachboard.service.importers.recording import Leg

_TEXTS = ("name", "description")
_FIGURES = ("rpe", "feeling")


def corrected(leg: Leg, corrections: Mapping[str, Any]) -> Leg:
    """The leg with a person's corrections, under the names of the interface; a null removes the file's value."""
    changed: dict[str, Any] = {name: corrections[name] for name in _TEXTS if name in corrections}
    if "sport" in corrections:
        changed["sport"] = None if corrections["sport"] is None else Sport(corrections["sport"])
    if "subSport" in corrections:
        changed["sub_sport"] = None if corrections["subSport"] is None else SubSport(corrections["subSport"])
    figures = dict(leg.figures)
    for name in _FIGURES:
        if name in corrections:
            figures.pop(name, None)
            if corrections[name] is not None:
                figures[name] = float(corrections[name])
    return replace(leg, figures=figures, **changed)
