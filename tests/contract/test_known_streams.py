"""Results that the client computed from streams and keeps."""

import squad
from coachboard.client import Client


def test_kept_result_is_known_for_its_version_alone(squad_service, tmp_path):
    """Raising the version of a function makes its kept results unknown."""
    with Client(squad_service, squad.ATHLETE_KEY, cache_url=f"sqlite:///{tmp_path / 'c.db'}") as client:
        client.keep_derived("curve", 1, "act_1", b"old")

        assert client.known_derived_of("curve", 1, ["act_1"]) == {"act_1": b"old"}
        assert client.known_derived_of("curve", 2, ["act_1"]) == {}
