"""The athletes: their record, the default squad of twenty-four, each showing something, and larger squads like it."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from coachboard.wire.enums import DataOnboardingStatus, Gender, IntensitySourceKind, Sport, ZonesType
from coachboard.wire.stream_columns import COLUMNS
from coachboard_demo.chance import chance
from coachboard_demo.routes import Ground, Place

EVERYDAY = ("heart rate", "cadence", "temperature")
POWER = (*EVERYDAY, "power")
EVERYTHING = (
    *POWER, "torque", "balance", "core", "breathing", "dynamics", "sweat",
    *(column.wire_name for column in COLUMNS if column.demo is not None),
)  # fmt: skip


SPELL_DAYS = 9
"""How long nights and ratings have been unusual: long enough for a mean of seven nights to leave the normal range."""


@dataclass(frozen=True, slots=True)
class Lately:
    """How the last days differed from the usual, whatever date is today: the stories behind the flags."""

    load: float = 1.0  # of the weeks of a block, against the plan's
    drained: float = 0.0  # strain on nights and ratings that the load does not explain
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
    goal_name: str = "Spring classic"
    race: str = ""  # the name of the race; else the name of the discipline
    status: DataOnboardingStatus = DataOnboardingStatus.DONE
    readiness: tuple[bool, bool, bool] | None = (True, False, False)
    since_days: int | None = None  # data begin that many days ago
    until_days: int = 0  # and end that many days ago
    lately: Lately = AS_USUAL

    seed: int = 1  # of the squad

    def speed_mps(self, sport: Sport) -> float:
        """Critical speed in that sport."""
        return self.swim_mps if sport is Sport.SWIMMING else self.run_mps

    @property
    def lot(self) -> str:
        """The seed of every random choice about this athlete."""
        return f"{self.seed}/{self.key}"

    def born(self, today: date) -> date | None:
        """A birthday that makes them that old today."""
        if self.age is None:
            return None
        return today - timedelta(days=round(self.age * 365.25) + sum(map(ord, self.key)) % 360)


_F, _M, _O = Gender.FEMALE, Gender.MALE, Gender.OTHER
_HR, _SPEED = ZonesType.HEART_RATE, ZonesType.SPEED
_ZONE, _ABSOLUTE = IntensitySourceKind.ZONE, IntensitySourceKind.ABSOLUTE

GIRONA = Place(41.979, 2.821, Ground.HILLY, "Europe/Madrid", 15.5, 8.5)
GHENT = Place(51.054, 3.717, Ground.FLAT, "Europe/Brussels", 10.5, 8.0)
ANNECY = Place(45.899, 6.129, Ground.MOUNTAIN, "Europe/Paris", 11.5, 9.0)
BOULDER = Place(40.015, -105.271, Ground.MOUNTAIN, "America/Denver", 10.5, 12.0)
MELBOURNE = Place(-37.814, 144.963, Ground.ROLLING, "Australia/Melbourne", 15.0, -6.0)
OSLO = Place(59.913, 10.739, Ground.HILLY, "Europe/Oslo", 6.5, 11.0)
NAIROBI = Place(-1.286, 36.817, Ground.ROLLING, "Africa/Nairobi", 19.0, -1.5)
TOKYO = Place(35.689, 139.692, Ground.ROLLING, "Asia/Tokyo", 16.0, 10.5)
LEEDS = Place(53.801, -1.549, Ground.ROLLING, "Europe/London", 9.5, 6.5)
PUNE = Place(18.52, 73.857, Ground.ROLLING, "Asia/Kolkata", 25.0, 2.0)

COACH = DemoAthlete(
    key="coach", first_name="Marta", last_name="Vidal", age=44, gender=_F, height_cm=168, discipline="road", place=GIRONA,
    hours=6.0, power_w=203, mass_kg=59.0, hr_max=176, goal_name="Gran fondo Empordà", has_plan=False, reliability=0.8,
    since_days=190,
)  # fmt: skip

ADMIN = DemoAthlete(
    key="admin", first_name="Jonas", last_name="Lindqvist", age=51, gender=_M, height_cm=184, discipline="trail run",
    place=OSLO, hours=5.0, power_w=235, mass_kg=78.0, hr_max=173, sensors=EVERYDAY, quantity=_HR, readiness=(False, False, True),
    goal_name="Fjord ultra", since_days=190,
)  # fmt: skip

SQUAD: tuple[DemoAthlete, ...] = (
    DemoAthlete(
        key="climber", first_name="Aitana", last_name="Roca", age=24, gender=_F, height_cm=164, discipline="road", place=GIRONA,
        hours=14.0, power_w=262, w_prime_j=15_500, mass_kg=51.5, hr_max=193, hr_rest=44, hrv_ms=88, sensors=EVERYTHING,
        reliability=0.9, goal_name="Queen stage of the tour", goal_shift_days=21,
    ),
    DemoAthlete(
        key="sprinter", first_name="Ruben", last_name="De Smet", age=27, gender=_M, height_cm=186, discipline="road",
        place=GHENT, hours=15.0, power_w=355, w_prime_j=28_000, mass_kg=82.0, hr_max=190, hr_rest=46, kind=_ABSOLUTE,
        sensors=(*POWER, "torque", "balance"), goal_name="Scheldt classic", goal_shift_days=7,
    ),
    DemoAthlete(
        key="time trialist", first_name="Ingrid", last_name="Haugen", age=31, gender=_F, height_cm=175, discipline="time trial",
        place=OSLO, hours=12.0, power_w=295, w_prime_j=17_000, mass_kg=64.0, hr_max=184, hr_rest=43,
        sensors=(*POWER, "balance", "core"), goal_name="Time trial championships", goal_shift_days=7, reliability=0.95,
    ),
    DemoAthlete(
        key="mountain biker", first_name="Léo", last_name="Garnier", age=22, gender=_M, height_cm=178,
        discipline="mountain bike", place=ANNECY, hours=11.0, power_w=330, w_prime_j=24_000, hr_max=197, hr_rest=45,
        reliability=0.62, kind=_ZONE, goal_name="Alpine cross-country cup", goal_shift_days=49,
    ),
    DemoAthlete(
        key="track", first_name="Wei", last_name="陳", age=20, gender=_F, height_cm=170, discipline="track", place=MELBOURNE,
        hours=10.0, power_w=275, w_prime_j=21_000, mass_kg=63.0, hr_max=198, hr_rest=48, sensors=(*POWER, "torque"),
        goal_name="Oceania track championships", goal_shift_days=70,
    ),
    DemoAthlete(
        key="masters", first_name="Πέτρος", last_name="Παπαδόπουλος", age=62, gender=_M, height_cm=176, discipline="road",
        place=GIRONA, hours=8.0, power_w=210, mass_kg=74.0, hr_max=158, hr_rest=56, hrv_ms=38, sensors=EVERYDAY, quantity=_HR,
        readiness=(False, False, False), goal_name="Masters road championships", goal_shift_days=98,
    ),
    DemoAthlete(
        key="hand cyclist", first_name="Nadia", last_name="Bouzid", age=35, gender=_F, height_cm=None, discipline="hand cycle",
        place=GHENT, hours=9.0, power_w=125, w_prime_j=9_000, mass_kg=58.0, hr_max=182, hr_rest=54,
        goal_name="Para-cycling world cup", goal_shift_days=35,
    ),
    DemoAthlete(
        key="marathoner", first_name="Chebet", last_name="Kiprono", age=28, gender=_F, height_cm=165, discipline="road run",
        place=NAIROBI, hours=10.0, power_w=265, run_mps=5.15, mass_kg=49.0, hr_max=190, hr_rest=42, hrv_ms=95,
        sensors=(*POWER, "dynamics", "core", "sweat"), quantity=_SPEED, readiness=(False, True, True),
        goal_name="City marathon", race="marathon", goal_shift_days=63, reliability=0.94,
    ),
    DemoAthlete(
        key="miler", first_name="יעל", last_name="כהן", age=23, gender=_F, height_cm=171, discipline="road run", place=LEEDS,
        hours=8.0, power_w=280, run_mps=4.75, mass_kg=55.0, hr_max=196, hr_rest=46, sensors=(*EVERYDAY, "dynamics"),
        quantity=_SPEED, kind=_ABSOLUTE, readiness=(False, False, True), goal_name="1500 m championships", race="1500 m",
        goal_shift_days=28,
    ),
    DemoAthlete(
        key="ultra", first_name="Tom", last_name="Okafor-Sinclair-Montgomery", age=41, gender=_M, height_cm=181,
        discipline="trail run", place=ANNECY, hours=11.0, power_w=277, run_mps=4.0, mass_kg=72.0, hr_max=174, hr_rest=47,
        sensors=(*EVERYDAY, "breathing"), quantity=_HR, kind=_ZONE, readiness=(False, False, True), goal_name="Lakeside ultra",
        goal_shift_days=77,
    ),
    DemoAthlete(
        key="beginner", first_name="Priya", last_name=None, age=37, gender=_F, height_cm=160, discipline="beginner", place=PUNE,
        hours=3.0, power_w=150, run_mps=2.7, mass_kg=66.0, hr_max=185, hr_rest=66, hrv_ms=34, sensors=("heart rate",),
        quantity=_HR, readiness=None, reliability=0.66, goal_name="City 10 km", race="10 km", goal_shift_days=84,
        lately=Lately(runs_every_day=True),
    ),
    DemoAthlete(
        key="comeback", first_name="Sam", last_name="Fielding", age=33, gender=_O, height_cm=173, discipline="road run",
        place=LEEDS, hours=7.0, run_mps=4.1, mass_kg=65.0, hr_max=189, sensors=EVERYDAY, quantity=_SPEED,
        readiness=(False, False, True), goal_name="City half marathon", race="half marathon", goal_shift_days=105,
        lately=Lately(medical_note=("Cough is back", "Only in the evening. No fever.")),
    ),
    DemoAthlete(
        key="triathlete", first_name="Hanna", last_name="Brandt", age=29, gender=_F, height_cm=172, discipline="triathlon",
        place=GIRONA, hours=16.0, power_w=255, run_mps=4.25, swim_mps=1.32, mass_kg=60.0, hr_max=187, hr_rest=43, hrv_ms=92,
        sensors=(*POWER, "core", "dynamics", "sweat", "balance"), readiness=(True, True, True),
        goal_name="Long-distance triathlon", goal_shift_days=42, reliability=0.92,
    ),
    DemoAthlete(
        key="short course", first_name="Kenji", last_name="田中", age=25, gender=_M, height_cm=174, discipline="triathlon",
        place=TOKYO, hours=14.0, power_w=310, run_mps=5.0, swim_mps=1.45, mass_kg=62.0, hr_max=194, hr_rest=44, hrv_ms=84,
        readiness=(True, False, True), goal_name="World series sprint", race="sprint triathlon",
        goal_shift_days=14,
    ),
    DemoAthlete(
        key="age group", first_name="Rachel", last_name="O'Connor", age=47, gender=_F, height_cm=166, discipline="triathlon",
        place=LEEDS, hours=8.0, power_w=177, run_mps=3.4, swim_mps=1.02, mass_kg=64.0, hr_max=167, hr_rest=54, hrv_ms=45,
        reliability=0.6, goal_name="Lakes middle distance", race="middle distance", goal_shift_days=91,
        kind=_ZONE, lately=Lately(sleep_lost_h=2.7),
    ),
    DemoAthlete(
        key="swimmer", first_name="Zoë", last_name="Martínez", age=19, gender=_F, height_cm=177, discipline="swim",
        place=MELBOURNE, hours=12.0, power_w=200, swim_mps=1.52, mass_kg=65.0, hr_max=197, hr_rest=48,
        sensors=("heart rate", "cadence"), quantity=_SPEED, readiness=(False, False, False),
        goal_name="National open-water trials", goal_shift_days=56,
    ),
    DemoAthlete(
        key="rower", first_name="Ulrik", last_name="Ågren", age=30, gender=_M, height_cm=193, discipline="rowing", place=OSLO,
        hours=10.0, power_w=330, w_prime_j=26_000, run_mps=4.6, mass_kg=90.0, hr_rest=45,
        goal_name="Indoor rowing championships", goal_shift_days=112, lately=Lately(plan_has_ended=True),
    ),
    DemoAthlete(
        key="skier", first_name="Aino", last_name="Mäkelä", age=26, gender=_F, height_cm=169, discipline="skiing", place=OSLO,
        hours=11.0, power_w=240, run_mps=4.6, mass_kg=60.0, hr_max=192, hr_rest=41, hrv_ms=98, sensors=EVERYDAY, quantity=_HR,
        readiness=(False, False, True), goal_name="Ski marathon", goal_shift_days=119,
    ),
    DemoAthlete(
        key="rare", first_name="Sunniva", last_name="<b>Bold</b>", age=34, gender=_F, height_cm=170, discipline="road",
        place=BOULDER, hours=7.0, power_w=230, mass_kg=62.0, hr_max=187, hr_rest=49, sensors=EVERYTHING,
        goal_name='=HYPERLINK("http://example.test","race")', goal_shift_days=126,
    ),
    DemoAthlete(
        key="no plan", first_name="محمد", last_name="العلي", age=32, gender=_M, height_cm=179, discipline="road", place=BOULDER,
        hours=7.0, power_w=270, mass_kg=73.0, hr_max=189, hr_rest=51, has_plan=False, sleeps=False, goal_name="None",
    ),
    DemoAthlete(
        key="overreached", first_name="Clara", last_name="Moretti", age=26, gender=_F, height_cm=167, discipline="road",
        place=GIRONA, hours=13.0, power_w=245, mass_kg=56.0, hr_max=190, hr_rest=45, hrv_ms=80, sensors=(*POWER, "core"),
        goal_name="Stage race", goal_shift_days=35, reliability=0.95,
        lately=Lately(load=1.8, drained=3.0, has_hard_tomorrow=True),
    ),
    DemoAthlete(
        key="importing", first_name="Noah", last_name="Fischer", age=21, gender=_M, height_cm=182, discipline="road",
        place=GHENT, hours=10.0, power_w=300, mass_kg=71.0, status=DataOnboardingStatus.ONGOING,
        readiness=(False, False, False), since_days=42, has_plan=False,
    ),
    DemoAthlete(
        key="failed", first_name=None, last_name="Silva", age=None, gender=None, height_cm=None, discipline="road run",
        place=LEEDS, hours=5.0, mass_kg=68.0, sensors=EVERYDAY, status=DataOnboardingStatus.FAILED, readiness=None, since_days=60,
        until_days=21, has_plan=False, sleeps=False,
    ),
    DemoAthlete(
        key="newcomer", first_name="Ольга", last_name="Смирнова", age=28, gender=_F, height_cm=174, discipline="road",
        place=LEEDS, hours=6.0, status=DataOnboardingStatus.NOT_STARTED, readiness=None, since_days=-1, has_plan=False,
        sleeps=False,
    ),
)  # fmt: skip


def squad_of(count: int) -> tuple[DemoAthlete, ...]:
    """The default squad, cut or filled up with athletes like its first twenty-one."""
    complete = [each for each in SQUAD if each.status is DataOnboardingStatus.DONE]
    more = (_like(complete[at % len(complete)], at) for at in range(max(0, count - len(SQUAD))))
    return (*SQUAD[:count], *more)


_NAMES = (
    ("Alex", "Kim"), ("Maria", "Novak"), ("Luca", "Bianchi"), ("Freya", "Holm"), ("Diego", "Torres"), ("Anneke", "Visser"),
    ("Yusuf", "Demir"), ("Ella", "Wright"), ("Pavel", "Horák"), ("Thandi", "Dlamini"), ("Jun", "Park"),
)  # fmt: skip


def _like(model: DemoAthlete, at: int) -> DemoAthlete:
    rng = chance("like", at)
    scale = float(rng.normal(1, 0.07))
    return replace(
        model,
        key=f"{model.key} {at}",
        first_name=_NAMES[at % len(_NAMES)][0],
        last_name=_NAMES[(at * 7 + 3) % len(_NAMES)][1],
        age=int(rng.integers(19, 58)),
        power_w=round(model.power_w * scale),
        run_mps=round(model.run_mps * scale, 2),
        goal_shift_days=int(rng.integers(0, 150)),
        lately=AS_USUAL,
    )
