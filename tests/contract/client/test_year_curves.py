"""Best efforts of a year, computed in the background: curves are stored, streams are not."""

import threading
import time
from datetime import timedelta

import numpy as np
import pytest

import faulty_proxy as faults
import seeded
from coachboard.analytics.session.mean_maximal import DURATIONS, mean_maximal
from coachboard.client import ServiceError, Unauthorized
from coachboard.client.sync import BackgroundSync
from coachboard.client.transport.rate_limit import KEY_LIMIT, Priority
from coachboard.loaders import power_curves
from coachboard.loaders.power_curves import KIND, VERSION, best_of_ids, fill_year
from coachboard.views.frame import shell, syncing
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
    assert best_of_ids(client, RIDES, "power").known == 4


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
    assert client.known_derived(f"{KIND} power", VERSION, seeded.RIDE)


def test_sessions_before_the_year_are_left_out(client, proxy):
    fill(client, today=seeded.TODAY + timedelta(days=356))  # a year after 11 March

    assert streams_asked(proxy) == [seeded.LATE_RIDE]


def test_the_work_ends_when_it_should(client, proxy):
    ends = iter([False] * 3 + [False, True])
    fill_year(client, lambda: next(ends), today=seeded.TODAY)

    assert streams_asked(proxy) == [seeded.LATE_RIDE]


def test_a_client_that_ends_does_not_wait_for_the_turn_of_another(client, proxy, monkeypatch):
    monkeypatch.setattr(power_curves, "_LONGEST_TURN_S", 3600.0)
    is_over = threading.Event()
    ends = iter([False] * 4)
    with power_curves._TURN:
        work = threading.Thread(
            target=fill_year,
            args=(client, lambda: next(ends, is_over.is_set())),
            kwargs={"today": seeded.TODAY},
        )
        work.start()
        work.join(0.5)
        assert (work.is_alive(), streams_asked(proxy)) == (True, [])
        is_over.set()
        work.join(60)

    assert not work.is_alive()


def test_the_work_of_many_clients_takes_turns(client, proxy, monkeypatch):
    """A client that waits for its rate limit holds the others up for a limited time only."""
    monkeypatch.setattr(power_curves, "_LONGEST_TURN_S", 0.0)
    with power_curves._TURN:
        fill(client)

    assert streams_asked(proxy) == list(RIDES)


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
    assert client.known_derived(f"{KIND} power", VERSION, seeded.RIDE)

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
    """The backlog waits at three tenths of the limit."""
    client.list_users()
    started = clock.now
    share = int(KEY_LIMIT * Priority.BACKLOG.value)
    for number in range(share):
        with pytest.raises(ServiceError):
            client.pass_streams(f"act_none_{number}")

    assert share == 90
    assert clock.now - started >= 60


def test_the_background_sync_works_on_it_between_two_passes(client):
    begun, seen = threading.Event(), []

    def work(is_over):
        seen.append(is_over())
        begun.set()
        wait_until(is_over, "never over")

    sync = BackgroundSync(client, between=work)
    sync.start()
    assert begun.wait(10)
    sync.stop()

    assert seen == [False]
    assert not sync.is_running
    assert sync.ended_at is not None


def test_the_next_pass_ends_the_work(client):
    begun = []

    def work(is_over):
        begun.append(True)
        wait_until(is_over, "never over")

    sync = BackgroundSync(client, every_s=0.1, between=work)
    sync.start()
    wait_until(lambda: len(begun) >= 2, "no second pass")
    sync.stop()


def test_a_fault_of_this_program_does_not_end_the_sync(client, caplog):
    begun = []

    def work(_is_over):
        begun.append(True)
        raise ValueError("misread")

    sync = BackgroundSync(client, every_s=0.1, between=work)
    sync.start()
    wait_until(lambda: len(begun) >= 2, "no second pass")
    sync.stop()
    assert "the sync failed; it tries again in 0.1 s" in caplog.text


def test_sessions_of_one_key_start_one_sync(client, monkeypatch):
    """Of two that began together, one ran until the process ended."""
    begun = []

    class Counted(BackgroundSync):
        def __init__(self, *asked, **options):
            begun.append(self)
            time.sleep(0.05)
            super().__init__(*asked, **options)

    monkeypatch.setattr(syncing, "PATIENCE_S", 0.0)
    monkeypatch.setattr(syncing, "BackgroundSync", Counted)
    sessions = [threading.Thread(target=syncing.of, args=(client,)) for _ in range(4)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join(10)
    syncing.end(client)

    assert len(begun) == 1


def test_a_page_that_only_stays_open_starts_the_sync(client, monkeypatch):
    """Each page looks for a new day once a minute."""
    monkeypatch.setenv("COACHBOARD_TODAY", seeded.TODAY.isoformat())
    monkeypatch.setattr(syncing, "PATIENCE_S", 0.0)
    monkeypatch.setattr(shell, "is_over", lambda *_: False)
    page = type("Page", (), {"client": client, "clock": None, "today": seeded.TODAY})
    try:
        shell.redraw_on_a_new_day(page)
        assert syncing.of(client).has_begun
        wait_until(
            lambda: client.known_derived(f"{KIND} power", VERSION, seeded.RIDE) is not None, "no curve"
        )
    finally:
        syncing.end(client)
