"""The activity page offers each table as a file whose name identifies the session."""

from datetime import timedelta

import pytest

import rides
import squad
from coachboard.wire.enums import Sport, StrokeType
from drawn import page_test


@pytest.fixture
def signed_in(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", (rides.START.date() + timedelta(days=3)).isoformat())


def drawn(store, activity, streams, **params):
    """The page of a session, all of it drawn."""
    store.put_activities(squad.ANA, [activity])
    store.put_streams(activity.id, streams)
    at = page_test("activity")
    at.query_params.update({"athlete": squad.ANA, "activity": activity.id} | params)
    for part in ("parts", "look"):
        at.session_state[f"activity.{part}.{activity.id}.near"] = True
    at.run()
    assert not at.exception
    return at


def files(*args, **params):
    """The files offered on the page."""
    return offered(drawn(*args, **params))


def offered(at):
    return {
        button.proto.id.split("activity.export.")[-1]
        for button in at.get("download_button")
        if "activity.export." in button.proto.id
    }


def test_the_lengths_by_stroke_are_files_like_every_other_table(squad_store, signed_in):
    lengths = tuple(rides.length(at, at + 20, stroke=StrokeType.FREESTYLE) for at in range(0, 200, 20))
    swim = rides.activity(sport=Sport.SWIMMING, lengths=lengths)

    found = files(squad_store, swim, rides.streams(positionLat=None))
    assert {"strokes.csv", "strokes.parquet", "lengths.csv", "streams.csv"} <= found


@pytest.mark.parametrize(
    ("changes", "formats", "missing"),
    [
        ({}, {"file.gpx", "file.tcx"}, "FIT (only the athlete can download the original)"),
        ({"positionLat": None}, {"file.tcx"}, "GPX (no positions recorded)"),
    ],
)
def test_a_coach_exports_a_session_as_gpx_and_tcx_and_reads_why_another_file_is_missing(
    squad_store, signed_in, changes, formats, missing
):
    at = drawn(squad_store, rides.activity(), rides.streams(**changes))

    assert {name for name in offered(at) if name.startswith("file.")} == formats
    assert any(missing in caption.value for caption in at.caption)


def test_an_athlete_reads_why_a_session_has_no_original(squad_store, dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", rides.START.date().isoformat())
    at = drawn(squad_store, rides.activity(), rides.streams())

    assert "Not available: FIT (no original file)." in [caption.value for caption in at.caption]


def test_the_best_efforts_are_files(squad_store, signed_in):
    found = files(squad_store, rides.activity(), rides.streams(), look="power")

    assert {"bests.csv", "bests.parquet"} <= found


def test_an_athletes_own_page_has_an_address_that_others_can_open(squad_store, dashboard_settings):
    """ "me" is another person for the coach who gets the link."""
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    squad_store.put_activities(squad.ANA, [rides.activity()])
    at = page_test("activity")
    at.query_params.update({"athlete": "me", "activity": "act_1", "day": rides.START.date().isoformat()})
    at.run()

    assert not at.exception
    assert at.query_params["athlete"] == squad.ANA
