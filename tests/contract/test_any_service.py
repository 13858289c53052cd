"""Rules for every service of the interface: uses one key and writes nothing.

Runs against the seeded service, and with `--base-url` against the one given there.
"""

from datetime import date, timedelta

import pytest

from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.errors import ErrorBody
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import User, UserProfile

RANGED = {
    "activities": Activity,
    "training-prescriptions": TrainingPrescription,
    "notes": Note,
    "events": Event,
    "metrics": Metric,
    "sleeps": Sleep,
}
PATHS = (
    "/users",
    "/users/me",
    *(f"/users/me/{name}" for name in RANGED),
    "/activities/act_ride/streams",
)


def refused(reply, status, code):
    """Hold a reply to the two-field body."""
    body = ErrorBody.from_wire(reply.json())
    return (reply.status_code, body.code) == (status, code) and bool(body.error)


DAY_FIELD = {"activities": "startedAtLocal", "sleeps": "day"}


def day_of(name, row):
    """The day on which the document files a row; None where an activity has no local start."""
    text = row[DAY_FIELD.get(name, "date")]
    return date.fromisoformat(text[:10]) if text else None


@pytest.fixture
def readable(ask_anybody):
    """Whom the key may read: its owner and up to two athletes."""
    return ["me", *(row["id"] for row in ask_anybody("/users").json()[:2])]


@pytest.mark.parametrize("path", PATHS)
def test_every_reading_endpoint_without_a_key_gives_401(ask_anybody, path):
    """Authentication 1 and 4: all endpoints require a key; a missing one yields 401 `unauthorized`."""
    assert refused(ask_anybody(path, authorization=None), 401, "unauthorized")


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer unknown", "Basic dW5rbm93bjo=", "Bearer two words", "Bearer " + "x" * 5_000],
)
def test_a_malformed_or_unknown_key_gives_401(ask_anybody, header):
    """Authentication 4."""
    assert refused(ask_anybody("/users/me", authorization=header), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/users/usr_nobody", "/users/me/activities?from=yesterday"])
def test_a_request_without_a_key_gives_401_before_any_other_fault(ask_anybody, path):
    """Authentication 4."""
    assert ask_anybody(path, authorization=None).status_code == 401


def test_me_and_the_own_id_are_one_user(ask_anybody):
    """Authentication 2, and rule 2: the own profile holds the workspaces."""
    by_me = ask_anybody("/users/me").json()

    assert UserProfile.from_wire(by_me).workspaces is not None
    assert ask_anybody(f"/users/{by_me['id']}").json() == by_me


def test_listed_users_are_readable_and_show_no_workspaces(ask_anybody):
    """Rules 1 and 2."""
    listed = ask_anybody("/users").json()
    own_id = ask_anybody("/users/me").json()["id"]

    for user in [User.from_wire(row) for row in listed][:3]:
        profile = ask_anybody(f"/users/{user.id}").json()
        assert UserProfile.from_wire(profile).id == user.id
        assert user.id == own_id or "workspaces" not in profile


@pytest.mark.parametrize("name", RANGED)
def test_every_row_of_a_list_is_of_the_document_and_in_its_range(ask_anybody, readable, name):
    """Rules 3 and 5 to 9: both ends belong to the range, and rows come by day."""
    for user_id in readable:
        rows = ask_anybody(f"/users/{user_id}/{name}").json()
        for row in rows:
            RANGED[name].from_wire(row)
        dated = {row["id"]: day_of(name, row) for row in rows if day_of(name, row)}
        days = list(dated.values())
        if not days:
            continue
        some = days[len(days) // 2]
        within = ask_anybody(f"/users/{user_id}/{name}?from={some}&to={some}").json()
        after = ask_anybody(f"/users/{user_id}/{name}?from={some + timedelta(days=1)}").json()
        found = [row["id"] for row in within if row["id"] in dated]
        assert found == [row_id for row_id, day in dated.items() if day == some]
        found = {row["id"] for row in after if row["id"] in dated}
        assert found == {row_id for row_id, day in dated.items() if day > some}
        if name != "metrics":  # of which the document leaves the order open
            assert days == sorted(days, reverse=True)


def test_streams_are_columns_of_one_length(ask_anybody, readable):
    """Rule 4: of an activity that has none, 404."""
    for user_id in readable:
        for row in ask_anybody(f"/users/{user_id}/activities").json()[:3]:
            reply = ask_anybody(f"/activities/{row['id']}/streams")
            if reply.status_code == 404:
                assert refused(reply, 404, "not_found")
                continue
            columns = ActivityStreams.from_json(reply.content).columns.values()
            assert len({len(values) for values in columns}) == 1


@pytest.mark.parametrize("name", RANGED)
@pytest.mark.parametrize("end", ["from", "to"])
def test_a_malformed_date_gives_400(ask_anybody, name, end):
    """ "Endpoints": a malformed `from` or `to` value is rejected with 400 `bad_request`."""
    assert refused(ask_anybody(f"/users/me/{name}?{end}=2026-3-1"), 400, "bad_request")


@pytest.mark.parametrize(
    "path", ["/users/usr_nobody", *(f"/users/usr_nobody/{n}" for n in RANGED), "/activities/act_none/streams"]
)
def test_an_unknown_path_or_id_gives_404(ask_anybody, path):
    """Rules 2 to 9."""
    assert refused(ask_anybody(path), 404, "not_found")
