"""The record of an athlete of the squad, and their last days."""

from dataclasses import dataclass
from datetime import date, timedelta

from coachboard.models.enums import DataOnboardingStatus, Gender, IntensitySourceKind, ZonesType
from coachboard_demo.routes import Place

EVERYDAY = ("heart rate", "cadence", "temperature")
WATCH = (*EVERYDAY, "wrist")  # the heart rate of a watch, not of a strap
POWER = (*EVERYDAY, "power")
EVERYTHING = (*POWER, "torque", "balance", "core", "breathing", "dynamics", "sweat")


SPELL_DAYS = 9
"""How long nights and ratings have been unusual: long enough for a mean of seven nights to leave the normal range."""


@dataclass(frozen=True, slots=True)
class Lately:
    """How the last days differed from the usual, whatever date is today: the stories behind the flags."""

    load: float = 1.0  # of the weeks of a block, against the plan's
    strain: float = 0.0  # on nights and ratings; not explained by the load
    sleep_lost_h: float = 0.0  # a night
    has_hard_tomorrow: bool = False
    runs_every_day: bool = False  # on top of the plan
    plan_has_ended: bool = False
    medical_note: tuple[str, str] | None = None  # of yesterday

    @staticmethod
    def covers(day: date, today: date) -> bool:
        """Whether the day is one of the last days."""
        return timedelta(0) <= today - day <= timedelta(days=SPELL_DAYS)


AS_USUAL = Lately()


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoAthlete:
    """An athlete: abilities in usual training, devices and habits."""

    key: str  # every random choice follows from it
    first_name: str | None
    last_name: str | None
    age: int | None
    gender: Gender | None
    height_cm: int | None
    discipline: str
    place: Place
    hours: float  # in a usual week
    power_w: int = 250
    w_prime_j: int = 18_000
    run_mps: float = 3.8
    swim_mps: float = 1.1
    hr_max: int = 188
    hr_rest: int = 50
    mass_kg: float = 70.0
    hrv_ms: float = 65.0
    sensors: tuple[str, ...] = POWER
    quantity: ZonesType = ZonesType.POWER
    kind: IntensitySourceKind = IntensitySourceKind.METRIC
    reliability: float = 0.85  # share of the plan that is done
    has_plan: bool = True
    sleeps: bool = True
    goal_shift_days: int = 0
    goal_every_weeks: int = 22
    goal_name: str = "Spring classic"
    race: str = ""  # the name of the race; else the name of the discipline
    status: DataOnboardingStatus = DataOnboardingStatus.DONE
    readiness: tuple[bool, bool, bool] | None = (True, False, False)
    since_days: int | None = None  # data begin that many days ago
    until_days: int = 0  # and end that many days ago
    lately: Lately = AS_USUAL

    seed: int = 1  # of the squad

    @property
    def lot(self) -> str:
        """The seed of every random choice about this athlete."""
        return f"{self.seed}/{self.key}"

    def born(self, today: date) -> date | None:
        """A birthday that makes them that old today."""
        if self.age is None:
            return None
        return today - timedelta(days=round(self.age * 365.25) + sum(map(ord, self.key)) % 360)
