"""The planning calendar: what is planned, what was done, and what became of the plan.

Reading order: the days, what is open, the events ahead, then adherence, season or week totals, exports.
"""

from coachboard.views import calendar, calendar_season, shell

page = shell.open_page("Calendar")
choice = calendar.pick(page)
data = calendar.load(page, choice)

calendar.draw_days(page, choice, data)
calendar_season.draw_below(page, choice, data)
