"""The load that the body's answer is reckoned with is about what the sessions then bring."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest

from coachboard_demo.life import life_of
from coachboard_demo.people import people_of
from coachboard_demo.planning import plan_of
from coachboard_demo.season import weeks_of
from coachboard_demo.size import Size
from coachboard_demo.training import train

DAYS = 119


@pytest.mark.parametrize(
    "key", ["climber", "mountain biker", "marathoner", "ultra", "swimmer", "rower", "triathlete"]
)
def test_reckoned_load_is_that_of_the_sessions(key, today):
    athlete = next(person for person in people_of(Size(today)) if person.key == key)
    first = today - timedelta(days=DAYS)
    weeks = weeks_of(first, today, ())
    diary = train(
        athlete, life_of(athlete, first, today), plan_of(athlete, weeks, (), today=today), (), today=today
    )

    volumes = Counter()
    for each in diary.recorded:
        volumes[each.activity.started_at_local.date()] += each.activity.volume
    weekly = np.arange(0, len(diary.days), 7)
    brought = np.add.reduceat([volumes[day.day] for day in diary.days], weekly)
    reckoned = np.add.reduceat(diary.loads, weekly)

    assert reckoned.sum() == pytest.approx(brought.sum(), rel=0.15)
    assert np.corrcoef(reckoned, brought)[0, 1] > 0.9
