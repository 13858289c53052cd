"""The days of the calendar: every day once, totals by sport, a lane an athlete, the two clocks."""

import math
from dataclasses import replace
from datetime import UTC, date, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from coloraide import Color

import training
from coachboard.charts import palette
from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.execution.forecast import load_rates
from coachboard.formulas.session.summary_load import LoadMethod
from coachboard.pages.calendar import items, weeks
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData, with_load
from coachboard.pages.calendar.items import SIGNS, family
from coachboard.pages.calendar.totals import total_rows, without_missed
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.athlete_settings import Availability, DayHours, WeekTarget
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.plans import Event
from plan_entries import note

MONDAY = date(2026, 3, 2)
TODAY = date(2026, 3, 6)
PLAN = Planned("tpr_1", MONDAY, Sport.CYCLING, duration_s=3600, activity_id="act_1", title="Sweet spot")
RIDE = Done("act_1", MONDAY, Sport.CYCLING, duration_s=3500, distance_m=30_000, volume=60, title="Morning")


@pytest.fixture(autouse=True)
def _light_theme(monkeypatch):
    monkeypatch.setattr(theme, "is_dark", lambda: False)


def _match(planned=None, done=None):
    (match,) = match_sessions([planned] if planned else [], [done] if done else [], excuses=[], today=TODAY)
    return match


def _athlete(user_id, *matches, **parts):
    sessions = {"prescriptions": {}, "activities": {}} | parts
    return AthleteCalendar(
        user_id, matches, sessions["prescriptions"], sessions["activities"], (), (), (), (), ()
    )


def test_a_week_has_target_phase_and_the_hours_available():
    """The calendar's week may begin on Sunday: the target is that of the Monday in it."""
    hours = tuple(DayHours(hours=1.5) for _ in range(7))
    row = Availability(date=MONDAY, weekdays=hours, id="avl_1", set_by=None, etag="1")
    camp = Availability(
        date=MONDAY, end_date=MONDAY, weekdays=(DayHours(hours=6),) * 7, id="avl_2", set_by=None, etag="1"
    )
    target = WeekTarget(monday=MONDAY, load=420, phase="build", set_by=None, etag="1")
    ill = note("Cold", date(2026, 3, 4), NoteType.MEDICAL, end_date=date(2026, 3, 5))
    athlete = replace(
        _athlete("usr_1"),
        targets=(target,),
        availability=(row, camp),
        notes=(ill.note,),
        entries={ill.id: ill},
    )
    for start in (MONDAY, MONDAY - timedelta(days=1)):
        lines = {line.label: line.value for line in weeks.week_lines([athlete], start, METRIC)}
        # Six hours on Monday, none on two days of illness, 1h30 on the other four; Sunday before has no hours yet.
        assert lines == {
            "Target load": "420",
            "Phase": "Build",
            "Available": "12h00" if start == MONDAY else "10h30",
        }
    by_hours = replace(
        athlete, targets=(target.model_copy(update={"load": None, "hours": 9.5}),), availability=()
    )
    lines = {line.label: line.value for line in weeks.week_lines([by_hours], MONDAY, METRIC)}
    assert lines == {"Target": "9h30", "Phase": "Build"}


def test_a_pair_moved_over_the_end_of_a_week_counts_on_each_side_in_its_own_week():
    """Planned on Sunday, done on Monday: the plan is the first week's, the session the second's."""
    sunday, monday = date(2026, 3, 8), date(2026, 3, 9)
    plan = Planned("tpr_1", sunday, Sport.CYCLING, duration_s=3600, activity_id="act_1")
    match = _match(plan, Done("act_1", monday, Sport.CYCLING, duration_s=3000))
    athlete = AthleteCalendar("usr_1", (match,), {}, {}, (), (), (), (), ())
    data = CalendarData(MONDAY, date(2026, 3, 15), TODAY, (athlete,), (), ())
    shown = weeks.CalendarLook("month", "March 2026", 0, METRIC, month=3)

    first, second = weeks.grid(data, shown).weeks

    assert [(line.label, line.value) for line in first.lines] == [
        ("Cycling", "0 min of 1h00"),
        ("Sessions", "0 of 1"),
    ]
    assert ("Cycling", "50 min") in [(line.label, line.value) for line in second.lines]
    assert [(row.week, row.planned, row.done) for row in total_rows(data, 0)] == [
        (MONDAY, 1, 0),
        (monday, 0, 1),
    ]


def test_grid_covers_every_day_once_and_totals_each_week():
    matches = (_match(PLAN, RIDE),)
    athlete = AthleteCalendar("usr_1", matches, {}, {}, (), (), (), (), ())
    data = CalendarData(MONDAY, date(2026, 3, 15), TODAY, (athlete,), (), ())
    shown = weeks.CalendarLook("month", "March 2026", 0, METRIC, month=3)

    grid = weeks.grid(data, shown)

    days = [day.date for week in grid.weeks for day in week.days]
    assert len(days) == len(set(days)) == 14
    assert [(line.label, line.value) for line in grid.weeks[0].lines] == [
        ("Cycling", "58 min of 1h00"),
        ("Distance", "30.0 km"),
        ("Load", "60"),
        ("Sessions", "1 of 1"),
    ]
    assert grid.weeks[1].lines == []


def test_the_hours_of_a_week_are_by_sport_and_the_rest_together():
    sports = (Sport.CYCLING, Sport.RUNNING, Sport.TRAINING, Sport.SWIMMING, Sport.ROWING)
    done = [Done(f"act_{n}", MONDAY, sport, duration_s=7200 - n * 600) for n, sport in enumerate(sports)]
    lines = weeks.week_lines([_athlete("usr_1", *(_match(done=one) for one in done))], MONDAY, METRIC)

    assert [(line.label, line.value, line.sport) for line in lines[:4]] == [
        ("Cycling", "2h00", "bike"),
        ("Running", "1h50", "run"),
        ("Strength", "1h40", "strength"),
        ("Other sports", "2h50", "other"),
    ]


def lines_of(*matches):
    return {
        line.label: line.value for line in weeks.week_lines([_athlete("usr_1", *matches)], MONDAY, METRIC)
    }


def test_the_hours_of_a_week_are_those_of_the_table_of_totals():
    """Sums of rounded minutes: a week had 9h40 next to the grid and 9h39 in the table."""
    rides = [_match(done=Done(f"act_{n}", MONDAY, Sport.CYCLING, duration_s=2429)) for n in range(4)]
    data = CalendarData(MONDAY, date(2026, 3, 8), TODAY, (_athlete("usr_1", *rides),), (), ())
    (row,) = total_rows(data, 0)

    assert lines_of(*rides)["Cycling"] == formats.duration_hm(row.done_s) == "2h42"


def test_excused_plans_of_a_week_are_named_and_not_owed():
    """A week of illness read "1 of 7" next to "5 excused"."""
    days = [MONDAY + timedelta(days=n) for n in range(3)]
    plans = [Planned(f"tpr_{n}", day, Sport.CYCLING, duration_s=3600) for n, day in enumerate(days)]
    ride = Done("act_1", MONDAY, Sport.CYCLING, duration_s=3600)
    excuses = [(day, NoteType.MEDICAL) for day in days[1:]]
    matches = match_sessions(plans, [ride], excuses=excuses, today=TODAY)
    data = CalendarData(MONDAY, date(2026, 3, 8), TODAY, (_athlete("usr_1", *matches),), (), ())
    lines = lines_of(*matches)

    assert (lines["Sessions"], lines["Excused"], lines["Cycling"]) == ("1 of 1", "2", "1h00 of 1h00")
    assert [(row.planned, row.done) for row in total_rows(data, 0)] == [(1, 1)]


def test_a_week_without_a_volume_is_not_a_week_of_rest():
    ride, gym = replace(RIDE, volume=math.nan), Done("act_2", MONDAY, None, duration_s=600)
    felt = replace(RIDE, volume=80.0, load_method=LoadMethod.RPE)

    assert lines_of(_match(done=ride), _match(done=gym))["Load"] == "–"
    of_both = lines_of(_match(done=ride), _match(done=felt))
    assert (of_both["Load"], of_both["by"]) == ("80", "RPE × min")
    assert "by" not in lines_of(_match(done=RIDE))


def test_sessions_without_a_sport_are_in_the_totals():
    lost = replace(RIDE, sport=None)

    assert lines_of(_match(done=lost)) == {
        "No sport": "58 min", "Distance": "30.0 km", "Load": "60", "Sessions": "1",
    }  # fmt: skip
    assert lines_of(_match(replace(PLAN, activity_id=None), lost))["Cycling"] == "58 min of 1h00"


def test_plans_by_distance_are_added_up_as_distance():
    far = replace(PLAN, duration_s=math.nan, distance_m=40_000)

    assert lines_of(_match(far, RIDE))["Distance"] == "30.0 of 40.0 km"
    assert lines_of(_match(far))["Distance"] == "0 of 40.0 km"
    assert lines_of(_match(far, replace(RIDE, distance_m=math.nan)))["Distance"] == "– of 40.0 km"
    mixed = lines_of(_match(far, RIDE), _match(PLAN))
    assert (mixed["Cycling"], mixed["Distance"]) == ("58 min", "30.0 km")
    assert (mixed["Planned"], mixed["by distance"]) == ("1h00", "40.0 km")


def test_planned_volume_is_estimated_from_the_athletes_own_sessions():
    plan = Planned("tpr_2", TODAY, Sport.CYCLING, duration_s=7200, distance_m=60_000)
    rates = load_rates([RIDE] * 3)
    known, unknown = (_athlete("usr_1", match) for match in (with_load(_match(plan), rates), _match(plan)))
    (row,), (without,) = (
        total_rows(CalendarData(MONDAY, date(2026, 3, 8), TODAY, (athlete,), (), ()), 0)
        for athlete in (known, unknown)
    )

    assert row.planned_volume == pytest.approx(60 / 3500 * 7200)
    assert row.planned_m == 60_000
    assert math.isnan(without.planned_volume)


def test_the_load_of_a_week_is_next_to_the_planned_load():
    match = _match(replace(PLAN, volume=55.4), RIDE)

    assert lines_of(match)["Load"] == "60 of 55"
    assert lines_of(_match(replace(PLAN, volume=55.4)))["Load"] == "0 of 55"
    assert "Load" not in lines_of(_match(PLAN))


def test_a_week_of_several_athletes_is_a_lane_each():
    ana, ben = _athlete("usr_1", _match(PLAN)), _athlete("usr_2")
    data = CalendarData(MONDAY, date(2026, 3, 8), TODAY, (ana, ben), (), ())
    names = {"usr_1": "Ana Li", "usr_2": "Ben"}
    week = weeks.grid(data, weeks.CalendarLook("week", "", 0, METRIC, names=names)).weeks
    month = weeks.grid(data, weeks.CalendarLook("month", "", 0, METRIC, month=3, names=names)).weeks

    assert [lane.lane for lane in week] == ["Ana Li", "Ben"]
    assert [len(lane.days[0].items) for lane in week] == [1, 0]
    assert [item.who for lane in week for day in lane.days for item in day.items] == [None]
    assert [(one.lane, one.days[0].items[0].who) for one in month] == [("", "Ana Li")]


def test_a_week_shows_the_time_of_day_and_a_month_does_not():
    activity = training.activity("1", MONDAY)
    plan = training.prescription("2", TODAY + timedelta(days=1), time=time(18, 15))
    athlete = _athlete(
        "usr_1",
        _match(done=RIDE),
        _match(Planned(plan.id, plan.date, Sport.CYCLING, duration_s=3600)),
        activities={activity.id: activity},
        prescriptions={plan.id: plan},
    )
    data = CalendarData(MONDAY, date(2026, 3, 8), TODAY, (athlete,), (), ())
    for view, times in (("week", ["07:30, 16:30 yours", "18:15"]), ("month", ["", ""])):
        shown = weeks.CalendarLook(view, "", 0, METRIC, zone=ZoneInfo("Asia/Tokyo"))
        (week,) = weeks.grid(data, shown).weeks
        assert [item.at for day in week.days for item in day.items] == times


@pytest.mark.parametrize(
    ("zone", "says"),
    [
        (None, "07:30"),
        (UTC, "07:30"),
        (ZoneInfo("Asia/Tokyo"), "07:30, 16:30 your time"),
        (ZoneInfo("Pacific/Honolulu"), "07:30, 21:30 previous day your time"),
        (timezone(timedelta(hours=17)), "07:30, 00:30 next day your time"),
    ],
)
def test_the_readers_clock_is_named_where_it_differs(zone, says):
    assert formats.started(training.activity("1", MONDAY), zone) == says


def test_a_session_without_an_offset_or_a_time_shows_known_parts_only():
    tokyo = ZoneInfo("Asia/Tokyo")

    assert formats.started(training.activity("1", MONDAY, utc_offset=None), tokyo) == "07:30"
    assert (
        formats.started(training.activity("1", MONDAY, started_at=None, started_at_local=None), tokyo) == ""
    )


def test_summer_time_counts_on_the_day_of_the_session():
    """The browser sends one offset; a zone has one for each day."""
    berlin = ZoneInfo("Europe/Berlin")
    july = training.activity("1", date(2026, 7, 1))

    assert formats.started(july, berlin) == "07:30, 09:30 your time"
    assert formats.started(training.activity("2", MONDAY), berlin) == "07:30, 08:30 your time"


def test_every_sport_has_a_sign():
    assert {family(sport) for sport in Sport} <= SIGNS.keys()
    assert family(None) in SIGNS


MISSED = Planned("tpr_9", MONDAY + timedelta(days=1), Sport.CYCLING, duration_s=5400, title="Threshold")


def test_missed_plans_count_towards_the_week_or_not():
    data = CalendarData(
        MONDAY,
        MONDAY + timedelta(days=6),
        TODAY,
        (_athlete("usr_1", _match(PLAN, RIDE), _match(MISSED)),),
        (),
        (),
    )
    shown = weeks.CalendarLook("month", "March 2026", 0, METRIC, month=3)

    counted, left_out = (
        weeks.grid(data, replace(shown, counts_missed=counts)).weeks[0] for counts in (True, False)
    )

    assert [line.value for line in counted.lines if line.label in {"Cycling", "Sessions"}] == [
        "58 min of 2h30",
        "1 of 2",
    ]
    assert [line.value for line in left_out.lines if line.label in {"Cycling", "Sessions"}] == [
        "58 min of 1h00",
        "1 of 1",
    ]
    assert left_out.days == counted.days  # the missed plan stays in its day
    assert [row.planned for row in total_rows(without_missed(data), 0)] == [1]


def test_a_month_of_several_athletes_has_the_hours_of_each():
    others = _athlete("usr_2", _match(done=replace(RIDE, duration_s=7200)))
    data = CalendarData(
        MONDAY, MONDAY + timedelta(days=6), TODAY, (_athlete("usr_1", _match(PLAN, RIDE)), others), (), ()
    )
    shown = weeks.CalendarLook(
        "month", "March 2026", 0, METRIC, month=3, names={"usr_1": "AL", "usr_2": "BC"}
    )

    (week,) = weeks.grid(data, shown).weeks

    assert [(line.label, line.value, line.sport) for line in week.lines] == [
        ("AL", "58 min of 1h00", None), ("BC", "2h00", None), ("Distance", "60.0 km", None),
        ("Load", "120", None), ("Sessions", "2 of 1", None),
    ]  # fmt: skip


def test_a_plan_to_come_has_the_colour_of_its_type_and_the_legend_names_it():
    ahead = [
        replace(MISSED, id=f"tpr_{n}", day=TODAY + timedelta(days=1), stimulus=stimulus)
        for n, stimulus in enumerate(
            (TrainingStimulus.VO2MAX, TrainingStimulus.RECOVERY, TrainingStimulus.HEAT, None)
        )
    ]
    data = CalendarData(
        MONDAY,
        MONDAY + timedelta(days=6),
        TODAY,
        (_athlete("usr_1", *map(_match, ahead), _match(replace(MISSED, stimulus=TrainingStimulus.TEMPO))),),
        (),
        (),
    )

    grid = weeks.grid(data, weeks.CalendarLook("month", "March 2026", 0, METRIC, month=3))

    first, *others = (day.number for day in grid.weeks[0].days)
    assert (first, others[0]) == ("2 Mar", "3")  # "26" first in a month was read as one of its days
    colours = dict(grid.colours)
    assert list(colours) == ["Recovery", "VO2max", "Heat", "no stimulus set"]
    shown = {item.id: item for day in grid.weeks[0].days for item in day.items}
    types = ["VO2max", "Recovery", "Heat"]
    assert [shown[f"tpr_{n}"].tone for n in range(4)] == [
        *(colours[name] for name in (*types, "no stimulus set"))
    ]
    assert Color(colours["no stimulus set"]).contrast(palette.SURFACE.light) >= 3
    assert [shown[f"tpr_{n}"].detail for n in range(4)] == [*(f"1h30 · {name}" for name in types), "1h30"]
    assert "VO2max, planned" in shown["tpr_0"].spoken
    assert shown["tpr_9"].tone not in colours.values()
    assert "tempo" not in shown["tpr_9"].detail.lower()
    typed = [replace(athlete, matches=athlete.matches[:3]) for athlete in data.athletes]
    assert [name for name, _ in items.stimulus_colours(typed)] == ["Recovery", "VO2max", "Heat"]


def _event(event_id, name, day, activity_id):
    return Event.model_construct(
        id=event_id, name=name, date=day, sport=Sport.CYCLING, distance=None, activity_id=activity_id
    )


def test_a_race_that_was_run_is_one_entry_with_a_star():
    """The event and its session had one name: the race was on its day twice."""
    race = _event("evt_1", "Scheldt classic", MONDAY, "act_1")
    ahead = _event("evt_2", "Fjord ultra", TODAY + timedelta(days=1), None)
    alone = replace(RIDE, title="Scheldt classic")
    athlete = replace(_athlete("usr_1", _match(None, alone)), events=(race, ahead))
    data = CalendarData(MONDAY, MONDAY + timedelta(days=6), TODAY, (athlete,), (), ())

    grid = weeks.grid(data, weeks.CalendarLook("month", "March 2026", 0, METRIC, month=3))

    entries = [(item.id, item.sign, item.title) for day in grid.weeks[0].days for item in day.items]
    assert entries == [("act_1", "★", "Scheldt classic"), ("evt_2", "★", "Fjord ultra")]
    assert "Event" in grid.weeks[0].days[0].items[0].spoken
