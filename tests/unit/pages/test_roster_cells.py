"""A row of the roster shows numbers with their normal range, old data with their age, and failed rows with the reason."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest

import training
from coachboard.charts import palette
from coachboard.client.errors import RowProblem, TimedOut
from coachboard.client.result import Result
from coachboard.execution.adherence import Adherence, AdherenceSummary, Done, Match, Planned
from coachboard.flags.engine import RULES, RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.formulas.season.load import CLASSIC, SERVICE
from coachboard.formulas.session.summary_load import LoadMethod
from coachboard.loaders.flag_snooze import FlagOf, Snooze
from coachboard.loaders.load_state import LoadState
from coachboard.loaders.requests import unread_of
from coachboard.loaders.reviews import Visit
from coachboard.loaders.roster_row import LastNight, RosterRow
from coachboard.pages.athlete_words import stimulus_words
from coachboard.pages.roster import cells, flags, rows
from coachboard.pages.roster.squad import has_one_today, stimulus_table, week_table
from coachboard.pages.roster.visible_rows import SORTS, VisibleRoster
from coachboard.ui.frame.formats import System, Units
from coachboard.ui.frame.page import Athlete
from coachboard.wire.enums import DataOnboardingStatus, Sport, TrainingStimulus
from coachboard.wire.users import User, UserMetricReadiness

TODAY = date(2026, 3, 12)
NOW = datetime(2026, 3, 12, 7, tzinfo=UTC)
NIGHT = LastNight(last=7.5, mean=7.25, low=7.0, high=8.0, nights=40, day=TODAY)
USER = User(
    id="usr_1",
    first_name="Ana",
    last_name="Li",
    date_of_birth=date(1990, 3, 13),
    gender=None,
    height=None,
    data_onboarding_status=DataOnboardingStatus.DONE,
    user_metric_readiness=None,
)
ROW = RosterRow(
    user=USER,
    today=TODAY,
    sports=(Sport.CYCLING, Sport.TRAINING),
    main_sports=(Sport.CYCLING,),
    last_session=TODAY - timedelta(days=1),
    done_week=410,
    planned_week=500,
    planned_next=120,
    weekly=(1.0, 2.0),
    loads={one.id: LoadState(60, 70, -10) for one in (CLASSIC, SERVICE)},
    adherence=AdherenceSummary(dict.fromkeys(Adherence, 2), 0),
    sleep_h=NIGHT,
    hrv_ms=NIGHT,
    resting_hr_bpm=NIGHT,
    next_session=None,
    next_event=None,
    planned_until=TODAY + timedelta(days=20),
    days=None,  # only a changed threshold needs them
    flags=(),
    week=(),
    stimuli={},
    sessions_as_of=NOW - timedelta(minutes=3),
    plans_as_of=NOW - timedelta(hours=2),
    nights_as_of=NOW - timedelta(days=1),
)
ATHLETE = Athlete(USER.id, "Ana Li", USER)


def shown(row=ROW, *, model=CLASSIC, failed=None):
    page = SimpleNamespace(today=TODAY, now=NOW, athletes=(ATHLETE,))
    choice = SimpleNamespace(
        model=model,
        sort="-priority",
        search="",
        sport=None,
        flag=None,
        workspace=None,
        group=None,
        members="",
    )
    roster = SimpleNamespace(rows={} if row is None else {USER.id: row}, failed=failed or {})
    return VisibleRoster(page, choice, roster, {})


@pytest.mark.parametrize(
    ("row", "group"),
    [
        (ROW, "Cycling"),
        (replace(ROW, sports=(), main_sports=()), "No sport"),
        (replace(ROW, main_sports=(Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING)), "Several sports"),
        (None, "Not loaded"),
    ],
)
def test_an_athlete_whose_data_are_loading_is_not_in_the_group_without_a_sport(row, group):
    roster = shown(row)
    roster.choice.group = "sport"

    assert roster.groups == [(group, ATHLETE)]


def cell(name, row=ROW):
    column = next(column for column in rows.ROSTER_COLUMNS if column.id == name)
    return column.cell(shown(row), ATHLETE, row)


def test_a_line_names_age_and_sports_and_leads_to_the_athlete():
    (line,) = rows.table(shown()).rows

    assert line.href == "athlete?athlete=usr_1"
    assert (line.cells[0].main, line.cells[0].sub) == ("Ana Li", "35 y, cycling")
    assert line.cells[0].title == "Ana Li, 35 y, cycling, strength"


def test_each_number_is_shown_with_its_reference():
    assert (cell("week").main, cell("week").sub) == ("410 of 500", "next 7 d: 120")
    assert (cell("fitness").main, cell("fitness").sub, cell("form").main) == ("60", "70", "−10")
    assert (cell("sleep").main, cell("sleep").sub) == ("7h15", "7h00\u2060–\u20608h00")
    assert (cell("done").main, cell("done").sub) == ("4 of 6", "2 missed")
    assert cell("done").title == "4 of 6 planned sessions done, 2 missed, 2 more excused, 2 unplanned, 2 not compared: sessions could not be read"  # fmt: skip


def flagged(rule_id, **changes):
    fields = {"is_raised": True, "days_active": 10, "age_d": 1} | changes
    return Flag(rule=RULES_BY_ID[rule_id], threshold=1.0, **fields)


LACKING, CLEAR = {"is_raised": False, "shortage": "needs 14 nights, has 8"}, {"is_raised": False}


@pytest.mark.parametrize(
    ("due_in", "says"),
    [(0, "hard today, 1 more"), (1, "hard tomorrow, 1 more"), (3, "hard in 3 days, 1 more")],
)
def test_a_hard_session_of_tomorrow_is_not_flagged_for_ten_days(due_in, says):
    hard = flagged("hard_meets_poor_recovery", due=TODAY + timedelta(days=due_in))
    found = cell("priority", replace(ROW, flags=(hard, flagged("feeling_low"))))

    assert (found.sign, found.main, found.sub) == ("◆", "Poor recovery", says)
    assert found.title == "Hard session, poor recovery; Low feel scores"
    assert cell("priority", replace(ROW, flags=(flagged("feeling_low"),))).sub == "10 days"


def test_the_text_of_a_note_is_in_the_hint_of_its_flag():
    ill = flagged("medical_note", note="Only in the\nevening. <b>No</b> fever.")

    found = cell("priority", replace(ROW, flags=(ill, flagged("feeling_low"))))
    assert found.title == "Illness or injury: Only in the evening. <b>No</b> fever.; Low feel scores"


def test_the_text_of_a_note_is_visible_in_the_line_and_longer_on_a_card():
    """It was in a hint alone, which a finger and a keyboard do not reach."""
    ill = flagged("medical_note", note="Only in the\nevening. <b>No</b> fever, but the throat is sore.")
    alone = cell("priority", replace(ROW, flags=(ill,)))
    hard = flagged("hard_meets_poor_recovery", due=TODAY)
    second = cell("priority", replace(ROW, flags=(replace(hard, days_active=30), ill)))

    assert alone.sub == "10 days; “Only in the evening. <b>No</b> feve…”"
    assert alone.phone_sub == "10 days; “Only in the evening. <b>No</b> fever, but the throat is sore.”"
    assert second.sub.startswith("hard today, 1 more; Illness or injury: “Only in the evening")
    assert cell("priority", replace(ROW, flags=(flagged("feeling_low"),))).phone_sub == ""


def test_an_athlete_worth_a_note_has_another_sign_than_one_who_needs_a_look():
    """Seven athletes needed a look, and eight rows had the same sign."""
    look = flagged("hard_meets_poor_recovery", due=TODAY)
    note = flagged("missed_sessions")

    assert [cell("priority", replace(ROW, flags=(one,))).sign for one in (look, note)] == ["◆", "◇"]


def test_the_short_title_of_a_long_session_near_an_event_names_the_session():
    """ "Long before event" read as a long time before the event."""
    long = flagged("long_before_event", due=TODAY + timedelta(days=2))
    found = cell("priority", replace(ROW, flags=(long,)))

    assert (found.main, found.sub) == ("Long session, event near", "long in 2 days")  # was "hard in 2 days"


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(20, "now"), (60, "1 min"), (3_599, "59 min"), (7_200, "2 h"), (86_400, "1 d"), (400_000, "4 d")],
)
def test_the_age_of_the_data_fits_into_its_narrow_column(seconds, says):
    """Firefox cut "just now" off."""
    assert cells.short_age(NOW - timedelta(seconds=seconds), NOW) == says


def test_flags_without_data_are_counted_and_named():
    lacking = [flagged(name, **LACKING) for name in ("hrv_low", "form_low")]
    clear = flagged("sleep_short", **CLEAR)
    one, two = (cell("priority", replace(ROW, flags=(*lacking[:n], *(clear,) * (3 - n)))) for n in (1, 2))

    assert (one.sub, two.sub) == ("1 of 3 checks lack data", "2 of 3 checks lack data")
    assert two.title == "Not enough data to check: Low HRV, Very low form"


def test_an_athlete_whose_import_failed_is_not_judged():
    """Silva's row said "10 flags lack data" after three weeks without a session."""
    failed = USER.model_copy(update={"data_onboarding_status": DataOnboardingStatus.FAILED})
    row = replace(ROW, user=failed, flags=(flagged("no_session", **LACKING),))

    assert cell("priority", row).sub == "not judged: import failed"
    assert cell("priority", replace(row, flags=(flagged("no_session", **CLEAR),))).sub == ""


def test_the_figures_of_a_failed_import_end_at_its_last_session():
    unknown = {one: LoadState(math.nan, math.nan, math.nan) for one in ROW.loads}
    row = replace(ROW, no_data_since=TODAY - timedelta(days=21), done_week=math.nan, loads=unknown)

    assert (cell("week", row).main, cell("week", row).sub) == ("–", "no data since 19 Feb")
    assert [(cell(name, row).main, cell(name, row).sub) for name in ("fitness", "form")] == [("–", "")] * 2
    assert "History import failed" in cell("form", row).title
    assert "History import failed" in cell("fitness", row).title


def test_only_athletes_with_the_to_do_show_nothing_planned():
    due = replace(ROW, flags=(flagged("no_plan"),))
    unplanned = replace(ROW, flags=(flagged("no_plan", **LACKING),))

    assert (cell("next", due).sub, cell("next", unplanned).sub) == ("nothing planned", "no recent plan")


def test_plan_and_event_take_two_lines_in_a_row_and_give_their_name_on_a_card():
    """Titles of 25 athletes wrapped to four lines: 1,500 px instead of 1,000."""
    plan = Planned(
        "tpr_1", TODAY + timedelta(days=1), Sport.CYCLING, TrainingStimulus.VO2MAX, title="5 × 4 min"
    )
    row = replace(ROW, next_session=plan, next_event=(TODAY + timedelta(days=41), "Stage race"))
    following, event = cell("next", row), cell("event", row)

    assert (following.main, following.sub, following.phone_sub) == (
        "VO2max",
        "tomorrow",
        "tomorrow, 5 × 4 min",
    )
    assert following.title == "VO2max tomorrow, 5 × 4 min"
    assert (event.main, event.sub, event.phone_sub, event.sign) == (
        "41 d",
        "22 Apr",
        "Stage race, 22 Apr",
        None,
    )
    assert cell("event", replace(ROW, next_event=(TODAY + timedelta(days=3), "Race"))).sub == "15 Mar"


@pytest.mark.parametrize(
    ("ends", "short", "long"),
    [
        (6, "tomorrow", ""),  # today and six more days: seven are planned
        (5, "tomorrow to Tue", "; plan ends Tue 17 Mar"),
        (1, "tomorrow, the last", "; plan ends Fri 13 Mar"),
    ],
)
def test_a_plan_of_less_than_seven_days_says_when_it_ends(ends, short, long):
    plan = Planned("tpr_1", TODAY + timedelta(days=1), Sport.CYCLING, TrainingStimulus.VO2MAX, title="Hills")
    following = cell("next", replace(ROW, next_session=plan, planned_until=TODAY + timedelta(days=ends)))
    assert (following.sub, following.phone_sub) == (short, f"tomorrow, Hills{long}")


def test_each_sign_of_the_table_is_explained_and_no_other():
    low = replace(ROW, sleep_h=replace(NIGHT, mean=6.5), next_event=(TODAY, "Race"))

    assert rows.legend(rows.table(shown(low))) == (
        "▼ at least 1 ms, 1 bpm or 15 min below the normal range · ⚑ event within 14 days"
    )
    assert rows.legend(rows.table(shown())) == ""


def test_the_squads_week_ends_three_days_after_the_athletes_own_today():
    """The reader's date was "Today" in a column in which no athlete had it: yesterday for all of them."""
    day = TODAY + timedelta(days=1)
    columns = week_table(shown(replace(ROW, today=day))).columns

    assert [(one.label, one.note) for one in columns[7:9]] == [("Today", "13 Mar"), ("Sat", "14 Mar")]
    assert (columns[1].note, columns[-1].note) == ("7 Mar", "16 Mar")


def test_athletes_on_two_dates_have_their_own_today_in_the_squads_week():
    other = replace(ATHLETE, id="usr_2", name="Ben")
    view = shown()
    view.page.athletes = (ATHLETE, other)
    view.roster.rows["usr_2"] = replace(
        ROW, user=USER.model_copy(update={"id": "usr_2"}), today=TODAY + timedelta(days=1)
    )
    table = week_table(view)

    assert not has_one_today(view)
    assert "Today" not in [column.label for column in table.columns]
    assert [column.note for column in table.columns[1:]] == [f"{n} Mar" for n in range(6, 16)]
    marked = {row.id: [n for n, one in enumerate(row.cells) if one.is_today] for row in table.rows}
    assert marked == {USER.id: [7], "usr_2": [8]}


def test_all_planned_sessions_done_is_no_green_next_to_four_times_the_planned_load():
    """Compliance and its colours belong to single sessions; a count says what explains the load."""
    adherence = AdherenceSummary(
        dict.fromkeys(Adherence, 0) | {Adherence.ON_TIME: 4, Adherence.UNPLANNED: 5}, 1
    )
    row = replace(ROW, adherence=adherence, done_week=505, planned_week=119)

    found = cell("done", row)

    assert (cell("week", row).main, found.main, found.sub) == ("505 of 119", "4 of 4", "5 unplanned")
    assert (found.tone, found.sign) == (None, None)
    assert found.title == "4 of 4 planned sessions done, 5 unplanned, 1 likely match"
    assert "ompliance" not in "".join(
        column.label + column.phone_label + column.card_label + column.help for column in rows.ROSTER_COLUMNS
    )


def test_a_week_of_four_figures_has_its_plan_on_the_line_below():
    long = cell("week", replace(ROW, done_week=1020, planned_week=980))
    assert (long.main, long.sub) == ("1,020", "of 980, next 7 d: 120")
    no_plan = cell("week", replace(ROW, done_week=1020, planned_week=math.nan))
    assert (no_plan.main, no_plan.sub) == ("1,020", "next 7 d: 120")
    assert cell("week", replace(ROW, done_week=999, planned_week=980)).main == "999 of 980"


@pytest.mark.parametrize(
    ("mean", "sign", "value"),
    [(60.8, cells.BELOW, "61"), (61.6, None, "62"), (69.9, None, "70"), (70.7, cells.ABOVE, "71")],
)
def test_a_mean_closer_to_the_normal_range_than_its_error_has_no_sign(mean, sign, value):
    """35.49 ms was marked as below 35.49–39 ms; HRV is known to 1 ms."""
    found = cell("hrv", replace(ROW, hrv_ms=replace(NIGHT, mean=mean, low=61.8, high=69.7, error=1.0)))

    assert (found.sign, found.main) == (sign, value)


def test_a_night_just_outside_its_normal_does_not_read_as_within():
    night = replace(NIGHT, mean=61.6, low=61.8, high=69.6)

    low = cell("hrv", replace(ROW, hrv_ms=night))

    assert (low.sign, low.main, low.sub) == ("▼", "61.6", "61.8\u2060–\u206070")


@pytest.mark.parametrize(
    ("nights", "line"), [(7, ""), (6, ""), (5, "; 5\u00a0nights"), (1, "; 1\u00a0night")]
)
def test_a_mean_of_few_nights_says_so_in_the_row_and_each_in_its_hint(nights, line):
    """Before the athletes are up each row had a third line, "6 nights"."""
    found = cell("sleep", replace(ROW, sleep_h=replace(NIGHT, recent=nights)))

    assert found.sub == f"7h00\u2060–\u20608h00{line}"
    assert f"Mean of {nights} night" in found.title


def test_a_night_of_two_days_ago_is_greyed_and_says_its_age():
    old = replace(ROW, sleep_h=replace(NIGHT, day=TODAY - timedelta(days=2)))

    assert (cell("sleep").is_stale, cell("sleep", old).is_stale) == (False, True)
    assert cell("sleep", old).sub == "2 d old"


def test_a_quantity_of_the_night_without_any_value_says_that_it_is_not_recorded():
    without = cell("hrv", replace(ROW, hrv_ms=replace(NIGHT, day=None)))

    assert (without.main, without.sub) == ("–", "no data")


def test_fatigue_is_named_where_a_line_is_a_card():
    columns = {column.id: column for column in rows.table(shown()).columns}
    service = {column.id: column for column in rows.table(shown(model=SERVICE)).columns}

    assert columns["fitness"].phone_label == "Fitness, fatigue, this morning"
    assert service["fitness"].phone_label.startswith(SERVICE.fitness)


def test_the_services_models_are_counted_and_unknown_is_not_none_of_them():
    known = UserMetricReadiness(
        has_service_cycling_critical_power=True,
        has_service_running_critical_power=False,
        has_service_running_critical_speed=True,
    )
    cell_of_models = cells.models(
        shown(), Athlete(USER.id, "Ana", USER.model_copy(update={"user_metric_readiness": known})), ROW
    )

    assert (cell_of_models.main, cell_of_models.sub, cell("models").main) == (
        "2 of 3",
        "CP bike, CS run",
        "–",
    )
    assert "running critical power not ready" in cell_of_models.title

    of_all = known.model_copy(update={"has_service_running_critical_power": True})
    whole = cells.models(
        shown(), Athlete(USER.id, "Ana", USER.model_copy(update={"user_metric_readiness": of_all})), ROW
    )
    assert (whole.main, whole.sub) == ("3 of 3", "")

    row = replace(ROW, without_critical_power=(Sport.RUNNING,))
    to_do = cells.models(
        shown(), Athlete(USER.id, "Ana", USER.model_copy(update={"user_metric_readiness": known})), row
    )
    assert (to_do.main, to_do.sub) == ("2 of 3", "CP bike, CS run; no CP run")
    assert to_do.title.endswith("to do: no critical power for running")


def test_rows_that_could_not_be_read_are_counted_in_the_line():
    odd = RowProblem("activities[act_1].sport", "missing", is_set_aside=True)
    listed = Result((training.activity("Kept", TODAY),) * 237, NOW, problems=(odd,) * 3)
    row = replace(ROW, unread=unread_of(listed, Result((training.activity("Kept", TODAY),), NOW)))

    assert (cell("age", row).sign, cell("age", row).sub) == ("!", "3 errors")
    assert "3 of 240 activities could not be read" in cell("age", row).title
    assert (cell("age").main, cell("age").sub, cell("age").title) == ("3 min", "", "")


def test_an_import_that_is_not_complete_is_named_below_the_age():
    failed = replace(
        ROW, user=USER.model_copy(update={"data_onboarding_status": DataOnboardingStatus.FAILED})
    )
    found = cells.data(shown(failed), replace(ATHLETE, user=failed.user), failed)

    assert (found.main, found.sub, found.title) == ("", "import failed", "import failed")
    odd = RowProblem("activities[act_1].sport", "missing", is_set_aside=True)
    unread = replace(failed, unread=unread_of(Result((), NOW, problems=(odd,))))
    assert cells.data(shown(unread), replace(ATHLETE, user=failed.user), unread).main == "3 min"


def test_a_row_that_failed_names_the_reason_and_links_to_the_athlete():
    (line,) = rows.table(shown(None, failed={USER.id: TimedOut("GET", "/users")})).rows
    (waiting,) = rows.table(shown(None)).rows

    assert line.cells[1].main == "Could not be loaded"
    assert "in time" in line.cells[1].sub
    assert (line.is_muted, waiting.is_muted, line.href) == (False, True, "athlete?athlete=usr_1")


def test_each_number_has_its_newest_day_and_when_it_was_read():
    found = {aged.name: aged for aged in flags.numbers(shown(), ROW)}

    assert found["Fitness 42 d, fatigue 7 d"].newest == TODAY - timedelta(days=1)
    assert found["Sleep, 7-day mean"].read_at == ROW.nights_as_of
    assert found["Planned sessions done, last 7 days"].read_at == ROW.plans_as_of
    assert found["Sleep, 7-day mean"].value == "7h15, last 7h30, normal 7h00–8h00"


def test_a_colour_is_the_one_of_the_readers_theme():
    looks = [replace(shown(), is_dark=is_dark) for is_dark in (False, True)]
    short = replace(ROW, sleep_h=replace(NIGHT, mean=6.5))
    tones = [cells.sleep(look, ATHLETE, short).tone for look in looks]

    assert tones == [palette.COMPLIANCE["far off"].tone.light, palette.COMPLIANCE["far off"].tone.dark]


def test_where_no_stimulus_was_meant_none_went_as_meant():
    meant = {
        (TrainingStimulus.TEMPO, TrainingStimulus.TEMPO): 3,
        (None, None): 2,
        (None, TrainingStimulus.TEMPO): 1,
    }
    tempo, unstated = stimulus_table(shown(replace(ROW, stimuli=meant))).rows

    assert [cell.sign for cell in tempo.cells[2:4]] == ["✓", None]
    assert tempo.cells[1].main == "100 %"
    assert [cell.sign for cell in unstated.cells[2:4]] == [None, None]
    assert unstated.cells[1].main == "–"


def test_a_plan_without_a_stimulus_has_its_title_in_the_squads_week_and_no_sport():
    plan = Planned("tpr_1", TODAY, Sport.CYCLING, title="Group ride with the whole club")
    titled, bare = (Match(one, None, Adherence.AHEAD) for one in (plan, replace(plan, title="")))
    view = shown(replace(ROW, week=(titled, bare)))
    view.page.units = Units(System.METRIC, {})
    (line,) = week_table(view).rows

    assert [chip.text for one in line.cells for chip in one.chips] == ["Group ride with the…", "Cycling"]


@pytest.mark.parametrize(
    ("planned", "done", "says", "words"),
    [
        (TrainingStimulus.VO2MAX, TrainingStimulus.VO2MAX, "VO2max", "VO2max"),
        (None, TrainingStimulus.VO2MAX, "Group ride", ""),
        (TrainingStimulus.TEMPO, TrainingStimulus.VO2MAX, "Group ride", "done as VO2max"),
        (None, None, "Group ride", ""),
    ],
)
def test_a_session_done_in_another_way_has_the_name_of_its_plan_in_the_squads_week(
    planned, done, says, words
):
    """A group ride of 7 hours read "VO2max"."""
    match = Match(
        Planned("tpr_1", TODAY, Sport.CYCLING, planned, title="Group ride", duration_s=3600),
        Done("act_1", TODAY, Sport.CYCLING, done, duration_s=3600, title="Morning"),
        Adherence.ON_TIME,
    )
    view = shown(replace(ROW, week=(match,)))
    view.page.units = Units(System.METRIC, {})
    (chip,) = [chip for one in week_table(view).rows[0].cells for chip in one.chips]

    assert (chip.text, stimulus_words(match)) == (says, words)
    assert chip.spoken.endswith(f"done 1h00, {words}" if words else "done 1h00")


def test_an_unplanned_session_has_the_name_of_its_type_in_the_squads_week():
    done = Done("act_1", TODAY, Sport.CYCLING, TrainingStimulus.TEMPO, duration_s=3600, title="Morning")
    view = shown(replace(ROW, week=(Match(None, done, Adherence.UNPLANNED),)))
    view.page.units = Units(System.METRIC, {})

    assert [chip.text for one in week_table(view).rows[0].cells for chip in one.chips] == ["Tempo"]


def test_a_load_that_nothing_supports_is_a_dash():
    bare = replace(ROW, done_week=math.nan, planned_week=math.nan, planned_next=math.nan, weekly=())
    view = shown(bare)

    assert cells.week(view, ATHLETE, bare).main == "–"
    assert (cells.weeks(view, ATHLETE, bare).main, cells.weeks(view, ATHLETE, bare).bars) == ("–", ())


def test_a_computed_load_names_its_method():
    felt = replace(ROW, load_methods=(LoadMethod.RPE, LoadMethod.POWER))
    cell = cells.week(shown(felt), ATHLETE, felt)

    assert (cell.sub, cell.title) == ("next 7 d: 120, RPE × min", "computed from RPE × min, power")
    assert cells.week(shown(), ATHLETE, ROW).sub == "next 7 d: 120"


def test_the_form_of_the_first_weeks_is_marked_and_last_in_its_order():
    new = replace(ROW, loads={one.id: LoadState(60, 70, -50, is_settling=True) for one in (CLASSIC, SERVICE)})
    cell = cells.form(shown(new), ATHLETE, new)

    assert (cell.main, cell.sub, cell.is_stale) == ("−50", "settling", True)
    assert not cells.form(shown(), ATHLETE, ROW).is_stale
    assert math.isnan(SORTS["form"](shown(new), new))
    assert SORTS["form"](shown(), ROW) == -10


def far_ahead():
    """A row of an athlete whose date is a day ahead of the reader's."""
    return replace(ROW, today=TODAY + timedelta(days=1), last_session=TODAY + timedelta(days=1))


def test_the_age_table_is_drawn_on_the_athletes_day(monkeypatch):
    drawn = []
    monkeypatch.setattr(flags, "draw_table", lambda table, key: drawn.append(table))
    flags.draw_ages(shown(far_ahead()), far_ahead())

    newest = {row.id: row.cells[2] for row in drawn[0].rows}
    assert newest["Load, done vs planned, last 7 days"].sub == "today"


def test_an_athletes_birthday_comes_with_their_own_day():
    assert cell("name", far_ahead()).sub.startswith("36 y")


def test_the_order_by_last_session_counts_from_each_athletes_day():
    row = far_ahead()

    assert SORTS["last"](shown(row), row) == 0


@pytest.mark.parametrize(("ends_in", "is_snoozed"), [(0, False), (1, True)])
def test_a_snooze_ends_with_the_athletes_day(ends_in, is_snoozed):
    flag = FlagOf(USER.id, "illness")
    snooze = Snooze(TODAY + timedelta(days=ends_in), "")
    looked = replace(shown(far_ahead()), snoozes={flag: snooze})

    assert looked.is_snoozed(flag) == is_snoozed


def test_a_snooze_of_an_athlete_still_loading_ends_with_the_readers_day():
    looked = replace(shown(None), snoozes={(flag := FlagOf(USER.id, "illness")): Snooze(TODAY, "")})

    assert looked.is_snoozed(flag)


def test_a_new_snooze_counts_from_the_athletes_day():
    assert shown(far_ahead()).end_of_snooze(USER.id, 1) == TODAY + timedelta(days=1)
    assert shown(None).end_of_snooze(USER.id, 7) == TODAY + timedelta(days=6)


def test_the_cells_of_an_unchanged_row_are_made_once():
    row = replace(ROW)
    first, second = (rows.table(shown(row)).rows[0].cells for _ in range(2))

    assert first is second
    assert rows.table(shown(replace(row))).rows[0].cells is not first


def test_made_cells_follow_the_model_the_theme_a_snooze_news_and_the_age_of_the_data():
    rule = next(iter(RULES))
    raised = Flag(rule=rule, threshold=1.0, is_raised=True, value=2.0, days_active=1, as_of=TODAY, age_d=0)
    loads = {CLASSIC.id: LoadState(60, 70, -10), SERVICE.id: LoadState(61, 71, -11)}
    row = replace(ROW, loads=loads, flags=(raised,), days=SimpleNamespace(notes=()))
    snooze = {FlagOf(USER.id, rule.id): Snooze(TODAY, "")}
    visit = Visit(NOW, {USER.id: {}})
    first = shown(row)

    def line(found):
        return {
            column.id: one
            for column, one in zip(rows.ROSTER_COLUMNS, rows.table(found).rows[0].cells, strict=True)
        }

    assert line(first)["fitness"].main == "60"
    assert line(shown(row, model=SERVICE))["fitness"].main == "61"
    assert line(first)["priority"].title == rule.title
    assert line(replace(first, snoozes=snooze))["priority"].sub == "1 snoozed"
    assert line(first)["priority"].tone != line(replace(first, is_dark=True))["priority"].tone
    assert line(first)["name"].sign is None
    assert line(replace(first, visit=visit))["name"].sign == "•"
    later = SimpleNamespace(today=TODAY, now=NOW + timedelta(minutes=4), athletes=(ATHLETE,))
    assert (line(first)["age"].main, line(replace(first, page=later))["age"].main) == ("3 min", "7 min")
