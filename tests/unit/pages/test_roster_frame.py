"""A click works even in the run in which the roster has become complete and the page starts again."""

from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest

from coachboard.client.errors import Unreachable
from coachboard.client.waiting import Progress
from coachboard.formulas.season.load import CLASSIC
from coachboard.loaders.athlete_today import Clock
from coachboard.loaders.reviews import Visit
from coachboard.pages import roster as roster_page
from coachboard.pages.roster import rows
from coachboard.pages.roster.choice import RosterChoice
from coachboard.pages.squad_rows import Roster, RosterPhase
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.people_table import PeopleTable


class Left(Exception):  # noqa: N818 (what Streamlit raises to leave a script is no error either)
    """Where the script went."""


@dataclass(frozen=True)
class Opened:
    athletes: range
    preferences: str = "old"
    today: date = date(2026, 3, 12)
    now: None = None
    store: None = None
    fingerprint: str = ""


def leave(word):
    def raises(*args, **options):
        raise Left(word, args, options)

    return raises


@pytest.fixture
def draw(monkeypatch):
    """Draws a roster that became whole since the last tick; `picked` is what the table says was clicked."""

    read = []
    monkeypatch.setattr(roster_page.rows, "table", lambda shown: PeopleTable("", [], []))

    def drawn(picked, *, tick_s=1.0, athletes=0, phase=RosterPhase.WHOLE, rows=(), failed=()):
        monkeypatch.setattr(roster_page, "load_snoozes", lambda *args, today: read.append(today) or {})
        monkeypatch.setattr(roster_page, "load_preferences", lambda *args: "present")
        monkeypatch.setattr(roster_page.comments, "unread_by_athlete", lambda page: {})
        monkeypatch.setattr(roster_page.groups, "by_athlete", lambda page: {})
        monkeypatch.setattr(roster_page, "note_visit", lambda *args, now: Visit())
        monkeypatch.setattr(roster_page.rows, "draw_table", lambda table, key, on_pick: picked)
        monkeypatch.setattr(roster_page.state, "get_param", lambda name: None)
        monkeypatch.setattr(roster_page.state, "set_params", leave("led on"))
        monkeypatch.setattr(roster_page.st, "rerun", leave("started over"))
        page = Opened(athletes=range(athletes))
        roster = Roster(dict(rows), dict(failed), waiting=(), progress=Progress(0, 0), phase=phase)
        choice = RosterChoice("everyone", "", None, None, CLASSIC, "name", None, None, None)
        roster_page.draw_rows(page, choice, SimpleNamespace(look=lambda: roster, days={}), tick_s=tick_s)
        return read

    return drawn


def test_a_click_hours_after_the_page_has_the_time_of_the_click():
    moments = [datetime(2026, 3, 12, 8, tzinfo=UTC)]
    page = Page(
        **dict.fromkeys(field.name for field in fields(Page)) | {"clock": Clock(now=lambda: moments[-1])}
    )
    opened = page.now
    moments.append(datetime(2026, 3, 12, 11, tzinfo=UTC))

    assert page.now - opened == timedelta(hours=3)


def test_a_click_shows_a_tag_that_was_added_after_the_page_ran(draw, monkeypatch):
    shown = []
    monkeypatch.setattr(
        roster_page.rows, "table", lambda roster: shown.append(roster.page) or PeopleTable("", [], [])
    )
    draw(None, tick_s=None)

    assert [page.preferences for page in shown] == ["present"]


def test_a_click_in_the_last_tick_leads_on(draw):
    with pytest.raises(Left, match="led on") as left:
        draw("review usr_1")

    assert left.value.args[1] == ({"view": "review", "athlete": "usr_1"},)


def test_without_a_click_the_page_starts_over_once_it_is_whole(draw):
    with pytest.raises(Left, match="started over"):
        draw(None)

    draw(None, tick_s=None)


def test_snoozes_of_athletes_whose_date_is_behind_the_readers_are_read(draw):
    assert draw(None, tick_s=None) == [date(2026, 3, 11)]


def standing_of(rows, *, waiting=(), failed=None, athletes=2):
    page = SimpleNamespace(athletes=range(athletes))
    shown = SimpleNamespace(
        page=page, people=range(athletes), active_flags=lambda row: (), news=lambda row: {}
    )
    return roster_page.summary_words(
        shown, SimpleNamespace(rows=rows, failed=failed or {}, waiting=waiting, progress=Progress(0, 0))
    )


def row(error=None):
    return SimpleNamespace(unread=(), is_stale=False, error=error)


def test_lines_that_are_the_last_known_are_counted_with_the_reason():
    gone = Unreachable("GET", "/users/usr_1/sleeps")

    assert standing_of({"usr_1": row(gone), "usr_2": row()}) == (
        "0 of 2 athletes need a look; last known values for 1 athlete: the data service cannot be reached."
    )


def test_one_athlete_is_singular_without_a_flag():
    assert standing_of({"usr_1": row()}, athletes=1) == "0 of 1 athlete needs a look."


def test_athletes_worth_a_note_are_counted_apart():
    page = SimpleNamespace(athletes=range(3))
    shown = SimpleNamespace(
        page=page,
        people=page.athletes,
        active_flags=lambda row: row.standing,
        needs_look=lambda row: row.priority > 0.6,
        news=lambda row: {},
    )
    rows = {
        n: flagged_row(*rules, priority=priority)
        for n, (priority, *rules) in enumerate([(0,), (0.2, "missed_sessions"), (3.0, "missed_sessions")])
    }
    roster = SimpleNamespace(rows=rows, failed={}, waiting=(), progress=Progress(0, 0))

    assert roster_page.summary_words(shown, roster) == "1 of 3 athletes needs a look; 1 more is worth a note."


def flagged_row(*rules, priority=1.0, is_due=False):
    standing = tuple(SimpleNamespace(rule=SimpleNamespace(id=rule)) for rule in rules)
    return SimpleNamespace(**vars(row()), standing=standing, priority=priority, has_hard_session_due=is_due)


def test_hard_sessions_of_ill_athletes_are_counted_with_those_of_poor_recovery():
    """The line named one hard session, and the next row was an athlete with a cough and VO2max tomorrow."""
    shown = SimpleNamespace(active_flags=lambda row: row.standing, needs_look=lambda row: True)
    poor = flagged_row("hard_meets_poor_recovery", is_due=True)
    due, easy = flagged_row("medical_note", is_due=True), flagged_row("medical_note")
    tired = flagged_row("hrv_low", is_due=True)

    def words(*rows):
        return list(roster_page.flagged_words(shown, list(rows)))

    assert words(poor, due, due, easy, tired) == [
        "hard session due today or tomorrow: 1 with poor recovery, 2 with illness or injury"
    ]
    assert words(due) == ["hard session due today or tomorrow: 1 with illness or injury"]
    assert words(easy, tired) == []


def test_athletes_without_loaded_rows_are_not_judged():
    assert (
        standing_of({"usr_1": row()}, waiting=("usr_2",)) == "Loaded 1 of 2 athletes; 0 of these need a look."
    )
    assert standing_of({}, waiting=("usr_1", "usr_2")) == "Loaded 0 of 2 athletes."


def test_an_athlete_who_failed_while_others_load_is_counted_once():
    found = standing_of({}, waiting=("usr_1",), failed={"usr_2": Unreachable("GET", "/users/usr_2/sleeps")})

    assert found == "Loaded 0 of 2 athletes, 1 failed."


@pytest.mark.parametrize(
    ("now", "pressed", "then"),
    [
        (None, "form", "form"),
        ("form", "form", "-form"),
        ("-form", "form", "form"),
        ("look", "priority", "-priority"),  # of an old bookmark
        ("-look", "priority", "priority"),
    ],
)
def test_a_press_on_a_head_turns_the_order_before_anything_is_drawn(monkeypatch, now, pressed, then):
    taken = []
    monkeypatch.setattr(roster_page.state, "get", lambda key: SimpleNamespace(picked=f"sort {pressed}"))
    monkeypatch.setattr(roster_page.state, "get_param", lambda name: now)
    monkeypatch.setattr(roster_page.state, "set_param", lambda name, value: taken.append((name, value)))

    rows.take_order()

    assert taken == [("sort", then)]


@pytest.mark.parametrize(
    ("phase", "athletes", "rows", "old", "tick_s"),
    [
        (RosterPhase.READING, 24, 1, 0, 1),
        (RosterPhase.READING, 50, 1, 0, 1),
        (RosterPhase.READING, 300, 0, 0, 1),
        (RosterPhase.READING, 300, 1, 1, 6),
        (RosterPhase.RENEWING, 24, 24, 1, 3),
        (RosterPhase.RENEWING, 300, 300, 1, 18),
        (RosterPhase.RENEWING, 24, 24, 0, 30),
        (RosterPhase.RENEWING, 300, 300, 0, 30),
        (RosterPhase.WHOLE, 300, 300, 0, None),
    ],
)
def test_a_large_squad_and_fresh_rows_are_drawn_again_less_often(phase, athletes, rows, old, tick_s):
    roster = SimpleNamespace(
        phase=phase, rows={number: SimpleNamespace(is_incomplete=number < old) for number in range(rows)}
    )
    assert roster_page.redraw_after_s(roster, athletes=athletes) == tick_s


@pytest.mark.parametrize(
    ("phase", "is_stale", "has_button"),
    [
        (RosterPhase.WHOLE, False, True),
        (RosterPhase.WHOLE, True, False),
        (RosterPhase.RENEWING, False, False),
        (RosterPhase.READING, False, False),
    ],
)
def test_rows_that_could_not_be_refreshed_have_a_button_while_nothing_loads(
    monkeypatch, phase, is_stale, has_button
):
    buttons = []
    monkeypatch.setattr(roster_page.st, "button", lambda label, **_: buttons.append(label))
    rows = {"usr_1": SimpleNamespace(error=Unreachable("GET", "/users/usr_1/sleeps"), is_stale=is_stale)}
    fill = SimpleNamespace(read_again_after=None)
    roster_page.draw_failed(None, fill, Roster(rows, {}, waiting=(), progress=Progress(1, 1), phase=phase))

    assert buttons == ["Try again"] * has_button


def test_the_first_numbers_of_a_large_squad_start_the_page_over_before_they_are_drawn(draw, monkeypatch):
    monkeypatch.setattr(roster_page, "draw_view", leave("drawn"))
    reading = {"phase": RosterPhase.READING, "rows": {"usr_1": row()}}
    with pytest.raises(Left, match="started over"):
        draw(None, athletes=300, **reading)

    for athletes, tick_s in ((50, 1.0), (300, 6.0)):
        with pytest.raises(Left, match="drawn"):
            draw(None, athletes=athletes, tick_s=tick_s, **reading)
