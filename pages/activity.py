"""One session: what was done, how hard it was, and whether it was what was planned.

Reading order: headline, legs, effort over time with its parts and route, one analysis at a time, export.
"""

from coachboard.views import activity, shell

page = shell.open_page("Activity")
athlete = activity.pick_athlete(page)
data = activity.open_session(page, athlete)

activity.draw_headline(page, data)
activity.draw_legs(page, data)
activity.draw_effort(page, data)
activity.draw_closer_look(page, data)
