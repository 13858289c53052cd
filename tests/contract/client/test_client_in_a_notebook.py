"""The client as a notebook uses it: settings of the environment, days as text, rows and frames of results."""

from collections.abc import Sequence

import pytest

import seeded
from coachboard.client import (
    Client,
    CreateWorkspaceInvitation,
    RateLimited,
    ServiceError,
    Unreachable,
    UnreadableResponse,
)
from faulty_proxy import limited, says

ANA = seeded.ATHLETE


def test_a_client_reads_address_and_key_from_the_environment(service, monkeypatch, tmp_path):
    monkeypatch.setenv("COACHBOARD_BASE_URL", service)
    monkeypatch.setenv("COACHBOARD_API_KEY", seeded.COACH_KEY)
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    with Client.from_env() as client:
        assert len(client.list_users()) == 2
    assert {entry.name for entry in tmp_path.iterdir() if entry.is_dir()} <= {"data", "outbox"}


@pytest.mark.parametrize("name", ["COACHBOARD_BASE_URL", "COACHBOARD_API_KEY"])
def test_a_missing_setting_is_named(name, monkeypatch):
    for given in ("COACHBOARD_BASE_URL", "COACHBOARD_API_KEY"):
        monkeypatch.setenv(given, "http://127.0.0.1:1/api")
    monkeypatch.delenv(name)
    with pytest.raises(ValueError, match=f"set {name} in the environment"):
        Client.from_env()


def test_days_may_be_text(client):
    result = client.list_activities(ANA, "2026-03-06", "2026-03-10")

    assert [activity.id for activity in result] == [seeded.RIDE, seeded.EARLY_RIDE]


def test_a_result_is_countable_and_names_its_content(client):
    rides = client.list_activities(ANA, "2026-03-01", "2026-03-31")
    none = client.list_notes(seeded.OTHER_ATHLETE, "2026-03-01", "2026-03-31")

    assert len(rides) == 4
    assert rides.source._models is None  # a count and a description build no models
    assert repr(rides).startswith("<Result 4 x Activity as of 2026-03-")
    assert rides.source._models is None
    assert len(none) == 0
    assert none  # a result without rows is no missing result
    assert repr(none).startswith("<Result empty as of")
    assert repr(client.get_user()).startswith("<Result UserProfile as of")
    assert len(client.get_streams(seeded.RIDE)) == len(client.get_streams(seeded.RIDE).frame)
    with pytest.raises(TypeError, match=r"one UserProfile has no rows; use \.value or \.frame"):
        iter(client.get_user())


def test_a_result_is_a_sequence_of_its_rows(client):
    rides = client.list_activities(ANA, "2026-03-01", "2026-03-31")
    rows = list(rides)

    assert isinstance(rides, Sequence)
    assert (rides[0], rides[-1]) == (rows[0], rows[-1])
    assert rides[1:3] == tuple(rows[1:3])
    assert list(reversed(rides)) == rows[::-1]
    assert rows[2] in rides
    assert rides.index(rows[2]) == 2
    with pytest.raises(IndexError):
        rides[4]
    for single in (client.get_user(), client.get_streams(seeded.RIDE)):
        with pytest.raises(TypeError, match="has no rows"):
            single[0]


@pytest.mark.parametrize("kind", ["activities", "prescriptions", "notes", "events", "metrics", "sleeps"])
def test_an_empty_frame_has_the_columns_of_a_full_one(client, kind):
    read = getattr(client, f"list_{kind}")
    full = read(ANA).frame
    empty = read(ANA, "1990-01-01", "1990-01-02").frame

    assert len(full) > 0
    assert len(empty) == 0
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()


def test_the_empty_frame_of_a_person_without_athletes_has_the_columns_of_a_coach(connect):
    full = connect(seeded.COACH_KEY).list_users().frame
    empty = connect(seeded.ATHLETE_KEY).list_users().frame

    assert (len(full) > 0, len(empty)) == (True, 0)
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()


def test_an_empty_frame_of_streams_has_each_column(client):
    full = client.streams_frame(ANA, "2026-03-01", "2026-03-31")
    empty = client.streams_frame(ANA, "1990-01-01", "1990-01-02")

    assert len(empty) == 0
    assert set(full.columns) <= set(empty.columns)
    assert empty.groupby("activity_id")["power"].mean().empty
    assert empty["timestamp"].dt.tz == full["timestamp"].dt.tz


def test_a_call_after_the_close_fails_without_an_attempt(connect, proxy, clock):
    client = connect()
    rides = client.list_activities(ANA)
    invitation = CreateWorkspaceInvitation(email="a@b.example", role="athlete")
    client.close()
    sent = len(proxy.requests)

    for call in (
        lambda: client.list_activities(ANA),  # cached
        lambda: client.list_notes(ANA),
        client.get_user,
        client.list_users,
        lambda: client.get_streams(seeded.RIDE),
        lambda: client.streams_frame(ANA),
        lambda: client.create_invitation("wke_a", invitation),
    ):
        with pytest.raises(Unreachable, match="the client is closed"):
            call()

    assert len(proxy.requests) == sent
    assert clock.slept == []
    assert rides[0].id  # rows that were read stay


def test_a_wait_for_the_request_limit_is_logged_like_a_retry(client, proxy, caplog):
    client.get_user()
    proxy.faults.append(limited("7"))
    client.list_users()

    (record,) = [line for line in caplog.records if line.getMessage().startswith("waiting")]
    assert record.levelname == "WARNING"
    assert record.getMessage() == "waiting 7.0 s for the service's request limit: GET /users"


def test_the_error_of_a_long_429_has_the_seconds_of_the_service(client, proxy):
    proxy.always = limited("3600")
    with pytest.raises(RateLimited) as caught:
        client.list_users()

    assert (caught.value.retry_after_s, caught.value.wait_s) == (3600, 900)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("http://no-such-host.invalid/api", "no host has the name no-such-host.invalid: check the address"),
        ("http://127.0.0.1:1/api", r"no service listens at http://127.0.0.1:1/api: start it, or check the address"),
        ("{service}/typo", "no service answers here: check the address: Coachboard's own service is at .*/api/typo/api"),
        ("{root}", "no service answers here: check the address: Coachboard's own service is at http://.*[0-9]/api$"),
    ],
)  # fmt: skip
def test_a_wrong_address_is_named(service, address, text, tmp_path):
    url = address.format(service=service, root=service.removesuffix("/api"))
    cache_url = f"sqlite:///{tmp_path}/c.db"
    with Client(url, seeded.COACH_KEY, cache_url=cache_url) as client:
        for call in (client.get_user, client.list_users, lambda: client.list_activities(ANA)):
            with pytest.raises(ServiceError, match=text):
                call()


def test_a_web_page_in_place_of_the_service_is_named(client, proxy):
    proxy.always = says(200, b"<html>Welcome</html>", ("Content-Type", "text/html"))

    with pytest.raises(UnreadableResponse, match="expected JSON, got text/html: check the address"):
        client.get_user()


def test_a_stale_result_says_why(client, proxy, clock):
    client.list_notes(ANA)
    clock.now += 8 * 86_400
    proxy.always = says(503)
    text = repr(client.list_notes(ANA, max_age_s=1))

    assert "stale: " in text
    assert "503" in text


def test_laps_of_all_activities_are_one_frame(client):
    laps = client.list_activities(ANA, "2026-03-01", "2026-03-31").nested("laps")
    written = [(one.id, n) for one in seeded.ACTIVITIES for n, _ in enumerate(one.laps, 1)]

    assert set(zip(laps["activity_id"], laps["number"], strict=True)) == set(written)
    assert set(laps["average_power"]) == {200.0}
    assert set(laps["intensity"]) == {"tempo"}
    assert client.list_activities(seeded.OTHER_ATHLETE).nested("laps").columns.equals(laps.columns)


def test_the_steps_of_workouts_are_one_frame_with_their_repetitions(client):
    steps = client.list_prescriptions(ANA, "2026-03-25", "2026-03-25").nested("structure")

    assert steps["prescription_id"].tolist() == ["tpr_planned"] * 4
    assert steps["number"].tolist() == [1, 2, 3, 4]
    assert steps["label"].tolist() == ["warm up", "active", "rest", "rest"]
    assert steps["repetitions"].tolist() == [1.0, 30.0, 30.0, 3.0]
    assert steps["length"].tolist() == ["free", "duration", "duration", "duration"]
    assert steps["duration"].fillna(-1).tolist() == [-1.0, 30.0, 15.0, 15.0]
    assert steps["distance"].isna().all()
    assert steps["min_power"].tolist() == [150.0, 320.0, 120.0, 120.0]


def test_other_nested_rows_are_refused(client):
    with pytest.raises(ValueError, match="no nested rows 'structure'; activities have laps"):
        client.list_activities(ANA).nested("structure")


def test_the_streams_of_days_are_one_frame_oldest_first(client):
    one = client.get_streams(seeded.RIDE).frame
    frame = client.streams_frame(ANA, "2026-03-01", "2026-03-31")
    ids = frame["activity_id"].drop_duplicates().tolist()

    assert ids == [at for at in (seeded.MADE, seeded.EARLY_RIDE, seeded.RIDE, seeded.LATE_RIDE) if at in ids]
    assert len(frame[frame["activity_id"] == seeded.RIDE]) == len(one)
