"""The client as a notebook uses it: settings of the environment, days as text, rows and frames of results."""

import pytest

import seeded
from coachboard.client import Client
from faulty_proxy import says

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
    assert client.streams_frame(seeded.OTHER_ATHLETE).columns.tolist() == ["activity_id"]
