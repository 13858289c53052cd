"""Lists are cached by calendar month; a refresh without a change returns the same rows."""

from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest
import sqlalchemy as sa

import faulty_proxy as faults
import seeded
from coachboard.client import NotFound
from coachboard.client.cache import CacheStore
from coachboard.client.result import ReadDays

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
YEAR = (date(2025, 4, 1), date(2026, 3, 20))


def test_rows_come_from_the_cache_of_another_process_as_they_were_fetched(client, connect, proxy):
    fetched = client.list_notes(ANA, *MARCH)
    made = len(proxy.requests)

    assert len(fetched.value) == len(fetched.frame) > 0
    assert connect().list_notes(ANA, *MARCH).value == fetched.value
    assert len(proxy.requests) == made


def test_a_list_that_was_cleared_is_fetched_again(client, proxy):
    first = client.list_notes(ANA, *MARCH)
    client.forget()
    proxy.requests.clear()

    assert client.list_notes(ANA, *MARCH).value == first.value
    assert len([request for request in proxy.requests if "notes" in request]) == 1


def test_a_list_that_is_cleared_while_it_is_read_is_fetched_again(client, cache_url):
    known = client.list_notes(ANA, *MARCH)
    cleared = []

    def clear(connection, _cursor, statement, *_):
        is_ours = connection.engine.url.database == sa.make_url(cache_url).database
        if is_ours and ".body" in statement and not cleared:
            cleared.append(statement)
            client.forget()

    sa.event.listen(sa.Engine, "before_cursor_execute", clear)
    try:
        read = client.list_notes(ANA, date(2026, 3, 2), MARCH[1])
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", clear)

    assert cleared
    assert read.value == tuple(row for row in known if row.date >= date(2026, 3, 2))


def test_a_refresh_without_changes_keeps_the_decoded_rows(client, clock):
    before = client.list_activities(ANA, *MARCH)
    clock.now += 3_600
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)

    after = client.list_activities(ANA, *MARCH)

    assert after.as_of > before.as_of
    assert not after.is_stale
    assert after.source is before.source
    assert after.identity == before.identity


@pytest.fixture
def season(store):
    """A hundred and fifty rides of the last year."""
    newest = datetime(2026, 3, 18, 8, tzinfo=UTC)
    rides = [seeded.activity(f"act_season_{n}", newest - timedelta(days=2 * n)) for n in range(150)]
    store.put_activities(ANA, rides)
    return rides


def test_a_season_from_the_cache_is_the_season_as_fetched(connect, season):
    with connect() as client:
        fetched = client.list_activities(ANA, *YEAR)
        frame, models = fetched.frame, fetched.value
    with connect() as client:
        cached = client.list_activities(ANA, *YEAR)

        assert len(frame) > len(season)
        pd.testing.assert_frame_equal(cached.frame, frame)
        assert cached.value == models


def test_a_user_who_is_not_found_any_more_leaves_nothing_in_the_cache(connect, season, proxy, cache_url):
    with connect() as client:
        client.list_activities(ANA, *YEAR)
        client.list_notes(ANA, *YEAR)
        proxy.always = faults.says(404, b'{"code":"not_found","error":"No."}')
        with pytest.raises(NotFound):
            client.list_activities(ANA, *YEAR, max_age_s=-1)

    with closing(CacheStore(cache_url, max_bytes=10**9)) as store:
        assert {line.kind for line in store.contents()} <= {"own id", "profile"}


def test_a_list_says_which_days_were_read_and_how_long_ago(client, clock, proxy):
    """Whole months are fetched; the days between two reads were never read."""
    first, last = MARCH[0], MARCH[0] + timedelta(days=6)
    january = date(2026, 1, 20)
    assert client.list_notes(ANA, first, last).read_days == (ReadDays(first, last, 0),)
    client.list_notes(ANA, date(2026, 1, 5), january)
    clock.now += 3 * 86_400
    proxy.always = faults.says(503)

    read = client.list_notes(ANA, january, MARCH[1]).read_days

    assert [days[:2] for days in read] == [(january, date(2026, 1, 31)), MARCH]
    assert {round(days.age_s / 86_400) for days in read} == {3}


def asked(proxy):
    return [request.partition("?")[2] for request in proxy.requests if "/notes" in request]


@pytest.mark.parametrize(
    ("before", "days", "requests"),
    [
        ([], (None, None), [""]),
        ([], (None, date(2026, 1, 10)), ["to=2026-01-31"]),
        ([], (date(2026, 1, 10), None), ["from=2026-01-01"]),
        ([], (date(1900, 1, 1), date(2026, 1, 10)), ["to=2026-01-31"]),
        ([(None, None)], (date(2012, 5, 1), date(2012, 5, 31)), []),
        ([(None, None)], (date(2031, 5, 1), date(2031, 5, 31)), []),
        ([(None, date(2026, 1, 31))], (date(2012, 5, 1), date(2026, 2, 3)), ["from=2026-02-01&to=2026-02-28"]),
        ([(date(2026, 1, 1), None)], (date(2025, 12, 31), None), ["from=2025-12-01&to=2025-12-31"]),
        ([(date(2026, 1, 1), None)], (None, None), ["to=2025-12-31"]),
        ([MARCH, (date(2025, 12, 1), date(2025, 12, 31))], (date(2025, 11, 3), date(2026, 4, 1)),
         ["from=2025-11-01&to=2025-11-30", "from=2026-01-01&to=2026-02-28", "from=2026-04-01&to=2026-04-30"]),
    ],
)  # fmt: skip
def test_only_missing_months_are_asked_for_in_one_request_a_run(client, proxy, before, days, requests):
    for known in before:
        client.list_notes(ANA, *known)
    proxy.requests.clear()
    result = client.list_notes(ANA, *days)

    assert asked(proxy) == requests
    proxy.requests.clear()
    assert client.list_notes(ANA, *days).value == result.value
    assert asked(proxy) == []


def test_months_are_refreshed_by_their_age_in_one_request_a_run(client, proxy, clock):
    """Today is 20 March: plans of the next weeks are old after five minutes, those of January after six hours."""
    client.list_notes(ANA, date(2025, 10, 1), None)
    for passed_s, requests in (
        (200, []),
        (101, ["from=2026-03-01&to=2026-04-30"]),
        (1_800, ["from=2026-03-01"]),
        (6 * 3_600, ["from=2026-01-01"]),
        (7 * 86_400 + 1, ["from=2025-10-01"]),
    ):
        clock.now += passed_s
        proxy.requests.clear()
        result = client.list_notes(ANA, date(2025, 10, 1), None)
        assert client.is_settled(10)

        assert asked(proxy) == requests
        assert result.is_stale == bool(requests)


def test_a_row_that_moved_to_another_month_is_there_once(client, clock, store):
    everything = date(2026, 2, 1), date(2026, 3, 31)
    store.put_sleeps(ANA, [seeded.sleep("slp_9", date(2026, 2, 18))])
    client.list_sleeps(ANA, *everything)
    store.put_sleeps(ANA, [seeded.sleep("slp_9", date(2026, 3, 18))])
    clock.now += 1
    client.list_sleeps(ANA, *MARCH, max_age_s=0)

    assert [row.id for row in client.list_sleeps(ANA, *everything).value] == ["slp_9", "slp_11", "slp_10"]


def test_rows_of_a_reply_that_name_other_days_stay_in_the_months_that_were_asked_for(client, proxy):
    client.get_user()
    proxy.faults.append(faults.changed(lambda body: body.replace(b"2026-03-1", b"2027-05-1")))
    result = client.list_sleeps(ANA, *MARCH)

    assert len(result.value) == 3
    assert [len(client.list_sleeps(ANA, *days).value) for days in (MARCH, (MARCH[1], MARCH[1]))] == [3, 2]
