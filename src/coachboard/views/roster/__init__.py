"""The roster page: active flags, all athletes' numbers, the squad's week, planned and delivered stimulus."""

from coachboard.views.roster.choice import pick
from coachboard.views.roster.frame import draw_squad, open_squad

__all__ = ["draw_squad", "open_squad", "pick"]
