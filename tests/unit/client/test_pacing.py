"""The rate limit: the decision alone, and the log of requests in a database with a simulated clock."""

import threading
from contextlib import ExitStack

import pytest

from cache_faults import spoil
from coachboard.client.database import Database
from coachboard.client.pacing import (
    KEY_LIMIT,
    USER_LIMIT,
    WINDOW_S,
    Call,
    Policy,
    RateLimit,
    hold_after,
    wait_for,
)

PAGE, WORK = Policy.INTERACTIVE, Policy.BACKGROUND


class Clock:
    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(cache_url, clock):
    """Makes budgets over one cache, each as another process would open it."""
    with ExitStack() as stack:

        def opened(scope="scope"):
            database = Database(cache_url)
            stack.callback(database.close)
            return RateLimit(database, scope, clock)

        yield opened


@pytest.fixture
def budget(opened):
    return opened()


def test_the_thirty_first_call_for_a_user_waits_until_the_first_is_out_of_the_window():
    calls = [("usr_a", float(second)) for second in range(USER_LIMIT)]

    assert wait_for("usr_a", PAGE, calls, {}, 40.0) == WINDOW_S - 40.0
    assert wait_for("usr_b", PAGE, calls, {}, 40.0) == 0.0
    assert wait_for("usr_a", PAGE, calls[1:], {}, 40.0) == 0.0


def test_the_key_has_its_own_limit_over_all_users():
    calls = [(f"usr_{n}", 0.0) for n in range(KEY_LIMIT)]

    assert wait_for("usr_new", PAGE, calls, {}, 1.0) == WINDOW_S - 1.0
    assert wait_for("", PAGE, calls, {}, 1.0) == WINDOW_S - 1.0


def test_background_work_leaves_half_of_the_budget_to_pages():
    calls = [("", 0.0)] * (KEY_LIMIT // 2)

    assert wait_for("", WORK, calls, {}, 1.0) > 0
    assert wait_for("", PAGE, calls, {}, 1.0) == 0


@pytest.mark.parametrize(
    ("user_id", "held", "expected"),
    [
        ("usr_a", {}, "user usr_a"),
        ("usr_a", {"user usr_a": 90.0}, "user usr_a"),
        ("usr_b", {"user usr_a": 90.0}, "all"),
        ("usr_b", {"user usr_a": 9.0}, "user usr_b"),
        ("", {}, "all"),
    ],
)
def test_a_429_holds_its_user_and_a_second_users_holds_all(user_id, held, expected):
    assert hold_after(user_id, held, 10.0) == expected


def test_a_window_never_holds_more_than_the_limit(budget, clock):
    moments = []
    for _ in range(400):
        verdict = budget.take("usr_a", PAGE)
        if isinstance(verdict, Call):
            moments.append(clock.now)
            clock.now += 0.5
        else:
            clock.now += verdict

    assert all(later - first >= 60.0 for first, later in zip(moments, moments[USER_LIMIT:], strict=False))


def test_a_call_that_never_left_is_given_back_once(budget, opened):
    first, second = (budget.take("usr_a", PAGE) for _ in range(2))
    budget.give_back(first)
    budget.give_back(first)

    assert budget.left() == opened().left() == KEY_LIMIT - 1
    budget.give_back(second)
    assert budget.left() == KEY_LIMIT


def calls_at_the_service(budget, clock, flights_s):
    """When the calls for one user arrive, each a moment before its reply: the longest on their way first."""
    arrivals, under_way = [], []
    for flight_s in flights_s:
        while True:
            for landing in [pair for pair in under_way if pair[0] <= clock.now]:
                under_way.remove(landing)
                budget.landed(landing[1])
            verdict = budget.take("usr_a", PAGE)
            if isinstance(verdict, Call):
                break
            clock.now = min([clock.now + verdict, *(moment for moment, _ in under_way)])
        arrivals.append(clock.now + flight_s)
        under_way.append((clock.now + flight_s, verdict))
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


def test_a_429_is_honoured_by_all_who_share_the_budget(opened, clock):
    first, other = opened(), opened()
    first.hold("", 17.0)

    assert other.take("usr_a", PAGE) == 17.0
    assert isinstance(opened("other scope").take("usr_a", PAGE), Call)
    clock.now += 17.0
    assert isinstance(other.take("usr_a", PAGE), Call)


def test_a_clock_set_back_does_not_block_for_as_long(budget, clock):
    for _ in range(USER_LIMIT):
        budget.take("usr_a", PAGE)
    clock.now -= 7_200.0

    assert 0 < budget.take("usr_a", PAGE) <= WINDOW_S


@pytest.mark.parametrize("back_s", [600.0, 7_200.0])
def test_a_hold_from_before_the_clock_was_set_back_starts_again_and_ends(budget, clock, back_s):
    """The 429 that set it may have come a moment ago: it holds for its seconds, not for the hours of the clock."""
    budget.hold("", 40.0)
    clock.now -= back_s

    assert budget.take("usr_a", PAGE) == 40.0
    clock.now += 25.0
    assert budget.take("usr_a", PAGE) == pytest.approx(15.0)
    clock.now += 15.0
    assert isinstance(budget.take("usr_a", PAGE), Call)


def test_a_clock_set_forward_frees_the_budget_and_the_holds(budget, clock):
    for _ in range(USER_LIMIT):
        budget.take("usr_a", PAGE)
    budget.hold("", 600.0)
    clock.now += 7_200.0

    assert isinstance(budget.take("usr_a", PAGE), Call)
    assert budget.left() == KEY_LIMIT - 1


def test_calls_under_me_count_for_the_own_id_once_it_is_known(budget):
    for _ in range(USER_LIMIT):
        budget.take("me", PAGE)
    budget.rename("me", "usr_own")

    assert budget.take("usr_own", PAGE) == WINDOW_S


def test_racing_threads_share_one_budget(opened):
    """Twenty threads on two databases get the user's thirty calls, and not one more."""
    budgets, calls = [opened(), opened()], []

    def race(number):
        verdicts = [budgets[number % 2].take("usr_a", PAGE) for _ in range(5)]
        calls.extend(verdict for verdict in verdicts if isinstance(verdict, Call))

    threads = [threading.Thread(target=race, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(calls) == USER_LIMIT


@pytest.mark.parametrize("cache_url", ["sqlite"], indirect=True)
def test_without_the_database_this_process_counts_alone_and_its_calls_are_logged_afterwards(
    cache_url, clock, monkeypatch
):
    monkeypatch.setattr("coachboard.client.database.RETRY_S", 0.0)
    database = Database(cache_url)
    budget = RateLimit(database, "scope", clock)
    for number in range(USER_LIMIT):
        if number == 20:
            spoil(database, "query_only=1")
        assert isinstance(budget.take("usr_a", PAGE), Call)
    assert database.trouble
    assert budget.take("usr_a", PAGE) == pytest.approx(WINDOW_S)
    budget.hold("usr_b", 30.0)
    assert budget.take("usr_b", PAGE) == 30.0
    spoil(database, "query_only=0")

    assert budget.left() == KEY_LIMIT - USER_LIMIT
    assert database.trouble is None
    database.close()
