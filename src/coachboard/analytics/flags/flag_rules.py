"""The table of flag rules: text, threshold with source, and weight.

The readings of each topic compute the values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from coachboard.analytics.flags import (
    contact_readings,
    event_readings,
    load_readings,
    plan_readings,
    recovery_readings,
)
from coachboard.analytics.flags.athlete_days import AthleteDays, Reading
from coachboard.plurals import noun

_COUNTED = frozenset({"days", "sessions", "signs"})
"""Units with a singular."""


class Topic(StrEnum):
    """The topic of a rule; flags of several topics add up."""

    RECOVERY = "recovery"
    LOAD = "load"
    PLAN = "plan"
    CONTACT = "contact"


@dataclass(frozen=True, slots=True)
class FlagRule:
    """A rule: its text, the threshold that coaches may change, and the function that computes the value."""

    id: str
    title: str
    text: str  # `{threshold}` is the threshold, with its unit if the unit is countable (3 days)
    threshold: float
    bounds: tuple[float, float]  # the range of a custom threshold
    unit: str
    source: str
    minimum_data: str
    cases: str  # the mornings of tests/flag_cases.py that raise the rule, separated by ";"
    topic: Topic
    weight: float  # 0 to 1, the weight in the order of athletes
    read: Callable[[AthleteDays, float], Reading]
    measure: str = ""  # the quantity, if the unit does not show it
    short: str = ""  # the title in a row of the roster; else the title
    is_supporting: bool = False  # shown next to another flag, never alone
    fades: bool = False  # the severity falls with the days since the note, which the coach knows
    is_todo: bool = False  # an organisational task: listed apart from flags, without weight

    @property
    def is_counted(self) -> bool:
        """Whether the unit is countable."""
        return self.unit in _COUNTED

    def unit_of(self, value: float) -> str:
        """The unit of a value: `day` of 1, `days` of 3."""
        return noun(value, self.unit.removesuffix("s")) if self.is_counted else self.unit

    def says(self, threshold: float | None = None) -> str:
        """The rule as text with its threshold."""
        value = self.threshold if threshold is None else threshold
        unit = f" {self.unit_of(value)}" if self.is_counted else ""
        return self.text.format(threshold=f"{value:g}{unit}".replace("-", "−"))


RULES: tuple[FlagRule, ...] = (
    FlagRule(
        id="hard_meets_poor_recovery",
        title="Hard session, poor recovery",
        text="Hard session today or tomorrow, and at least {threshold} of poor recovery or 1 sign at least 1 SD off the mean. "
        "Hard: planned as threshold, lactate clearance, VO2max, anaerobic, durability, test or race; tempo of at least 90 min "
        "or load 90; or a session of at least 3 h without a type. Sprints and strides (neuromuscular) do not count. "
        f"{plan_readings.SIGN}",
        threshold=2,
        bounds=(1, 3),
        unit="signs",
        source="Adapted from Kiviniemi et al. 2007, Javaloyes et al. 2019 (HRV-guided training: low HRV moves intensity); combination chosen by Coachboard",
        minimum_data="a planned session with a stimulus or of 3 h, and 14 nights of at least one sign",
        cases="low HRV, a ride of six hours tomorrow; low HRV, a usual long ride of three hours tomorrow, feels bad; low HRV and high heart "
        "rate, a usual long ride of three hours tomorrow; low HRV, a usual long ride today and intervals tomorrow; "
        "low HRV, 144 min of tempo today; low HRV, seven hours without a "
        "stimulus today; return with a hard session too early; race tomorrow, three short nights; four days "
        "after an Ironman: HRV low, intervals tomorrow; jet lag, intervals planned",
        topic=Topic.RECOVERY,  # its signs raise the flags of recovery: as a further topic they would count twice
        weight=1.0,
        read=plan_readings.hard_meets_poor_recovery,
        short="Poor recovery",
    ),
    FlagRule(
        id="medical_note",
        title="Illness or injury",
        text="Flagged for at least {threshold} from the day of the note, and longer while the note is open. A note of recovery "
        "closes it, and so do 3 training days within a week after the note (after an injury, a hard session counts as 2) or "
        "4 weeks without a new note. Medical tests do not count",
        threshold=3,
        bounds=(1, 90),
        unit="days",
        source="Coachboard's own threshold; return to training in steps: Schwellnus et al. 2016 (IOC consensus)",
        minimum_data="none",
        cases="fever noted today; cold noted two days ago, no training since; coughing again, twelve days after the "
        "first note; cold two days ago, hard session yesterday; cold a week ago, two hard sessions since; COVID "
        "test positive; ill, plans of the week not done; ill with high heart rate and low HRV; sprained ankle "
        "noted yesterday; crash, wrist swollen, easy ride today; knee pain, swimming only since; tight calf "
        "four days ago, one easy run since; tight calf four days ago, one hard session since; injury, ten days "
        "without training; tight calf four weeks ago, two rides, then three weeks of silence; four days after "
        "an Ironman: HRV low and a cold",
        topic=Topic.CONTACT,
        weight=0.6,
        read=contact_readings.medical_note,
        fades=True,
    ),
    FlagRule(
        id="hrv_low",
        title="Low HRV",
        text="7-day mean of ln HRV at least {threshold} SD below the 60-day mean, and below the normal range by more than "
        "the standard error of the 7-day mean (at least 1 ms). Not within 7 days after an event of 3 h or more, unless ill or with low feel scores",
        threshold=1.0,
        bounds=(0.1, 5),
        unit="SD",
        source="Kiviniemi et al. 2007 (mean − 1 SD); Plews et al. 2013 use ±0.5 SD for the normal range",
        minimum_data="14 valid nights in 60 days, 3 in the last 7",
        cases="low HRV after eight days of nearly the same load; lower HRV than usual with everything else normal; "
        "ill with high heart rate and low HRV; infection brewing: no note, HRV low and heart rate high; low "
        "HRV, an easy run with strides today; low HRV, a usual long ride of three hours tomorrow; low HRV, a ride of six hours tomorrow; low "
        "HRV, a usual long ride of three hours tomorrow, feels bad; low HRV and high heart rate, a usual long ride of three hours "
        "tomorrow; low HRV, a usual long ride today and intervals tomorrow; low HRV, 144 min of tempo today; "
        "low HRV, an hour of tempo today; low HRV, seven hours without a stimulus today; low HRV, an hour "
        "without a stimulus today; return with a hard session too early; four days after an Ironman: HRV low "
        "and a cold; four days after an Ironman: HRV low, feels bad; nine days after an Ironman: HRV low, two "
        "plans missed; four days after a race of two hours: HRV low, two plans missed; overreached: low form, "
        "low HRV, high heart rate, low feel scores",
        topic=Topic.RECOVERY,
        weight=0.5,
        read=recovery_readings.hrv_low,
        measure="7-day mean",
    ),
    FlagRule(
        id="resting_hr_high",
        title="High resting heart rate",
        text="3-night mean at least {threshold} bpm above the 60-day mean; up to 2 bpm less is enough if that is still 2 SD. "
        "Also at least 1 bpm above the normal range, and not because of a single high night",
        threshold=5.0,
        bounds=(1, 40),
        unit="bpm",
        source="Common coaching practice: watch at 3 to 4 bpm, act at 5 bpm (section-11 readiness rules)",
        minimum_data="14 nights in 60 days, 2 in the last 3",
        cases="steady weeks, heart rate 2 SD up for three nights; ill with high heart rate and low HRV; infection brewing: no "
        "note, HRV low and heart rate high; low HRV and high heart rate, a usual long ride of three hours tomorrow; overreached: "
        "low form, low HRV, high heart rate, low feel scores",
        topic=Topic.RECOVERY,
        weight=0.45,
        read=recovery_readings.resting_hr_high,
        measure="3-night mean",
    ),
    FlagRule(
        id="sleep_short",
        title="Short sleep",
        text="3-night mean below {threshold} h, naps included, and at least 15 min below the normal range",
        threshold=6.0,
        bounds=(1, 12),
        unit="h",
        source="Hirshkowitz et al. 2015: under 6 h is not recommended for adults",
        minimum_data="2 of the last 3 nights",
        cases="race tomorrow, three short nights; end of a hard camp, sleeping badly; jet lag: three short nights; "
        "jet lag, easy day planned; jet lag, intervals planned",
        topic=Topic.RECOVERY,
        weight=0.4,
        read=recovery_readings.sleep_short,
        measure="3-night mean",
    ),
    FlagRule(
        id="form_low",
        title="Very low form",
        text="Form at or below {threshold} % of fitness and at or below −10 points, for 5 days or more",
        threshold=load_readings.VERY_LOW_FORM,
        bounds=(-200, 0),
        unit="%",
        source="intervals.icu: form in percent of fitness, high risk from −30 %; Coachboard flags 5 points lower; "
        "TrainingPeaks: form of −10 to −30 points is productive training",
        minimum_data="42 days of training",
        cases="beginner who runs every day, four times the usual load; end of a hard camp, form very low for days; "
        "end of a hard camp, sleeping badly; overreached: low form, low HRV, high heart rate, low feel scores",
        topic=Topic.LOAD,
        weight=0.3,
        read=load_readings.form_low,
        measure="form",
    ),
    FlagRule(
        id="load_jump",
        title="Load spike",
        text="Acute:chronic ratio above {threshold} this morning: weighted load of 7 days ÷ 28 days, in which the last days count "
        "more than in fatigue. Shown only together with another flag",
        threshold=1.5,
        bounds=(0.5, 5),
        unit="",
        source="Gabbett 2016; disputed by Impellizzeri et al. 2020, so it only appears together with "
        "another flag",
        minimum_data="28 days of training",
        cases="race in three days after a planned camp, threshold today; weekly race in "
        "three days after a planned camp, threshold today; beginner who runs every day, four times the "
        "usual load; end of a hard camp, form very low for days; end of a hard camp, sleeping badly; overreached:"
        " low form, low HRV, high heart rate, low feel scores",
        topic=Topic.LOAD,
        weight=0.15,
        read=load_readings.load_jump,
        measure="acute:chronic ratio",
        is_supporting=True,
    ),
    FlagRule(
        id="monotony_high",
        title="High monotony",
        text="7-day monotony at {threshold} or more: mean daily load ÷ its standard deviation. Shown only together with "
        "another flag",
        threshold=2.0,
        bounds=(0.5, 10),
        unit="",
        source="Foster 1998; high monotony alone is common in steady training, so it only appears together with "
        "another flag",
        minimum_data="7 days with at least 4 sessions",
        cases="low HRV after eight days of nearly the same load",
        topic=Topic.LOAD,
        weight=0.2,
        read=load_readings.monotony_high,
        measure="7-day monotony",
        is_supporting=True,
    ),
    FlagRule(
        id="over_plan",
        title="Well over plan",
        text="At least {threshold} % of the planned time done in the 7 days before today, without the days of events. More "
        "urgent after a single night with HRV 2 SD below or resting heart rate 2 SD above the 60-day mean",
        threshold=150.0,
        bounds=(100, 1_000),
        unit="%",
        source="TrainingPeaks' published limit for one session, applied to a week",
        minimum_data="2 planned sessions in 7 days",
        cases="twice the planned hours",
        topic=Topic.LOAD,
        weight=0.4,
        read=plan_readings.over_plan,
        measure="time done in 7 days",
    ),
    FlagRule(
        id="missed_sessions",
        title="Missed sessions",
        text="At least {threshold} missed in the last 7 days, and a third of the planned ones, without a medical or "
        "availability note, and fewer than 3 planned sessions done since the last missed one. A hard session of which less than half was done "
        "counts as missed. Recovery sessions and the 7 days after an event of 3 h or more do not count. More urgent if half of the "
        "planned time or more was missed, unless the athlete trains about as usual or not at all",
        threshold=2,
        bounds=(1, 20),
        unit="sessions",
        source="Coachboard's own threshold",
        minimum_data="1 planned session in 7 days",
        cases="nine days after an Ironman: HRV low, two plans missed; four days after a race of two hours: HRV low, "
        "two plans missed; two plans missed; two plans missed, then two done; two plans missed and four done; one plan "
        "missed, intervals broken off after 25 of 60 min",
        topic=Topic.PLAN,
        weight=0.2,
        read=plan_readings.missed_sessions,
    ),
    FlagRule(
        id="plan_against_race",
        title="Plan too hard before an event",
        text="Event within {threshold}, and one of three reasons. (1) A session of 2.5 h or more in the 3 days before it. "
        "(2) 3 days or more to go, and no less time planned per day than usual. (3) 3 days or less to go, a hard session today "
        "or tomorrow, and form at or below both −35 % of fitness and −10 points. For (3), a workout planned as a race is an "
        "event, too",
        threshold=7,
        bounds=(1, 14),
        unit="days",
        source="Bosquet et al. 2007: a taper of 41 to 60 % less time; limits chosen by Coachboard",
        minimum_data="an event or a workout planned as a race ahead",
        cases="Ironman in five days, a ride of six hours two days before; race in three days, twice the usual time "
        "planned; race in three days after a planned camp, threshold today; weekly race in "
        "three days after a planned camp, threshold today",
        topic=Topic.PLAN,
        weight=1.0,
        read=event_readings.plan_against_race,
        measure="event in",
        short="Hard plan before event",
    ),
    FlagRule(
        id="feeling_low",
        title="Low feel scores",
        text="Mean of the last 3 feel scores (5 = best) of {threshold} or lower. A mean up to 1 point higher counts, too, if it "
        "is at least 1 point below the athlete's own mean and 2 of the 3 scores are below the normal range. In both cases at "
        "least a third of a point below the normal range. The flag shows the athlete's own limit",
        threshold=recovery_readings.FEELING_LOW,
        bounds=(1, 5),
        unit="of 5",
        source="Saw et al. 2016: self-ratings respond to load earlier than measurements; threshold chosen by Coachboard",
        minimum_data="3 rated sessions in 14 days",
        cases="low HRV, a usual long ride of three hours tomorrow, feels bad; four days after an Ironman: HRV low, feels bad; overreached: low form, low HRV, high heart rate, low "
        "feel scores; feels bad three times; usually 4, then 2 and 2; usually 4, then 3, 3 and 2; new athlete "
        "with five scores of 2",
        topic=Topic.RECOVERY,
        weight=0.4,
        read=recovery_readings.feeling_low,
        measure="mean of the last 3 feel scores",
    ),
    FlagRule(
        id="no_session",
        title="No recent session",
        text="No session for at least {threshold}, longer than 90 % of the athlete's pauses in 13 weeks, without a medical "
        "or availability note. A note with a length, such as two weeks away, counts for its length",
        threshold=5,
        bounds=(1, 90),
        unit="days",
        source="Coachboard's own threshold",
        minimum_data="a session in the last 90 days, and 3 training days in the 4 weeks up to it",
        cases="tight calf four weeks ago, two rides, then three weeks of silence; six days without training, no "
        "word; holiday of a week that ended six days ago, no session since; three rides in three weeks, then seven days of silence; a ride every Saturday, the last one left out",
        topic=Topic.CONTACT,
        weight=0.3,
        read=contact_readings.no_session,
        short="No session",
    ),
    FlagRule(
        id="no_plan",
        title="Nothing planned",
        text="No session planned for the next {threshold}, after a plan in the last 28 days, unless a note says that the "
        "athlete is away for so long. A to-do, not a flag",
        threshold=7,
        bounds=(1, 56),
        unit="days",
        source="Coachboard's own threshold",
        minimum_data="a plan in the last 28 days",
        cases="plan that ended yesterday; plan that goes on in eight days; plan that ended yesterday, away for four days; cold two days ago, hard session yesterday; "
        "tight calf four days ago, easy run and intervals since; tight calf four days ago, one easy run since; "
        "tight calf four days ago, one hard session since; four days after a triathlon of five hours: HRV low, "
        "two plans missed; nine days after an Ironman: HRV low, two plans missed; four days after a race of two "
        "hours: HRV low, two plans missed; the planned week and a race that is no plan; a third more than "
        "planned; twice the planned hours; two plans missed; one plan missed; a recovery ride and a yoga "
        "session missed; a tempo and a recovery ride missed; two plans missed, then three done; two plans "
        "missed, then two done; two plans missed and four done; two plans missed and five done; one plan missed, "
        "intervals broken off after 25 of 60 min; one plan missed, intervals cut to 35 of 60 min; one plan missed, an easy "
        "ride broken off after 25 of 60 min; two plans missed, one of them seven days ago",
        topic=Topic.PLAN,
        weight=0.3,
        read=plan_readings.no_plan,
        is_todo=True,
    ),
)
RULES_BY_ID: Mapping[str, FlagRule] = {rule.id: rule for rule in RULES}
