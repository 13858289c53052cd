"""The reply cache: replies of two services after changes that one of them makes, and its bounds."""

from contextlib import ExitStack
from datetime import UTC, date, datetime, time
from itertools import product

import httpx
import pytest

from coachboard import monitoring
from coachboard.service.api import reply_cache
from coachboard.service.api.app import create_app
from coachboard.service.store import ActivityChange, NewUser, StreamRecipe
from coachboard.service.store.keys import digest_of
from coachboard.wire.enums import WorkspaceRole
from seeded import (
    ATHLETE,
    ATHLETE_KEY,
    COACH,
    COACH_KEY,
    MADE,
    OTHER_ATHLETE,
    RIDE,
    SQUAD,
    STRANGER,
    STRANGER_KEY,
    TODAY,
    activity,
    make_streams,
    metric,
    seed,
    streams,
)
from serving import served

DAY = date(2026, 3, 20)


@pytest.fixture
def ask(store):
    """Ask each of two services on one database; their replies are equal."""
    seed(store)
    apps = [create_app(store, stream_makers={"test": make_streams}, clock=lambda: 600.0) for _ in range(2)]
    with ExitStack() as stack:
        addresses = [stack.enter_context(served(app)) for app in apps]

        def _ask(path, key=COACH_KEY):
            headers = {"Authorization": f"Bearer {key}"}
            replies = [httpx.get(f"{address}{path}", headers=headers) for address in addresses * 2]
            assert len({(reply.status_code, reply.content) for reply in replies}) == 1
            return replies[0]

        yield _ask


def revoke(store):
    store.revoke_key(store.caller(digest_of(COACH_KEY)).key_id)


CHANGES = {
    "a value": (
        "/users/usr_ana/metrics",
        lambda store: store.put_metrics(ATHLETE, [metric("mtr_9", DAY, 9)]),
    ),
    "a value in the profile": (
        "/users/usr_ana",
        lambda store: store.put_metrics(ATHLETE, [metric("mtr_9", DAY, 9)]),
    ),
    "a session that is deleted": (
        "/users/usr_ana/activities",
        lambda store: store.delete_activities(ATHLETE, [RIDE]),
    ),
    "streams of a session that is deleted": (
        f"/activities/{RIDE}/streams",
        lambda store: store.delete_activities(ATHLETE, [RIDE]),
    ),
    "streams": (f"/activities/{MADE}/streams", lambda store: store.put_streams(MADE, streams())),
    "a recipe": (
        f"/activities/{RIDE}/streams",
        lambda store: (
            store.delete_activities(ATHLETE, [RIDE]),
            store.put_activities(ATHLETE, [activity(RIDE, datetime(2026, 3, 10, 8, tzinfo=UTC))]),
            store.put_recipes(ATHLETE, [StreamRecipe(RIDE, "test", b"9")]),
        ),
    ),
    "a name": ("/users", lambda store: store.add_user(NewUser(id=ATHLETE, first_name="Anna"))),
    "an athlete who is removed": ("/users", lambda store: store.remove_user(ATHLETE)),
    "an athlete who leaves": ("/users/usr_ana", lambda store: store.remove_member(SQUAD, ATHLETE)),
    "an athlete who comes": (
        "/users",
        lambda store: store.add_member(SQUAD, STRANGER, WorkspaceRole.ATHLETE),
    ),
    "a coach who becomes an athlete": (
        f"/activities/{RIDE}/streams",
        lambda store: store.add_member(SQUAD, COACH, WorkspaceRole.ATHLETE),
    ),
    "a workspace with another name": (
        "/users/me",
        lambda store: store.add_workspace("Team", "squad", id=SQUAD),
    ),
    "a key that is revoked": ("/users/usr_ana/metrics", revoke),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_in_the_next_reply_of_every_service(store, ask, name):
    path, change = CHANGES[name]
    before = ask(path)
    change(store)

    assert ask(path).content != before.content


def test_a_person_who_is_added_again_gets_no_reply_of_before(store, ask):
    path = "/users/me/metrics"
    for value in (1, 2):
        store.add_user(NewUser(id=STRANGER))
        store.put_metrics(STRANGER, [metric("mtr_9", DAY, value)])
        key = STRANGER_KEY if value == 1 else store.add_key(STRANGER, label="again")
        assert [row["value"] for row in ask(path, key).json()] == [value]
        store.remove_user(STRANGER)


def hits():
    """The cached replies that were sent in this process: `ask` asks each of two services twice."""
    return sum(int(line.split()[-1]) for line in monitoring.REPLY_CACHE.lines() if '"hit"' in line)


def hits_of(ask, path):
    before = hits()
    ask(path)
    return hits() - before


def test_replies_about_a_person_stay_while_another_one_changes(store, ask):
    paths, keys = (f"/users/{ATHLETE}/metrics", f"/activities/{RIDE}/streams"), (ATHLETE_KEY, COACH_KEY)
    asked = list(product(paths, keys))
    for path, key in asked:
        ask(path, key)
        ask(path, key)
    before = hits()
    store.put_metrics(STRANGER, [metric("mtr_9", DAY, 9)])
    for path, key in asked:
        ask(path, key)

    assert hits() == before + 16


VALUES = f"/users/{ATHLETE}/metrics"


def length_of(reply):
    return int(reply.headers["content-length"])


def test_the_second_reply_with_an_athletes_streams_is_cached(ask):
    assert hits_of(ask, f"/activities/{RIDE}/streams") == 2


def test_large_replies_are_not_cached(ask, monkeypatch):
    length = length_of(ask(VALUES))
    for most, expected in ((length, 4), (length - 1, 0)):
        monkeypatch.setattr(reply_cache, "_MOST_REPLY_BYTES", most)
        path = f"{VALUES}?from=2000-01-{most % 28 + 1:02}"
        assert length_of(ask(path)) == length
        assert hits_of(ask, path) == expected


def test_when_replies_take_too_much_room_all_are_dropped(ask, monkeypatch):
    monkeypatch.setattr(reply_cache, "_MOST_BYTES", 2 * length_of(ask(VALUES)))
    second, third = (f"{VALUES}?from=2000-01-0{day}" for day in (1, 2))
    ask(second)
    ask(third)

    assert [hits_of(ask, path) for path in (third, VALUES, third)] == [4, 2, 4]


def test_a_reply_that_is_cached_again_takes_its_room_once(store, ask, monkeypatch):
    other = f"/users/{OTHER_ATHLETE}/metrics"
    monkeypatch.setattr(reply_cache, "_MOST_BYTES", length_of(ask(other)) + length_of(ask(VALUES)) + 200)
    for value in (1, 2, 3, 4):
        store.put_metrics(ATHLETE, [metric("mtr_9", DAY, value)])
        ask(VALUES)

    assert hits_of(ask, other) == 4


@pytest.fixture
def notes_at_midnight(store):
    """The ids of the athlete's notes on the day before one of them becomes visible, and on that day.

    The day of the service ends while it answers the first request, and it answers another one first.
    """
    seed(store)
    headers = {"Authorization": f"Bearer {ATHLETE_KEY}"}
    now = evening = datetime.combine(TODAY, time(23), UTC).timestamp()

    async def end_of_day(*_):
        nonlocal now
        if now == evening:
            now += 2 * 3_600
            async with httpx.AsyncClient(headers=headers) as client:
                await client.get(f"{address}/users/me")

    app = create_app(store, clock=lambda: now, until_written=end_of_day)
    with served(app) as address:
        replies = [httpx.get(f"{address}/users/me/notes", headers=headers) for _ in range(2)]
    return [{row["id"] for row in reply.json()} for reply in replies]


def test_a_note_is_in_the_next_reply_on_the_day_it_becomes_visible(notes_at_midnight):
    before, after = notes_at_midnight

    assert after - before == {"not_hidden"}


@pytest.mark.parametrize("person", ["garmin", "stranger"])
def test_a_session_whose_id_looks_as_if_it_named_another_person_is_read_and_deleted(store, ask, person):
    """Schema 0018 had ids of other programs, such as these; the service's own ids name the person in this form."""
    row_id = f"act_{person}-0123456789abcdef0123"
    store.put_activities(ATHLETE, [activity(row_id, datetime(2026, 3, 10, 8, tzinfo=UTC))])
    store.put_streams(row_id, streams())
    sent = ask(f"/activities/{row_id}/streams")
    store.delete_activities(ATHLETE, [row_id])

    assert sent.status_code == 200
    assert row_id not in {row["id"] for row in ask(f"/users/{ATHLETE}/activities").json()}
    assert ask(f"/activities/{row_id}/streams").status_code == 404


def test_a_session_never_has_the_streams_of_another_persons_session_with_its_id(store, ask):
    """The athlete deleted the session; the coach may not read the other person."""
    seen = store.own_activity(ATHLETE, RIDE)
    store.put_together(ActivityChange(seen, None, {"deleted_at": datetime(2026, 3, 11, tzinfo=UTC)}))
    store.put_activities(STRANGER, [activity(RIDE, datetime(2026, 3, 10, 8, tzinfo=UTC))])
    store.put_recipes(STRANGER, [StreamRecipe(RIDE, "test", b"7")])

    assert ask(f"/activities/{RIDE}/streams").status_code == 404
