"""The sections of the trends page, in the order of the page."""

from coachboard.views.trends.metrics import draw_metrics
from coachboard.views.trends.nights import draw_nights
from coachboard.views.trends.opening import draw_summary, load, pick
from coachboard.views.trends.relations import draw_relations
from coachboard.views.trends.season import draw_load_and_body, draw_performance

__all__ = [
    "draw_load_and_body",
    "draw_metrics",
    "draw_nights",
    "draw_performance",
    "draw_relations",
    "draw_summary",
    "load",
    "pick",
]
