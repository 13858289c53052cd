"""The planning calendar: plans, sessions and adherence.

Order: days, open day, next events, then adherence, season or week totals, exports.
"""

from coachboard.pages import calendar
from coachboard.ui.frame import shell

page = shell.open_page("Calendar")
choice = calendar.pick(page)
page = page.on_day_of(choice.athletes[0].id)
data = calendar.load(page, choice)

calendar.draw_days(page, choice, data)
calendar.draw_below(page, choice, data)
