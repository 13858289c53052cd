"""Streams of the cache, and streams that the client fetches in the background."""

import rides
import squad
from coachboard.client import Client


def test_streams_are_known_once_they_were_fetched_in_the_background(squad_store, squad_service, tmp_path):
    """Without a request nothing is known; asked for, the streams arrive and stay."""
    squad_store.put_activities(squad.ANA, [rides.activity()])
    squad_store.put_streams("act_1", rides.streams())
    with Client(squad_service, squad.ATHLETE_KEY, cache_url=f"sqlite:///{tmp_path / 'c.db'}") as client:
        before = client.known_streams("act_1")
        client.fetch_streams_soon("act_1")
        is_settled = client.is_settled(10)
        after = client.known_streams("act_1")

    assert before is None
    assert is_settled
    assert after is not None
    assert after.value == rides.streams()


def test_streams_that_do_not_exist_stay_unknown(squad_service, tmp_path):
    """A background fetch that fails is nobody's error."""
    with Client(squad_service, squad.ATHLETE_KEY, cache_url=f"sqlite:///{tmp_path / 'c.db'}") as client:
        client.fetch_streams_soon("act_nowhere")
        is_settled = client.is_settled(10)

        assert is_settled
        assert client.known_streams("act_nowhere") is None


def test_kept_result_is_known_for_its_version_alone(squad_service, tmp_path):
    """Raising the version of a function makes its kept results unknown."""
    with Client(squad_service, squad.ATHLETE_KEY, cache_url=f"sqlite:///{tmp_path / 'c.db'}") as client:
        client.derived("curve", 1, "act_1", lambda: b"old")

        assert client.known_derived("curve", 1, "act_1") == b"old"
        assert client.known_derived("curve", 2, "act_1") is None
