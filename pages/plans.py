"""Plans of several weeks: made from weeks of a calendar, kept, and applied to many athletes.

Order: the form of a new plan, or the list; of an open plan its weeks and their files for devices, the form that applies it, the athletes who have it, or
its title and sharing.
"""

from coachboard.pages import plans
from coachboard.ui.frame import shell

page = shell.open_page("Plans")
plans.require(page)

plans.draw_saving(page)
plan = plans.pick(page)
view = plans.pick_view()
if view == "weeks":
    plans.draw_weeks(page, plan)
    plans.draw_files(page, plan)
if view == "apply":
    plans.draw_applying(page, plan)
if view == "athletes":
    plans.draw_athletes(page, plan)
if view == "settings":
    plans.draw_settings(page, plan)
