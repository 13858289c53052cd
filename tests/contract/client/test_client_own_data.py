"""The client's own-data methods against the real service, and its cache after changes from elsewhere."""

from contextlib import ExitStack
from datetime import date, timedelta
from io import BytesIO

import pytest

import seeded
from coachboard.client import Client, EditConflict, Options
from coachboard.client.errors import NotFound, RateLimited, UnexpectedStatus
from coachboard.client.planning import PART_S, PlanDecision
from coachboard.client.waiting import waits_reported_to
from coachboard.loaders.import_jobs import UploadedFile, send
from coachboard.service.api import limits
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.importing import Importer
from coachboard.service.store import Store
from coachboard.wire.athlete_settings import NewAthleteValue
from coachboard.wire.enums import MetricSport, WorkspaceRole
from coachboard.wire.metrics import MetricType
from coachboard.wire.own_data import ActivityPatch
from coachboard.wire.planning import PlanOp
from faulty_proxy import held, says
from unit.service.importers.fit_files import activity, at, fit_file, records, session
from waiting import wait_until

RIDE = fit_file(
    *records(900, power=lambda place: 180 + place % 40, heart_rate=lambda place: 130 + place % 20),
    session(total_elapsed_time=900.0, total_timer_time=900.0),
    activity(offset_s=7200),
)


@pytest.fixture
def direct(service, clock, cache_url):
    """Makes clients of the service itself: the proxy reads no body that is sent in pieces."""
    with ExitStack() as stack:

        def direct(key):
            options = Options(today=seeded.TODAY, clock=clock, sleep=clock.sleep, follows_changes=True)
            return stack.enter_context(Client(service, key, cache_url=cache_url, options=options))

        yield direct


@pytest.fixture
def athlete(direct):
    return direct(seeded.ATHLETE_KEY)


def names(client, user_id="me"):
    return {row.name for row in client.list_activities(user_id).value}


def imported(client, data=RIDE):
    own = client.own_data
    job = own.create_import()
    own.send_file(job.id, "rides/a.fit", lambda: [data[:1000], data[1000:]])
    own.start_import(job.id)
    wait_until(lambda: own.get_import(job.id).state == "done", at_most_s=30)
    return own.get_import(job.id)


def test_a_folder_beyond_the_limit_of_a_minute_waits_and_arrives_whole(athlete, clock, monkeypatch):
    monkeypatch.setattr(limits, "PER_KEY_FILES", 2)
    files = [UploadedFile(f"{number}.fit", BytesIO(RIDE)) for number in range(5)]
    for file in files:
        file.content.read(100)
    job = athlete.own_data.get_import(send(athlete, files))

    assert sum(clock.slept) > 0
    wait_until(lambda: athlete.own_data.get_import(job.id).state == "done", at_most_s=30)
    counts = athlete.own_data.get_import(job.id).counts
    assert (counts.imported, counts.known) == (1, 4)


def test_a_file_that_the_service_never_takes_ends_with_its_reason(athlete, monkeypatch):
    monkeypatch.setattr(limits, "PER_KEY_FILES", 0)

    with pytest.raises(RateLimited):
        send(athlete, [UploadedFile("a.fit", BytesIO(RIDE))])


def test_a_dashboard_sees_an_import_of_another_process_with_its_next_read(athlete, direct, clock, store):
    coach = direct(seeded.COACH_KEY)
    before = len(athlete.list_activities("me").value), len(coach.list_activities(seeded.ATHLETE).value)
    other = Store.open(store.url)
    Importer(other, seeded.ATHLETE, today=date(2026, 6, 1)).import_source(SourceFile("a.fit", lambda: RIDE))
    other.close()
    clock.now += 1
    after = len(athlete.list_activities("me").value), len(coach.list_activities(seeded.ATHLETE).value)

    assert after == (before[0] + 1, before[1] + 1)


def test_a_change_while_the_dashboard_was_closed_is_seen(connect, store):
    with connect(key=seeded.ATHLETE_KEY, follows_changes=True) as first:
        first.list_activities("me")
    store.delete_activities(seeded.ATHLETE, [seeded.RIDE])
    again = connect(key=seeded.ATHLETE_KEY, follows_changes=True)

    assert seeded.RIDE not in {row.id for row in again.list_activities("me").value}


@pytest.mark.parametrize("learns", [Client.list_users, lambda coach: coach.list_activities("me")])
def test_an_athlete_who_joins_is_listed_next(direct, clock, store, learns):
    """The list of activities teaches the client the id of its owner, the list of users does not."""
    coach = direct(seeded.COACH_KEY)
    learns(coach)
    before = {user.id for user in coach.list_users().value}
    store.add_member(seeded.SQUAD, seeded.STRANGER, WorkspaceRole.ATHLETE)
    clock.now += 1

    assert {user.id for user in coach.list_users().value} - before == {seeded.STRANGER}


def test_data_of_an_athlete_whom_the_coach_has_lost_leave_the_cache(direct, clock, store):
    """A coach who was removed read the rows of before, as long as they were fresh."""
    coach = direct(seeded.COACH_KEY)
    coach.list_users()
    coach.get_user("me")
    assert coach.list_activities(seeded.ATHLETE).value
    assert coach.list_activities(seeded.OTHER_ATHLETE) is not None
    store.remove_member(seeded.SQUAD, seeded.ATHLETE)
    clock.now += 1
    assert seeded.ATHLETE not in {user.id for user in coach.list_users().value}

    with pytest.raises(NotFound):
        coach.list_activities(seeded.ATHLETE)
    assert coach.list_activities(seeded.OTHER_ATHLETE) is not None


def test_an_import_through_the_client_is_reported_line_by_line(athlete):
    job = imported(athlete)

    assert [(line.name, line.outcome) for line in job.report] == [("rides/a.fit", "imported")]
    assert [row.id for row in athlete.own_data.list_imports()] == [job.id]


def test_two_files_of_one_name_in_one_drop_are_two_sessions(athlete):
    other = fit_file(
        *records(900, first_s=90_000, power=250), session(start_time=at(90_000), total_elapsed_time=900.0)
    )
    job_id = send(athlete, [UploadedFile("ride.fit", BytesIO(data)) for data in (RIDE, other)])
    wait_until(lambda: athlete.own_data.get_import(job_id).state == "done", at_most_s=30)

    lines = athlete.own_data.get_import(job_id).report
    assert [(line.name, line.outcome) for line in lines] == [
        ("ride (2).fit", "imported"),
        ("ride.fit", "imported"),
    ]


def test_a_corrected_name_is_read_at_once(athlete):
    (activity_id,) = imported(athlete).report[0].activity_ids
    seen = athlete.own_data.get_activity(activity_id)
    names(athlete)
    athlete.own_data.correct_activity(activity_id, ActivityPatch(name="Hill repeats"), seen.etag)

    assert "Hill repeats" in names(athlete)


def test_a_second_editor_gets_the_row_as_it_is(athlete):
    (activity_id,) = imported(athlete).report[0].activity_ids
    own, etag = athlete.own_data, athlete.own_data.get_activity(activity_id).etag
    own.correct_activity(activity_id, ActivityPatch(name="Hills"), etag)

    with pytest.raises(EditConflict) as conflict:
        own.delete_activity(activity_id, etag)
    assert conflict.value.current["name"] == "Hills"
    assert not conflict.value.may_have_arrived


def test_streams_are_read_again_after_a_new_critical_power(athlete, clock):
    (activity_id,) = imported(athlete).report[0].activity_ids
    before = athlete.get_streams(activity_id).value
    for kind, value in ((MetricType.CRITICAL_POWER, 190), (MetricType.W_PRIME, 20_000)):
        entered = NewAthleteValue(type=kind, value=value, date=date(2026, 5, 1), sport=MetricSport.CYCLING)
        job = athlete.planning.add_value("me", entered).recompute
        wait_until(lambda job=job: athlete.own_data.get_recomputation(job.id).state == "done", at_most_s=30)
    clock.now += 1
    athlete.list_activities("me")
    after = athlete.get_streams(activity_id).value

    assert after != before
    assert after.columns["wPrimeBalance"].min() < 20_000


def test_the_original_file_is_downloaded(athlete):
    (activity_id,) = imported(athlete).report[0].activity_ids

    assert athlete.own_data.download_file(activity_id) == RIDE


def test_a_service_without_the_api_is_asked_once_in_ten_minutes(connect, proxy, clock):
    client = connect(key=seeded.ATHLETE_KEY, follows_changes=True)
    proxy.faults.append(says(404, b'{"code":"not_found","error":"No such route."}'))
    client.list_activities("me")
    clock.now += 60
    client.list_metrics("me")

    assert [line for line in proxy.requests if "/own/" in line] == ["GET /api/own/v1"]


def test_a_page_hears_that_it_waits_for_the_change_stamp(proxy, connect):
    proxy.always = held
    client = connect(key=seeded.ATHLETE_KEY, follows_changes=True, timeout_s=20)
    heard = []

    def release_the_reply(waiting):
        heard.append(waiting)
        if waiting.seconds_so_far > 0.4:
            proxy.gate.set()

    with waits_reported_to(release_the_reply):
        client.list_users()

    assert heard[0].seconds_left is None
    assert proxy.requests[0] == "GET /api/own/v1"


def test_an_own_data_api_that_fails_is_asked_once_in_ten_seconds(proxy, connect, clock):
    client = connect(key=seeded.ATHLETE_KEY, follows_changes=True)

    def looks():
        return sum("/own/v1" in request for request in proxy.requests)

    def without_own_data(exchange):
        if b"/own/v1" in exchange.raw:
            says(500)(exchange)
        else:
            exchange.answer(exchange.ask())

    proxy.always = without_own_data
    for _ in range(3):
        client.list_users()
        with pytest.raises(UnexpectedStatus):
            client.own_data.features()
        clock.now += 3
    assert looks() == 1
    clock.now += 2
    client.list_users()
    assert looks() == 2
    proxy.always = None
    client.own_data.forget_failure()
    assert client.own_data.features() is not None


def test_decisions_about_workouts_are_read_once_until_a_person_decides(athlete, direct, clock):
    """Not at each rerun of a page; the coach's own change at once, another person's with the next read of a list."""
    coach, plan = direct(seeded.COACH_KEY), direct(seeded.COACH_KEY).planning

    def entry():
        entries = plan.entries(
            seeded.ATHLETE, seeded.TODAY - timedelta(days=60), seeded.TODAY + timedelta(days=60)
        )
        return next(entry for entry in entries if entry.prescription)

    planned = entry()
    coach.list_prescriptions(seeded.ATHLETE)
    assert coach.planning.decisions(seeded.ATHLETE) == frozenset()
    athlete.planning.batch([plan.operation(planned, PlanOp.SKIP, reason="Ill")])
    assert coach.planning.decisions(seeded.ATHLETE) == frozenset()
    clock.now += 1
    coach.list_prescriptions(seeded.ATHLETE)
    assert coach.planning.decisions(seeded.ATHLETE) == {PlanDecision(planned.id, False, "Ill")}
    coach.planning.batch([plan.operation(entry(), PlanOp.UNPAIR)])
    assert coach.planning.decisions(seeded.ATHLETE) == {PlanDecision(planned.id, True, "Ill")}


def test_a_failed_read_and_a_restart_keep_the_decisions_of_before(connect, proxy, clock):
    coach = connect(key=seeded.COACH_KEY)
    entries = coach.planning.entries(seeded.ATHLETE, seeded.TODAY - timedelta(days=60), seeded.TODAY)
    planned = next(entry for entry in entries if entry.prescription)
    coach.planning.batch([coach.planning.operation(planned, PlanOp.SKIP, reason="Ill")])
    before = coach.planning.decisions(seeded.ATHLETE)
    clock.now += PART_S + 1
    proxy.always = says(503)

    assert coach.planning.decisions(seeded.ATHLETE) == before == {PlanDecision(planned.id, False, "Ill")}
    assert connect(key=seeded.COACH_KEY).planning.decisions(seeded.ATHLETE) == before


def test_decisions_do_not_count_against_the_limit_of_the_interface(connect):
    coach = connect(key=seeded.COACH_KEY)
    coach.planning.decisions(seeded.ATHLETE)
    left = coach.requests_left()
    coach.planning.decisions(seeded.OTHER_ATHLETE)

    assert coach.requests_left() == left
