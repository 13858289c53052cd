"""The roster page: who needs a look, everybody's numbers, the squad's week, intended against delivered."""

from coachboard.views.roster.choice import pick
from coachboard.views.roster.frame import draw_squad, open_squad

__all__ = ["draw_squad", "open_squad", "pick"]
