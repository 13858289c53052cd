"""The client reads the real service with as few requests as the cache allows."""

from datetime import date

import numpy as np
import pytest

import seeded
from coachboard.client import BadRequest, NotFound, Result, Unauthorized
from coachboard.client.frames import columns_of
from coachboard.loaders.done_and_planned import plans_of
from coachboard.wire.activities import Activity
from coachboard.wire.enums import InvitedRole
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import CreateWorkspaceInvitation

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))


def inviting(email):
    return CreateWorkspaceInvitation(email=email, role=InvitedRole.ATHLETE)


def asked(proxy, part=""):
    return [request for request in proxy.requests if part in request and not request.endswith("/users/me")]


def test_plans_are_the_same_from_undecoded_rows_and_from_models(client):
    rows = client.list_prescriptions(ANA)
    models = Result(client.list_prescriptions(ANA).value, rows.as_of)

    assert not isinstance(rows.source, tuple)
    assert [repr(plan) for plan in plans_of(rows, ())] == [repr(plan) for plan in plans_of(models, ())]
    assert plans_of(rows, ())


def test_every_list_gives_the_rows_of_the_service_in_its_order(client):
    """Most recent first; metrics oldest first."""
    assert [row.id for row in client.list_activities(ANA).value] == [
        "act_late",
        "act_ride",
        "act_early",
        "act_made",
        "act_bare",
    ]
    assert [row.id for row in client.list_prescriptions(ANA).value][:1] == ["tpr_planned"]
    assert [row.id for row in client.list_notes(ANA).value] == ["not_shown_today", "not_hidden", "not_open"]
    assert [row.id for row in client.list_events(ANA).value] == ["evt_next", "evt_past"]
    assert client.list_metrics(ANA).value[0].id == "mtr_old"
    assert [row.id for row in client.list_sleeps(ANA).value] == ["slp_11", "slp_10", "slp_9"]


def test_a_read_row_is_the_row_that_was_written(client):
    found = {row.id: row for row in client.list_activities(ANA).value}

    assert found == {row.id: row for row in seeded.ACTIVITIES}


def test_people_and_streams_come_typed(client):
    assert {user.id for user in client.list_users().value} == {seeded.ATHLETE, seeded.OTHER_ATHLETE}
    assert client.get_user().value.workspaces
    assert client.get_user(ANA).value.workspaces is None
    assert client.get_streams(seeded.RIDE).value == seeded.streams()


def test_streams_come_from_the_cache_the_second_time_and_are_the_same(client, proxy):
    first, second = (client.get_streams(seeded.RIDE) for _ in range(2))

    assert first.value == second.value == ActivityStreams.from_json(seeded.streams().to_json())
    assert len(asked(proxy, "streams")) == 1
    assert list(second.frame.columns) == ["timestamp", "power", "heart_rate"]
    assert np.isinf(second.frame["power"][4])


def test_a_frame_has_the_declared_columns_full_or_empty(client):
    names = [column.name for column in columns_of(Activity)]
    full, empty = (
        client.list_activities(ANA, *MARCH).frame,
        client.list_activities(seeded.OTHER_ATHLETE).frame,
    )

    assert list(full.columns) == list(empty.columns) == names
    assert (full.dtypes == empty.dtypes).all()
    assert full["average_power"].tolist() == [200.0] * 4
    assert str(full["started_at"].dtype) == "datetime64[s, UTC]"


def test_a_known_range_is_not_asked_for_again_nor_is_a_narrower_one(client, proxy):
    client.list_activities(ANA, *MARCH)
    client.list_activities(ANA, *MARCH)
    inner = client.list_activities(ANA, date(2026, 3, 10), date(2026, 3, 10))

    assert [row.id for row in inner.value] == ["act_ride", "act_early"]
    assert len(asked(proxy, "activities")) == 1


def test_a_wider_range_asks_for_the_missing_months_alone(client, proxy):
    client.list_metrics(ANA, date(2026, 2, 10), date(2026, 2, 20))
    result = client.list_metrics(ANA, date(2025, 10, 15), date(2026, 3, 20))

    assert {row.id for row in result.value} == {"mtr_old", "mtr_new", "mtr_estimated"}
    assert [request.partition("?")[2] for request in asked(proxy, "metrics")] == [
        "from=2026-02-01&to=2026-02-28",
        "from=2025-10-01&to=2026-01-31",
        "from=2026-03-01&to=2026-03-31",
    ]


def test_rows_without_a_day_come_with_the_open_range_whatever_was_read_before(client):
    client.list_activities(ANA, *MARCH)

    assert "act_bare" in {row.id for row in client.list_activities(ANA).value}
    assert "act_bare" not in {row.id for row in client.list_activities(ANA, *MARCH).value}


def test_an_empty_range_asks_nothing(client, proxy):
    assert client.list_notes(ANA, date(2026, 3, 2), date(2026, 3, 1)).value == ()
    assert not asked(proxy, "notes")


def test_me_and_the_own_id_are_one_list(connect, proxy):
    client = connect(seeded.ATHLETE_KEY)
    client.list_sleeps("me", *MARCH)
    client.list_sleeps(ANA, *MARCH)

    assert [request.split("?")[0] for request in asked(proxy, "sleeps")] == ["GET /api/users/me/sleeps"]


def test_a_refresh_with_the_same_bytes_returns_the_same_value(client, clock, store):
    """The key check fetches the profile every 45 s: pages built everything again that depends on the profile."""

    def read(age_s=None):
        return [client.get_user(ANA, max_age_s=age_s), client.list_users(max_age_s=age_s)]

    before = read()
    clock.now += 46
    for fetched, cached, first in zip(read(0), read(), before, strict=True):
        assert fetched.identity == cached.identity == first.identity
        assert first.as_of < fetched.as_of == cached.as_of

    clock.now += 1
    store.put_metrics(ANA, [seeded.metric("mtr_today", seeded.TODAY, 305.0)])
    fetched, cached = client.get_user(ANA, max_age_s=0), client.get_user(ANA)
    assert fetched.identity == cached.identity != before[0].identity
    assert 305.0 in {metric.value for metric in client.get_user(ANA).value.latest_metrics}


def test_an_old_month_is_shown_at_once_and_refreshed_in_the_background(client, clock, store):
    client.list_activities(ANA, *MARCH)
    store.delete_activities(ANA, [seeded.LATE_RIDE])
    clock.now += 3_600

    shown = client.list_activities(ANA, *MARCH)
    assert (shown.is_stale, len(shown.value)) == (True, 4)
    assert client.is_settled(5)

    refreshed = client.list_activities(ANA, *MARCH)
    assert (refreshed.is_stale, len(refreshed.value)) == (False, 3)
    assert refreshed.as_of > shown.as_of


def test_a_moved_row_is_on_its_new_day_only(client, clock, store):
    client.list_sleeps(ANA, *MARCH)
    store.put_sleeps(ANA, [seeded.sleep("slp_9", date(2026, 3, 18))])
    clock.now += 3_600
    client.list_sleeps(ANA, *MARCH, max_age_s=0)

    assert [row.id for row in client.list_sleeps(ANA, *MARCH).value] == ["slp_9", "slp_11", "slp_10"]


def test_max_age_waits_for_fresh_rows(client, clock, store):
    client.list_notes(ANA, *MARCH)
    clock.now += 10
    store.put_notes(ANA, [seeded.NewNote(seeded.note("not_new", seeded.TODAY), ANA)])

    assert "not_new" not in {row.id for row in client.list_notes(ANA, *MARCH).value}
    assert "not_new" in {row.id for row in client.list_notes(ANA, *MARCH, max_age_s=5).value}


@pytest.mark.parametrize("key", [seeded.STRANGER_KEY, seeded.ATHLETE_KEY])
def test_one_keys_rows_never_answer_another(connect, key):
    """In one cache the coach's rows are known, and still a stranger gets what the service says."""
    connect().list_activities(seeded.OTHER_ATHLETE)

    with pytest.raises(NotFound):
        connect(key).list_activities(seeded.OTHER_ATHLETE)


def test_the_key_is_nowhere_in_the_cache(client, tmp_path):
    client.list_activities(ANA)
    client.keep_derived("curve", 1, "a", b"x")
    client.close()

    for file in tmp_path.glob("store.db*"):
        assert seeded.COACH_KEY.encode() not in file.read_bytes()
    assert seeded.COACH_KEY not in repr(client)


def test_a_key_that_is_not_known_is_unauthorized(connect):
    with pytest.raises(Unauthorized) as caught:
        connect("no-such-key").list_users()

    assert (caught.value.status, caught.value.code, caught.value.path) == (401, "unauthorized", "/users")


def test_cached_data_of_an_athlete_are_deleted_when_the_service_answers_404(client, clock, store):
    """A refresh that says 404 ends the showing of what was known."""
    client.list_activities(ANA, *MARCH)
    for membership in store.memberships_of(ANA):
        store.remove_member(membership.workspace.id, ANA)
    clock.now += 3_600
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(5)

    with pytest.raises(NotFound):
        client.list_activities(ANA, *MARCH)
    with pytest.raises(NotFound):
        client.list_activities(ANA, *MARCH)


def test_streams_that_are_not_there_are_not_asked_for_again_and_again(client, proxy, clock):
    for _ in range(3):
        with pytest.raises(NotFound):
            client.get_streams(seeded.BARE)
    clock.now += 601
    with pytest.raises(NotFound):
        client.get_streams(seeded.BARE)

    assert len(asked(proxy, "streams")) == 2


def test_many_athletes_are_read_at_once_and_a_failure_is_one_of_the_results(client):
    progress = []
    ids = [seeded.ATHLETE, seeded.OTHER_ATHLETE, seeded.STRANGER]

    found = dict(client.pool.each(client.list_activities, ids, on_progress=progress.append))

    assert set(found) == set(ids)
    assert isinstance(found[seeded.STRANGER], NotFound)
    assert len(found[seeded.ATHLETE].value) == 5
    assert (progress[-1].done, progress[-1].total) == (3, 3)


def test_an_id_stays_one_segment_of_the_path(client, proxy):
    with pytest.raises(NotFound):
        client.get_user("../../users?x=/")

    assert proxy.requests[-1].endswith("/users/..%2F..%2Fusers%3Fx%3D%2F")
    with pytest.raises(ValueError, match="not an id"):
        client.get_user("..")


def test_bad_requests_carry_the_services_words(client):
    with pytest.raises(BadRequest) as caught:
        client.create_invitation(seeded.SQUAD, inviting("no-address"))

    assert caught.value.text
    assert not caught.value.may_have_arrived


def test_an_invitation_gives_its_code_and_expiry(client, clock):
    invitation = client.create_invitation(seeded.SQUAD, inviting("new@example.org"))

    assert invitation.code
    assert invitation.expires_at.timestamp() > clock.now


@pytest.mark.parametrize("end", ["20260301", "1 March", "2026-02-30"])
def test_a_text_that_is_no_day_raises(client, end):
    with pytest.raises(ValueError, match=f"expected a date as YYYY-MM-DD, got '{end}'"):
        client.list_notes(seeded.ATHLETE, end)


@pytest.mark.parametrize("end", [20260301, 1.5])
def test_a_day_that_is_no_date_raises(client, end):
    with pytest.raises(TypeError, match=r"expected a datetime\.date, YYYY-MM-DD or None, got"):
        client.list_notes(seeded.ATHLETE, end)
