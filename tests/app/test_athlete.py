"""The athlete page with data, without data, and with the athlete's own key."""

import json
import re
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import pytest

import rides
import squad
import training
from coachboard.client import Client
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.loaders.roster_row import load_row
from coachboard.service.store import NewUser
from coachboard.ui.frame import navigation
from coachboard.wire.body import Metric
from coachboard.wire.enums import DataOnboardingStatus, Sport, TrainingStimulus
from coachboard.wire.planning import EntryKind, PlanOp
from drawn import key_numbers, page_test
from seeded import SLEEPS
from unit.formulas.test_nights import night
from waiting import wait_until

PAGE = navigation.PAGES_FOLDER / "athlete.py"


@pytest.fixture
def opened(dashboard_settings, squad_store):
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())

    def open_page(key=squad.COACH_KEY, *, near=True, tables=(), **params):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        at = page_test("athlete")
        for name, value in params.items():
            at.query_params[name] = value
        for part in ("below", "weeks", "curves", "sessions", "profile") if near else ():
            at.session_state[f"athlete.{part}.{params.get('athlete', 'me')}.near"] = True
        for chart in tables:
            at.session_state[f"athlete.{chart}.table"] = True
        at.run()
        assert not at.exception
        return at

    return open_page


def read(at):
    kinds = (at.title, at.header, at.subheader, at.markdown, at.caption)
    return (
        "\n".join(element.value for kind in kinds for element in kind).replace("\\", "").replace("\u2060", "")
    )


def test_plans_whose_load_is_unknown_are_not_nothing_planned(opened, squad_store):
    """The page of a new athlete read "Nothing is planned" under two planned sessions."""
    day = training.TODAY
    squad_store.put_activities(squad.BEN, [training.activity("Run", day, sport=Sport.RUNNING)])
    swims = [
        training.prescription(
            f"Swim {n}", day + timedelta(days=n), sport=Sport.SWIMMING, duration=None, distance=None
        )
        for n in (1, 2)
    ]
    squad_store.put_prescriptions(squad.BEN, swims)
    shown = read(opened(athlete=squad.BEN))

    assert "The load of 2 planned sessions cannot be estimated yet" in shown
    assert "Nothing is planned" not in shown


def test_no_axis_of_an_athlete_of_one_week_has_the_same_date_twice(opened, squad_store):
    """The charts had ticks every 12 hours: "22 Nov, 22 Nov"."""
    days = [training.TODAY - timedelta(days=ago) for ago in (3, 1)]
    squad_store.put_activities(squad.BEN, [training.activity(f"Ride {day}", day) for day in days])
    squad_store.put_sleeps(squad.BEN, [night(day, average_hrv=60.0) for day in days])
    charts = list(figures(opened(athlete=squad.BEN)))
    for look in ("load", "nights", "training", "metrics"):
        at = page_test("trends")
        week = {"from": str(days[0] - timedelta(days=2)), "to": str(training.TODAY)}
        at.query_params.update({"athlete": squad.BEN, "look": look, **week})
        charts += figures(at.run())
    axes = [axis for figure in charts for axis in short_day_axes(figure)]

    assert len(axes) > 5
    assert all(axis.get("dtick") == 86_400_000 or "tickvals" in axis for axis in axes), axes


def figures(at):
    for part in at.get("bidi_component"):
        if part.proto.component_name == "coachboard_figure":
            yield json.loads(part.proto.bytes)["figure"]


def short_day_axes(figure):
    """The x axes of days whose dates, in traces, are fewer than a week apart."""
    for trace in figure["data"]:
        days = [text[:10] for text in trace.get("x") or () if re.match(r"\d{4}-\d\d-\d\d", str(text))]
        place = trace.get("xaxis", "x").replace("x", "xaxis", 1)
        if days and (date.fromisoformat(max(days)) - date.fromisoformat(min(days))).days < 7:
            yield figure["layout"][place]


def test_a_fitness_that_has_faded_names_the_last_session(opened, squad_store):
    """Fitness 0 "this morning" while an import had not reached the newest sessions yet."""
    last = training.TODAY - timedelta(days=100)
    squad_store.put_activities(squad.BEN, [training.activity("Old", last)])
    shown = numbers(opened(athlete=squad.BEN, near=False))

    assert "last session 2 Dec 2025" in shown
    assert "this morning" not in shown


def numbers(at):
    return key_numbers(at, "athlete.numbers")


def test_the_headline_names_the_athlete_and_the_constants(opened):
    at = opened(athlete=squad.ANA)

    assert "Ana Li" in read(at)
    assert "Fitness 42 d" in numbers(at)
    assert "time constant 42 days" in read(at)


def test_the_tables_of_the_season_have_words_for_headings(opened):
    for params, grouped in [
        ({}, ["Week of", "Sport", "Planned load", "Load", "Sessions"]),
        (
            {"by": "stimulus", "amount": "duration_s"},
            ["Week of", "Stimulus", "Planned hours", "Hours", "Sessions"],
        ),
    ]:
        at = opened(athlete=squad.ANA, tables=("load", "weekly"), **params)
        found = [frame.value for frame in at.dataframe]
        (weeks,) = [table for table in found if list(table) == grouped]
        (load,) = [table for table in found if list(table)[:4] == ["Day", "Load", "Planned load", "Phase"]]

        assert set(weeks[grouped[1]]) <= {"Cycling", "Running", "Unknown"}
        assert weeks[grouped[2]].sum() > 0 < weeks[grouped[3]].sum()
        assert {"Fitness, as planned", "Fatigue, as planned", "Form, at 80 % of plan"} <= set(load.columns)


def test_a_load_without_any_source_is_not_0(opened, squad_store):
    squad_store.put_activities(squad.BEN, [training.activity("Hand", training.TODAY, volume=None)])
    shown = numbers(opened(athlete=squad.BEN))

    assert re.search(r"Fitness 42 d\s+–", shown)
    assert re.search(r"Load, 7 days\s+–", shown)


def test_the_status_has_the_hrv_if_it_is_known(opened):
    assert re.search(r"HRV\s+52 ms\s+mean of 7 nights", numbers(opened(athlete=squad.ANA)))
    assert "HRV" not in numbers(opened(athlete=squad.BEN))


def test_plans_without_an_estimated_volume_are_counted(opened, squad_store):
    missed = [
        training.prescription(f"Missed {days}", training.TODAY - timedelta(days=days)) for days in (2, 4)
    ]
    squad_store.put_prescriptions(squad.BEN, missed)

    assert re.search(r"Done vs planned\s+0 of 2\s+plans, 6 weeks", numbers(opened(athlete=squad.BEN)))


def test_the_missed_sessions_of_the_headline_have_names_and_links(opened, squad_store):
    """The card counted them; to know which, a coach searched the calendar."""
    days = [training.TODAY - timedelta(days=number) for number in range(2, 8)]
    plans = [training.prescription(f"Hill *{day.day}*", day) for day in days]
    squad_store.put_prescriptions(squad.BEN, plans)
    (missed,) = (text.value for text in opened(athlete=squad.BEN).markdown if "Missed, " in text.value)

    assert "Missed, 6 weeks (6): [Hill \\*10\\*](calendar?" in missed
    assert [f"open={day}" in missed for day in days] == [True] * 4 + [False] * 2
    assert f"[2 more](calendar?athlete={squad.BEN}&plans=2026-03-05%2C2026-03-12)" in missed


def put_runs(store, days, *, rising):
    """Half-hour runs at 3 m/s, on the flat or uphill, for the days before today."""
    distance = np.arange(1800) * 3.0
    for ago in days:
        start = datetime.combine(training.TODAY - timedelta(days=ago), time(9), UTC)
        run = rides.activity(
            f"act_run_{ago}", start=start, sport=Sport.RUNNING, average_speed=3.0, moving_duration=1800
        )
        store.put_activities(squad.BEN, [run])
        store.put_streams(
            run.id,
            rides.streams(
                1800, at=start, power=None, distance=distance, speed=np.full(1800, 3.0),
                altitude=distance * rising,
            ),
        )  # fmt: skip


def curve_table(at):
    return next(frame.value for frame in at.dataframe if "Duration, s" in frame.value)


def test_a_runner_has_curves_of_pace_and_of_grade_adjusted_pace(opened, squad_store):
    """The page had curves of power alone, and nothing for a runner."""
    put_runs(squad_store, (2, 4), rising=0.06)

    def table(best):
        at = opened(athlete=squad.BEN, best=best, tables=("curve",))
        while "Sessions read" in read(at):
            at.run()
        return curve_table(at), read(at)

    pace, words = table("speed")
    adjusted, adjusted_words = table(ADJUSTED_SPEED)
    of_600_s = pace["Duration, s"] == 600

    assert "Best mean pace by duration. Sessions included: last 6 weeks 2 of 2" in words
    assert "Best mean grade-adjusted pace by duration" in adjusted_words
    assert pace[of_600_s]["Last 6 weeks, s /km"].tolist() == pytest.approx([333.3], abs=1)
    assert adjusted[of_600_s]["Last 6 weeks, s /km"].tolist() < [270]


def test_the_power_of_runs_is_another_curve_than_that_of_rides(opened, squad_store):
    for days_ago, sport, watts in ((2, Sport.CYCLING, 210.0), (4, Sport.RUNNING, 330.0)):
        start = datetime.combine(training.TODAY - timedelta(days=days_ago), time(8), UTC)
        activity_id = f"act_{sport}"
        session = rides.activity(activity_id, start=start, sport=sport, average_power=watts)
        squad_store.put_activities(squad.BEN, [session])
        squad_store.put_streams(activity_id, rides.streams(1800, at=start, power=np.full(1800, watts)))

    def table(best):
        at = opened(athlete=squad.BEN, best=best, tables=("curve",))
        while "Sessions read" in read(at):
            at.run()
        row = curve_table(at)
        return row[row["Duration, s"] == 600]["Last 6 weeks, W"].tolist(), read(at)

    (ridden, words), (run, run_words) = table("power-cycling"), table("power-running")

    assert (ridden, run) == ([210.0], [330.0])
    assert "Best mean power by duration. Sessions included: last 6 weeks 1 of 1" in words
    assert "Best mean running power by duration. Sessions included: last 6 weeks 1 of 1" in run_words


def test_a_runners_page_opens_with_the_curve_of_pace(opened, squad_store):
    put_runs(squad_store, (2,), rising=0)
    bars = [
        e.proto.json for e in opened(athlete=squad.BEN).get("bidi_component") if "curve_choices" in e.proto.id
    ]

    assert [json.loads(bar) for bar in bars], "no choice of curve"
    assert "Power" not in bars[0]


def test_the_services_own_pair_is_chosen_by_the_address(opened):
    at = opened(athlete=squad.ANA, model="service")

    assert "Load 112 d" in numbers(at)
    assert "time constant 112 days" in read(at)


def test_the_season_says_where_the_plan_leads(opened):
    text = read(opened(athlete=squad.ANA))

    assert "as planned" in text
    assert "at 80 %" in text
    # The last plan is tomorrow's; the curve after it falls, which is no forecast of the plan.
    assert (
        f"The lines end with the plan, on {training.TODAY + timedelta(days=2):%-d %b %Y}, when fitness would be"
        in text
    )


def test_an_athlete_without_data_gets_reasons_instead_of_charts(opened):
    at = opened(athlete=squad.BEN)
    text = read(at)

    (days,) = (str(one.proto) for one in at.get("bidi_component") if "athlete.days" in one.proto.id)
    assert "Nothing planned in the next 8 weeks" in days
    assert "No session in the last 6 weeks" in days
    assert "No session in the last 12 months." in text
    assert "Fitness 0" not in text  # unknown is not 0
    assert "no verdict" in text
    assert "A verdict needs nights with at least 2 of HRV" in text
    assert "An ongoing illness decides" not in text  # the rule of a verdict that there is not
    assert "No metrics yet" in text
    assert squad.HOSTILE_NAME in text


def test_the_load_of_seven_days_opens_to_its_formula(opened):
    at = opened(athlete=squad.ANA)

    helps = [(caption.help or "").replace("\\", "") for caption in at.caption]

    assert any("7 × 60 = 420" in text for text in helps)


def test_an_athletes_own_key_shows_their_own_data(opened):
    at = opened(key=squad.ATHLETE_KEY)

    assert "Ana Li" in read(at)
    assert at.query_params["athlete"] == squad.ANA
    assert not [one for one in at.get("bidi_component") if "pick.athlete" in one.proto.id]


def test_another_coachs_athlete_is_not_shown(opened):
    text = read(opened(athlete=squad.LONER))

    assert "Lou" not in text
    assert "You can't access that athlete; showing Ana Li" in text
    assert "can't access that athlete" not in read(opened(athlete=squad.ANA))


def test_a_notice_says_that_another_athlete_is_shown_until_the_reader_moves_on(opened):
    """A page draws itself again as soon as what it refreshed is there, and by then its address is put right."""
    at = opened(athlete=squad.LONER)

    assert "can't access that athlete" in read(at.run())
    at.switch_page(str(navigation.PAGES_FOLDER / "roster.py")).run()
    at.switch_page(str(PAGE))
    at.query_params["athlete"] = squad.ANA
    assert "can't access that athlete" not in read(at.run())


def test_the_profile_waits_for_the_reader_too(opened):
    assert "History import" in read(opened(athlete=squad.ANA))
    assert "History import" not in read(opened(athlete=squad.ANA, near=False))


def test_the_profile_claims_no_finished_import_without_data(opened, squad_store):
    is_done = {"data_onboarding_status": DataOnboardingStatus.DONE}
    squad_store.add_user(NewUser(id=squad.BEN, first_name="Ben", **is_done))

    assert "History import" not in read(opened(athlete=squad.BEN))


def test_the_page_leads_to_all_sessions(opened):
    bars = [
        json.loads(part.proto.json)
        for part in opened(athlete=squad.ANA).get("bidi_component")
        if "toolbar" in part.proto.component_name
    ]

    (link,) = (control["href"] for bar in bars for control in bar if control["label"] == "All sessions")
    assert link.endswith(f"activity?athlete={squad.ANA}")


def test_an_athlete_without_a_session_this_year_sees_the_day_of_the_newest(opened, squad_store):
    squad_store.put_activities(squad.BEN, [training.activity("Ancient", date(2012, 5, 6))])
    night = SLEEPS[0].model_copy(update={"day": training.TODAY})
    squad_store.put_sleeps(squad.BEN, [night])  # without a recent row the page opens in 2012
    assert "No session in the last 12 months. The newest is from 6 May 2012." in read(
        opened(athlete=squad.BEN)
    )


@pytest.mark.parametrize(
    ("status", "says"),
    [("ongoing", "in progress"), ("failed", "History import failed"), ("not started", "has not started")],
)
def test_an_unfinished_import_is_shown_at_once(opened, squad_store, status, says):
    squad_store.add_user(
        NewUser(id=squad.ANA, first_name="Ana", data_onboarding_status=DataOnboardingStatus(status))
    )

    assert says in read(opened(athlete=squad.ANA))


def test_the_numbers_of_a_failed_import_end_at_its_last_session(opened, squad_store):
    squad_store.add_user(
        NewUser(id=squad.BEN, first_name="Ben", data_onboarding_status=DataOnboardingStatus.FAILED)
    )
    squad_store.put_activities(
        squad.BEN,
        [
            training.activity(f"Ride {n}", training.TODAY - timedelta(days=n), volume=80)
            for n in range(21, 31)
        ],
    )
    at = opened(athlete=squad.BEN)
    ended = "no data since 19 Feb"

    assert f"History import failed: {ended}" in read(at)
    numbers = key_numbers(at, "athlete.numbers")
    assert f"Form – {ended} Load, 7 days – {ended}" in numbers
    assert f"Fitness 42 d – {ended} Fatigue 7 d – {ended}" in numbers
    # The roster said "not judged", and this page "No recent session: 21 days" and "form +26 on the morning of".
    assert "No recent session" not in read(at)
    assert "The load up to 19 Feb 2026; the lines after it" in read(at)
    assert "on the morning of" not in read(at)


@pytest.mark.parametrize(("value", "resting"), [(19, 0), (19_000, 46)])
def test_w_prime_of_the_profile_is_shown_in_kilojoules_and_a_zero_is_left_out(
    opened, squad_store, value, resting
):
    sent = [("w prime", value, "cycling"), ("resting heart rate", resting, "global")]
    squad_store.put_metrics(
        squad.ANA,
        [
            Metric(
                id=f"mtr_{kind}",
                type=kind,
                value=number,
                unit=None,
                source=None,
                date=training.TODAY,
                sport=of,
            )
            for kind, number, of in sent
        ],
    )
    at = opened(athlete=squad.ANA)
    table = next(frame.value for frame in at.dataframe if "Latest" in frame.value).set_index("Metric")[
        "Latest"
    ]

    assert table["W′"] == "19.0 kJ"
    assert ("Resting heart rate" in table) is bool(resting)
    # 46 here was next to a mean of 54 of the nights without a word.
    assert ("Resting heart rate in this table is a single measurement" in read(at)) is bool(resting)


def days_of(at):
    """The two lists, as they are sent to the browser."""
    (found,) = (
        json.loads(one.proto.json) for one in at.get("bidi_component") if "athlete.days" in one.proto.id
    )
    return json.dumps(found, ensure_ascii=False)


def test_a_load_without_a_volume_is_computed_and_names_its_method(opened, squad_store):
    squad_store.put_activities(squad.BEN, [training.activity("Felt", training.TODAY, volume=None, rpe=7)])
    at = opened(athlete=squad.BEN)

    assert re.search(r"Load, 7 days\s+100\s+12-week mean 0, computed from RPE × min", numbers(at))
    assert re.search(r"Form\s+0\s+uncertain: less than 6 weeks of data", numbers(at))
    assert "The load of sessions that come without one is computed from RPE × min." in read(at)
    assert "RPE × min" in days_of(at)


def test_sessions_without_streams_are_counted_and_end_the_loading(opened, squad_store):
    measured = [
        training.activity(f"Ride {n}", training.TODAY - timedelta(days=n), average_power=200)
        for n in (1, 2, 3)
    ]
    squad_store.put_activities(squad.BEN, measured)
    at = opened(athlete=squad.BEN)
    wait_until(lambda: "No session has streams" in read(at.run()))

    assert "last 6 weeks 3 without streams" in read(at)
    assert "in the background" not in read(at)


def test_a_session_with_two_names_says_which_is_the_recordings(opened, squad_store):
    ridden = training.activity("Evening ride", training.TODAY - timedelta(days=1))
    plan = training.prescription("Recovery spin", training.TODAY - timedelta(days=1))
    squad_store.put_activities(squad.BEN, [ridden])
    squad_store.put_prescriptions(squad.BEN, [plan])
    shown = days_of(opened(athlete=squad.BEN))

    assert (
        shown.index("Last sessions") < shown.index("Recovery spin") < shown.index("recorded as Evening ride")
    )


def test_the_next_sessions_are_those_of_the_rosters_planned_load(opened, squad_store, squad_service):
    """The roster said 585 for "next 7 d", and the list, with a session in 7 days, added up to 706."""
    done = [
        training.activity(f"Ride {n}", training.TODAY - timedelta(days=n), volume=60) for n in (1, 2, 3, 4)
    ]
    ahead = [training.prescription(f"Plan {n}", training.TODAY + timedelta(days=n)) for n in (0, 6, 7)]
    squad_store.put_activities(squad.BEN, done)
    squad_store.put_prescriptions(squad.BEN, ahead)
    with Client(squad_service, squad.COACH_KEY) as client:
        user = next(one for one in client.list_users().value if one.id == squad.BEN)
        row = load_row(client, user, today=training.TODAY, thresholds={})
    shown = days_of(opened(athlete=squad.BEN))

    assert "Plan 6" in shown
    assert "Plan 7" not in shown
    assert row.planned_next == 120
    assert '"7 days", "sub": "with today"}, {"main": "All sessions"}, {"main": "120"}' in shown


def test_without_a_plan_in_seven_days_the_next_ones_are_listed(opened, squad_store):
    far = training.prescription("Far race", training.TODAY + timedelta(days=9))
    squad_store.put_prescriptions(squad.BEN, [far])
    squad_store.put_activities(squad.BEN, [training.activity("Ride", training.TODAY, volume=60)])
    shown = days_of(opened(athlete=squad.BEN))

    assert "Far race" in shown
    assert "All sessions" not in shown


def test_a_session_named_by_its_type_has_the_type_once(opened, squad_store):
    """A recovery ride read "Recovery / Cycling, Recovery, 1h00"."""
    changes = {"training_stimulus": TrainingStimulus.RECOVERY}
    squad_store.put_activities(
        squad.BEN, [training.activity("Recovery", training.TODAY - timedelta(days=2), **changes)]
    )
    squad_store.put_prescriptions(
        squad.BEN, [training.prescription("Recovery", training.TODAY + timedelta(days=1), **changes)]
    )
    shown = days_of(opened(athlete=squad.BEN))

    assert shown.count('"Recovery", "sub": "Cycling, 1h00"') == 2


def test_a_plan_that_is_skipped_before_its_day_is_no_last_session(opened, squad_store, squad_service):
    """The last sessions began with "in 5 d"."""
    squad_store.put_activities(squad.BEN, [training.activity("Ride", training.TODAY, volume=60)])
    days = {"Skipped today": 0, "Skipped ahead": 5}
    with Client(squad_service, squad.COACH_KEY) as client:
        planning = client.planning
        created = [
            planning.create(
                squad.BEN,
                EntryKind.WORKOUT,
                title=title,
                sport=Sport.CYCLING,
                date=training.TODAY + timedelta(days=days),
            )
            for title, days in days.items()
        ]
        entries = planning.batch(created).entries
        planning.batch([planning.operation(entry, PlanOp.SKIP, reason="Exam") for entry in entries])
    shown = days_of(opened(athlete=squad.BEN))

    assert "Skipped today" in shown
    assert "Skipped ahead" not in shown


def test_the_critical_speed_of_the_profile_is_a_pace_as_on_values(opened, squad_store):
    """A coach of runners read 4.50 m/s here and 3:42 /km on Values."""
    metric = Metric(
        id="mtr_1",
        type="critical speed",
        value=4.5,
        unit="m/s",
        source=None,
        date=training.TODAY,
        sport="running",
    )
    squad_store.put_metrics(squad.ANA, [metric])
    at = opened(athlete=squad.ANA)

    assert (
        "3:42 /km"
        in next(frame.value for frame in at.dataframe if "Latest" in frame.value)["Latest"].tolist()
    )


def test_todays_plan_stays_next_whatever_was_done_yesterday(opened, squad_store):
    extra = training.activity("Second ride", training.TODAY - timedelta(days=1))
    plan = training.prescription("Long run of today", training.TODAY, duration=None, distance=18_500)
    squad_store.put_activities(squad.BEN, [extra])
    squad_store.put_prescriptions(squad.BEN, [plan])
    shown = days_of(opened(athlete=squad.BEN))

    assert shown.index("Next sessions") < shown.index("Long run of today") < shown.index("Last sessions")
    assert "18.5 km" in shown
    assert "All sessions" not in shown  # the sum of one plan
    assert "inferred" not in shown
