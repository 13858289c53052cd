"""The rate limit: the decision alone, and the log of requests in a database with a simulated clock."""

import threading
from contextlib import ExitStack, closing

import pytest
import sqlalchemy as sa

from coachboard.client.cache.database import Database
from coachboard.client.cache.schema import BUDGET, HOLDS, quarantine
from coachboard.client.cache.store import CacheStore
from coachboard.client.transport.rate_limit import (
    ALL,
    KEY_LIMIT,
    USER_LIMIT,
    WINDOW_S,
    Priority,
    RateLimit,
    Want,
    claim_hold,
    holds_after,
    user_hold,
    wait_for,
)


class Clock:
    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


def want(user_id="usr_a", priority=Priority.PERSON, claim=""):
    return Want(user_id, priority, claim)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(cache_url, clock):
    """Makes budgets over one cache, each as another process would open it."""
    with ExitStack() as stack:

        def opened(scope="scope"):
            database = Database(cache_url, schema=BUDGET)
            stack.callback(database.close)
            return RateLimit(database, scope, clock)

        yield opened


@pytest.fixture
def budget(opened):
    return opened()


def test_the_thirty_first_call_for_a_user_waits_until_the_first_is_out_of_the_window():
    calls = [("usr_a", float(at)) for at in range(USER_LIMIT)]

    assert wait_for(want(), calls, {}, 40.0) == WINDOW_S - 40.0
    assert wait_for(want("usr_b"), calls, {}, 40.0) == 0.0
    assert wait_for(want(), calls[1:], {}, 40.0) == 0.0


def test_the_key_has_its_own_limit_over_all_users():
    calls = [(f"usr_{n}", 0.0) for n in range(KEY_LIMIT)]

    assert wait_for(want("usr_new"), calls, {}, 1.0) == WINDOW_S - 1.0
    assert wait_for(want(""), calls, {}, 1.0) == WINDOW_S - 1.0


def test_background_work_leaves_a_part_of_the_budget_to_persons():
    calls = [("", 0.0)] * int(KEY_LIMIT * Priority.SYNC.value)

    assert wait_for(want("", Priority.SYNC), calls, {}, 1.0) > 0
    assert wait_for(want("", Priority.REFRESH), calls, {}, 1.0) == 0
    assert wait_for(want("", Priority.PERSON), calls, {}, 1.0) == 0


def test_background_work_waits_while_a_person_does():
    assert wait_for(want("usr_b", Priority.REFRESH), [], {"persons": 12.0}, 10.0) == 2.0
    assert wait_for(want("usr_b"), [], {"persons": 12.0}, 10.0) == 0.0


@pytest.mark.parametrize(
    ("user_id", "held", "expected"),
    [
        ("usr_a", {}, user_hold("usr_a")),
        ("usr_a", {user_hold("usr_a"): 90.0}, user_hold("usr_a")),
        ("usr_b", {user_hold("usr_a"): 90.0}, ALL),
        ("usr_b", {user_hold("usr_a"): 9.0}, user_hold("usr_b")),
        ("", {}, ALL),
    ],
)
def test_a_429_holds_its_user_and_a_second_users_holds_all(user_id, held, expected):
    assert holds_after(user_id, 100.0, held, 10.0) == {expected: 100.0}


def test_a_window_never_holds_more_than_the_limit(budget, clock):
    taken = []
    for _ in range(400):
        verdict = budget.take(want())
        clock.now += 0.5 if verdict.is_taken else verdict.wait_s
        if verdict.is_taken:
            taken.append(clock.now)

    assert all(later - first >= 60.0 for first, later in zip(taken, taken[USER_LIMIT:], strict=False))


def test_a_call_that_never_left_is_given_back_once(budget, opened):
    first, second = budget.take(want()).taken, budget.take(want()).taken
    budget.give_back(first)
    budget.give_back(first)

    assert budget.left() == opened().left() == KEY_LIMIT - 1
    budget.give_back(second)
    budget.give_back(None)
    assert budget.left() == KEY_LIMIT


def calls_at_the_service(budget, clock, flights_s):
    """When the calls for one user arrive, each a moment before its reply: the longest on their way first."""
    arrivals, under_way = [], []
    for flight_s in flights_s:
        while True:
            for landing in [one for one in under_way if one[0] <= clock.now]:
                under_way.remove(landing)
                budget.landed(landing[1])
            verdict = budget.take(want())
            if verdict.taken:
                break
            clock.now = min([clock.now + verdict.wait_s, *(at for at, _ in under_way)])
        arrivals.append(clock.now + flight_s)
        under_way.append((clock.now + flight_s, verdict.taken))
        clock.now += 0.1
    return sorted(arrivals)


@pytest.mark.parametrize(
    "flights_s",
    [[40.0] + [0.0] * 69, [0.9, 14.0, 0.2] * 24, [40.0] * 10 + [0.0] * 60, [0.0] * 20 + [3.0, 30.0] * 25],
)
def test_calls_that_are_long_on_their_way_fill_no_minute_beyond_the_limit(budget, clock, flights_s):
    """Whatever the service sees as a minute, a fixed or a sliding one, it holds thirty arrivals at most."""
    arrivals = calls_at_the_service(budget, clock, flights_s)

    limit = zip(arrivals, arrivals[USER_LIMIT:], strict=False)
    assert all(later - first >= 60.0 for first, later in limit)


def test_a_call_counts_from_its_reply_where_that_was_long_in_coming(budget, clock):
    late = budget.take(want()).taken
    clock.now += 30.0
    budget.landed(late)
    for _ in range(USER_LIMIT - 1):
        budget.landed(budget.take(want()).taken)
    clock.now += 31.5  # over a minute since it was taken

    assert budget.take(want()).wait_s == pytest.approx(WINDOW_S - 31.5)


def test_a_429_is_honoured_by_all_who_share_the_budget(opened, clock):
    one, other = opened(), opened()
    one.hold("", 17.0)

    assert other.take(want()).wait_s == 17.0
    clock.now += 17.0
    assert other.take(want()).is_taken


def test_other_scopes_have_their_own_budget(opened):
    opened("one").hold("", 17.0)

    assert opened("other").take(want()).is_taken


def test_only_one_process_is_given_a_claim(budget, clock):
    assert budget.take(want(claim="fetch x")).is_taken
    assert budget.take(want(claim="fetch x")).is_claimed
    assert budget.take(want(claim="fetch y")).is_taken

    budget.release("fetch x")
    assert budget.take(want(claim="fetch x")).is_taken


def test_a_claim_of_a_process_that_died_runs_out(budget, clock):
    budget.take(want(claim="fetch x"))
    clock.now += 8.1

    assert budget.take(want(claim="fetch x")).is_taken


def test_a_clock_set_back_does_not_block_for_as_long(budget, clock):
    for _ in range(USER_LIMIT):
        budget.take(want())
    clock.now -= 7_200.0

    verdict = budget.take(want())

    assert 0 < verdict.wait_s <= WINDOW_S


@pytest.mark.parametrize("back_s", [600.0, 7_200.0])
def test_a_hold_from_before_the_clock_was_set_back_starts_again_and_ends(budget, clock, back_s):
    """The 429 that set it may have come a moment ago: it holds for its seconds, not for the hours of the clock."""
    budget.hold("", 40.0)
    clock.now -= back_s

    assert budget.take(want()).wait_s == 40.0
    clock.now += 25.0
    assert budget.take(want()).wait_s == pytest.approx(15.0)
    clock.now += 15.0
    assert budget.take(want()).is_taken


def test_a_claim_from_before_the_clock_was_set_back_runs_out(budget, clock):
    budget.take(want(claim="fetch x"))
    clock.now -= 7_200.0
    assert budget.take(want(claim="fetch x")).is_claimed
    clock.now += 8.1

    assert budget.take(want(claim="fetch x")).is_taken


def test_a_clock_set_forward_frees_the_budget_and_the_holds(budget, clock):
    for _ in range(USER_LIMIT):
        budget.take(want())
    budget.hold("", 600.0)
    clock.now += 7_200.0

    assert budget.take(want()).is_taken
    assert budget.left() == KEY_LIMIT - 1


def test_calls_under_me_count_for_the_own_id_once_it_is_known(budget, clock):
    for _ in range(USER_LIMIT):
        budget.take(want("me"))
    budget.rename("me", "usr_own")

    assert not budget.take(want("usr_own")).is_taken


def test_racing_threads_share_one_budget(opened):
    """Twenty threads on two databases get the user's thirty calls, and not one more."""
    budgets = [opened(), opened()]
    taken = []

    def race(number):
        taken.extend(number for _ in range(5) if budgets[number % 2].take(want()).is_taken)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(taken) == USER_LIMIT


def test_claims_of_killed_processes_are_deleted(opened, clock):
    budget = opened()
    for number in range(20):
        budget.take(want(f"usr_{number}", claim=f"fetch {number}"))  # and the process is killed

    clock.now += 200.0
    budget.take(want(claim="fetch a"))

    with budget._database.reading() as connection:
        assert [row.name for row in connection.execute(sa.select(HOLDS.c.name))] == [claim_hold("fetch a")]


@pytest.mark.parametrize("cache_url", ["sqlite"], indirect=True)
def test_a_version_that_takes_the_file_over_finds_the_calls_of_the_one_that_still_runs(cache_url, clock):
    """It sets the cache aside; with a log of its own the same key would meet a 429."""
    with ExitStack() as stack:
        older = stack.enter_context(closing(CacheStore(cache_url, max_bytes=10**9)))
        of_older = RateLimit(older.budget_log, "scope", clock)
        quarantine(older.database.path)
        newer = stack.enter_context(closing(CacheStore(cache_url, max_bytes=10**9)))
        of_newer = RateLimit(newer.budget_log, "scope", clock)

        for budget in [of_older, of_newer] * (USER_LIMIT // 2):
            assert budget.take(want()).is_taken
        assert not of_older.take(want()).is_taken
        assert not of_newer.take(want()).is_taken


def test_a_fetch_of_another_version_of_the_cache_is_not_waited_for(opened, monkeypatch):
    """It keeps it in tables of its own."""
    assert opened().take(want(claim="fetch a")).is_taken
    monkeypatch.setattr("coachboard.client.transport.rate_limit.VERSION", 99)

    assert opened().take(want(claim="fetch a")).is_taken
