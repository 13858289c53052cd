"""A service that reads rows from a replica: they may be old, who may read them may not."""

from contextlib import ExitStack, closing
from datetime import UTC, datetime

import httpx
import numpy as np
import pytest

from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.streams import ActivityStreams
from databases import DATABASES, empty_database
from seeded import ATHLETE, COACH, COACH_KEY, RIDE, SQUAD, STRANGER, STRANGER_KEY, activity, seed
from serving import served

NEW = "act_new"


@pytest.fixture(params=DATABASES)
def stores(request, tmp_path):
    """The database and a replica that got the first rows and nothing since."""
    with ExitStack() as stack:
        opened = []
        for name in ("primary", "replica"):
            (folder := tmp_path / name).mkdir()
            url = stack.enter_context(empty_database(request.param, folder))
            opened.append(stack.enter_context(closing(Store.open(url))))
            seed(opened[-1])
        yield opened


@pytest.fixture
def ask(stores):
    store, replica = stores
    app = create_app(store, replica=replica)
    with served(app) as address:

        def get(path, key=COACH_KEY):
            return httpx.get(f"{address}{path}", headers={"Authorization": f"Bearer {key}"}, timeout=30)

        yield get
    for part in (app.state.mailer, app.state.worker, app.state.intervals):
        part.close()


def ids(reply):
    return {row["id"] for row in reply.json()}


def test_rows_are_those_of_the_replica_and_no_reply_keeps_old_ones(stores, ask):
    path, row = f"/users/{ATHLETE}/activities", activity(NEW, datetime(2026, 3, 1, 8, tzinfo=UTC))
    before = ids(ask(path))
    stores[0].put_activities(ATHLETE, [row])
    behind = ids(ask(path))
    stores[1].put_activities(ATHLETE, [row])

    assert NEW not in before | behind
    assert NEW in ids(ask(path))


def test_streams_are_those_of_the_replica_and_no_reply_keeps_old_ones(stores, ask):
    path = f"/activities/{RIDE}/streams"
    before = ask(path).json()
    stores[1].put_streams(RIDE, ActivityStreams({"power": np.array([250.0])}))
    after = ask(path).json()
    stores[0].put_streams(RIDE, ActivityStreams({"power": np.array([300.0])}))

    assert before != after == {"power": [250.0]}
    assert ask(path).json() == after


def test_calendars_and_people_are_those_of_the_database(stores, ask):
    store = stores[0]
    store.add_member(SQUAD, STRANGER, WorkspaceRole.ATHLETE)

    assert STRANGER in ids(ask("/users"))
    assert ask(f"/users/{STRANGER}/notes").status_code == 200


def test_a_revoked_key_reads_nothing_though_the_replica_still_has_it(stores, ask):
    path = f"/users/{ATHLETE}/activities"
    assert ask(path).status_code == 200
    for key in stores[0].keys(COACH):
        stores[0].revoke_key(key.id)

    assert ask(path).status_code == 401
    assert ask(f"/activities/{RIDE}/streams").status_code == 401


def test_a_coach_whose_athlete_left_reads_nothing_though_the_replica_still_has_the_member(stores, ask):
    paths = [f"/users/{ATHLETE}/{name}" for name in ("activities", "metrics", "sleeps")]
    paths.append(f"/activities/{RIDE}/streams")
    before = {ask(path).status_code for path in paths}
    for membership in stores[0].memberships_of(ATHLETE):
        stores[0].remove_member(membership.workspace.id, ATHLETE)

    assert before == {200}
    assert {ask(path).status_code for path in paths} == {404}


def test_another_person_reads_nothing(ask):
    assert ask(f"/users/{ATHLETE}/activities", STRANGER_KEY).status_code == 404
    assert ask(f"/activities/{RIDE}/streams", STRANGER_KEY).status_code == 404
