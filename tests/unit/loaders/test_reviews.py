"""A reader's reviews and visits: what is new since the last visit, and nothing of another key."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

import squad
import training
from coachboard.client import Client
from coachboard.loaders.flag_snooze import FlagOf, snooze, unsnooze
from coachboard.loaders.local_store import VISITS, changes, open_store, store_at
from coachboard.loaders.preferences import Preferences, change_preferences, clean_tags, load_preferences
from coachboard.loaders.reviews import (
    LONGEST_REMARK,
    Review,
    Visit,
    delete_review,
    load_reviews,
    new_since,
    note_visit,
    save_review,
    seen_of,
)
from coachboard.loaders.roster_row import load_row

MONDAY = datetime(2026, 3, 9, 7, tzinfo=UTC)
LATER, NEXT_DAY = MONDAY + timedelta(minutes=50), MONDAY + timedelta(days=1)
ANN, BOB = "a" * 64, "b" * 64


@pytest.fixture
def store(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def rows(squad_store, squad_service, tmp_path):
    """Ana's row of the fortnight on each day."""
    training.seed(squad_store, squad.ANA)
    with Client(squad_service, squad.COACH_KEY, cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client:
        user = next(one for one in client.list_users().value if one.id == squad.ANA)
        yield lambda today: {user.id: load_row(client, user, today=today, thresholds={})}


def review(day=MONDAY, remark="Spoke"):
    return Review(day.date(), remark, day)


def test_a_review_is_kept_with_its_day_and_remark_newest_first(store):
    save_review(store, ANN, "usr_1", review())
    save_review(store, ANN, "usr_1", review(NEXT_DAY, "Better"))

    assert load_reviews(store, ANN) == {"usr_1": (review(NEXT_DAY, "Better"), review())}


def test_a_second_review_of_a_day_replaces_the_first(store):
    save_review(store, ANN, "usr_1", review())
    save_review(store, ANN, "usr_1", review(remark="x" * 900))

    (found,) = load_reviews(store, ANN)["usr_1"]
    assert found.remark == "x" * LONGEST_REMARK


def test_a_review_is_taken_back_for_its_day_and_athlete_only(store):
    for user_id in ("usr_1", "usr_2"):
        save_review(store, ANN, user_id, review())
    save_review(store, ANN, "usr_1", review(NEXT_DAY))
    delete_review(store, ANN, "usr_1", MONDAY.date())

    assert load_reviews(store, ANN) == {"usr_1": (review(NEXT_DAY),), "usr_2": (review(),)}


def test_reviews_visits_tags_and_favourites_never_reach_another_key(store, rows):
    before, now = rows(training.TODAY - timedelta(days=3)), rows(training.TODAY)
    save_review(store, ANN, squad.ANA, review())
    change_preferences(
        store, ANN, lambda _: Preferences(tags={squad.ANA: ("camp",)}, favourites=(squad.ANA,))
    )
    note_visit(store, ANN, before, now=MONDAY)
    note_visit(store, ANN, now, now=NEXT_DAY)

    assert load_reviews(store, BOB) == {}
    assert load_preferences(store, BOB) == Preferences()
    assert note_visit(store, BOB, now, now=NEXT_DAY) == Visit()
    delete_review(store, BOB, squad.ANA, MONDAY.date())
    assert load_reviews(store, ANN) == {squad.ANA: (review(),)}


def test_on_the_first_visit_nothing_is_new(store, rows):
    found = rows(training.TODAY)

    assert note_visit(store, ANN, found, now=MONDAY) == Visit()
    assert new_since(Visit(), found[squad.ANA]) == {}


def test_sessions_and_nights_since_the_last_visit_are_new(store, rows):
    before, now = rows(training.TODAY - timedelta(days=3)), rows(training.TODAY)
    note_visit(store, ANN, before, now=MONDAY)
    visit = note_visit(store, ANN, now, now=NEXT_DAY)

    assert visit.since == MONDAY
    news = new_since(visit, now[squad.ANA])
    known = seen_of(before[squad.ANA])["sessions"]
    assert news["nights"] == (training.TODAY.isoformat(),)
    assert set(news["sessions"]) == set(seen_of(now[squad.ANA])["sessions"]) - set(known)
    assert news["sessions"]


def test_news_stay_during_the_visit_and_end_with_the_next(store, rows):
    before, now = rows(training.TODAY - timedelta(days=3)), rows(training.TODAY)
    note_visit(store, ANN, before, now=MONDAY)
    note_visit(store, ANN, now, now=NEXT_DAY)

    during = note_visit(store, ANN, now, now=NEXT_DAY + timedelta(minutes=50))
    assert new_since(during, now[squad.ANA])
    following = note_visit(store, ANN, now, now=NEXT_DAY + timedelta(hours=3))
    assert following.since == NEXT_DAY + timedelta(minutes=50)
    assert new_since(following, now[squad.ANA]) == {}


def test_a_break_of_less_than_an_hour_is_the_same_visit(store, rows):
    note_visit(store, ANN, rows(training.TODAY - timedelta(days=3)), now=MONDAY)

    assert note_visit(store, ANN, rows(training.TODAY), now=LATER) == Visit()


def test_athletes_whose_rows_still_load_keep_their_state(store, rows):
    before = rows(training.TODAY - timedelta(days=3))
    note_visit(store, ANN, before, now=MONDAY)
    note_visit(store, ANN, {}, now=NEXT_DAY)
    visit = note_visit(store, ANN, rows(training.TODAY), now=NEXT_DAY)

    assert new_since(visit, rows(training.TODAY)[squad.ANA])
    assert note_visit(store, ANN, {}, now=NEXT_DAY + timedelta(hours=3)).before.keys() == {squad.ANA}


def test_an_athlete_who_joined_has_no_news(store, rows):
    note_visit(store, ANN, {}, now=MONDAY)
    now = rows(training.TODAY)

    assert new_since(note_visit(store, ANN, now, now=NEXT_DAY), now[squad.ANA]) == {}


@pytest.mark.parametrize("damaged", ["{", "[]", '{"usr_ana": 1}', '{"usr_ana": {"sessions": 1}}'])
def test_a_damaged_visit_has_no_news_and_no_error(store, rows, damaged):
    now = rows(training.TODAY)
    note_visit(store, ANN, now, now=MONDAY)
    with store.begin() as connection:
        connection.execute(update(VISITS).values(latest=damaged, before=damaged))

    assert note_visit(store, ANN, now, now=NEXT_DAY).since == MONDAY


def test_without_the_store_nothing_is_new_and_nothing_fails(tmp_path, rows):
    (tmp_path / "dashboard.db").mkdir()
    engine = store_at(f"sqlite:///{tmp_path / 'cache.db'}")

    assert note_visit(engine, ANN, {}, now=MONDAY) == Visit()
    assert load_reviews(engine, ANN) == {}
    engine.dispose()


def test_tags_are_trimmed_named_once_and_limited():
    assert clean_tags([" a  b ", "a b", "", "x" * 99]) == ("a b", "x" * 30)
    assert len(clean_tags(map(str, range(99)))) == 8


def test_tags_and_favourites_are_kept(store):
    change_preferences(
        store, ANN, lambda _: Preferences(tags={"usr_1": ("camp", "injured")}, favourites=("usr_2",))
    )

    found = load_preferences(store, ANN)
    assert (found.tags, found.favourites) == ({"usr_1": ("camp", "injured")}, ("usr_2",))


@pytest.mark.parametrize(
    "change",
    [
        lambda store: save_review(store, ANN, squad.ANA, Review(MONDAY.date(), "tired", MONDAY)),
        lambda store: delete_review(store, ANN, squad.ANA, MONDAY.date()),
        lambda store: snooze(
            store, ANN, FlagOf(squad.ANA, "hrv_low"), until=MONDAY.date(), reason="", now=MONDAY
        ),
        lambda store: unsnooze(store, ANN, FlagOf(squad.ANA, "hrv_low")),
        lambda store: change_preferences(store, ANN, lambda kept: replace(kept, first_weekday=6)),
    ],
    ids=["review", "review taken back", "snooze", "unsnooze", "settings"],
)
def test_a_change_of_a_readers_own_data_is_counted_for_that_reader_alone(store, change):
    """An open roster otherwise shows the state before the change for up to a minute."""
    before = changes(ANN), changes(BOB)

    change(store)

    assert (changes(ANN), changes(BOB)) == (before[0] + 1, before[1])
