"""Mornings of athletes, each with the flags and to-dos that an experienced coach wants to see, and no others.

A new rule has the mornings here that raise it, and those that nearly do. `tests/unit/flags` reads them.

The situations follow published practice: HRV-guided training (Kiviniemi 2007, Plews 2013), return after illness
(Schwellnus 2016), tapering (Mujika 2003), overreaching (Meeusen 2013), jet lag (Fowler 2017), sleep (Hirshkowitz 2015).
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from coachboard.execution.adherence import Adherence, Done, Match, Planned, match_sessions
from coachboard.execution.compliance import MISSED, compliance
from coachboard.execution.stated_length import stated_end
from coachboard.flags.athlete_days import AthleteDays
from coachboard.formulas.recovery.illness import MedicalNote
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

TODAY = date(2026, 3, 9)
HRV = [58.0, 62.0, 66.0, 60.0, 64.0, 57.0, 67.0] * 13
HEART = [48.0, 50.0, 49.0, 47.0, 51.0, 49.0, 50.0] * 13
SLEEP = [7.4, 7.9, 7.6, 8.2, 7.1, 8.4, 7.7] * 13
LOAD = [60.0, 0.0, 80.0, 40.0, 60.0, 120.0, 0.0] * 13
GONE = [float("nan")]


@dataclass(frozen=True)
class Case:
    name: str
    sees: frozenset[str]
    changed: dict[str, Any] = field(default_factory=dict)

    @property
    def athlete(self) -> AthleteDays:
        load = np.array(self.changed.get("load", LOAD))
        return AthleteDays(
            today=TODAY,
            daily_load=load,
            sessions_a_day=(load > 0).astype(float),
            hrv_ms=np.array(self.changed.get("hrv", HRV)),
            resting_hr_bpm=np.array(self.changed.get("heart", HEART)),
            asleep_h=np.array(self.changed.get("sleep", SLEEP)),
            nap_h=np.array(self.changed.get("nap", GONE * 91)),
            matches=self.changed.get("plans", ()),
            notes=self.changed.get("notes", ()),
            medical=self.changed.get("medical", ()),
            feelings=self.changed.get("feelings", ()),
            away=self.changed.get("away", ()),
            events=self.changed.get("events", ()),
        )


def tail(values, *last):
    """The series with other values on its last days."""
    return [*values[: -len(last)], *last]


def ago(days):
    return TODAY - timedelta(days=days)


def plan(in_days, stimulus=TrainingStimulus.VO2MAX, hours=1.0, sport=Sport.CYCLING, title=""):
    day = TODAY + timedelta(days=in_days)
    planned = Planned(f"tpr_{day}", day, sport, stimulus, hours * 3600, title=title)
    return Match(planned, None, Adherence.AHEAD, None)


def race_done(days_ago, title):
    """A workout planned as a race that was done."""
    ride = Done(f"act_race{days_ago}", ago(days_ago), Sport.CYCLING, TrainingStimulus.RACE, 3600.0)
    planned = Planned(
        f"tpr_race{days_ago}",
        ride.day,
        Sport.CYCLING,
        TrainingStimulus.RACE,
        3600.0,
        activity_id=ride.id,
        title=title,
    )
    return Match(planned, ride, Adherence.ON_TIME, compliance(planned, ride))


def missed(*days_ago, stimulus=TrainingStimulus.TEMPO):
    return [
        Match(
            Planned(f"tpr_m{n}", ago(n), Sport.CYCLING, stimulus, 3600.0),
            None,
            Adherence.MISSED,
            MISSED,
        )
        for n in days_ago
    ]


def done(hours_by_day):
    """Planned hours and hours done by days ago."""
    plans = [
        Planned(f"tpr_{n}", ago(n), Sport.CYCLING, duration_s=planned * 3600, activity_id=f"act_{n}")
        for n, (planned, _) in hours_by_day.items()
    ]
    rides = [
        Done(f"act_{n}", ago(n), Sport.CYCLING, duration_s=real * 3600)
        for n, (_, real) in hours_by_day.items()
    ]
    return match_sessions(plans, rides, excuses=[], today=TODAY)


def rode(days_ago, stimulus=TrainingStimulus.VO2MAX, minutes=60, sport=Sport.CYCLING):
    """A session of an hour that was done, or so many minutes of it."""
    day = ago(days_ago)
    ride = Done(f"act_r{days_ago}", day, sport, stimulus, minutes * 60.0)
    planned = Planned(f"tpr_r{days_ago}", day, sport, stimulus, 3600.0, activity_id=ride.id)
    return Match(planned, ride, Adherence.ON_TIME, compliance(planned, ride))


def usually(hours):
    """So many hours in each of the four weeks before the last one."""
    return [
        Match(None, Done(f"act_u{n}", ago(n), Sport.CYCLING, None, hours * 3600.0), Adherence.UNPLANNED)
        for n in (10, 17, 24, 31)
    ]


def raced(days_ago, hours):
    """A race without a plan, in two legs."""
    return [
        Match(
            None, Done(f"act_leg{n}", ago(days_ago), Sport.CYCLING, None, hours * 1800), Adherence.UNPLANNED
        )
        for n in range(2)
    ]


def note(days, title):
    return MedicalNote(ago(days), title)


def away(days, text):
    """An absence with a length, by the words of a note of so many days ago."""
    return [(ago(days), stated_end(text, ago(days)))]


def felt(*scores):
    return [(ago(2 * n + 1), float(score)) for n, score in reversed(list(enumerate(reversed(scores))))]


def case(name, *sees, **changed):
    return Case(name, frozenset(sees), changed)


USUAL = [rode(n, TrainingStimulus.RECOVERY) for n in range(1, 36)]
"""An hour a day."""
LONG = TrainingStimulus.DURABILITY
LONG_RIDES = [
    Match(None, Done(f"act_l{n}", ago(n), Sport.CYCLING, LONG, minutes * 60.0), Adherence.UNPLANNED)
    for n, minutes in ((3, 190), (5, 60), (10, 180), (17, 100), (24, 185))
]
LOW_HRV = tail(HRV, *[44.0] * 7)
HIGH_HEART = tail(HEART, 57.0, 58.0, 57.0)
EASY = TrainingStimulus.RECOVERY
STRIDES = TrainingStimulus.NEUROMUSCULAR
SHORT_SLEEP = tail(SLEEP, 5.2, 5.0, 5.4)
RESTED = tail(LOAD, *[0.0] * 6)
NO_REST = tail(LOAD, *[25.0, 110.0, 25.0, 40.0, 25.0, 120.0, 25.0] * 2, 40.0, 60.0, 0.0)
CAMP_OF_FOUR = tail(LOAD, 120.0, 300.0, 290.0, 250.0, 0.0)
CAMP = tail(LOAD, 260.0, 280.0, 240.0, 270.0, 250.0, 260.0)
TRAINING_RACE = [
    race_done(4, "Club race"),
    plan(0, TrainingStimulus.THRESHOLD),
    plan(3, TrainingStimulus.RACE, title="Club Race"),
]

CASES = (
    # Steady training
    case("steady weeks"),
    case("steady weeks, hard session tomorrow", plans=[plan(1)]),
    case("steady weeks, one bad night", sleep=tail(SLEEP, 4.5)),
    case("steady weeks, one low HRV", hrv=tail(HRV, 44.0)),
    case("steady weeks, one high resting heart rate", heart=tail(HEART, 58.0)),
    case("steady weeks, heart rate 2 SD up for three nights", "resting_hr_high", heart=tail(HEART, 52.0, 53.0, 53.0)),
    case("steady weeks, heart rate 1.5 SD up for three nights", heart=tail(HEART, 51.0, 51.0, 51.0)),
    case("HRV at the edge of the normal range", hrv=tail(HRV, *[60.4] * 7)),
    case("HRV at the edge of the normal range before a hard session", hrv=tail(HRV, *[60.4] * 7), plans=[plan(0)]),
    case("the same load every day", load=tail(LOAD, *[60.0] * 8)),
    case("low HRV after eight days of nearly the same load", "hrv_low", "monotony_high", hrv=LOW_HRV,
         load=tail(LOAD, *[55.0, 65.0] * 4)),
    case("low HRV after 16 days without a rest day", "hrv_low", "no_rest_day", hrv=LOW_HRV, load=NO_REST),
    case("16 days without a rest day", load=NO_REST),
    case("low HRV, a walk on a rest day five days ago", "hrv_low", hrv=LOW_HRV,
         load=[*NO_REST[:-6], 20.0, *NO_REST[-5:]]),
    case("plan that ended yesterday", "no_plan", plans=[rode(1)]),
    case("plan that goes on in eight days", "no_plan", plans=[rode(1), plan(8)]),
    case("plan that ended yesterday, away for two weeks", plans=[rode(1)], away=away(3, "Holiday. Two weeks away, no pool.")),
    case("plan that ended yesterday, away for four days", "no_plan", plans=[rode(1)], away=away(0, "Away for four days")),
    case("plan that goes on in seven days", plans=[rode(1), plan(7)]),
    case("habitual short sleeper", sleep=[5.7, 6.0, 5.8, 5.9, 5.6, 6.1, 5.8] * 13),
    case("napper with short nights", sleep=SHORT_SLEEP, nap=tail(GONE * 91, 1.5, 1.5, 1.5)),
    case("lower HRV than usual with everything else normal", "hrv_low", hrv=LOW_HRV),
    # Illness
    case("fever noted today", "medical_note", medical=[note(0, "Fever")]),
    case("cold noted two days ago, no training since", "medical_note", medical=[note(2, "Cold")], load=RESTED),
    case("coughing again, twelve days after the first note", "medical_note",
         medical=[note(12, "Cold"), note(9, "Cold"), note(6, "Cough"), note(4, "Coughing again")], load=RESTED),
    case("cold closed by a note", medical=[note(10, "Cold"), note(5, "Recovered")]),
    case("cold closed by a normal week", medical=[note(12, "Cold")]),
    case("cold two days ago, hard session yesterday", "medical_note", "no_plan", medical=[note(2, "Cold")], plans=[rode(1)]),
    case("cold a week ago, two hard sessions since", "medical_note", medical=[note(7, "Cold")],
         load=tail(LOAD, 80.0, *[0.0] * 5, 80.0, 80.0), plans=[rode(1), rode(0)]),
    case("COVID test positive", "medical_note", medical=[note(1, "COVID test positive")]),
    case("blood test", medical=[note(0, "Blood test")]),
    case("blood test with HRV at the edge", medical=[note(0, "Blood test")], hrv=tail(HRV, *[60.4] * 7)),
    case("medical check-up in two days, noted today", medical=[note(0, "ECG and check-up")]),
    case("ill, plans of the week not done", "medical_note", medical=[note(3, "Flu")],
         load=tail(LOAD, 0.0, 0.0, 0.0, 0.0), notes=[(ago(3), NoteType.MEDICAL)]),
    case("ill with high heart rate and low HRV", "medical_note", "hrv_low", "resting_hr_high",
         medical=[note(1, "Infection")], hrv=LOW_HRV, heart=HIGH_HEART),
    case("infection brewing: no note, HRV low and heart rate high", "hrv_low", "resting_hr_high",
         hrv=LOW_HRV, heart=HIGH_HEART),
    # Injury and return
    case("sprained ankle noted yesterday", "medical_note", medical=[note(1, "Sprained ankle")]),
    case("crash, wrist swollen, easy ride today", "medical_note", medical=[note(1, "Crash, wrist swollen")],
         plans=[plan(0, EASY)]),
    case("knee pain, swimming only since", "medical_note", medical=[note(2, "Knee pain")]),
    case("tight calf four days ago, easy run and intervals since", "no_plan", medical=[note(4, "Tight calf")],
         load=tail(LOAD, 80.0, 0.0, 40.0, 80.0, 0.0), plans=[rode(1)]),
    case("tight calf four days ago, one easy run since", "medical_note", "no_plan", medical=[note(4, "Tight calf")],
         load=tail(LOAD, 80.0, 0.0, 40.0, 0.0, 0.0), plans=[rode(2, EASY)]),
    case("tight calf four days ago, one hard session since", "medical_note", "no_plan", medical=[note(4, "Tight calf")],
         load=tail(LOAD, 80.0, 0.0, 0.0, 80.0, 0.0), plans=[rode(1)]),
    case("sprained ankle twelve days ago, cleared two days ago",
         medical=[note(12, "Sprained ankle"), note(2, "Cleared to run")], load=tail(LOAD, *[0.0] * 10, 40.0)),
    case("injury a month ago, training again", medical=[note(30, "Achilles tendon")]),
    case("back to training, declared by a note", medical=[note(14, "Calf strain"), note(4, "Back to full training")]),
    case("injury, ten days without training", "medical_note", medical=[note(9, "Broken collarbone, surgery")],
         load=tail(LOAD, *[0.0] * 10), notes=[(ago(9), NoteType.MEDICAL)]),
    case("low HRV, an easy run with strides today", "hrv_low", hrv=LOW_HRV, plans=[plan(0, STRIDES)]),
    case("low HRV, a usual long ride of three hours tomorrow", "hrv_low", hrv=LOW_HRV, plans=[*LONG_RIDES, plan(1, LONG, 3)]),
    case("low HRV, a ride of six hours tomorrow", "hard_meets_poor_recovery", "hrv_low", hrv=LOW_HRV,
         plans=[*LONG_RIDES, plan(1, LONG, 6)]),
    case("low HRV, a usual long ride of three hours tomorrow, feels bad", "hard_meets_poor_recovery", "hrv_low", "feeling_low",
         hrv=LOW_HRV, plans=[*LONG_RIDES, plan(1, LONG, 3)], feelings=felt(4, 3, 4, 2, 2, 1)),
    case("low HRV and high heart rate, a usual long ride of three hours tomorrow", "hard_meets_poor_recovery", "hrv_low",
         "resting_hr_high", hrv=LOW_HRV, heart=HIGH_HEART, plans=[*LONG_RIDES, plan(1, LONG, 3)]),
    case("low HRV, a usual long ride today and intervals tomorrow", "hard_meets_poor_recovery", "hrv_low", hrv=LOW_HRV,
         plans=[*LONG_RIDES, plan(0, None, 3), plan(1)]),
    case("low HRV, 144 min of tempo today", "hard_meets_poor_recovery", "hrv_low", hrv=LOW_HRV,
         plans=[plan(0, TrainingStimulus.TEMPO, hours=2.4)]),
    case("low HRV, an hour of tempo today", "hrv_low", hrv=LOW_HRV, plans=[plan(0, TrainingStimulus.TEMPO)]),
    case("low HRV, seven hours without a stimulus today", "hard_meets_poor_recovery", "hrv_low", hrv=LOW_HRV,
         plans=[plan(0, None, hours=7)]),
    case("low HRV, an hour without a stimulus today", "hrv_low", hrv=LOW_HRV, plans=[plan(0, None)]),
    case("return with a hard session too early", "hard_meets_poor_recovery", "hrv_low", hrv=LOW_HRV, plans=[plan(0)]),
    case(
        "tight calf four weeks ago, two rides, then three weeks of silence",
        "medical_note",
        "no_session",
        medical=[note(24, "Tight calf")],
        load=tail(LOAD, *[0.0] * 21),
    ),
    # Taper and race week
    case("taper: load halved", load=tail(LOAD, 30.0, 0.0, 40.0, 20.0, 30.0, 0.0, 30.0)),
    case("taper with openers tomorrow", load=tail(LOAD, 30.0, 0.0, 40.0, 20.0, 30.0), plans=[plan(1)]),
    case("taper, sleeps more", sleep=tail(SLEEP, 9.0, 9.2, 9.0)),
    case("taper, HRV higher than usual", hrv=tail(HRV, *[78.0] * 7)),
    case("night before a race, five hours", sleep=tail(SLEEP, 5.0), plans=[plan(0, TrainingStimulus.RACE)]),
    case("race tomorrow, three short nights", "sleep_short", "hard_meets_poor_recovery",
         sleep=SHORT_SLEEP, plans=[plan(1, TrainingStimulus.RACE)]),
    case("Ironman in five days, a ride of six hours two days before", "long_before_event", events=[(ago(-5), "Ironman")],
         plans=[plan(0, EASY), plan(3, None, 6.0)]),
    case("race in three days, twice the usual time planned", "no_taper", events=[(ago(-3), "Ironman")],
         plans=[*USUAL, *[plan(n, EASY, 2.0) for n in (0, 1, 2)]]),
    case("race in five days, a little less than the usual time planned", events=[(ago(-5), "Ironman")],
         plans=[*USUAL, *[plan(n, EASY, 0.9) for n in (0, 1, 2, 3, 4)]]),
    case("race in five days, half the usual time planned", events=[(ago(-5), "Ironman")],
         plans=[*USUAL, *[plan(n, EASY, 0.5) for n in (0, 1, 2, 3, 4)]]),
    case("race in three days after a planned camp, threshold today", "tired_before_event", "load_jump", load=CAMP_OF_FOUR,
         plans=[plan(0, TrainingStimulus.THRESHOLD), plan(3, TrainingStimulus.RACE)]),
    case("weekly race in three days after a planned camp, threshold today", "tired_before_event", "load_jump",
         load=CAMP_OF_FOUR, plans=TRAINING_RACE),
    case("race in three days after a planned camp, easy today", load=CAMP_OF_FOUR,
         plans=[plan(0, EASY), plan(3, TrainingStimulus.RACE)]),
    case("race in four days after a planned camp, threshold today", load=CAMP_OF_FOUR,
         plans=[plan(0, TrainingStimulus.THRESHOLD), plan(4, TrainingStimulus.RACE)]),
    case("race tomorrow after a planned camp, openers before it", load=CAMP_OF_FOUR,
         plans=[plan(1), plan(1, TrainingStimulus.RACE)]),
    case("races today and in three days after a planned camp", load=CAMP_OF_FOUR,
         plans=[plan(0, TrainingStimulus.RACE)], events=[(ago(-3), "Stage two")]),
    case("race in three days, form as usual, threshold today",
         plans=[plan(0, TrainingStimulus.THRESHOLD), plan(3, TrainingStimulus.RACE)]),
    case("a race planned as a workout, as much time as usual before it",
         plans=[*USUAL, *[plan(n, EASY) for n in (0, 1, 2)], plan(3, TrainingStimulus.RACE)]),
    case("race in two days, openers of an hour tomorrow", events=[(ago(-2), "Ironman")], plans=[*USUAL, plan(0), plan(1)]),
    case("race in eight days, a ride of six hours two days before", events=[(ago(-8), "Ironman")], plans=[plan(6, None, 6.0)]),
    case("race today, a ride of six hours tomorrow", events=[(TODAY, "Ironman")], plans=[plan(1, None, 6.0)]),
    case("day after a race", load=tail(LOAD, 350.0)),
    case("two days after a race, heart rate up for one night", load=tail(LOAD, 350.0, 0.0), heart=tail(HEART, 56.0)),
    case("week after a marathon, no session, excused", load=tail(LOAD, 350.0, *[0.0] * 6),
         notes=[(ago(3), NoteType.AVAILABILITY)]),
    case("four days after a triathlon of five hours: HRV low, two plans missed", "no_plan", hrv=LOW_HRV,
         events=[(ago(4), "Ironman")], plans=[*raced(4, 5), *missed(2, 1)]),
    case("four days after an Ironman: HRV low and a cold", "hrv_low", "medical_note", hrv=LOW_HRV, events=[(ago(4), "Ironman")],
         plans=raced(4, 11), medical=[note(1, "Cold")]),
    case("four days after an Ironman: HRV low, feels bad", "hrv_low", "feeling_low", hrv=LOW_HRV, events=[(ago(4), "Ironman")],
         plans=raced(4, 11), feelings=felt(4, 3, 4, 4, 3, 2, 2, 1)),
    case("four days after an Ironman: HRV low, intervals tomorrow", "hard_meets_poor_recovery", hrv=LOW_HRV, events=[(ago(4), "Ironman")],
         plans=[*raced(4, 11), plan(1)]),
    case("nine days after an Ironman: HRV low, two plans missed", "hrv_low", "missed_sessions", "no_plan", hrv=LOW_HRV,
         events=[(ago(9), "Ironman")], plans=[*raced(9, 11), *missed(2, 1)]),
    case("four days after a race of two hours: HRV low, two plans missed", "hrv_low", "missed_sessions", "no_plan",
         hrv=LOW_HRV, events=[(ago(4), "Ironman")], plans=[*raced(4, 2), *missed(2, 1)]),
    case("the planned week and a race that is no plan", "no_plan", events=[(ago(2), "Ironman")],
         plans=[*raced(2, 5), *done({1: (1, 1), 3: (1, 1), 5: (2, 2)})]),
    # Hard days
    case("hard for two days, intervals today", "hard_days_in_a_row", plans=[rode(2), rode(1), plan(0)]),
    case("hard yesterday, intervals today and tomorrow", "hard_days_in_a_row", plans=[rode(1), plan(0), plan(1)]),
    case("long tempo and three hours without a type, intervals today", "hard_days_in_a_row",
         plans=[rode(2, TrainingStimulus.TEMPO, minutes=100), plan(0),
                Match(None, Done("act_h1", ago(1), Sport.CYCLING, None, 190 * 60.0), Adherence.UNPLANNED)]),
    case("hard yesterday, intervals today, easy tomorrow", plans=[rode(1), plan(0), plan(1, EASY)]),
    case("hard for two days, easy today, intervals tomorrow", plans=[rode(2), rode(1), plan(0, EASY), plan(1)]),
    case("hard for two days, strides today", plans=[rode(2), rode(1), plan(0, STRIDES)]),
    case("two stages of a race, the third today",
         plans=[race_done(2, "Stage 1"), race_done(1, "Stage 2"), plan(0, TrainingStimulus.RACE)]),
    case("hard for three days, easy today", plans=[rode(3), rode(2), rode(1), plan(0, EASY)]),
    # Camp
    case("planned big weekend", load=tail(LOAD, 320.0, 330.0)),
    case("planned big weekend, low form on Monday", load=tail(LOAD, 420.0, 430.0, 0.0)),
    case("planned big weekend, rest on Monday, form still low on Tuesday", load=tail(LOAD, 250.0, 180.0, 0.0, 0.0)),
    case("planned big weekend, hard session on Tuesday, form still low on Wednesday",
         load=tail(LOAD, 250.0, 180.0, 0.0, 85.0, 0.0)),
    case("third day of a camp", load=tail(LOAD, 220.0, 230.0, 210.0)),
    case("beginner at a fitness of 12: a long run is half of it", load=[*[7.0, 14.0, 0.0] * 29, 20.0, 40.0, 30.0, 20.0]),
    case("beginner who runs every day, four times the usual load", "form_low", "load_jump",
         load=[*[12.0, 0.0, 25.0, 0.0] * 20, *[70.0] * 11]),
    case("end of a hard camp, form very low for days", "form_low", "load_jump", load=CAMP),
    case("end of a hard camp, sleeping badly", "form_low", "load_jump", "sleep_short", load=CAMP, sleep=SHORT_SLEEP),
    case("camp, hard session tomorrow, recovery fine", load=tail(LOAD, 180.0, 170.0, 190.0), plans=[plan(1)]),
    case("a third more than planned", "no_plan", plans=done({1: (1, 1.3), 3: (1, 1.4), 5: (2, 2.6)})),
    case("twice the planned hours", "over_plan", "no_plan", plans=done({1: (1, 2), 3: (1, 2), 5: (2, 4)})),
    # Travel
    case("night flight: one night of three hours", sleep=tail(SLEEP, 3.0)),
    case("jet lag: three short nights", "sleep_short", sleep=SHORT_SLEEP),
    case("jet lag, easy day planned", "sleep_short", sleep=SHORT_SLEEP, plans=[plan(0, EASY)]),
    case("jet lag, intervals planned", "sleep_short", "hard_meets_poor_recovery", sleep=SHORT_SLEEP, plans=[plan(0)]),
    case("holiday without training, announced", load=RESTED, notes=[(ago(4), NoteType.AVAILABILITY)]),
    case("six days without training, no word", "no_session", load=RESTED),
    case("holiday of two weeks, noted on the day of the last session, six days ago", load=RESTED,
         away=away(6, "Holiday. Two weeks away.")),
    case("holiday of a week that ended three days ago, no session since", load=tail(LOAD, *[0.0] * 10),
         away=away(9, "Out for a week")),
    case("holiday of a week that ended six days ago, no session since", "no_session", load=tail(LOAD, *[0.0] * 13),
         away=away(12, "Out for a week"), notes=[(ago(12), NoteType.AVAILABILITY)]),
    case("one recording in the year, seven days ago", load=[*[0.0] * 83, 90.0, *[0.0] * 7]),
    case("a ride every second week, nine days ago", load=[*[90.0, *[0.0] * 13] * 5, *[0.0] * 11, 90.0, *[0.0] * 9]),
    case("three rides in three weeks, then seven days of silence", "no_session",
         load=[*[0.0] * 63, *[90.0, *[0.0] * 6] * 3, *[0.0] * 7]),
    case("three days without training, no word", load=tail(LOAD, *[0.0] * 3)),
    case("a ride every Saturday, six days ago", load=[*[90.0, *[0.0] * 6] * 13]),
    case("a ride every Saturday, seven days ago", load=[*[0.0] * 6, *[90.0, *[0.0] * 6] * 12, 0.0]),
    case("a ride every Saturday, the last one left out", "no_session", load=[*[90.0, *[0.0] * 6] * 12, *[0.0] * 7]),
    case("two plans missed", "missed_sessions", "no_plan", plans=missed(2, 4)),
    case("one plan missed", "no_plan", plans=missed(3)),
    case("a recovery ride and a yoga session missed", "no_plan", plans=missed(2, 1, stimulus=EASY)),
    case("a tempo and a recovery ride missed", "no_plan", plans=[*missed(3), *missed(2, stimulus=EASY)]),
    case("two plans missed, then three done", "no_plan", plans=[*missed(5, 4), rode(3), rode(2), rode(1)]),
    case("two plans missed, then two done", "missed_sessions", "no_plan", plans=[*missed(5, 4), rode(3), rode(1)]),
    case("two plans missed and four done", "missed_sessions", "no_plan",
         plans=[*missed(2, 1), *[rode(n, EASY) for n in (3, 4, 5, 6)]]),
    case("two plans missed and five done", "no_plan", plans=[*missed(2, 1), *[rode(n, EASY) for n in (2, 3, 4, 5, 6)]]),
    case("one plan missed, intervals broken off after 25 of 60 min", "missed_sessions", "no_plan",
         plans=[*missed(3), rode(1, minutes=25)]),
    case("one plan missed, intervals cut to 35 of 60 min", "no_plan", plans=[*missed(3), rode(1, minutes=35)]),
    case("one plan missed, an easy ride broken off after 25 of 60 min", "no_plan",
         plans=[*missed(3), rode(1, TrainingStimulus.AEROBIC, minutes=25)]),
    case("two plans missed, one of them seven days ago", "no_plan", plans=missed(7, 2)),
    # Missing data
    case("no sleep tracker", hrv=GONE * 91, heart=GONE * 91, sleep=GONE * 91),
    case("no sleep tracker, hard session", hrv=GONE * 91, heart=GONE * 91, sleep=GONE * 91, plans=[plan(0)]),
    case("tracker lost four days ago", hrv=tail(HRV, *GONE * 4), heart=tail(HEART, *GONE * 4),
         sleep=tail(SLEEP, *GONE * 4)),
    case("new athlete with a week of nights", hrv=[*GONE * 84, *HRV[:7]], heart=[*GONE * 84, *HEART[:7]],
         sleep=[*GONE * 84, *SLEEP[:7]]),
    case("new athlete with ten days of training", load=[*[0.0] * 81, *LOAD[:10]]),
    # Overreaching
    case("overreached: low form, low HRV, high heart rate, low feel scores", "load_jump",
         "form_low", "hrv_low", "resting_hr_high", "feeling_low",
         load=CAMP, hrv=LOW_HRV, heart=HIGH_HEART, feelings=felt(4, 4, 1, 2, 1)),
    case("feels bad three times", "feeling_low", feelings=felt(4, 3, 4, 2, 2, 1)),
    case("usually 4, then 2 and 2", "feeling_low", feelings=felt(4, 4, 3, 4, 4, 5, 4, 2, 2)),
    case("usually 4, then 3, 3 and 2", "feeling_low", feelings=felt(4, 4, 4, 4, 4, 4, 3, 3, 2)),
    case("usually 4, one bad day", feelings=felt(4, 4, 4, 4, 4, 4, 4, 4, 1)),
    case("usually 4, then 3 three times", feelings=felt(4, 3, 5, 4, 3, 4, 3, 3, 3)),
    case("feels as always, which is a score of 2", feelings=felt(2, 2, 1, 2, 3, 2, 2, 2, 2)),
    case("scores around 2, the last ones a little lower", feelings=felt(2, 2, 1, 2, 3, 2, 1, 1, 2)),
    case("new athlete with five scores of 2", "feeling_low", feelings=felt(2, 2, 2, 2, 2)),
    case("feels bad once", feelings=felt(4, 3, 4, 4, 1)),
)  # fmt: skip

NINE_SHORT_NIGHTS = tail(SLEEP, *[5.2, 5.0, 5.4] * 3)
_COUGH = case("coughing again", medical=[note(12, "Cold"), note(2, "Cough is back")])
_SHORT_NIGHTS = case("nine short nights before a hard session", sleep=NINE_SHORT_NIGHTS, plans=[plan(0)])
_OVERREACHED = case("overreached before a hard session", load=CAMP, hrv=LOW_HRV, heart=HIGH_HEART,
                    feelings=felt(4, 4, 1, 2, 1), plans=[plan(1)])  # fmt: skip

_WEAK_SIGNS = case("tight calf, two plans missed, the same load every day", medical=[note(1, "Tight calf")],
                   plans=missed(2, 4), load=tail(LOAD, *[60.0] * 8))  # fmt: skip
_RUNS_DAILY = case("runs every day", load=[*[12.0, 0.0, 25.0, 0.0] * 20, *[70.0] * 11],
                   plans=done({1: (1, 3), 3: (1, 2), 5: (2, 4)}))  # fmt: skip

_UNPLANNED = {1: (1, 3), 3: (1, 3), 5: (2, 6)}
_EXTRA_RUNS = case("unplanned runs of two extra weeks, HRV 2 SD low last night", plans=done(_UNPLANNED),
                   hrv=tail(HRV, 53.0))  # fmt: skip
_TIRED = case("overreached without low form, hard session tomorrow", hrv=LOW_HRV, heart=HIGH_HEART,
              feelings=felt(4, 4, 1, 2, 1), plans=[plan(1)])  # fmt: skip
_MILD_HRV = tail(HRV, *[56.0] * 7)
_TIGHT_CALF = case("tight calf today, HRV 1.4 SD low, hard session tomorrow", hrv=_MILD_HRV,
                   medical=[note(0, "Tight calf")], plans=[plan(1)])  # fmt: skip

_DAILY_LOW_HRV = case("runs every day, HRV of six days low", load=[*[12.0, 0.0, 25.0, 0.0] * 20, *[70.0] * 11],
                      hrv=tail(HRV, *[52.0] * 6), plans=done({1: (1, 3), 3: (1, 2), 5: (2, 4)}))  # fmt: skip

_CRASHED = case(
    "crash yesterday, easy ride today", medical=[note(1, "Crash, wrist swollen")], plans=[plan(0, EASY)]
)
_OLD_ACHILLES = case("Achilles, noted a week ago", medical=[note(7, "Achilles")], load=tail(LOAD, *[0.0] * 8))
_CALF_LONG_RUN = case("tight calf, long run tomorrow", medical=[note(0, "Tight calf")],
                      plans=[plan(1, None, 4.0, Sport.RUNNING)])  # fmt: skip
_WEEK_OF_FIVE = [*missed(5, 4, 3), rode(2), rode(1)]
_THREE_OF_FIVE = case("three of five hours missed, no word", plans=_WEEK_OF_FIVE)
_TRAINING_RACE = case("weekly race in three days after a camp, threshold today", load=CAMP_OF_FOUR,
                      plans=TRAINING_RACE)  # fmt: skip
_ONE_RIDE = tail(LOAD, 80.0, 0.0, 0.0, 80.0, 0.0)

ORDER = (
    # Five signs and intervals tomorrow come before a beginner who only jogs too much.
    (_TIRED, _DAILY_LOW_HRV),
    (_DAILY_LOW_HRV, _SHORT_NIGHTS),
    # HRV 2 SD low, heart rate 8 bpm up and weak legs are more than a calf and HRV just below the normal range: three
    # topics put the calf above them.
    (_TIRED, _TIGHT_CALF),
    # How far: the same rule, the same days.
    (case("low HRV, twice as far", hrv=LOW_HRV), case("low HRV, 1.4 SD", hrv=_MILD_HRV)),
    (
        case("resting heart rate up by 12", heart=tail(HEART, 61.0, 61.0, 61.0)),
        case("up by 8", heart=HIGH_HEART),
    ),
    (
        case("nights of four hours", sleep=tail(SLEEP, 4.0, 4.0, 4.0)),
        case("of five hours", sleep=SHORT_SLEEP),
    ),
    (
        case("form of twice the limit", load=tail(LOAD, *[150.0] * 8)),
        case("form at the limit", load=tail(LOAD, *[110.0] * 8)),
    ),
    (
        case("two and a half times the planned hours", plans=done({1: (1, 2.5), 3: (1, 2.5), 5: (2, 5)})),
        case("one and a half times", plans=done({1: (1, 1.5), 3: (1, 1.5), 5: (2, 3)})),
    ),
    (
        case("feels very bad three times", feelings=felt(4, 3, 4, 1, 1, 1)),
        case("feels bad three times", feelings=felt(4, 3, 4, 2, 2, 2)),
    ),
    (case("four plans missed", plans=missed(1, 2, 3, 4)), case("two plans missed", plans=missed(1, 2))),
    (
        case("ten days of silence", load=tail(LOAD, *[0.0] * 10)),
        case("five days of silence", load=tail(LOAD, *[0.0] * 5)),
    ),
    (
        case("cough, load three times the usual", medical=[note(0, "Cough")], load=tail(LOAD, *[150.0] * 7)),
        case("cough, load twice the usual", medical=[note(0, "Cough")], load=tail(LOAD, *[110.0] * 7)),
    ),
    # HRV 2 SD low, heart rate 8 bpm up and a feel score of 1 are worse than a cough with normal nights: a coach called
    # that athlete first on three of three mornings.
    (_OVERREACHED, _COUGH),
    # An athlete who trains while ill risks weeks; one tired session costs days (Schwellnus 2016).
    (_COUGH, _SHORT_NIGHTS),
    (_COUGH, case("low HRV alone", hrv=LOW_HRV)),
    (case("fever today", medical=[note(0, "Fever")]), case("missed two sessions", plans=missed(2, 4))),
    # Signs of several kinds and an illness: more than the illness alone.
    (case("infection with signs", medical=[note(1, "Infection")], hrv=LOW_HRV, heart=HIGH_HEART), _COUGH),
    # The coach knows an injury of last week; overreaching before a hard session needs a call today.
    (_OVERREACHED, case("collarbone, surgery", medical=[note(9, "Broken collarbone, surgery")], load=RESTED)),
    (
        _SHORT_NIGHTS,
        case("collarbone, surgery", medical=[note(9, "Broken collarbone, surgery")], load=RESTED),
    ),
    (_SHORT_NIGHTS, case("cold of last week, not closed", medical=[note(9, "Cold")], load=RESTED)),
    # The same low HRV must not count once as recovery and once as a plan: eight days of it, next to a long ride, ranked
    # above an athlete with four signs.
    (_OVERREACHED, case("low HRV alone, hard session tomorrow", hrv=LOW_HRV, plans=[plan(1)])),
    (_COUGH, _WEAK_SIGNS),
    # Form, time over plan and load spike are one cause: too much training. A new cough and a hard run on an injured calf come first.
    (_COUGH, _DAILY_LOW_HRV),
    (_CALF_LONG_RUN, case("three times the usual load and the plan, HRV 1.4 SD low", hrv=_MILD_HRV,
                          load=[*[12.0, 0.0, 25.0, 0.0] * 20, *[70.0] * 11], plans=done(_UNPLANNED))),
    # Training four times the usual load with all nights normal can wait until those above are called.
    (_SHORT_NIGHTS, _RUNS_DAILY),
    (_SHORT_NIGHTS, case("tight calf two days ago", medical=[note(2, "Tight calf")])),
    (
        case("17 days at four times the usual load", load=tail(LOAD, *[200.0] * 17)),
        case(
            "sprained ankle eleven days ago",
            medical=[note(11, "Sprained ankle")],
            load=tail(LOAD, *[0.0] * 11),
        ),
    ),
    (_EXTRA_RUNS, case("unplanned runs, steady nights", plans=done(_UNPLANNED))),
    # Low HRV of seven days has its own flag: the night counts once.
    (_COUGH, case("unplanned runs, low HRV for a week", plans=done(_UNPLANNED), hrv=LOW_HRV)),
    (_EXTRA_RUNS, case("17 days of silence, three plans missed", load=tail(LOAD, *[0.0] * 17), plans=missed(1, 3, 5))),
    (
        case("unplanned runs, heart rate 2 SD high last night", plans=done(_UNPLANNED), heart=tail(HEART, 54.0)),
        case("unplanned runs, heart rate 1 SD high", plans=done(_UNPLANNED), heart=tail(HEART, 51.0)),
    ),
    (_RUNS_DAILY, case("tight calf two days ago", medical=[note(2, "Tight calf")])),
    # A session that can still be changed this morning makes an injury or an illness of some days urgent.
    (
        case(
            "tight calf today, ride of four hours today",
            medical=[note(0, "Tight calf")],
            plans=[plan(0, stimulus=None, hours=4.0)],
        ),
        case("tight calf two days ago, nothing hard", medical=[note(2, "Tight calf")], plans=[plan(3)]),
    ),
    # The part bears a sport that was done since the note, unless the sport loads it.
    (
        case("tight calf two days ago, hard ride today", medical=[note(2, "Tight calf")], plans=[plan(0)]),
        case("tight calf two days ago, hard ride today, a ride yesterday", medical=[note(2, "Tight calf")],
             plans=[rode(1, EASY), plan(0)]),
    ),
    (
        case("tight calf two days ago, hard ride today, a ride on that day", medical=[note(2, "Tight calf")],
             plans=[rode(2, EASY), plan(0)]),
        case("tight calf two days ago, hard ride today, a ride after it", medical=[note(2, "Tight calf")],
             plans=[rode(1, EASY), plan(0)]),
    ),
    (
        case("tight calf two days ago, intervals on foot today, a run yesterday", medical=[note(2, "Tight calf")],
             plans=[rode(1, EASY, sport=Sport.RUNNING), plan(0, sport=Sport.RUNNING)]),
        case("tight calf two days ago, hard ride today", medical=[note(2, "Tight calf")], plans=[plan(0)]),
    ),
    (
        case("sick for three days, hard session today", medical=[note(3, "Sick")], plans=[plan(0)]),
        case("sick for three days, rest today", medical=[note(3, "Sick")]),
    ),
    # A crash before an X-ray and a ride of today, also an easy one: above intervals after bad nights.
    (_CRASHED, _SHORT_NIGHTS),
    (_CRASHED, case("crash, wrist swollen, rest", medical=[note(1, "Crash, wrist swollen")])),
    (_CRASHED, case("crash last week, ride today", medical=[note(5, "Crash, wrist swollen")], plans=[plan(0, EASY)],
                    load=RESTED)),
    # The coach knows an old note: the same injury counts less until a new note.
    (case("Achilles, noted two days ago", medical=[note(2, "Achilles")]), _OLD_ACHILLES),
    (case("Achilles, noted again yesterday", medical=[note(n, "Achilles") for n in (7, 4, 1)],
          load=tail(LOAD, *[0.0] * 8)), _OLD_ACHILLES),
    # A long run loads a calf; skiing does so less.
    (_CALF_LONG_RUN, case("tight calf, three hours of skiing tomorrow", medical=[note(0, "Tight calf")],
                          plans=[plan(1, None, 3.0, Sport.CROSS_COUNTRY_SKIING)])),
    (_CALF_LONG_RUN, case("tight calf, easy run tomorrow", medical=[note(0, "Tight calf")],
                          plans=[plan(1, EASY, 0.5, Sport.RUNNING)])),
    (case("old sprained ankle, easy run today", medical=[note(9, "Ankle sprain")], load=RESTED,
          plans=[plan(0, EASY, sport=Sport.RUNNING)]),
     case("old sprained ankle, swim today", medical=[note(9, "Ankle sprain")], load=RESTED,
          plans=[plan(0, EASY, sport=Sport.SWIMMING)])),
    # Intervals done while ill say that the athlete trains through the illness.
    (case("sore throat of four days, intervals since", medical=[note(4, "Sore throat")], plans=[rode(1)], load=_ONE_RIDE),
     case("sore throat of four days, easy days since", medical=[note(4, "Sore throat")], plans=[rode(1, EASY)],
          load=_ONE_RIDE)),
    # A blood test during an illness of last week is no new illness.
    (
        _SHORT_NIGHTS,
        case("old cold, blood test today", medical=[note(9, "Cold"), note(0, "Blood test")], load=RESTED),
    ),
    # Ten nights of five hours come before a plan that only lacks a taper.
    (
        case("nine short nights, easy days", sleep=NINE_SHORT_NIGHTS),
        case("race in three days, twice the usual time planned", events=[(ago(-3), "City 10 km")],
             plans=[*USUAL, *[plan(n, EASY, 2.0) for n in (0, 1, 2)]]),
    ),
    # A ride of six hours two days before an event is certain harm.
    (
        case("Ironman in five days, a ride of six hours two days before", events=[(ago(-5), "Ironman")],
             plans=[plan(3, None, 6.0)]),
        case("nine short nights, easy days", sleep=NINE_SHORT_NIGHTS),
    ),
    # From half of the planned time on, missed sessions are a reason to talk.
    (_THREE_OF_FIVE, _OLD_ACHILLES),
    (_OLD_ACHILLES, case("two of five hours missed, no word", plans=[*missed(4, 3), rode(6), rode(2), rode(1)])),
    (
        case("three of five hours missed, five hours a week before", plans=[*_WEEK_OF_FIVE, *usually(5)]),
        case("three of five hours missed, two hours a week before", plans=[*_WEEK_OF_FIVE, *usually(2)]),
    ),
    # A weekly race is trained through; an event of that name is none.
    (_THREE_OF_FIVE, _TRAINING_RACE),
    (
        case("race in three days after a camp, another four days ago, threshold today", load=CAMP_OF_FOUR,
             plans=[race_done(4, "Hill climb"), *TRAINING_RACE[1:]]),
        _TRAINING_RACE,
    ),
    (
        case("race in three days after a camp, its stage of two days ago done, threshold today", load=CAMP_OF_FOUR,
             plans=[race_done(2, "Club race"), *TRAINING_RACE[1:]]),
        _TRAINING_RACE,
    ),
    (
        case("event in three days after a camp, like the race of last week, threshold today", load=CAMP_OF_FOUR,
             plans=TRAINING_RACE[:2], events=[(ago(-3), "Club race")]),
        _TRAINING_RACE,
    ),
    # Silence explains missed plans.
    (
        case("low HRV, twice as far", hrv=LOW_HRV),
        case("ten days of silence, four plans missed", load=tail(LOAD, *[0.0] * 10), plans=missed(1, 2, 4, 5)),
    ),
    (case("hard for four days, intervals today", plans=[rode(4), rode(3), rode(2), rode(1), plan(0)]),
     case("hard for two days, intervals today", plans=[rode(2), rode(1), plan(0)])),
    (case("low HRV, intervals today", hrv=LOW_HRV, plans=[plan(0)]),
     case("hard for four days, intervals today, recovery fine", plans=[rode(4), rode(3), rode(2), rode(1), plan(0)])),
    # Organisation comes last.
    (case("low HRV alone", hrv=LOW_HRV), case("missed two sessions", plans=missed(2, 4))),
)  # fmt: skip
"""Pairs of mornings: the coach calls the first athlete before the second."""
