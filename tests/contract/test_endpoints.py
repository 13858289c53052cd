"""The section "Endpoints", rules 1 to 9, and the order and range of each list."""

import orjson
import pytest
import zstandard

from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import User, UserProfile
from seeded import ADMIN_KEY, ATHLETE, ATHLETE_KEY, COACH, COACH_KEY, OTHER_ATHLETE, STRANGER_KEY, streams

RANGED = {
    "activities": Activity,
    "training-prescriptions": TrainingPrescription,
    "notes": Note,
    "events": Event,
    "metrics": Metric,
    "sleeps": Sleep,
}


def ids(reply):
    assert reply.status_code == 200, reply.text
    return [row["id"] for row in reply.json()]


def test_users_are_the_athletes_of_workspaces_that_the_caller_leads(ask):
    """Rule 1; ordered by last name, which the document leaves open."""
    reply = ask("/users")

    assert [User.from_wire(row).id for row in reply.json()] == [OTHER_ATHLETE, ATHLETE]


def test_an_admin_lists_athletes_too_and_the_coach_where_they_are_athlete(ask):
    """Rule 1: it is the role in that workspace that counts."""
    assert ids(ask("/users", key=ADMIN_KEY)) == [ATHLETE, COACH]


@pytest.mark.parametrize("key", [ATHLETE_KEY, STRANGER_KEY])
def test_a_user_without_athletes_lists_no_users(ask, key):
    """Rule 1."""
    assert ask("/users", key=key).json() == []


def test_listed_ids_are_valid_elsewhere(ask):
    """Rule 1: the returned ids are valid as `userId`."""
    for user_id in ids(ask("/users")):
        assert UserProfile.from_wire(ask(f"/users/{user_id}").json()).id == user_id


def test_only_the_callers_own_profile_lists_workspaces(ask):
    """Rule 2: by `me` and by the own id alike."""
    by_me, by_id = ask("/users/me").json(), ask(f"/users/{COACH}").json()

    assert by_me == by_id
    assert by_me["workspaces"] == [
        {"id": "wke_club", "name": "Club", "slug": "club", "role": "athlete"},
        {"id": "wke_squad", "name": "Squad", "slug": "squad", "role": "coach"},
    ]
    assert "workspaces" not in ask(f"/users/{ATHLETE}").json()


def test_latest_metrics_hold_one_value_for_each_sport_and_type(ask):
    """ "UserProfile": the latest value; on one day the measured one comes before the estimate."""
    profile = UserProfile.from_wire(ask(f"/users/{ATHLETE}").json())

    assert [(row.type, row.sport, row.value, row.source) for row in profile.latest_metrics] == [
        ("critical power", "cycling", 290, "user")
    ]


@pytest.mark.parametrize("tail", ["", *(f"/{name}" for name in RANGED)])
def test_users_who_do_not_exist_and_users_out_of_reach_answer_alike(ask, tail):
    """Rules 2, 3 and 5 to 9: 404, with the same body, so that nobody learns who exists."""
    absent, hidden = ask(f"/users/usr_nobody{tail}"), ask(f"/users/usr_stranger{tail}")

    assert (absent.status_code, hidden.status_code) == (404, 404)
    assert absent.json() == hidden.json()
    assert absent.json()["code"] == "not_found"


def test_activities_come_most_recent_first(ask):
    """Rule 3; one without a start comes last."""
    reply = ask(f"/users/{ATHLETE}/activities")

    assert ids(reply) == ["act_late", "act_ride", "act_early", "act_made", "act_bare"]
    assert [Activity.from_wire(row).to_wire() for row in reply.json()] == reply.json()


def test_the_range_of_activities_is_of_local_dates(ask):
    """Rule 3: the early ride starts on the 9th in UTC and on the 10th on its own clock."""
    on_the_10th = ask(f"/users/{ATHLETE}/activities?from=2026-03-10&to=2026-03-10")
    on_the_9th = ask(f"/users/{ATHLETE}/activities?from=2026-03-09&to=2026-03-09")

    assert ids(on_the_10th) == ["act_ride", "act_early"]
    assert ids(on_the_9th) == []


@pytest.mark.parametrize("encoding", ["zstd", "gzip", "identity"])
@pytest.mark.parametrize("activity", ["act_ride", "act_strangers"])
def test_streams_come_whole_in_every_encoding(ask, activity, encoding):
    """Rule 4 and "ActivityStreams": gaps, infinities and the word NaN are kept."""
    key = COACH_KEY if activity == "act_ride" else STRANGER_KEY
    reply = ask(f"/activities/{activity}/streams", key=key, headers={"Accept-Encoding": encoding})

    assert reply.headers.get("content-encoding", "identity") == encoding
    assert ActivityStreams.from_json(reply.content) == streams()
    assert reply.json()["power"][2:7] == [200, None, "Infinity", "NaN", 200]


def test_streams_are_sent_as_they_lie_where_zstd_is_accepted(ask, service):
    """Rule 4; the bytes of the store are the bytes on the wire."""
    headers = {"Authorization": f"Bearer {COACH_KEY}", "Accept-Encoding": "gzip, zstd"}
    with service.client.stream("GET", "/activities/act_ride/streams", headers=headers) as reply:
        sent = b"".join(reply.iter_raw())

    assert sent == service.store.streams("act_ride").body
    assert orjson.loads(zstandard.decompress(sent)) == orjson.loads(streams().to_json())


def test_streams_made_on_demand_are_kept(ask, service):
    """Rule 4: how streams come to be is the service's affair."""
    first, second = ask("/activities/act_made/streams"), ask("/activities/act_made/streams")

    assert first.json() == second.json() == {"power": [0, 1, 2, 3, 4, 5, 6]}
    assert service.store.streams("act_made").body is not None


@pytest.mark.parametrize("activity", ["act_nowhere", "act_strangers", "act_late", "a b", "x" * 2_000])
def test_streams_that_are_absent_or_out_of_reach_answer_alike(ask, activity):
    """Rule 4: 404 for an activity that does not exist, is not accessible or has no streams."""
    reply = ask(f"/activities/{activity}/streams")

    assert reply.status_code == 404
    assert reply.json() == ask("/activities/act_nobody/streams").json()


def test_prescriptions_come_most_recent_first(ask):
    """Rule 5; within a day by time."""
    reply = ask(f"/users/{ATHLETE}/training-prescriptions")

    assert ids(reply) == ["tpr_planned", "tpr_evening", "tpr_morning", "tpr_first"]
    assert [TrainingPrescription.from_wire(row).to_wire() for row in reply.json()] == reply.json()


def test_notes_hidden_until_a_future_date_reach_their_creator_alone(ask):
    """Rule 6 and "Note": on the day itself the note is shown."""
    assert ids(ask("/users/me/notes", key=ATHLETE_KEY)) == ["not_shown_today", "not_open"]
    assert ids(ask(f"/users/{ATHLETE}/notes", key=ADMIN_KEY)) == ["not_shown_today", "not_open"]
    assert ids(ask(f"/users/{ATHLETE}/notes")) == ["not_shown_today", "not_hidden", "not_open"]


def test_events_come_most_recent_first(ask):
    """Rule 7."""
    assert ids(ask(f"/users/{ATHLETE}/events")) == ["evt_next", "evt_past"]


def test_metrics_come_oldest_first_and_whole(ask):
    """Rule 8 leaves the direction open."""
    assert ids(ask(f"/users/{ATHLETE}/metrics")) == ["mtr_old", "mtr_estimated", "mtr_new"]


def test_sleeps_come_most_recent_first(ask):
    """Rule 9."""
    assert ids(ask(f"/users/{ATHLETE}/sleeps")) == ["slp_11", "slp_10", "slp_9"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("training-prescriptions", ["tpr_evening", "tpr_morning"]),
        ("notes", ["not_open"]),
        ("events", []),
        ("metrics", ["mtr_estimated", "mtr_new"]),
        ("sleeps", ["slp_10"]),
    ],
)
def test_both_ends_of_a_range_are_inclusive(ask, kind, expected):
    """ "Endpoints": `from` and `to` are the inclusive start and end."""
    assert ids(ask(f"/users/{ATHLETE}/{kind}?from=2026-03-10&to=2026-03-10")) == expected


def test_either_end_of_a_range_may_be_left_open(ask):
    """ "Endpoints": both are optional."""
    assert ids(ask(f"/users/{ATHLETE}/sleeps?from=2026-03-10")) == ["slp_11", "slp_10"]
    assert ids(ask(f"/users/{ATHLETE}/sleeps?to=2026-03-10")) == ["slp_10", "slp_9"]


def test_a_range_that_ends_before_it_starts_is_empty(ask):
    """Not shown in the document; it is no error."""
    assert ids(ask(f"/users/{ATHLETE}/sleeps?from=2026-03-11&to=2026-03-10")) == []


@pytest.mark.parametrize("model", RANGED.items(), ids=RANGED)
def test_a_user_without_rows_gets_an_empty_list(ask, model):
    """Rules 3 and 5 to 9."""
    assert ids(ask(f"/users/{OTHER_ATHLETE}/{model[0]}")) == []


def test_changed_rows_show_with_the_next_request(ask, service):
    """Remembered replies never outlive a change."""
    before = ids(ask("/users/usr_ben/activities"))
    ride = service.store.activities_of(ATHLETE, None, None)[0].model_copy(update={"id": "act_ben"})
    service.store.put_activities(OTHER_ATHLETE, [ride])
    between = ids(ask("/users/usr_ben/activities"))
    service.store.delete_activities(OTHER_ATHLETE, ["act_ben"])

    assert (before, between, ids(ask("/users/usr_ben/activities"))) == ([], ["act_ben"], [])
