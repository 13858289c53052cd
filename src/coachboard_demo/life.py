"""Events around training: illness, injury, travel, weight."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from coachboard_demo.chance import chance
from coachboard_demo.outing import Day, offset_min
from coachboard_demo.routes import Ground, Place
from coachboard_demo.squad import DemoAthlete

_CAMPS = (
    Place(39.57, 2.65, Ground.HILLY, "Europe/Madrid", 18.5, 8.0),
    Place(28.29, -16.63, Ground.MOUNTAIN, "Atlantic/Canary", 20.0, 4.0),
    Place(-1.286, 36.817, Ground.ROLLING, "Africa/Nairobi", 19.0, -1.5),
)


@dataclass(frozen=True, slots=True)
class Life:
    """One athlete's life from the first to the last day of their data."""

    athlete: DemoAthlete
    first: date
    today: date
    illness: tuple[date, date] | None = None  # first and last day
    away: Mapping[date, Place] = field(default_factory=dict)
    flights: frozenset[date] = frozenset()

    def days(self, until: date) -> Iterator[Day]:
        """Each day up to and including `until`."""
        born = self.athlete.born(self.today) or self.today - timedelta(days=30 * 365)
        last = min(until, self.today - timedelta(days=self.athlete.until_days))
        day, lately = self.first, self.athlete.lately
        while day <= last:
            yield Day(
                day,
                (day - born).days / 365.25,
                1.0,
                self.place(day),
                self.mass_kg(day),
                drained=lately.strain if lately.covers(day, self.today) else 0.0,
                sleep_lost_h=lately.sleep_lost_h if lately.covers(day, self.today) else 0.0,
            )
            day += timedelta(days=1)

    def place(self, day: date) -> Place:
        """Where the athlete is."""
        return self.away.get(day, self.athlete.place)

    def mass_kg(self, day: date) -> float:
        """Weight goes up in winter and down for the races, by a kilogram or so."""
        year = math.cos((day.timetuple().tm_yday - 15) / 365.25 * 2 * math.pi)
        week = math.sin(day.toordinal() / 9.0)
        return round(self.athlete.mass_kg * (1 + 0.014 * year + 0.003 * week), 1)

    def is_ill(self, day: date) -> bool:
        """Whether the illness covers the day."""
        return self._days_since_illness(day) <= 0

    def health(self, day: date) -> float:
        """Capacity left by the illness, coming back within three weeks."""
        return 1 - 0.09 * math.exp(-max(0, self._days_since_illness(day)) / 9)

    def _days_since_illness(self, day: date) -> float:
        """Days since the last day of the illness: not above 0 while it lasts."""
        if self.illness is None or day < self.illness[0]:
            return math.inf
        return (day - self.illness[1]).days

    def offset_change_h(self, day: date) -> float:
        """Hours of time zones crossed within the last four days."""
        then = day - timedelta(days=4)
        return abs(offset_min(self.place(day).zone, day) - offset_min(self.place(then).zone, then)) / 60


def life_of(athlete: DemoAthlete, first: date, today: date) -> Life:
    """The athlete's life; travel comes at random, the illness of one athlete on time."""
    illness = None
    if athlete.key == "comeback":
        illness = (today - timedelta(days=17), today - timedelta(days=6))
    away, flights = _travel(athlete, first, today)
    return Life(athlete, first, today, illness, away, flights)


def _travel(athlete: DemoAthlete, first: date, today: date) -> tuple[dict[date, Place], frozenset[date]]:
    """Each day away with its place, and the days of the flights there."""
    rng = chance("travel", athlete.lot)
    often = 45 if athlete.key == "short course" else 190
    away: dict[date, Place] = {}
    flights: list[date] = []
    day = first
    while day < today:
        day += timedelta(days=round(often * float(rng.uniform(0.6, 1.5))))
        flights.append(day)
        camp = _CAMPS[int(rng.integers(len(_CAMPS)))]
        for at in range(int(rng.integers(6, 16)) + 1):
            away.setdefault(day + timedelta(days=at), camp)
        day += timedelta(days=20)
    return away, frozenset(flights)
