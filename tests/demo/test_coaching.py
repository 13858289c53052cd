"""The week that coach and athlete of the demo have planned: what each key sees, who wrote it, the conflict of an undo."""

from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta

import httpx
import pytest
from orjson import loads

from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.wire.planning import EntryKind, PlanEntry
from coachboard_demo.generate import generate
from coachboard_demo.people import KEYS, Size, user_id
from demo_database import make_demo
from serving import served

TODAY = date(2026, 3, 18)
SIZE = Size(TODAY, athletes=1, years=0.1)
COACH, ATHLETE, _ = KEYS
HIDDEN, PRIVATE = "Test without notice", "Ask about the left knee"


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    folder = tmp_path_factory.mktemp("coaching")
    with closing(Store.open(f"sqlite:///{folder / 'demo.db'}")) as store:
        make_demo(store, SIZE)
        with served(create_app(store, settings=Settings(today=TODAY))) as address:

            def send(path, key=COACH, **body):
                headers = {"Authorization": f"Bearer {key}"}
                method = "POST" if body else "GET"
                return httpx.request(method, address + path, headers=headers, json=body or None, timeout=60)

            yield send


def entries_of(ask, key):
    span = f"from={TODAY}&to={TODAY + timedelta(days=10)}"
    rows = ask(f"/plan/v1/users/{user_id('climber')}/entries?{span}", key).json()
    return [PlanEntry.from_wire(row) for row in rows]


def test_the_week_has_a_draft_a_move_a_skip_a_day_off_and_what_the_athlete_does_not_see(ask):
    entries = entries_of(ask, COACH)
    coach, athlete = ({entry.title: entry for entry in each} for each in (entries, entries_of(ask, ATHLETE)))
    moved = [entry for entry in entries if entry.original_date not in {None, entry.date}]
    skipped = [entry.skipped for entry in entries if entry.skipped]

    assert coach["Race rehearsal on climbs"].is_draft
    assert coach["Race rehearsal on climbs"].prescription.structure is None
    assert coach["Threshold 3 × 12 min"].prescription.structure[-2].steps[0].intensity.min_power > 200
    assert coach["Day off"].note.type == "rest day"
    assert [entry.updated_by.name for entry in moved].count("Aitana Roca") == 1
    assert len(moved) == 2
    assert [(skip.by.name, skip.reason.partition(".")[0]) for skip in skipped] == [
        ("Aitana Roca", "Exam in the evening")
    ]
    assert coach[HIDDEN].visible_from > TODAY
    assert coach[PRIVATE].is_private
    assert set(coach) - set(athlete) >= {HIDDEN, PRIVATE}
    assert "Week of the climbs" in athlete


@pytest.mark.parametrize("kind", ["training-prescriptions", "notes"])
def test_no_list_and_no_history_shows_the_athlete_what_is_hidden(ask, kind):
    listed = ask(f"/users/me/{kind}", ATHLETE)
    history = ask(f"/plan/v1/batches?userId={user_id('climber')}", ATHLETE)

    assert len(listed.json()) > 1
    assert len(history.json()) == 4
    for reply in (listed, history):
        assert HIDDEN not in reply.text
        assert PRIVATE not in reply.text
    assert HIDDEN in ask(f"/plan/v1/batches?userId={user_id('climber')}", COACH).text


def test_to_undo_the_swap_is_a_conflict_that_names_the_workout_of_the_athlete(ask):
    (swap,) = [
        batch
        for batch in ask(f"/plan/v1/batches?userId={user_id('climber')}").json()
        if [change["op"] for change in batch["changes"]] == ["move", "move"]
    ]
    reply = ask(f"/plan/v1/batches/{swap['id']}/undo", COACH, force=False)

    assert reply.status_code == 412
    (row,) = reply.json()["current"]
    assert row["entry"]["updatedBy"]["name"] == "Aitana Roca"


@pytest.mark.parametrize(
    "weekday", [0, 3, 6, *(pytest.param(day, marks=pytest.mark.slow) for day in (1, 2, 4, 5))]
)
def test_each_day_of_the_week_gives_the_same_week_again(tmp_path, weekday):
    size = Size(TODAY + timedelta(days=weekday), athletes=1, years=0.05)
    weeks = []
    for name in ("first", "second"):
        with closing(Store.open(f"sqlite:///{tmp_path / name}.db")) as store:
            generate(store, size)
            with store.reading_plans() as plans:
                history = plans.history(user_id("climber"), 10)
        weeks.append([(stamp, [(c.op, c.before, c.after) for c in changes]) for stamp, changes in history])

    assert weeks[0] == weeks[1]
    assert len(weeks[0]) == 4


@pytest.mark.parametrize(("years", "priority"), [(0.1, "A"), (0.4, "B")])
def test_the_race_ahead_has_the_priority_of_its_title(tmp_path, years, priority):
    with closing(Store.open(f"sqlite:///{tmp_path / 'demo.db'}")) as store:
        make_demo(store, replace(SIZE, years=years))
        with store.reading_plans() as plans:
            rows = plans.between(user_id("climber"), TODAY, TODAY + timedelta(days=150))

    (race,) = [row for row in rows if row.kind is EntryKind.EVENT]
    assert loads(race.body)["name"] == f"Queen stage of the tour ({priority} race)"
    assert race.entry["priority"] == priority


def test_coach_and_athlete_have_new_comments_and_an_answered_thread(ask):
    coach, athlete = (ask("/plan/v1/comments/unread", key).json() for key in (COACH, ATHLETE))
    (answer,) = athlete
    thread = ask(f"/plan/v1/activities/{answer['activityId']}/comments").json()

    assert [(bool(each["entryId"]), each["author"]["name"]) for each in coach] == [
        (False, "Aitana Roca"),
        (True, "Aitana Roca"),
    ]
    assert coach[1]["title"] == "Threshold 3 × 12 min"
    assert [each["author"]["id"] for each in thread] == [user_id("climber"), user_id("coach")]
    assert not any(each["isUnread"] for each in thread)
    assert all(each["createdAt"][:10] <= str(TODAY) for each in (*coach, *thread))
