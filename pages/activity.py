"""One session: what the athlete did, how hard it was, and how well it matched the plan.

Order: headline, missing load, corrections, legs, comments, streams with parts and route, one analysis at a time, export.
"""

from coachboard.pages import activity
from coachboard.ui.frame import shell

page = shell.open_page("Activity")
athlete = activity.pick_athlete(page)
data = activity.open_session(page, athlete)
page = page.on_day_of(athlete.id)

activity.draw_headline(page, data)
activity.draw_missing_load(page, data)
activity.draw_corrections(page, data)
activity.draw_legs(page, data)
activity.draw_comments(page, data)
activity.draw_streams_section(page, data)
activity.draw_analyses(page, data)
