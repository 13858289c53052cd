"""The section "Limits"."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from coachboard.service.api import limits
from coachboard.wire.errors import ErrorBody
from seeded import ATHLETE, ATHLETE_KEY, COACH, COACH_KEY, OTHER_ATHLETE


def statuses(ask, path, times, **more):
    return [ask(path, **more).status_code for _ in range(times)]


def test_a_key_may_ask_300_times_a_minute(ask):
    """ "Limits": all endpoints together; streams count too."""
    allowed = statuses(ask, "/users", 299) + statuses(ask, "/activities/act_ride/streams", 1)
    refused = ask("/users")

    assert set(allowed) == {200}
    assert refused.status_code == 429


def test_a_user_may_be_asked_for_30_times_a_minute(ask):
    """ "Limits": counted over all endpoints with that `userId`, tracked separately for each user."""
    allowed = statuses(ask, f"/users/{ATHLETE}", 15) + statuses(ask, f"/users/{ATHLETE}/notes", 15)
    refused = ask(f"/users/{ATHLETE}/sleeps")

    assert set(allowed) == {200}
    assert (refused.status_code, ErrorBody.from_wire(refused.json()).code) == (429, "rate_limited")
    assert ask(f"/users/{OTHER_ATHLETE}").status_code == 200


def test_me_and_the_own_id_are_one_user(ask):
    """ "Limits": the queried user is the one targeted by the parameter."""
    allowed = statuses(ask, "/users/me", 20) + statuses(ask, f"/users/{COACH}", 10)

    assert set(allowed) == {200}
    assert ask(f"/users/{COACH}").status_code == 429
    assert ask("/users/me/activities").status_code == 429


def test_streams_and_the_list_of_users_count_against_the_key_alone(ask):
    """Limits 1: endpoints without a `userId`."""
    assert statuses(ask, f"/users/{ATHLETE}", 31)[-1] == 429
    assert set(statuses(ask, "/activities/act_ride/streams", 31)) == {200}
    assert set(statuses(ask, "/users", 31)) == {200}


def test_invitations_count_against_the_key_alone(ask):
    """Limits 1."""
    asked = {"email": "limits@example.org", "role": "athlete"}
    replies = statuses(ask, "/workspaces/wke_squad/invitations", 31, method="POST", json=asked)

    assert set(replies) == {200}


def test_files_leave_the_other_requests_for_own_data_their_limit(ask, monkeypatch):
    monkeypatch.setattr(limits, "PER_KEY_FILES", 2)
    job = ask("/own/v1/imports", method="POST", json={}).json()["id"]
    path = f"/own/v1/imports/{job}/files"
    sent = [ask(f"{path}?name={number}.fit", method="PUT", content=b"x") for number in range(3)]

    assert [reply.status_code for reply in sent] == [200, 200, 429]
    assert int(sent[2].headers["Retry-After"]) > 0
    assert ask(f"/own/v1/imports/{job}", method="DELETE").status_code == 200


def test_several_users_in_parallel_are_permitted(ask):
    """Limits 2: the counters of users are independent."""
    paths = [f"/users/{user_id}/activities" for user_id in (ATHLETE, OTHER_ATHLETE, COACH)] * 30
    with ThreadPoolExecutor(8) as pool:
        replies = Counter(pool.map(lambda path: ask(path).status_code, paths))

    assert replies == {200: 90}


def test_in_parallel_too_no_more_than_the_limit_is_answered(ask):
    """ "Limits": exactly 30 of 60 at once."""
    with ThreadPoolExecutor(8) as pool:
        replies = Counter(pool.map(lambda _: ask(f"/users/{ATHLETE}").status_code, range(60)))

    assert replies == {200: 30, 429: 30}


@pytest.mark.parametrize(("into_the_minute_s", "expected"), [(0, "60"), (12.5, "48"), (59.9, "1")])
def test_retry_after_says_when_the_window_ends(ask, service, into_the_minute_s, expected):
    """Limits 3 and "Errors": an integer, seconds until the current window ends."""
    statuses(ask, f"/users/{ATHLETE}", 30)
    service.clock.now += into_the_minute_s
    refused = ask(f"/users/{ATHLETE}")

    assert (refused.status_code, refused.headers["retry-after"]) == (429, expected)


def test_after_retry_after_the_user_may_be_asked_for_again(ask, service):
    """Limits 3."""
    statuses(ask, f"/users/{ATHLETE}", 31)
    service.clock.now += int(ask(f"/users/{ATHLETE}").headers["retry-after"])

    assert ask(f"/users/{ATHLETE}").status_code == 200


def test_keys_do_not_take_from_each_other(ask):
    """ "Limits": each key has its own; so that nobody locks an athlete out, users are counted for each key."""
    assert statuses(ask, f"/users/{ATHLETE}", 31, key=COACH_KEY)[-1] == 429
    assert ask("/users/me", key=ATHLETE_KEY).status_code == 200


def test_the_limit_is_looked_at_before_the_path_and_the_query(ask):
    """Not shown in the document: 429 before 404 and 400; users out of reach count like any other."""
    assert set(statuses(ask, "/users/usr_nobody", 30)) == {404}
    assert ask("/users/usr_nobody").status_code == 429
    assert statuses(ask, f"/users/{ATHLETE}/notes?from=x", 31) == [400] * 30 + [429]


def test_unknown_routes_count_against_the_key(ask):
    """ "Limits": all requests of a key together."""
    assert set(statuses(ask, "/nowhere", 300)) == {404}
    assert ask("/nowhere").status_code == 429
