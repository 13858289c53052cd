"""Recovery and season: recovery compared with the athlete's normal range, metrics, and training analysis.

Order: summary, then one section at a time: load and recovery, sleep, metrics, training, correlations.
"""

from coachboard.pages import trends
from coachboard.ui.frame import shell

page = shell.open_page("Trends")
choice = trends.pick(page)
page = page.on_day_of(choice.athlete.id)
data = trends.load(page, choice)

trends.draw_summary(page, choice, data)
trends.draw_look(page, choice, data)
