"""Best efforts of a year, computed in the background: curves are stored, streams are not."""

import threading
import time
from datetime import timedelta

import numpy as np
import pytest

import faulty_proxy as faults
import seeded
from coachboard.client import ServiceError, Unauthorized
from coachboard.client.pacing import KEY_LIMIT, Policy
from coachboard.formulas.session.mean_maximal import DURATIONS, mean_maximal
from coachboard.loaders import power_curves
from coachboard.loaders.power_curves import KIND, VERSION, best_of_ids, fill_year
from coachboard.ui.frame import shell, syncing
from running import wait_until

RIDES = (seeded.LATE_RIDE, seeded.RIDE, seeded.EARLY_RIDE, seeded.MADE)
"""Of the year, newest first; the first and the third have no streams."""


def never():
    return False


def fails_for(part):
    """Answers 500 to requests with that text, and passes on all others."""

    def fault(exchange):
        if part.encode() in exchange.raw:
            faults.says(500, b"{}")(exchange)
        else:
            exchange.answer(exchange.ask())

    return fault


def streams_asked(proxy):
    return [request.split("/")[-2] for request in proxy.requests if "streams" in request]


def fill(client, *, today=seeded.TODAY):
    fill_year(client, never, today=today)


def test_each_session_of_the_year_has_its_curve_afterwards_and_no_streams_are_stored(client, proxy):
    fill(client)
    known = client.known_derived_of(f"{KIND} power", VERSION, RIDES)

    assert set(known) == {seeded.RIDE, seeded.MADE}
    expected = mean_maximal(seeded.streams().columns["power"])
    assert np.frombuffer(known[seeded.RIDE])[DURATIONS.index(60)] == expected[DURATIONS.index(60)]
    assert streams_asked(proxy) == list(RIDES)
    assert [client.known_streams(ride) for ride in RIDES] == [None] * 4
    best = best_of_ids(client, RIDES, "power")
    assert (best.used, best.total, best.without_streams) == (2, 2, 2)


def test_a_page_reads_its_sessions_at_once_before_the_years_of_the_squad(client, proxy):
    """40 of 292 sessions were in the curve of a page after 18 min: twelve for each click, and the newest of all athletes."""
    old = [f"act_gone_{number}" for number in range(30)]
    assert best_of_ids(client, [*RIDES, *old], "power").used == 0
    wait_until(lambda: best_of_ids(client, RIDES, "power").is_complete, "not read")

    assert streams_asked(proxy)[: len(RIDES)] == list(RIDES)
    assert best_of_ids(client, RIDES, "power").used == 2


def test_a_session_that_a_page_wants_again_while_it_is_read_is_asked_for_once(client, proxy):
    is_asked, may_answer = threading.Event(), threading.Event()

    def slow(exchange):
        if b"streams" in exchange.raw:
            is_asked.set()
            may_answer.wait(10)
        exchange.answer(exchange.ask())

    proxy.always = slow
    best_of_ids(client, RIDES, "power")
    assert is_asked.wait(10)
    best_of_ids(client, RIDES, "power")
    may_answer.set()
    wait_until(lambda: seeded.MADE in streams_asked(proxy), "not read")

    assert streams_asked(proxy) == list(RIDES)


def test_one_recording_that_fails_does_not_stop_the_others_of_a_page(client, proxy):
    proxy.always = fails_for(seeded.LATE_RIDE)
    best_of_ids(client, RIDES, "power")
    wait_until(lambda: best_of_ids(client, RIDES, "power").used == 2, "not read")

    assert best_of_ids(client, RIDES, "power").total == 3


def test_a_second_run_asks_for_nothing(client, proxy):
    fill(client)
    proxy.requests.clear()
    fill(client)

    assert proxy.requests == []


def test_streams_that_the_cache_has_are_not_fetched(client, proxy):
    client.get_streams(seeded.RIDE)
    proxy.requests.clear()
    fill(client)

    assert seeded.RIDE not in streams_asked(proxy)
    assert client.known_derived_of(f"{KIND} power", VERSION, [seeded.RIDE])


def test_sessions_before_the_year_are_left_out(client, proxy):
    fill(client, today=seeded.TODAY + timedelta(days=356))  # a year after 11 March

    assert streams_asked(proxy) == [seeded.LATE_RIDE]


def test_the_work_ends_when_it_should(client, proxy):
    ends = iter([False] * 3 + [False, True])
    fill_year(client, lambda: next(ends), today=seeded.TODAY)

    assert streams_asked(proxy) == [seeded.LATE_RIDE]


def test_the_work_of_many_clients_computes_one_session_at_a_time(client, connect, monkeypatch):
    """The work of twelve keys at once left pages without CPU."""
    computing, most, compute = [], [], power_curves.curve_of

    def counted(streams, column):
        computing.append(column)
        most.append(len(computing))
        time.sleep(0.02)
        computing.pop()
        return compute(streams, column)

    monkeypatch.setattr(power_curves, "curve_of", counted)
    work = [threading.Thread(target=fill, args=(each,)) for each in (client, connect(seeded.ATHLETE_KEY))]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join(60)

    assert set(most) == {1}
    assert len(most) > 3


def test_an_athlete_whose_sessions_fail_does_not_stop_the_others(client, proxy):
    client.list_users()
    client.get_user()
    proxy.always = fails_for(f"/users/{seeded.OTHER_ATHLETE}/")
    fill(client)

    assert len(streams_asked(proxy)) == 4


def test_streams_that_fail_do_not_stop_the_others_until_several_failed(client, proxy, monkeypatch):
    client.list_users()
    client.get_user()
    proxy.always = fails_for(seeded.LATE_RIDE)
    fill(client)
    assert client.known_derived_of(f"{KIND} power", VERSION, [seeded.RIDE])

    monkeypatch.setattr(power_curves, "GIVE_UP_AFTER", 1)
    with pytest.raises(ServiceError):
        fill(client)


def test_a_key_that_is_refused_ends_the_work(client, proxy):
    client.list_users()
    client.get_user()
    proxy.always = faults.says(401, b'{"code":"unauthorized","error":"No."}')

    with pytest.raises(Unauthorized):
        fill(client)


def test_pages_have_most_requests_of_a_minute_while_it_runs(client, proxy, clock):
    """Background work waits at half of the limit."""
    client.list_users()
    started = clock.now
    share = int(KEY_LIMIT * Policy.BACKGROUND.value)
    for number in range(share):
        with pytest.raises(ServiceError):
            client.pass_streams(f"act_none_{number}")

    assert share == 150
    assert clock.now - started >= 60


@pytest.fixture
def background(monkeypatch):
    """Starts the background sync of a client; with `work` in place of the best efforts."""
    monkeypatch.setenv("COACHBOARD_TODAY", seeded.TODAY.isoformat())
    begun = []

    def begin(client, work=None):
        if work is not None:
            monkeypatch.setattr(syncing, "fill_year", lambda _client, is_over, **_: work(is_over))
        begun.append(syncing.Syncing(client))
        begun[-1].begin()
        return begun[-1]

    yield begin
    for sync in begun:
        sync.end()


def test_the_background_sync_computes_the_curves_after_its_pass(client, background):
    sync = background(client)
    wait_until(lambda: client.known_derived_of(f"{KIND} power", VERSION, [seeded.RIDE]), "no curve")

    assert sync.error is None
    assert sync.ended_at is not None
    assert sync.progress.done == sync.progress.total


def test_the_background_sync_ends_when_the_client_is_closed(connect, background):
    client = connect(sleep=None)
    sync = background(client, work=lambda is_over: wait_until(is_over, "never over"))
    wait_until(lambda: sync.progress is not None, "no pass")
    client.close()
    sync.end()

    sync._worker.shutdown(wait=True)


def test_a_pass_with_a_failed_request_is_not_complete(client, proxy, background):
    client.list_users()
    client.get_user()
    proxy.faults.append(faults.says(403))
    sync = background(client)
    wait_until(lambda: sync.error or sync.ended_at, "no pass")

    assert sync.error.status == 403
    assert sync.ended_at is None


def test_the_next_pass_ends_the_work(client, background, monkeypatch):
    monkeypatch.setattr(syncing, "EVERY_S", 0.1)
    begun = []

    def work(is_over):
        begun.append(True)
        wait_until(is_over, "never over")

    sync = background(client, work)
    wait_until(lambda: sync.begin_when_due() or len(begun) >= 2, "no second pass")


def test_a_pass_on_demand_ends_the_work_of_the_last_one(client, background):
    begun, ended = [], []

    def work(is_over):
        begun.append(True)
        wait_until(is_over, "never over")
        ended.append(True)

    sync = background(client, work)
    wait_until(lambda: begun, "no pass")
    sync.begin_when_due()
    assert not ended
    sync.begin()
    wait_until(lambda: len(begun) == 2, "no second pass")


def test_a_fault_of_this_program_does_not_end_the_sync(client, background, monkeypatch, caplog):
    monkeypatch.setattr(syncing, "EVERY_S", 0.1)
    begun = []

    def work(_is_over):
        begun.append(True)
        raise ValueError("misread")

    sync = background(client, work)
    wait_until(lambda: sync.begin_when_due() or len(begun) >= 2, "no second pass")
    assert "the sync failed; it tries again in 0.1 s" in caplog.text


def test_sessions_of_one_key_make_the_requests_of_one_sync(client, proxy, monkeypatch):
    monkeypatch.setenv("COACHBOARD_TODAY", seeded.TODAY.isoformat())
    monkeypatch.setattr(syncing, "PATIENCE_S", 0.0)
    together, used = threading.Barrier(8), []

    def session():
        together.wait(10)
        used.append(syncing.of(client))

    sessions = [threading.Thread(target=session) for _ in range(8)]
    for thread in sessions:
        thread.start()
    for thread in sessions:
        thread.join(10)
    try:
        wait_until(lambda: used[0].ended_at, "no pass")
    finally:
        syncing.end(client)

    assert len(set(used)) == 1
    assert len(proxy.requests) == len(set(proxy.requests))


def test_a_page_that_only_stays_open_starts_the_sync(client, monkeypatch):
    """Each page looks for a new day once a minute."""
    monkeypatch.setenv("COACHBOARD_TODAY", seeded.TODAY.isoformat())
    monkeypatch.setattr(syncing, "PATIENCE_S", 0.0)
    monkeypatch.setattr(shell, "is_over", lambda *_: False)
    page = type("Page", (), {"client": client, "clock": None, "today": seeded.TODAY})
    try:
        shell.redraw_on_a_new_day(page)
        assert syncing.of(client).has_begun
        wait_until(lambda: client.known_derived_of(f"{KIND} power", VERSION, [seeded.RIDE]), "no curve")
    finally:
        syncing.end(client)
