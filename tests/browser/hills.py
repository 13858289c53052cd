"""An hour of 5 min laps, easy and hard in turn, and the place of its seconds in a browser's window."""

import numpy as np

import rides
import squad
from coachboard.service.store import Store

LINK = f"activity?athlete={squad.ANA}&activity=act_1&day={rides.START.date()}"
LAP_S, HARD_W, EASY_W = 300, 280.0, 160.0
# From the figure's own axis.
_PIXELS = """(box, seconds) => {
  const axis = box._fullLayout.xaxis;
  const left = box.getBoundingClientRect().left + axis._offset;
  return seconds.map((at) => left + axis.d2p(at));
}"""


def seed(folder):
    """A store in the folder, where a dashboard looks for it."""
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    t = np.arange(3_600)
    power = np.where(t // LAP_S % 2, HARD_W, EASY_W)
    there_and_back = 8 + np.minimum(t, t[::-1]) * 1e-4
    laps = tuple(rides.lap(at, at + LAP_S - 1, power=float(power[at])) for at in range(0, 3_600, LAP_S))
    ride = rides.activity(name="Hills", total_duration=3_600, distance=36_000, laps=laps)
    store.put_activities(squad.ANA, [ride])
    store.put_streams("act_1", rides.streams(3_600, power=power, positionLong=there_and_back))
    store.close()


def panels(page):
    """The stacked panels, the first figure of the page."""
    return page.locator('.figure[aria-label^="Over "]')


def pixels(page, *seconds, of=None):
    """Where these seconds of the session lie in the window on this chart or the panels, from the window's left edge."""
    return (of or panels(page)).evaluate(_PIXELS, list(seconds))
