"""The client of the planning API against the real service, and a service without that API."""

import threading
from datetime import date, timedelta

import pytest

import seeded
from coachboard.client import BadRequest, Client, EditConflict, NotFound, Options, Unauthorized, Unreachable
from coachboard.client.errors import Forbidden, RequestConflict
from coachboard.client.planning import MOST_RECENT, PlanConflict
from coachboard.pages import comments
from coachboard.wire.athlete_settings import DayHours, NewAvailability, NewWeekTarget
from coachboard.wire.comments import CommentMail
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.library import LibraryValue, LibraryWorkout
from coachboard.wire.planning import EntryKind, PlanOp, PlanValue
from coachboard.wire.training_plans import (
    AnchoredAthlete,
    ApplyRequest,
    PlanAnchor,
    RollOutRequest,
    TrainingPlanEntry,
    TrainingPlanInput,
)
from faulty_proxy import JSON, Reply, reset, reset_after_arrival, says
from plain_rows import plain
from plain_service import plain_app
from serving import served

DAY = date(2026, 5, 4)


@pytest.fixture
def made(client):
    """The planning client of the coach, with a workout that it has planned."""
    create = client.planning.create(
        seeded.ATHLETE, EntryKind.WORKOUT, date=DAY, title="Hills", sport=Sport.CYCLING
    )
    return client.planning, client.planning.batch([create], source="Test")


def test_entries_are_created_read_moved_and_brought_back(made):
    planning, reply = made
    (entry,) = planning.entries(seeded.ATHLETE, DAY, DAY)
    moved = planning.batch([planning.operation(entry, PlanOp.MOVE, date=date(2026, 5, 6))])
    undone = planning.undo(moved.id)
    history = planning.history(seeded.ATHLETE)

    assert {"entries", "batches", "parse"} <= set(planning.features().features)
    assert (entry.date, entry.title, entry) == (DAY, "Hills", reply.entries[0])
    assert moved.entries[0].original_date == DAY
    assert planning.entry(entry.id).etag == undone.entries[0].etag == entry.etag
    assert [(row.undo_of, row.source) for row in history] == [(moved.id, None), (None, None), (None, "Test")]
    assert planning.parse(seeded.ATHLETE, Sport.CYCLING, "- 1h 60%").duration == 3600


def test_workouts_of_the_library_are_saved_found_changed_and_deleted(client):
    planning = client.planning
    saved = planning.create_workout(LibraryValue(title="Hills", sport=Sport.CYCLING, text="- 1h 60%"))
    found = planning.workouts(words="hill", sport="cycling", shortest_s=3_600, longest_s=3_600)
    shared = planning.change_workout(saved.id, saved.etag, LibraryValue(workspace_id=seeded.SQUAD))

    assert planning.has("library")
    assert found == (saved,)
    assert shared.workspace_id == seeded.SQUAD
    assert len(planning.workouts()) == 31
    with pytest.raises(EditConflict) as conflict:
        planning.change_workout(saved.id, saved.etag, LibraryValue(title="Mine"))
    assert LibraryWorkout.from_wire(conflict.value.current) == shared
    with pytest.raises(BadRequest) as refused:
        planning.change_workout(saved.id, shared.etag, LibraryValue(text="- 25h"))
    assert refused.value.words.startswith("text: Line 1")
    planning.delete_workout(saved.id, shared.etag)
    with pytest.raises(NotFound):
        planning.workout(saved.id)


def test_a_write_shows_in_the_next_read_of_the_interface(connect):
    client = connect(follows_changes=True)
    before = len(client.list_notes(seeded.ATHLETE).value)
    client.planning.batch(
        [client.planning.create(seeded.ATHLETE, EntryKind.NOTE, date=DAY, title="A", type="other")]
    )

    assert len(client.list_notes(seeded.ATHLETE).value) == before + 1


def test_a_calendar_is_asked_for_again_after_a_change_only(connect, proxy, clock):
    client, other = connect(follows_changes=True), connect(seeded.ATHLETE_KEY)
    monday = DAY - timedelta(days=DAY.weekday())

    def read():
        clock.now += 1.0  # the last look at the version counts for half a second
        planning = client.planning
        return (
            planning.entries(seeded.ATHLETE, DAY, DAY),
            planning.week_targets(seeded.ATHLETE, monday, monday),
            planning.availability(seeded.ATHLETE),
        )

    first = read()
    proxy.requests.clear()
    again = read()
    unchanged = [request for request in proxy.requests if "/plan/" in request]
    create = other.planning.create("me", EntryKind.NOTE, date=DAY, title="By the athlete", type="other")
    other.planning.batch([create])
    other.planning.add_availability("me", NewAvailability(date=DAY, weekdays=(DayHours(hours=1),) * 7))
    client.planning.put_target(seeded.ATHLETE, monday, NewWeekTarget(load=300), None)
    (entries, targets, hours) = read()

    assert again == first
    assert unchanged == []
    assert [entry.title for entry in set(entries) - set(first[0])] == ["By the athlete"]
    assert [target.load for target in targets] == [300]
    assert len(hours) == len(first[2]) + 1


def test_a_dry_run_is_no_change_after_which_all_is_asked_for_again(connect, proxy):
    """Each preview of a plan was followed by a look at the service's changes and a read of the groups."""
    planning = connect(follows_changes=True).planning
    value = PlanValue(type=NoteType.REST_DAY, title="Rest")
    day = TrainingPlanEntry(day=1, kind=EntryKind.NOTE, value=value)
    plan = planning.add_plan(TrainingPlanInput(title="A day", days=1, entries=(day,)))
    anchored = AnchoredAthlete(user_id=seeded.ATHLETE, anchor=PlanAnchor(start=DAY))
    create = planning.create(seeded.ATHLETE, EntryKind.NOTE, date=DAY, title="A", type="other")

    def read():
        return planning.groups(), planning.entries(seeded.ATHLETE, DAY, DAY)

    before = read()
    proxy.requests.clear()
    planning.batch([create], dry_run=True)
    planning.apply_plan(plan, ApplyRequest(athletes=(anchored,), dry_run=True))
    planning.roll_out_plan(plan, RollOutRequest(dry_run=True))
    after = read()

    assert after == before
    assert [request.partition(" ")[0] for request in proxy.requests] == ["POST"] * 3


def test_a_plan_from_before_a_write_is_not_read_when_the_look_at_the_version_fails(connect, proxy):
    client = connect(follows_changes=True)
    client.planning.entries(seeded.ATHLETE, DAY, DAY)

    def fail_the_look(exchange):
        is_look = b"/own/v1/changes" in exchange.raw
        exchange.answer(Reply(503, (JSON,), b"{}") if is_look else exchange.ask())

    proxy.always = fail_the_look
    note = client.planning.create(seeded.ATHLETE, EntryKind.NOTE, date=DAY, title="After it", type="other")
    client.planning.batch([note])
    titles = [entry.title for entry in client.planning.entries(seeded.ATHLETE, DAY, DAY)]
    proxy.always = None

    assert "After it" in titles


def late_reply(proxy):
    """The next reply waits: the event that its request has arrived, and the one that lets it through."""
    is_asked, may_arrive = threading.Event(), threading.Event()

    def late(exchange):
        reply = exchange.ask()
        is_asked.set()
        may_arrive.wait(20)
        exchange.answer(reply)

    proxy.faults.append(late)
    return is_asked, may_arrive


def test_a_read_that_began_before_a_write_is_not_the_reply_after_it(connect, proxy):
    client = connect(follows_changes=True)
    client.look_for_changes()
    is_asked, may_arrive = late_reply(proxy)
    before = client.pool.submit(client.planning.entries, seeded.ATHLETE, DAY, DAY)
    assert is_asked.wait(20)
    note = client.planning.create(seeded.ATHLETE, EntryKind.NOTE, date=DAY, title="New", type="other")
    client.planning.batch([note])
    client.look_for_changes()
    may_arrive.set()

    assert [entry.title for entry in before.result()] == []
    assert [entry.title for entry in client.planning.entries(seeded.ATHLETE, DAY, DAY)] == ["New"]


def test_refusals_are_typed(made, connect):
    planning, reply = made
    entry = reply.entries[0]
    update = planning.operation(entry, PlanOp.UPDATE, title="Other")
    with pytest.raises(Forbidden) as forbidden:
        connect(seeded.ATHLETE_KEY).planning.batch([update])
    with pytest.raises(BadRequest) as bad:
        planning.batch([planning.operation(entry, PlanOp.UPDATE, title=" ")])
    now = planning.batch([update], idempotency_key="k").entries[0]
    with pytest.raises(RequestConflict):
        planning.batch([planning.operation(now, PlanOp.DELETE)], idempotency_key="k")
    with pytest.raises(PlanConflict) as stale:
        planning.batch([update])
    with pytest.raises(NotFound):
        planning.entry("tpr_of_nobody")

    assert forbidden.value.text == "This entry is your coach's: you may not update it."
    assert bad.value.text == "title: has no visible character."
    assert [(row.id, row.entry) for row in stale.value.rows] == [(entry.id, now)]
    assert planning.batch([update], idempotency_key="k").entries == (now,)


def test_a_comment_that_is_one_too_many_is_refused_with_its_reason(client, proxy):
    proxy.faults.append(says(409, b'{"code":"conflict","error":"There are 500 comments."}'))
    with pytest.raises(RequestConflict) as refused:
        client.planning.add_comment("More", activity_id="act_1")

    assert "500 comments" in comments.refusal(refused.value)
    assert not refused.value.may_have_arrived


def test_a_batch_with_a_key_whose_reply_was_lost_is_done_once_and_answered(connect, proxy):
    planning = connect().planning
    create = planning.create(seeded.ATHLETE, EntryKind.WORKOUT, date=DAY, title="Hills", sport=Sport.CYCLING)
    proxy.faults.append(reset_after_arrival)
    reply = planning.batch([create], idempotency_key="k")
    proxy.faults.extend([reset_after_arrival, reset])
    with pytest.raises(Unreachable) as lost:
        planning.batch([planning.operation(reply.entries[0], PlanOp.DELETE)], idempotency_key="l")
    proxy.faults.append(reset)
    with pytest.raises(Unreachable):
        planning.batch([create])

    assert [request for request in proxy.requests if request.startswith("POST")] == [
        "POST /api/plan/v1/batches"
    ] * 5
    assert len(planning.history(seeded.ATHLETE)) == 2
    assert lost.value.may_have_arrived


def test_an_undo_whose_reply_was_lost_is_done_once_and_answered(made, connect, proxy):
    reply, planning = made[1], connect().planning
    proxy.faults.append(reset_after_arrival)
    undone = planning.undo(reply.id)
    redone = planning.undo(undone.id)
    proxy.faults.extend([reset_after_arrival, reset_after_arrival])
    with pytest.raises(Unreachable):
        planning.undo(redone.id, idempotency_key="k")
    again = planning.undo(redone.id, idempotency_key="k")

    assert undone.entries == again.entries == (None,)
    assert redone.entries[0].title == "Hills"
    assert [row.undo_of for row in planning.history(seeded.ATHLETE)] == [redone.id, undone.id, reply.id, None]
    with pytest.raises(RequestConflict):
        planning.undo(redone.id, idempotency_key="k", force=True)


def test_another_service_has_no_planning(tmp_path):
    with (
        served(plain_app(plain())) as address,
        Client(address, "key", cache_url=f"sqlite:///{tmp_path / 'cache.db'}", options=Options()) as client,
    ):
        assert client.planning.features() is None


def test_comments_are_written_changed_marked_as_read_and_deleted(made, connect):
    planning, reply = made
    athlete = connect(seeded.ATHLETE_KEY).planning
    entry_id = reply.entries[0].id
    comment = planning.add_comment("Frist", entry_id=entry_id)
    changed = planning.change_comment(comment, "First")
    with pytest.raises(EditConflict) as stale:
        planning.change_comment(comment, "Second")
    (unread,) = athlete.unread_comments()
    athlete.mark_read([unread.id])

    assert planning.has("comments")
    assert (changed.text, stale.value.current["text"], unread.title) == ("First", "First", "Hills")
    assert [row.is_unread for row in athlete.comments(entry_id=entry_id)] == [False]
    assert athlete.unread_comments() == ()
    with pytest.raises(Forbidden):
        athlete.delete_comment(comment.id)
    planning.delete_comment(comment.id)
    assert planning.comments(entry_id=entry_id) == ()
    assert planning.choose_comment_mail(CommentMail.OFF, None) == planning.comment_mail()


def test_comments_are_asked_again_after_a_while_and_after_an_own_change(made, connect, clock):
    coach, reply = made
    entry_id = reply.entries[0].id
    athlete = connect(seeded.ATHLETE_KEY).planning
    assert (coach.comments(entry_id=entry_id), athlete.comments(entry_id=entry_id)) == ((), ())

    own = coach.add_comment("First", entry_id=entry_id)
    assert [row.text for row in coach.comments(entry_id=entry_id)] == ["First"]
    coach.change_comment(own, "Second")
    assert [row.text for row in coach.comments(entry_id=entry_id)] == ["Second"]
    assert athlete.comments(entry_id=entry_id) == ()
    clock.now += 16
    (row,) = athlete.comments(entry_id=entry_id)
    assert (row.text, row.is_unread) == ("Second", True)
    athlete.mark_read([row.id])
    assert [row.is_unread for row in athlete.comments(entry_id=entry_id)] == [False]
    coach.delete_comment(own.id)
    assert coach.comments(entry_id=entry_id) == ()


def test_comments_that_could_not_be_read_are_no_empty_list(made, connect, clock, proxy):
    coach, reply = made
    entry_id = reply.entries[0].id
    proxy.faults.extend([reset] * 10)
    for _ in range(2):
        with pytest.raises(Unreachable):
            coach.comments(entry_id=entry_id)
    proxy.faults.clear()
    clock.now += 16

    assert coach.comments(entry_id=entry_id) == ()
    with pytest.raises(NotFound):
        coach.comments(entry_id="no-such-entry")
    with pytest.raises(NotFound):
        coach.comments(entry_id="no-such-entry")


def test_a_person_who_reads_many_threads_fills_no_memory(client, proxy):
    """A client lives as long as a tab is open: each thread that was ever read stayed."""
    asked = []
    for others in (MOST_RECENT - 1, MOST_RECENT):
        client.planning.unread_comments()
        for number in range(others):
            with pytest.raises(NotFound):
                client.planning.comments(activity_id=f"act_{others}_{number}")
        proxy.requests.clear()
        client.planning.unread_comments()
        asked.append(len(proxy.requests))

    assert asked == [0, 1]


def test_comments_that_were_asked_for_before_an_own_change_are_not_shown_after_it(client, made, proxy):
    coach, reply = made
    entry_id = reply.entries[0].id
    is_asked, may_arrive = late_reply(proxy)
    before = client.pool.submit(coach.comments, entry_id=entry_id)
    assert is_asked.wait(20)
    coach.add_comment("First", entry_id=entry_id)
    may_arrive.set()

    assert before.result() == ()
    assert [row.text for row in coach.comments(entry_id=entry_id)] == ["First"]


def test_comments_are_not_shown_after_the_service_refused_the_key(made, clock, proxy):
    coach, reply = made
    entry_id = reply.entries[0].id
    coach.comments(entry_id=entry_id)
    clock.now += 16
    proxy.always = says(401, b'{"code":"unauthorized","error":"No."}')

    for _ in range(2):
        with pytest.raises(Unauthorized):
            coach.comments(entry_id=entry_id)


def test_comments_are_asked_for_at_once_when_the_user_tries_again(client, made, proxy):
    coach, reply = made
    entry_id = reply.entries[0].id
    proxy.faults.append(reset)
    with pytest.raises(Unreachable):
        coach.comments(entry_id=entry_id)
    proxy.faults.clear()
    client.forget_failures()

    assert coach.comments(entry_id=entry_id) == ()


def test_an_error_that_counts_for_a_while_does_not_grow_with_each_read(made):
    coach, _ = made

    def frames():
        with pytest.raises(NotFound) as refused:
            coach.comments(entry_id="no-such-entry")
        return len(refused.traceback)

    frames()
    assert frames() == frames()


def test_groups_and_unread_comments_stay_while_the_service_fails(made, connect, clock, proxy):
    coach, reply = made
    coach.set_groups(seeded.SQUAD, seeded.ATHLETE, ["Juniors"])
    coach.add_comment("Well done", entry_id=reply.entries[0].id)
    athlete = connect(seeded.ATHLETE_KEY).planning
    before = coach.groups(), athlete.unread_comments()
    clock.now += 20
    proxy.faults.extend([reset] * 20)
    for read in (coach.groups, athlete.unread_comments):
        with pytest.raises(Unreachable):
            read()

    assert all(before)
    assert (coach.groups(), athlete.unread_comments()) == before
    with pytest.raises(Unreachable):
        coach.set_groups(seeded.SQUAD, seeded.ATHLETE, [])
    with pytest.raises(Unreachable):
        coach.groups()
    assert coach.groups() == before[0]
