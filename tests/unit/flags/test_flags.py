"""The table of rules: when each is raised, when it lacks data, and how flags compound."""

import math
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from coachboard.execution.adherence import Adherence, Done, Match, Planned, match_sessions
from coachboard.execution.compliance import MISSED
from coachboard.flags.athlete_days import AthleteDays, events_ahead
from coachboard.flags.engine import RULES, RULES_BY_ID, evaluate, priority, raised, todos
from coachboard.flags.morning import recovery_signs
from coachboard.formulas.recovery.illness import MedicalNote, absences
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

TODAY = date(2026, 3, 9)
STEADY_HRV = [60.0, 64.0] * 45
STEADY_HEART = [48.0, 50.0] * 45
STEADY_SLEEP = [7.5, 8.0] * 45
STEADY_LOAD = [60.0, 0.0, 80.0, 40.0, 60.0, 120.0, 0.0] * 13


def athlete(**changed):
    steady = AthleteDays(
        today=TODAY,
        daily_load=np.array(STEADY_LOAD),
        sessions_a_day=(np.array(STEADY_LOAD) > 0).astype(float),
        hrv_ms=np.array(STEADY_HRV),
        resting_hr_bpm=np.array(STEADY_HEART),
        asleep_h=np.array(STEADY_SLEEP),
        nap_h=np.full(len(STEADY_SLEEP), np.nan),
    )
    return replace(steady, **changed)


def flag(rule_id, person, **thresholds):
    return next(found for found in evaluate(person, thresholds) if found.rule.id == rule_id)


def ends_with(values, tail):
    return np.array([*values[: -len(tail)], *tail])


def plan(day, stimulus=TrainingStimulus.VO2MAX, adherence=Adherence.AHEAD):
    compliance = MISSED if adherence is Adherence.MISSED else None
    planned = Planned(f"tpr_{day}", day, Sport.CYCLING, stimulus, 3600.0, title=f"Ride {(TODAY - day).days}")
    return Match(planned, None, adherence, compliance)


def far(name, after, metres, done_m=math.nan, hours=1.0):
    """A plan by distance, with its session where one is given."""
    day = TODAY - timedelta(days=after)
    ride = Done(f"act_{name}", day, Sport.CYCLING, duration_s=hours * 3600, distance_m=done_m)
    planned = Planned(
        name, day, Sport.CYCLING, distance_m=metres, activity_id=None if math.isnan(done_m) else ride.id
    )
    return match_sessions([planned], [] if math.isnan(done_m) else [ride], excuses=[], today=TODAY)


def race_ahead(*plans, in_d=5, done_h=1.0):
    """A race ahead, so many hours done a day in the weeks before, and plans as (days ahead, hours)."""

    def day(n):
        return TODAY + timedelta(days=n)

    rides = [Done(f"act_{n}", day(-n), Sport.CYCLING, duration_s=done_h * 3600) for n in range(1, 36)]
    ahead = [Planned(f"tpr_{n}", day(n), Sport.CYCLING, duration_s=hours * 3600) for n, hours in plans]
    matches = match_sessions(ahead, rides, excuses=[], today=TODAY)
    return {"matches": matches, "events": [(day(-9), "10 km"), (day(in_d), "Ironman"), (day(30), "10 km")]}


TOMORROW = TODAY + timedelta(days=1)
TIRED = ends_with(STEADY_HRV, [40.0] * 7)
CASES = {
    "hrv_low": {"hrv_ms": TIRED},
    "resting_hr_high": {"resting_hr_bpm": ends_with(STEADY_HEART, [56.0] * 3)},
    "sleep_short": {"asleep_h": ends_with(STEADY_SLEEP, [5.0] * 3)},
    "form_low": {"daily_load": ends_with(STEADY_LOAD, [300.0] * 7)},
    "monotony_high": {
        "daily_load": ends_with(STEADY_LOAD, [100.0, 101.0] * 4),
        "sessions_a_day": np.ones(len(STEADY_LOAD)),
        "hrv_ms": TIRED,  # shown next to another flag only
    },
    "load_jump": {"daily_load": ends_with(STEADY_LOAD, [150.0] * 7)},
    "over_plan": {"matches": [*far("a", 3, 20_000, 40_000), *far("b", 2, 20_000, 40_000)]},
    "long_before_event": race_ahead((2, 6.0)),
    "no_taper": race_ahead(*[(n, 1.0) for n in range(5)]),
    "missed_sessions": {
        "matches": [plan(TODAY - timedelta(days=n), adherence=Adherence.MISSED) for n in (2, 4)]
    },
    "medical_note": {"medical": [MedicalNote(TODAY - timedelta(days=1), "Cold")]},
    "no_session": {"sessions_a_day": ends_with([float(load > 0) for load in STEADY_LOAD], [0.0] * 8)},
    "no_plan": {"matches": [plan(TODAY - timedelta(days=3), adherence=Adherence.MISSED)]},
    "feeling_low": {"feelings": [(TODAY - timedelta(days=n), 1.0) for n in (5, 3, 1)]},
    "hard_meets_poor_recovery": {"hrv_ms": TIRED, "matches": [plan(TOMORROW)]},
}


def test_a_steady_athlete_needs_no_look():
    assert raised(evaluate(athlete())) == ()
    assert priority(evaluate(athlete())) == 0


@pytest.mark.parametrize("rule_id", CASES)
def test_each_rule_is_raised_by_its_case(rule_id):
    found = flag(rule_id, athlete(**CASES[rule_id]))

    assert found.is_raised, found
    assert found.as_of is not None
    assert found.age_d == (TODAY - found.as_of).days


def test_a_low_line_gives_value_own_normal_and_days():
    found = flag("hrv_low", athlete(hrv_ms=TIRED))

    assert found.value == pytest.approx(40, abs=0.5)
    assert found.value < found.low < found.high
    assert 1 <= found.days_active <= 7


@pytest.mark.parametrize(
    ("rule_id", "changed", "says"),
    [
        ("hrv_low", {"hrv_ms": np.array([np.nan] * 81 + [60.0] * 9)}, "needs 14 nights, has 8"),
        ("hrv_low", {"hrv_ms": ends_with(STEADY_HRV, [np.nan] * 5)}, "newest night 5 days ago"),
        ("sleep_short", {"asleep_h": np.full(90, np.nan)}, "no night"),
        ("sleep_short", {"asleep_h": ends_with(np.full(90, 7.5), [np.nan] * 4)}, "newest night 4 days ago"),
        (
            "sleep_short",
            {"asleep_h": ends_with(np.full(90, 7.5), [np.nan, np.nan, 7.5])},
            "too few of the last nights",
        ),
        (
            "form_low",
            {"sessions_a_day": ends_with([0.0] * 91, [1.0] * 10)},
            "needs 42 days of training, has 10",
        ),
        ("no_session", {"sessions_a_day": np.zeros(91)}, "no session"),
        ("no_session", CASES["no_session"] | {"unread": {"sessions"}}, "sessions could not be read"),
        ("no_session", {"sessions_a_day": np.zeros(91), "unread": {"sessions"}}, "could not be read"),
        ("no_plan", CASES["no_plan"] | {"unread": {"plans"}}, "plans could not be read"),
        ("missed_sessions", {}, "no session planned"),
    ],
)
def test_too_little_data_says_so_and_raises_nothing(rule_id, changed, says):
    found = flag(rule_id, athlete(**changed))

    assert not found.is_raised
    assert says in found.shortage


def test_a_hard_session_meets_recovery_as_usual_without_a_flag():
    person = athlete(matches=[plan(TOMORROW)])

    assert not flag("hard_meets_poor_recovery", person).is_raised


def test_a_hard_session_is_shown_with_the_signs_of_poor_recovery_and_the_normal_range():
    person = athlete(hrv_ms=TIRED, matches=[plan(TOMORROW, TrainingStimulus.LACTATE_CLEARANCE)])

    found = flag("hard_meets_poor_recovery", person)

    low = flag("hrv_low", person)
    assert found.detail == (
        f"lactate clearance tomorrow; 7-day HRV {low.value:.0f} ms (normal {low.low:.0f}–{low.high:.0f})"
    )


def test_a_value_closer_to_the_normal_range_than_its_uncertainty_is_no_sign():
    person = athlete(hrv_ms=ends_with(STEADY_HRV, [60.7] * 7), matches=[plan(TODAY)])

    low = flag("hrv_low", person, hrv_low=0.1)
    assert low.value < low.low
    assert not low.is_raised
    assert not flag("hard_meets_poor_recovery", person).is_raised


def test_one_mild_sign_before_a_hard_session_is_no_flag_and_two_are():
    high_heart = {"resting_hr_bpm": ends_with([44.0, 54.0] * 45, [53.0] * 3)}

    assert not flag("hard_meets_poor_recovery", athlete(matches=[plan(TODAY)], **high_heart)).is_raised
    tired = athlete(matches=[plan(TODAY)], **high_heart, hrv_ms=ends_with([50.0, 74.0] * 45, [49.5] * 7))
    found = flag("hard_meets_poor_recovery", tired)
    assert (found.is_raised, found.value) == (True, 2)


def test_low_form_of_four_days_is_no_flag_and_of_five_is():
    weekend = ends_with(STEADY_LOAD, [450.0] * 4 + [0.0])
    camp = ends_with(STEADY_LOAD, [450.0] * 5 + [0.0])

    assert not flag("form_low", athlete(daily_load=weekend)).is_raised
    four_days = flag("form_low", athlete(daily_load=weekend))
    assert four_days.value <= four_days.limit
    assert flag("form_low", athlete(daily_load=camp)).is_raised


def test_a_hard_session_is_due_on_its_day():
    assert flag("hard_meets_poor_recovery", athlete(hrv_ms=TIRED, matches=[plan(TOMORROW)])).due == TOMORROW
    assert flag("hrv_low", athlete(hrv_ms=TIRED)).due is None


def test_missed_sessions_count_on_the_days_of_the_roster_and_name_the_excused_ones():
    """The roster counts today and the six days before it: with other days it says 4 of 10 where the flag says 4 of 11."""
    days = [plan(TODAY - timedelta(days=n), adherence=Adherence.MISSED) for n in (7, 6, 4)]
    others = [plan(TODAY - timedelta(days=5), adherence=Adherence.EXCUSED), plan(TODAY)]
    found = flag("missed_sessions", athlete(matches=[*days, *others]))
    all_done = flag("missed_sessions", athlete(matches=[plan(TODAY, adherence=Adherence.ON_TIME)]))

    assert (found.value, found.high, found.detail) == (
        2,
        2,
        "Ride 4 (Thu), Ride 6 (Tue), 100 % of the planned time, 1 more excused",
    )
    assert (all_done.value, all_done.high, all_done.detail) == (0, 1, "")


def test_each_missed_session_is_named():
    week = [plan(TODAY - timedelta(days=n), adherence=Adherence.MISSED) for n in (1, 2, 3, 4)]

    detail = flag("missed_sessions", athlete(matches=week)).detail
    assert detail == "Ride 1 (Sun), Ride 2 (Sat), Ride 3 (Fri), Ride 4 (Thu), 100 % of the planned time"


def test_missed_recovery_sessions_are_named_and_not_counted():
    week = [plan(TODAY - timedelta(days=n), stimulus, Adherence.MISSED)
            for n, stimulus in ((4, TrainingStimulus.VO2MAX), (3, TrainingStimulus.TEMPO), (2, TrainingStimulus.RECOVERY))]  # fmt: skip
    found = flag("missed_sessions", athlete(matches=week))

    assert (found.is_raised, found.value) == (True, 2)
    assert found.detail == "Ride 3 (Fri), Ride 4 (Thu), 67 % of the planned time, 1 more for recovery"
    assert not flag("missed_sessions", athlete(matches=week[1:])).is_raised


def test_a_session_cut_below_half_is_named_and_no_return():
    """Broken-off intervals are no sign that the athlete is back; a note of that day excuses them."""
    week = [plan(TODAY - timedelta(days=6), adherence=Adherence.MISSED)]
    for n in (4, 3, 2):
        planned = replace(plan(TODAY - timedelta(days=n)).planned, activity_id=f"act_{n}")
        ride = Done(f"act_{n}", planned.day, Sport.CYCLING, duration_s=1500.0 if n == 4 else 3600.0)
        week += match_sessions([planned], [ride], excuses=[], today=TODAY)
    found = flag("missed_sessions", athlete(matches=week))
    noted = athlete(matches=week, excused=frozenset({TODAY - timedelta(days=4)}))

    assert (found.is_raised, found.value) == (True, 2)
    assert found.detail == "Ride 4 (Thu), Ride 6 (Tue), 50 % of the planned time, 1 of them cut below half"
    assert flag("missed_sessions", noted).value == 1


def test_half_of_the_planned_time_missed_is_urgent_and_named():
    """Excused plans are not due, and a missed recovery session is no missed one."""
    adherences = (Adherence.MISSED, Adherence.MISSED, Adherence.ON_TIME, Adherence.ON_TIME)
    days = [TODAY - timedelta(days=n) for n in (3, 2, 1, 5)]
    week = [plan(day, adherence=one) for day, one in zip(days, adherences, strict=True)]
    excused = plan(TODAY - timedelta(days=4), adherence=Adherence.EXCUSED)
    rest = plan(TODAY - timedelta(days=4), TrainingStimulus.RECOVERY, adherence=Adherence.MISSED)
    half = flag("missed_sessions", athlete(matches=[*week, excused]))
    less = flag("missed_sessions", athlete(matches=[*week, rest]))

    assert (half.urgency, half.detail) == (
        3,
        "Ride 2 (Sat), Ride 3 (Fri), 50 % of the planned time, 1 more excused",
    )
    assert (less.urgency, less.detail) == (1, "Ride 2 (Sat), Ride 3 (Fri), 1 more for recovery")


def test_low_form_is_shown_in_points_and_its_limit_follows_fitness():
    """A percentage of a fitness of 23 read −132 %; the limit is 35 % of fitness, and at least 10 points."""
    fit = flag("form_low", athlete(daily_load=ends_with(STEADY_LOAD, [450.0] * 5)))
    new = flag("form_low", athlete(daily_load=ends_with(np.array(STEADY_LOAD) / 5, [90.0] * 5)))

    assert fit.limit < -10
    assert fit.detail.startswith(f"fitness {fit.limit / -0.35:.0f} (limit −35 % of it")
    assert new.limit == -10
    assert new.value == pytest.approx(fit.value / 5)


def test_a_supporting_flag_is_never_the_first_of_an_athlete():
    days = {
        "daily_load": ends_with(STEADY_LOAD, [50.0, 51.0] * 8),
        "sessions_a_day": np.ones(len(STEADY_LOAD)),
    }
    missed = [plan(TODAY - timedelta(days=n), adherence=Adherence.MISSED) for n in (1, 2)]
    found = raised(evaluate(athlete(**days, matches=missed)))

    assert found[0].rule.id == "missed_sessions"
    assert {flag.rule.id for flag in found[1:]} == {"monotony_high", "no_rest_day"}
    assert found[0].severity < max(flag.severity for flag in found[1:])


def test_a_hard_session_that_meets_poor_recovery_has_no_days_of_its_own():
    """Ten days of low HRV before one hard session read as "Hard session, poor recovery, 10 days"."""
    person = athlete(hrv_ms=TIRED, matches=[plan(TOMORROW)])

    found = flag("hard_meets_poor_recovery", person)
    assert (found.is_raised, found.days_active) == (True, 0)
    assert flag("hrv_low", person).days_active > 0
    assert found.far > flag("hrv_low", person).far > 1  # the sign's limit is nearer than the flag's
    assert found.severity == pytest.approx(RULES_BY_ID["hard_meets_poor_recovery"].weight * found.far)


def test_a_blood_test_during_an_old_illness_is_no_new_illness():
    cold = MedicalNote(TODAY - timedelta(days=9), "Cold")
    ill = athlete(medical=[cold], sessions_a_day=ends_with(np.ones(91), [0.0] * 9))
    tested = replace(ill, medical=[cold, MedicalNote(TODAY, "Blood test")])

    assert flag("medical_note", tested).severity == flag("medical_note", ill).severity
    assert flag("medical_note", tested).as_of == cold.day


def test_a_supporting_flag_is_no_topic_of_its_own():
    """A load spike after an illness: a fifth of its severity, and not a topic on top."""
    jump = np.array([30.0] * 80 + [0.0] + [110.0] * 10)
    found = raised(
        evaluate(athlete(daily_load=jump, medical=[MedicalNote(TODAY, "Cold")]), {"form_low": -200})
    )
    severity = {one.rule.id: one.severity for one in found}

    assert set(severity) == {"medical_note", "load_jump"}
    assert priority(found) == pytest.approx(severity["medical_note"] + 0.2 * severity["load_jump"])
    assert priority([one for one in found if one.rule.id == "load_jump"]) == 0  # the illness is snoozed


def test_flags_of_load_share_their_sessions_and_flags_of_recovery_do_not():
    tired = raised(evaluate(athlete(hrv_ms=TIRED, resting_hr_bpm=ends_with(STEADY_HEART, [60.0] * 3))))
    load = raised(evaluate(athlete(daily_load=ends_with(STEADY_LOAD, [250.0] * 8))))

    assert {one.rule.id for one in tired} == {"hrv_low", "resting_hr_high"}
    assert priority(tired) == pytest.approx(tired[0].severity + 0.5 * tired[1].severity)
    assert [one.rule.id for one in load] == ["form_low", "load_jump"]
    assert priority(load) == pytest.approx(load[0].severity + 0.2 * load[1].severity)


def test_a_to_do_is_no_flag():
    found = evaluate(athlete(**CASES["no_plan"]))

    assert [one.rule.id for one in todos(found)] == ["no_plan"]
    assert raised(found) == ()
    assert priority(found) == 0


def test_a_sign_without_a_normal_is_shown_by_its_value():
    nights = ends_with([np.nan] * 90, [5.0] * 3)
    person = athlete(asleep_h=nights, matches=[plan(TODAY)])

    assert flag("hard_meets_poor_recovery", person).detail == "VO2max today; 3-night sleep 5h00"


def test_an_easy_session_meets_poor_recovery_without_that_flag():
    person = athlete(hrv_ms=TIRED, matches=[plan(TOMORROW, TrainingStimulus.RECOVERY)])

    assert not flag("hard_meets_poor_recovery", person).is_raised


@pytest.mark.parametrize("kind", [NoteType.MEDICAL, NoteType.AVAILABILITY])
def test_a_note_excuses_a_silent_week(kind):
    quiet = CASES["no_session"] | {"notes": [(TODAY - timedelta(days=2), kind)]}

    assert not flag("no_session", athlete(**quiet)).is_raised


def test_a_load_spike_alone_is_no_flag():
    jump = {"daily_load": np.array([30.0] * 80 + [0.0] + [110.0] * 10)}
    alone = evaluate(athlete(**jump), {"form_low": -1000.0, "monotony_high": 1000.0})
    beside = evaluate(
        athlete(**jump, medical=[MedicalNote(TODAY, "Cold")]), {"form_low": -1000.0, "monotony_high": 1000.0}
    )

    assert raised(alone) == ()
    assert {found.rule.id for found in raised(beside)} == {"medical_note", "load_jump"}


def test_a_load_spike_names_the_loads_of_its_ratio():
    """By hand, weights 2/8 and 2/29: fitness 36 and fatigue 38 were shown next to a ratio of 1.62."""
    loads = [30.0] * 80 + [0.0] + [110.0] * 10
    acute = chronic = 30.0
    for load in loads[:-1]:
        acute, chronic = acute + (load - acute) * 2 / 8, chronic + (load - chronic) * 2 / 29
    found = flag("load_jump", athlete(daily_load=np.array(loads)))

    assert found.detail == (
        f"load {acute:.0f} a day over 7 days ÷ {chronic:.0f} a day over 28 days (recent days weigh more; not the same as fatigue ÷ fitness)"
    )
    assert found.value == pytest.approx(acute / chronic)


def test_the_newest_note_of_an_illness_gives_its_text():
    cold = MedicalNote(TODAY - timedelta(days=4), "Cold", "Since Sunday")
    cough = MedicalNote(TODAY - timedelta(days=1), "Cough is back", "Only in the evening")
    test = MedicalNote(TODAY, "Blood test", "Iron")

    assert flag("medical_note", athlete(medical=[cold, cough, test])).note == "Only in the evening"


def test_a_medical_note_shows_its_title():
    days = [TODAY - timedelta(days=n) for n in (2, 1)]
    titles = zip(days, ("Fever", "Still coughing"), strict=True)
    person = athlete(medical=[MedicalNote(day, title) for day, title in titles])

    assert flag("medical_note", person).detail == "Still coughing (illness)"


def test_an_illness_names_the_hard_session_since_and_the_next():
    """A sore throat with hill sprints since is a reason to call, and the note alone does not say so."""
    hard, easy, race = TrainingStimulus.VO2MAX, TrainingStimulus.RECOVERY, TrainingStimulus.RACE

    def detail(days_ago, *due, says="Sore throat", noted=4):
        rides = [
            Match(
                None,
                Done("act_1", TODAY - timedelta(days=n), Sport.CYCLING, hard, 3600),
                Adherence.UNPLANNED,
            )
            for n in days_ago
        ]
        note = MedicalNote(TODAY - timedelta(days=noted), says)
        return flag("medical_note", athlete(medical=[note], matches=[*rides, *due])).detail

    assert detail([5, 3, 2]) == "Sore throat (illness); VO2max 2 days ago"
    assert detail([2, 1]) == "Sore throat (illness); VO2max yesterday"
    assert detail([0]) == "Sore throat (illness); VO2max today"
    assert detail([5]) == "Sore throat (illness)"
    assert detail([4]) == "Sore throat (illness); VO2max 4 days ago"
    later = plan(TOMORROW, race), plan(TODAY, easy)
    assert detail([], *later) == "Sore throat (illness); race due tomorrow"
    assert detail([], plan(TOMORROW, race), plan(TODAY, hard)) == "Sore throat (illness); VO2max due today"
    assert detail([1], plan(TODAY, hard)) == "Sore throat (illness); VO2max yesterday; VO2max due today"
    jog = Match(replace(plan(TODAY, easy).planned, sport=Sport.RUNNING), None, Adherence.AHEAD)
    hurt = detail([1], jog, plan(TOMORROW, hard), says="Calf strain", noted=2)
    assert hurt == "Calf strain (injury); recovery due today"
    assert detail([], plan(TODAY, easy), says="Wrist sprain", noted=2) == "Wrist sprain (injury)"


def test_a_threshold_of_the_settings_is_used():
    person = athlete(hrv_ms=TIRED)

    assert not flag("hrv_low", person, hrv_low=50.0).is_raised


def test_flags_of_two_topics_compound():
    recovery = priority(evaluate(athlete(hrv_ms=TIRED)))
    contact = priority(evaluate(athlete(**CASES["medical_note"])))
    both = priority(evaluate(athlete(hrv_ms=TIRED, **CASES["medical_note"])))

    assert both == pytest.approx(recovery + contact)


def test_every_rule_has_its_threshold_and_source():
    assert len(RULES_BY_ID) == len(RULES)
    for rule in RULES:
        assert "{" not in rule.sentence()
        assert rule.source
        assert 0 < rule.weight <= 1
    assert "−35" in RULES_BY_ID["form_low"].sentence()


@pytest.mark.parametrize(
    ("rule", "one", "many"),
    [
        ("hard_meets_poor_recovery", "sign", "signs"),
        ("missed_sessions", "session", "sessions"),
        ("form_low", RULES_BY_ID["form_low"].unit, RULES_BY_ID["form_low"].unit),
    ],
)
def test_a_countable_unit_has_a_singular(rule, one, many):
    found = RULES_BY_ID[rule]

    assert (found.unit_of(1), found.unit_of(2)) == (one, many)
    assert found.is_counted == (one != many)


def test_a_week_planned_by_distance_is_compared_by_distance():
    twice = [*far("a", 3, 20_000, 40_000, hours=2), *far("b", 2, 30_000, 60_000, hours=1)]
    missed = [*far("a", 3, 20_000, 40_000, hours=2), *far("c", 2, 20_000)]

    assert flag("over_plan", athlete(matches=twice)).value == pytest.approx(200)
    assert flag("over_plan", athlete(matches=missed)).value == pytest.approx(100)
    unknown = [*far("b", 3, 20_000), *far("c", 2, 20_000)]
    assert flag("over_plan", athlete(matches=unknown)).shortage


def test_the_first_weeks_of_a_history_raise_nothing_about_form():
    """42 days after the first session form is judged, and of these the first four weeks count for no normal."""
    late = np.array([0.0] * 40 + [100.0] * 50)
    found = flag("form_low", athlete(daily_load=late, sessions_a_day=(late > 0).astype(float)))

    assert (found.is_clear, found.value) == (True, pytest.approx(0))
    young = np.array([0.0] * 65 + [0.0, 150.0, 150.0, 150.0, 150.0] * 5)
    early = flag("form_low", athlete(daily_load=young, sessions_a_day=(young > 0).astype(float)))
    assert early.shortage


def test_severity_grows_with_distance_days_and_a_race_that_is_near():
    mild, far = (flag("hrv_low", athlete(hrv_ms=ends_with(STEADY_HRV, [low] * 7))) for low in (54.0, 40.0))
    long = replace(far, days_active=far.days_active + 3)

    assert mild.is_raised
    assert mild.severity < far.severity < long.severity
    assert priority([far], race_in_d=14) == pytest.approx(1.03 * priority([far]))
    assert priority([far], race_in_d=0) == pytest.approx(1.45 * priority([far]))
    assert priority([far], race_in_d=15) == priority([far], race_in_d=-1) == priority([far])


def test_a_heart_rate_within_a_beat_of_a_wide_normal_range_is_no_flag():
    wide = [40.0, 60.0] * 45  # mean 50, normal to 55: the limit is 56, not 55

    assert not flag("resting_hr_high", athlete(resting_hr_bpm=ends_with(wide, [55.5] * 3))).is_raised
    assert flag("resting_hr_high", athlete(resting_hr_bpm=ends_with(wide, [57.0] * 3))).is_raised


def test_a_steady_heart_rate_has_a_limit_of_two_deviations_and_of_three_beats_at_least():
    """Mean 50: with an SD of 2 the limit is 54, with one of 1 it is 53; a limit of 40 bpm stays at 38 or more."""
    loose, steady = [48.0, 52.0] * 45, [49.0, 51.0] * 45

    for usual, below, above in ((loose, 53.5, 54.5), (steady, 52.5, 53.5)):
        low, high = (athlete(resting_hr_bpm=ends_with(usual, [bpm] * 3)) for bpm in (below, above))
        assert not flag("resting_hr_high", low).is_raised
        assert flag("resting_hr_high", high).is_raised
    watched = athlete(resting_hr_bpm=ends_with(steady, [52.4] * 3))
    assert not flag("resting_hr_high", watched, resting_hr_high=3.0).is_raised
    far_up = athlete(resting_hr_bpm=ends_with(steady, [80.0] * 3))
    assert not flag("resting_hr_high", far_up, resting_hr_high=40.0).is_raised


def test_one_high_night_of_three_is_no_high_resting_heart_rate():
    usual = [48.0, 50.0] * 45

    assert not flag("resting_hr_high", athlete(resting_hr_bpm=ends_with(usual, [49.0, 49.0, 80.0]))).is_raised
    assert not flag(
        "resting_hr_high", athlete(resting_hr_bpm=ends_with(usual, [49.0, np.nan, 80.0]))
    ).is_raised
    assert flag("resting_hr_high", athlete(resting_hr_bpm=ends_with(usual, [49.0, 60.0, 60.0]))).is_raised


def test_sleep_within_a_quarter_of_an_hour_of_a_short_sleepers_normal_range_is_no_flag():
    usual = [5.6, 6.0] * 45  # normal from 5.6 h

    assert not flag("sleep_short", athlete(asleep_h=ends_with(usual, [5.45] * 3))).is_raised
    assert flag("sleep_short", athlete(asleep_h=ends_with(usual, [5.2] * 3))).is_raised


def test_a_low_threshold_of_hrv_still_needs_the_standard_error_of_its_week():
    wide = [50.0, 74.0] * 45  # mean 60.8, normal from 55; with the standard error of 7 nights from 51

    assert not flag("hrv_low", athlete(hrv_ms=ends_with(wide, [53.5] * 7)), hrv_low=0.1).is_raised
    assert flag("hrv_low", athlete(hrv_ms=ends_with(wide, [49.0] * 7)), hrv_low=0.1).is_raised


def test_a_drop_of_feel_scores_follows_the_limit_of_the_settings():
    """With a limit of 1 the drop counts up to a mean of 2, so that the flag can be silenced."""
    scores = (4, 4, 4, 4, 4, 4, 3, 3, 2)
    person = athlete(feelings=[(TODAY - timedelta(days=9 - n), float(one)) for n, one in enumerate(scores)])

    assert flag("feeling_low", person).limit == 3
    assert not flag("feeling_low", person, feeling_low=1.0).is_raised


def test_a_drop_is_a_point_below_the_mean_of_the_athlete():
    """Usually 3.5: a mean of 2.7 is less than a point below, and of 2.3 more."""
    for last, is_low in (((2, 2, 4), False), ((2, 2, 3), True)):
        scores = (3, 4, 3, 4, 3, 4, *last)
        rated = [(TODAY - timedelta(days=9 - n), float(one)) for n, one in enumerate(scores)]
        assert flag("feeling_low", athlete(feelings=rated)).is_raised == is_low


def before_race(rule_id, *plans, in_d=5, done_h=1.0):
    return flag(rule_id, athlete(**race_ahead(*plans, in_d=in_d, done_h=done_h)))


def test_a_long_session_before_a_race_counts_in_its_last_three_days():
    assert not before_race("long_before_event", (1, 6.0), in_d=5).is_raised
    assert not before_race("long_before_event", (2, 2.4), in_d=5).is_raised
    assert not before_race("long_before_event", (5, 6.0), in_d=5).is_raised
    assert not before_race("long_before_event", (6, 6.0), in_d=8).is_raised
    found = before_race("long_before_event", (0, 1.0), (2, 2.5), (3, math.nan), in_d=5)
    assert (found.is_raised, found.value, found.due) == (True, 2.5, TODAY + timedelta(days=2))
    assert found.detail == "3 days before Ironman"
    assert before_race("long_before_event", (1, 6.0), in_d=2).detail == "1 day before Ironman"
    assert flag("long_before_event", athlete()).is_clear


def test_as_much_time_as_usual_before_a_race_is_no_taper():
    usual = before_race("no_taper", *[(n, 1.0) for n in range(3)], in_d=3)

    assert (usual.is_raised, usual.due, usual.severity) == (True, None, 0.6)
    assert (usual.value, usual.detail) == (pytest.approx(100), "1h00 a day until Ironman, usually 1h00")
    assert not before_race("no_taper", *[(n, 0.95) for n in range(3)], in_d=3).is_raised
    assert before_race("no_taper", (0, 2.0), (1, 2.0), in_d=2).is_clear
    assert before_race("no_taper", in_d=5, done_h=math.nan).shortage
    assert not before_race("no_taper", (1, math.nan), in_d=5).is_raised


def test_a_workout_planned_as_a_race_is_an_event_and_needs_no_taper():
    planned = Planned(
        "tpr_race", TODAY + timedelta(days=3), Sport.RUNNING, TrainingStimulus.RACE, title="City 10 km"
    )
    race = Match(planned, None, Adherence.AHEAD)
    event = (planned.day, "Regional cup")

    assert events_ahead(athlete(matches=[race])) == [(planned.day, "City 10 km")]
    assert events_ahead(athlete(matches=[replace(race, adherence=Adherence.ON_TIME)])) == []
    assert events_ahead(athlete(matches=[race], events=[event, (TODAY - timedelta(days=1), "Past")])) == [
        event
    ]
    long = replace(plan(TOMORROW), planned=replace(plan(TOMORROW).planned, duration_s=6 * 3600.0))
    assert not flag("long_before_event", athlete(matches=[long, race])).is_raised
    assert flag("long_before_event", athlete(matches=[long, race], events=[event])).is_raised


def test_a_hard_session_at_very_low_form_before_a_race_names_form_and_race():
    tired = ends_with(STEADY_LOAD, [120.0, 300.0, 290.0, 250.0, 0.0])
    planned = Planned(
        "tpr_race", TODAY + timedelta(days=2), Sport.RUNNING, TrainingStimulus.RACE, title="City 10 km"
    )
    race = Match(planned, None, Adherence.AHEAD)
    found = flag("tired_before_event", athlete(daily_load=tired, matches=[plan(TOMORROW), race]))

    assert (found.is_raised, found.value, found.due, found.urgency) == (True, 2, TOMORROW, 1.0)
    assert found.detail == "VO2max tomorrow at a form of −65, 2 days before City 10 km"


def test_feel_scores_of_three_weeks_ago_do_not_count():
    old = [(TODAY - timedelta(days=n), 1.0) for n in (20, 18, 16)]

    assert flag("feeling_low", athlete(feelings=old)).shortage == "needs 3 rated sessions in 14 days, has 0"


@pytest.mark.parametrize(
    ("hours", "load", "is_hard"),
    [(1.49, math.nan, False), (1.5, math.nan, True), (1.0, 89.0, False), (1.0, 90.0, True)],
)
def test_tempo_is_hard_by_its_length_or_its_load(hours, load, is_hard):
    tempo = replace(plan(TODAY, TrainingStimulus.TEMPO).planned, duration_s=hours * 3600, volume=load)
    tired = athlete(hrv_ms=TIRED, matches=[Match(tempo, None, Adherence.AHEAD)])

    assert flag("hard_meets_poor_recovery", tired).is_raised == is_hard


def test_a_hard_session_in_two_days_is_not_due_yet():
    later = athlete(hrv_ms=TIRED, matches=[plan(TODAY + timedelta(days=2))])

    assert not flag("hard_meets_poor_recovery", later).is_raised


def test_monotony_counts_the_days_up_to_yesterday():
    """A morning without a session yet broke a monotonous week."""
    week = ends_with(STEADY_LOAD, [50.0, 150.0, 100.0, 50.0, 150.0, 100.0, 100.0, 0.0])
    person = athlete(daily_load=week, sessions_a_day=(week > 0).astype(float), hrv_ms=TIRED)

    assert flag("monotony_high", person).is_raised


def test_low_form_of_the_first_six_weeks_does_not_count_as_days_flagged():
    load = np.array([0.0] * 31 + [20.0] * 34 + [300.0] * 26)
    found = flag("form_low", athlete(daily_load=load, sessions_a_day=(load > 0).astype(float)))

    assert (found.is_raised, found.days_active <= 60 - 42) == (True, True)


def test_a_new_note_makes_an_illness_of_last_week_urgent_again():
    cough = athlete(medical=[MedicalNote(TODAY - timedelta(days=n), "Cough") for n in (5, 1)])
    quiet = athlete(medical=[MedicalNote(TODAY - timedelta(days=5), "Cough")], sessions_a_day=np.zeros(91))

    assert flag("medical_note", cough).urgency == 5
    assert flag("medical_note", quiet).urgency == 1


def test_a_medical_note_counts_in_full_for_its_first_days_and_then_less():
    ages = (0, 2, 3, 6, 20)
    quiet = {"sessions_a_day": np.zeros(91)}
    found = [
        flag("medical_note", athlete(medical=[MedicalNote(TODAY - timedelta(days=age), "Achilles")], **quiet))
        for age in ages
    ]

    assert [one.severity / one.rule.weight for one in found] == pytest.approx([1, 1, 0.95, 0.8, 0.8])


def test_an_ill_leg_is_no_injury_that_a_run_loads():
    """A cold that names the calf: an easy run is no reason to call."""
    run = replace(plan(TODAY, TrainingStimulus.RECOVERY).planned, sport=Sport.RUNNING)
    due = {"sessions_a_day": np.zeros(91), "matches": [Match(run, None, Adherence.AHEAD)]}
    ill, hurt = (
        flag("medical_note", athlete(medical=[MedicalNote(TODAY - timedelta(days=5), says)], **due))
        for says in ("Cold, weak on foot", "Calf strain")
    )

    assert (ill.urgency, hurt.urgency) == (1, 2.5)


def test_a_note_of_tomorrow_does_not_excuse_a_silent_week():
    away = CASES["no_session"] | {"notes": [(TOMORROW, NoteType.AVAILABILITY)]}

    assert flag("no_session", athlete(**away)).is_raised


def test_a_planned_operation_is_no_injury_yet():
    assert not flag("medical_note", athlete(medical=[MedicalNote(TOMORROW, "Knee surgery")])).is_raised


def test_severity_is_bounded_in_distance_and_days():
    low = flag("hrv_low", athlete(hrv_ms=TIRED))

    assert replace(low, strongest=30.0).severity == replace(low, strongest=3.0).severity
    assert (
        replace(low, strongest=0.2).severity
        == replace(low, limit=math.nan).severity
        == replace(low, strongest=1.0).severity
    )
    assert replace(low, days_active=80).severity == replace(low, days_active=8).severity


def test_an_illness_after_a_note_of_recovery_is_a_new_one():
    cold = [
        MedicalNote(TODAY - timedelta(days=n), says)
        for n, says in ((5, "Cold"), (4, "Recovered"), (2, "Cold"))
    ]

    assert [found.start for found in absences(cold, [], today=TODAY)] == [
        TODAY - timedelta(days=n) for n in (5, 2)
    ]


def test_three_training_days_close_an_illness_only_within_a_week():
    cold = [MedicalNote(TODAY - timedelta(days=12), "Cold")]
    spread, week = ([TODAY - timedelta(days=n) for n in days] for days in ((9, 6, 2), (9, 6, 3)))

    assert [found.is_open for days in (spread, week) for found in absences(cold, days, today=TODAY)] == [
        True,
        False,
    ]


def test_a_note_of_recovery_on_the_day_of_a_newer_illness_does_not_close_it():
    notes = [MedicalNote(TODAY, "Recovered from the cold"), MedicalNote(TODAY, "Fever")]

    assert absences(notes, [], today=TODAY)[0].is_open


def test_a_long_plan_without_a_stimulus_is_named_by_its_duration():
    """The seven hours of today were left out, and the flag spoke about the intervals of tomorrow."""
    long = replace(plan(TODAY, None), planned=replace(plan(TODAY, None).planned, duration_s=7 * 3600.0))

    assert flag(
        "hard_meets_poor_recovery", athlete(hrv_ms=TIRED, matches=[long, plan(TOMORROW)])
    ).detail.startswith("7h00 session today; 7-day HRV")


def test_a_hard_session_counts_its_strongest_sign():
    person = athlete(
        hrv_ms=TIRED, resting_hr_bpm=ends_with(STEADY_HEART, [53.0] * 3), matches=[plan(TOMORROW)]
    )
    signs = [found.far for _, found in recovery_signs(person) if found.is_raised]

    assert len(signs) == 2
    assert flag("hard_meets_poor_recovery", person).far == max(signs) > min(signs) + 0.5


def test_the_limit_of_a_steady_hrv_is_a_millisecond_below_the_normal_range():
    """How far counts from that limit, not from one SD of half a millisecond."""
    found = flag("hrv_low", athlete(hrv_ms=ends_with([60.0, 61.0] * 45, [59.0] * 7)))

    assert found.limit == pytest.approx(found.low - 1)
    assert found.far == pytest.approx(1.01, abs=0.01)


def test_a_silence_is_active_from_the_day_after_the_usual_pause():
    weekly = np.array([*[90.0, *[0.0] * 6] * 12, *[0.0] * 7])[3:]  # the last ride was ten days ago
    found = flag(
        "no_session", athlete(daily_load=weekly[:-3], sessions_a_day=(weekly[:-3] > 0).astype(float))
    )

    assert (found.value, found.limit, found.days_active) == (10, 8, 3)
