"""The rules of who needs a look, in one table: what each says, its threshold with the source, how much it weighs.

What a rule reads is in the readings of its topic.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from coachboard.analytics import contact_readings, load_readings, plan_readings, recovery_readings
from coachboard.analytics.flag_readings import AthleteDays, Reading


class Topic(StrEnum):
    """What a rule speaks of; flags of several topics compound."""

    RECOVERY = "recovery"
    LOAD = "load"
    PLAN = "plan"
    CONTACT = "contact"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table."""

    id: str
    title: str
    text: str  # `{threshold}` stands for the threshold with its unit
    threshold: float
    bounds: tuple[float, float]  # between which a threshold of one's own makes sense
    unit: str
    source: str
    minimum_data: str
    topic: Topic
    weight: float  # 0 to 1, how much it counts for the order
    read: Callable[[AthleteDays, float], Reading]
    measure: str = ""  # what its value is, where the unit does not say it
    is_supporting: bool = False  # shown beside another flag, never alone

    def says(self, threshold: float | None = None) -> str:
        """The rule in words with the threshold in force."""
        value = self.threshold if threshold is None else threshold
        return self.text.format(threshold=f"{value:g}".replace("-", "−"))


RULES: tuple[Rule, ...] = (
    Rule(
        id="hard_meets_poor_recovery",
        title="Hard day, tired",
        text="A hard session of today or tomorrow meets {threshold} or more of: HRV 0.5 SD under the mean of the 60 "
        "days before, resting heart rate 3 bpm over it, less than 6.5 h asleep",
        threshold=1,
        bounds=(1, 3),
        unit="signs",
        source="Form of Kiviniemi et al. 2007 (intensity guided by HRV); the combination is ours",
        minimum_data="a plan with its stimulus, and 14 nights of at least one sign",
        topic=Topic.PLAN,
        weight=1.0,
        read=plan_readings.hard_meets_poor_recovery,
    ),
    Rule(
        id="medical_note",
        title="Illness noted",
        text="A medical note in the last {threshold} days",
        threshold=3,
        bounds=(1, 90),
        unit="days",
        source="Ours",
        minimum_data="none",
        topic=Topic.CONTACT,
        weight=0.9,
        read=contact_readings.medical_note,
    ),
    Rule(
        id="hrv_low",
        title="HRV low",
        text="The 7-day mean of ln HRV lies {threshold} SD or more below the mean of the 60 days before",
        threshold=1.0,
        bounds=(0.1, 5),
        unit="SD",
        source="Kiviniemi et al. 2007 (mean − 1 SD); Plews et al. 2013 draw the normal range at ±0.5 SD",
        minimum_data="14 valid nights in 60 days, 3 in the last 7",
        topic=Topic.RECOVERY,
        weight=0.8,
        read=recovery_readings.hrv_low,
        measure="7-day mean",
    ),
    Rule(
        id="resting_hr_high",
        title="Resting HR high",
        text="The mean of the last 3 nights lies {threshold} bpm or more above the mean of the 60 days before",
        threshold=5.0,
        bounds=(1, 40),
        unit="bpm",
        source="Practice of the field: 3 to 4 bpm watch, 5 bpm act (section-11 readiness rules)",
        minimum_data="14 nights in 60 days, 2 in the last 3",
        topic=Topic.RECOVERY,
        weight=0.7,
        read=recovery_readings.resting_hr_high,
        measure="mean of 3 nights",
    ),
    Rule(
        id="sleep_short",
        title="Short nights",
        text="Less than {threshold} h asleep a night, naps added, mean of the last 3 nights",
        threshold=6.0,
        bounds=(1, 12),
        unit="h",
        source="Hirshkowitz et al. 2015: under 6 h is not recommended for adults",
        minimum_data="2 of the last 3 nights",
        topic=Topic.RECOVERY,
        weight=0.6,
        read=recovery_readings.sleep_short,
        measure="mean of 3 nights",
    ),
    Rule(
        id="form_low",
        title="Deep in fatigue",
        text="Form is {threshold} % of fitness or lower (42 and 7 days)",
        threshold=-35.0,
        bounds=(-200, 0),
        unit="%",
        source="Form in percent of fitness as intervals.icu bands it (high risk from −30 %); 5 points wider, ours",
        minimum_data="42 days of training",
        topic=Topic.LOAD,
        weight=0.6,
        read=load_readings.form_low,
        measure="form",
    ),
    Rule(
        id="load_jump",
        title="Load has jumped",
        text="Acute over chronic load is above {threshold} as the day begins (weighted means, 7 and 28 days)",
        threshold=1.5,
        bounds=(0.5, 5),
        unit="",
        source="Gabbett 2016; disputed by Impellizzeri et al. 2020, so it supports another flag and never "
        "stands alone",
        minimum_data="28 days of training",
        topic=Topic.LOAD,
        weight=0.3,
        read=load_readings.load_jump,
        measure="acute over chronic load",
        is_supporting=True,
    ),
    Rule(
        id="monotony_high",
        title="Every day alike",
        text="Monotony of the last 7 days is {threshold} or more (mean over population SD)",
        threshold=2.0,
        bounds=(0.5, 10),
        unit="",
        source="Foster 1998",
        minimum_data="7 days with at least 4 sessions",
        topic=Topic.LOAD,
        weight=0.4,
        read=load_readings.monotony_high,
        measure="monotony",
    ),
    Rule(
        id="over_plan",
        title="Far over plan",
        text="{threshold} % or more of the planned time done over the last 7 days",
        threshold=150.0,
        bounds=(100, 1_000),
        unit="%",
        source="TrainingPeaks' published compliance limits, over a week",
        minimum_data="2 planned sessions in 7 days",
        topic=Topic.PLAN,
        weight=0.5,
        read=plan_readings.over_plan,
        measure="time done",
    ),
    Rule(
        id="missed_sessions",
        title="Sessions missed",
        text="{threshold} or more planned sessions of the last 7 days missed without a medical or availability note",
        threshold=2,
        bounds=(1, 20),
        unit="sessions",
        source="Ours",
        minimum_data="1 planned session in 7 days",
        topic=Topic.PLAN,
        weight=0.5,
        read=plan_readings.missed_sessions,
    ),
    Rule(
        id="feeling_low",
        title="Feels weak",
        text="Mean feeling of the last 3 rated sessions is {threshold} or lower, of 5",
        threshold=2.0,
        bounds=(1, 5),
        unit="of 5",
        source="Saw et al. 2016: own ratings show load earlier than measurements; the limit is ours",
        minimum_data="3 rated sessions in 14 days",
        topic=Topic.RECOVERY,
        weight=0.5,
        read=recovery_readings.feeling_low,
        measure="mean feeling",
    ),
    Rule(
        id="no_session",
        title="Nothing recorded",
        text="No session for {threshold} days or more, without a medical or availability note",
        threshold=5,
        bounds=(1, 90),
        unit="days",
        source="Ours",
        minimum_data="a session in the last 90 days",
        topic=Topic.CONTACT,
        weight=0.5,
        read=contact_readings.no_session,
    ),
    Rule(
        id="no_plan",
        title="Nothing planned",
        text="No session planned for the next {threshold} days",
        threshold=7,
        bounds=(1, 56),
        unit="days",
        source="Ours",
        minimum_data="a plan in the last 28 days",
        topic=Topic.PLAN,
        weight=0.3,
        read=plan_readings.no_plan,
    ),
)
BY_ID: Mapping[str, Rule] = {rule.id: rule for rule in RULES}
