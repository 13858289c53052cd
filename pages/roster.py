"""The coach's morning page: active flags, all athletes' numbers, the squad's week.

Order: number of active flags, then the chosen view; rows appear as they load.
"""

from coachboard.pages import roster
from coachboard.ui.frame import shell

page = shell.open_page("Roster")
squad = roster.open_squad(page)
choice = roster.pick(page)

roster.draw_squad(page, choice, squad)
