"""Rules of the interface that hold for every activity of the squad."""

import orjson
import pytest

from coachboard.service.store.rows import RowKind
from coachboard.wire.activities import Activity
from coachboard.wire.enums import Sport, SubSport


@pytest.fixture(scope="module")
def activities(demo_store):
    """Every activity of every athlete."""
    bodies = [
        body for user in demo_store.users() for body in demo_store.row_bodies(RowKind.ACTIVITIES, user.id)
    ]
    return [Activity.from_wire(orjson.loads(body)) for body in bodies]


def test_only_rides_have_laps_and_climbs_and_only_pool_swims_have_lengths(activities):
    assert [
        one.id
        for one in activities
        if ((one.laps or one.climbs) and one.sport is not Sport.CYCLING)
        or (one.lengths and (one.sport, one.sub_sport) != (Sport.SWIMMING, SubSport.LAP_SWIMMING))
    ] == []
    assert any(one.laps for one in activities)
    assert any(one.climbs for one in activities)
    assert any(one.lengths for one in activities)


def test_parts_lie_within_their_session_and_name_samples_in_order(activities):
    parts = [part for one in activities for part in (*one.laps, *one.climbs, *one.lengths)]

    assert all(part.started_at_index <= part.ended_at_index for part in parts)
    assert all(
        part.started_at <= part.ended_at
        for part in (*parts, *(p for one in activities for p in one.provider_laps))
    )
