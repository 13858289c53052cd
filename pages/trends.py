"""Body and season: recovery read against the athlete's own normal, metrics, and what the training was made of.

Reading order: what stands out, then one part at a time: load beside the body, nights, metrics, training, relations.
"""

from coachboard.views import shell, trends

page = shell.open_page("Trends")
choice = trends.pick(page)
data = trends.load(page, choice)

trends.draw_summary(page, choice, data)
trends.draw_look(page, choice, data)
