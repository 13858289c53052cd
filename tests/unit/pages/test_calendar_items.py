"""Items of the calendar's cells: their text and their text for screen readers."""

from datetime import date, timedelta
from math import nan

import pytest

from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.pages.calendar import adherence, items
from coachboard.pages.calendar.data import PeriodAdherence
from coachboard.ui.frame import theme
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Note

MONDAY = date(2026, 3, 2)
TODAY = date(2026, 3, 6)


@pytest.fixture(autouse=True)
def _light_theme(monkeypatch):
    monkeypatch.setattr(theme, "is_dark", lambda: False)


def _match(planned=None, done=None, excuses=()):
    (match,) = match_sessions(
        [planned] if planned else [], [done] if done else [], excuses=excuses, today=TODAY
    )
    return match


def _item(match):
    return items.match_item(match, who=None, units=METRIC)


PLAN = Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=3600, activity_id="act_1", title="Sweet spot")
RIDE = Done("act_1", MONDAY, Sport.CYCLING, duration_s=3500, distance_m=30_000, volume=60, title="Morning")


@pytest.mark.parametrize(
    ("planned", "done", "kind", "sign", "says"),
    [
        (PLAN, RIDE, "done", "✓", "done as scheduled, on target: 97 % of the planned duration"),
        (
            PLAN,
            Done("act_1", date(2026, 3, 4), Sport.CYCLING, duration_s=5400),
            "done",
            "Δ",
            "planned for Mon 2 Mar 2026, done 2 days later, off",
        ),
        (Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=3600), None, "missed", "✕", "missed"),
        (
            Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=3600),
            RIDE,
            "inferred",
            "✓?",
            "likely match",
        ),
        (Planned("tpr_1", date(2026, 3, 9), Sport.RUNNING, title="Easy"), None, "planned", None, "planned"),
        (None, RIDE, "done", "+", "done, unplanned"),
    ],
)
def test_an_item_shows_the_outcome_of_a_plan(planned, done, kind, sign, says):
    item = _item(_match(planned, done))

    assert (item.kind, item.sign) == (kind, sign)
    assert says in item.spoken


def test_a_miss_with_a_medical_note_is_excused_visibly():
    plan = Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=3600)
    item = _item(_match(plan, excuses=[(MONDAY, NoteType.MEDICAL)]))

    assert item.sign == "⊘"
    assert item.detail == "excused, 1h00"
    assert "(excused by a note)" in item.spoken


def test_amounts_compare_by_the_planned_measure():
    assert _item(_match(PLAN, RIDE)).detail == "58 min of 1h00"
    by_way = Planned("tpr_1", MONDAY, Sport.RUNNING, distance_m=10_000, activity_id="act_1")
    run = Done("act_1", MONDAY, Sport.RUNNING, duration_s=3000, distance_m=9_500)
    assert _item(_match(by_way, run)).detail == "9.50 km of 10.0 km"


def test_nothing_known_says_nothing_rather_than_nan():
    item = _item(_match(None, Done("act_1", MONDAY, None, duration_s=nan)))

    assert "nan" not in f"{item.title} {item.detail} {item.spoken}"


def test_a_moved_session_is_on_the_day_it_was_done():
    match = _match(PLAN, Done("act_1", date(2026, 3, 4), Sport.CYCLING, duration_s=3600))

    assert items.match_day(match, MONDAY, TODAY) == date(2026, 3, 4)
    assert items.match_day(match, MONDAY, date(2026, 3, 3)) == MONDAY
    assert _item(match).detail == "+2 d, 1h00/1h00"
    assert "+1 d = done 1 day later than planned" in items.legend([_item(match)])


@pytest.mark.parametrize(
    ("done_s", "planned_s", "detail"),
    [(2640, 2760, "+2 d, 44/46 min"), (2640, 3660, "+2 d, 44 min/1h01"), (3660, 2640, "+2 d, 1h01/44 min")],
)
def test_the_amounts_of_a_moved_session_fit_into_a_month(done_s, planned_s, detail):
    """ "+1 d, 44 min/46 min" was cut off after 14 characters."""
    plan = Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=planned_s, activity_id="act_1")
    match = _match(plan, Done("act_1", date(2026, 3, 4), Sport.CYCLING, duration_s=done_s))

    assert _item(match).detail == detail


@pytest.mark.parametrize(
    ("days", "says"),
    [
        ([], ""),
        ([2], "1 session moved: 2 days later."),
        ([1, 1, 1], "3 sessions moved: each 1 day later."),
        (
            [1, 1, -2],
            "3 sessions moved: 1 of them 2 days earlier, 2 of them 1 day later; on average on the day, 4 days in total.",
        ),
    ],
)
def test_moved_sessions_are_counted_in_words_that_read_well(days, says):
    """ "4 sessions moved: 4 1 day later; on average 1 day later, 4 days in total"."""
    weeks = [MONDAY + timedelta(weeks=at) for at in range(len(days))]
    plans = [
        Planned(f"tpr_{at}", day, Sport.CYCLING, activity_id=f"act_{at}") for at, day in enumerate(weeks)
    ]
    done = [
        Done(f"act_{at}", day + timedelta(days=by), Sport.CYCLING)
        for at, (day, by) in enumerate(zip(weeks, days, strict=True))
    ]
    found = match_sessions(plans, done, excuses=(), today=date(2026, 5, 1))

    assert adherence.moved_words(PeriodAdherence(tuple(found))) == says


def test_the_legend_says_each_sign_and_outline_of_the_shown_items_once():
    missed = Planned("tpr_2", MONDAY, Sport.CYCLING, duration_s=3600)
    ahead = Planned("tpr_3", date(2026, 3, 9), Sport.RUNNING)
    shown = [_item(_match(PLAN, RIDE)), _item(_match(missed)), _item(_match(missed)), _item(_match(ahead))]

    assert items.legend(shown) == "✓ on target · ✕ missed · outlined = planned · filled = done"
    assert items.legend([_item(_match(missed, RIDE))]) == "✓ on target · ? likely match"
    assert items.legend([]) == ""


@pytest.mark.parametrize(
    ("title", "detail"), [("Rest day", ""), ("rest day", ""), ("Rest, really", "Rest day")]
)
def test_a_note_named_like_its_type_is_not_written_twice(title, detail):
    note = Note.model_construct(id="nte_1", title=title, type=NoteType.REST_DAY, content=None)

    assert items.note_item(note, who=None).detail == detail


@pytest.mark.parametrize(
    ("days", "says"),
    [
        ((2, 3, 4), "3 of 3 due sessions done (100 %), all on the planned day."),
        ((2, 3, 5), "3 of 3 due sessions done (100 %), 2 on the planned day, 1 moved."),
        ((2,), "1 of 3 due sessions done (33 %), 1 on the planned day, 2 missed."),
    ],
)
def test_the_number_of_kept_days_is_not_repeated(days, says):
    """ "28 of 30 done (93 %), 28 on the day" had the same number twice."""
    plans = [
        Planned(
            f"tpr_{day}",
            date(2026, 3, day),
            Sport.CYCLING,
            duration_s=3600,
            activity_id=f"act_{at}" if at < len(days) else None,
        )
        for at, day in enumerate((2, 3, 4))
    ]
    done = [
        Done(f"act_{at}", date(2026, 3, day), Sport.CYCLING, duration_s=3600) for at, day in enumerate(days)
    ]
    found = PeriodAdherence(tuple(match_sessions(plans, done, excuses=(), today=date(2026, 3, 9))))

    assert adherence.adherence_sentence(found.summary) == says


def test_the_text_of_a_note_is_in_its_box():
    """It was on the open day alone."""
    text = "Sore throat since\nyesterday, no fever. " + "Slept badly. " * 8
    note = Note(id="not_1", type=NoteType.MEDICAL, title="Cold", content=text, date=MONDAY, time=None)
    item = items.note_item(note, who=None)

    assert item.detail.startswith("Medical · Sore throat since yesterday, no fever. Slept")
    assert item.detail.endswith("…")
    assert "Sore throat since yesterday" in item.spoken
    assert items.note_item(note.model_copy(update={"title": "Medical"}), who=None).detail.startswith("Sore")
    moved = note.model_copy(update={"title": "Medical", "content": "+1 d, later"})
    assert "later than planned" not in items.legend([items.note_item(moved, who=None)])
