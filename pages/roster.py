"""The coach's morning: who needs a word today and why, everybody's numbers, the squad's week.

Reading order: how many need a look, then the view that was chosen; rows fill in as they are read.
"""

from coachboard.views import roster, shell

page = shell.open_page("Roster")
squad = roster.open_squad(page)
choice = roster.pick(page)

roster.draw_squad(page, choice, squad)
