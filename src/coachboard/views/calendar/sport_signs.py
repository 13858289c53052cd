"""An icon for each family of sports, next to a name in a dense grid; never instead of a word."""

from collections.abc import Mapping
from types import MappingProxyType

from coachboard.models.enums import Sport

OTHER = "other"
SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "bike": "M1 10.5a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0M9.4 10.5a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0"
        "M3.8 10.5l2.7-5h4.2l1.5 5M6.5 5.5l2 5h-4.7M10.7 5.5l-.9-2.5h1.7",
        "run": "M9.2 2.6a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.8 5.5l-2.2 4 3 2-1 3.5"
        "M6.6 9.5l-1 2.5-3 .5M8.8 5.5l-3.3.8-1.2 2M8.8 5.5l1.8 2.3 2.4.2",
        "swim": "M11 5.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M3 8.5l3.5-4 3.5 4"
        "M1.5 11c1.1-1 2.2-1 3.3 0s2.2 1 3.3 0 2.2-1 3.3 0 2.2 1 3.3 0"
        "M1.5 14c1.1-1 2.2-1 3.3 0s2.2 1 3.3 0 2.2-1 3.3 0 2.2 1 3.3 0",
        "strength": "M1.5 6.5v3M3.8 4.5v7M12.2 4.5v7M14.5 6.5v3M3.8 8h8.4",
        "ski": "M8.7 2.8a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.5 5.5l-2.5 3 3 2-1 3.5M8.5 5.5l3 2.5"
        "M12.5 7l-2 7M1.5 14.5h12.5",
        "row": "M1.5 10.5h13c-1 2-2.5 3-4.5 3h-4c-2 0-3.5-1-4.5-3zM4 3.5l8 10M5.5 7.5l3-3",
        "walk": "M7.2 2.6a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.2 5.5v4.5l-2 4.5M8.2 10l2 4.5"
        "M8.2 5.5l-2.7 3M8.2 5.5l2.8 2.5",
        "several": "M2 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M10 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M6 8h4",
        OTHER: "M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    }
)
"""SVG paths in a 16 × 16 box, stroked, not filled."""

_FAMILIES: Mapping[Sport, str] = MappingProxyType(
    {
        Sport.CYCLING: "bike",
        Sport.E_BIKING: "bike",
        Sport.RUNNING: "run",
        Sport.SWIMMING: "swim",
        Sport.TRAINING: "strength",
        Sport.FITNESS_EQUIPMENT: "strength",
        Sport.HIIT: "strength",
        Sport.MOBILITY: "strength",
        Sport.CROSS_COUNTRY_SKIING: "ski",
        Sport.ALPINE_SKIING: "ski",
        Sport.ROWING: "row",
        Sport.KAYAKING: "row",
        Sport.CANOEING: "row",
        Sport.PADDLING: "row",
        Sport.WALKING: "walk",
        Sport.HIKING: "walk",
        Sport.MOUNTAINEERING: "walk",
        Sport.SNOWSHOEING: "walk",
        Sport.MULTISPORT: "several",
        Sport.TRANSITION: "several",
    }
)


def family(sport: Sport | None) -> str:
    """The key of a sport's icon."""
    return _FAMILIES.get(sport, OTHER) if sport is not None else OTHER
