"""The route of a session, and the label of the button that opens it."""

import rides
from coachboard.pages.activity.route import has_route
from session_data import data_of


def test_a_pool_swim_has_no_route():
    """The button offered "laps and route" in a pool."""
    indoors = rides.streams(positionLat=None, positionLong=None)

    assert has_route(data_of(streams=rides.streams()).streams)
    assert not has_route(data_of(streams=indoors).streams)
    assert not has_route(None)
