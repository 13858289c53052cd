"""The roster page: active flags, all athletes' numbers, the squad's week, planned and delivered stimulus."""

from coachboard.pages.roster.choice import pick
from coachboard.pages.roster.frame import draw_squad, open_squad

__all__ = ["draw_squad", "open_squad", "pick"]
