"""Events around training: illness, travel, weight."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from coachboard_demo.chance import chance
from coachboard_demo.outing import Day, offset_min
from coachboard_demo.routes import Place
from coachboard_demo.squad import AS_USUAL, BOULDER, GIRONA, NAIROBI, DemoAthlete, Lately

_CAMPS = (GIRONA, BOULDER, NAIROBI)
_JET_LAG_MIN, _LOST_TO_JET_LAG_H = 120, 1.3


@dataclass(frozen=True, slots=True)
class Life:
    """One athlete's life from the first to the last day of their data."""

    athlete: DemoAthlete
    first: date
    today: date
    illness: tuple[date, date] | None = None  # first and last day
    away: Mapping[date, Place] = field(default_factory=dict)

    def days(self) -> Iterator[Day]:
        """Each day of the data."""
        last = self.today - timedelta(days=self.athlete.until_days)
        day = self.first
        while day <= last:
            lately = self.athlete.lately if Lately.covers(day, self.today) else AS_USUAL
            yield Day(
                day,
                self._health(day),
                self.place(day),
                self.mass_kg(day),
                drained=lately.drained,
                sleep_lost_h=lately.sleep_lost_h + _LOST_TO_JET_LAG_H * self._has_jet_lag(day),
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

    def _health(self, day: date) -> float:
        """Capacity left by the illness, coming back within three weeks."""
        return 1 - 0.09 * math.exp(-max(0, self._days_since_illness(day)) / 9)

    def _days_since_illness(self, day: date) -> float:
        """Days since the last day of the illness: not above 0 while it lasts."""
        if self.illness is None or day < self.illness[0]:
            return math.inf
        return (day - self.illness[1]).days

    def _has_jet_lag(self, day: date) -> bool:
        """Whether the athlete has crossed time zones within the last four days."""
        then = day - timedelta(days=4)
        here, there = offset_min(self.place(day).zone, day), offset_min(self.place(then).zone, then)
        return abs(here - there) >= _JET_LAG_MIN


def life_of(athlete: DemoAthlete, first: date, today: date) -> Life:
    """The athlete's life: travel at random, and one illness some months ago, or lately for one athlete."""
    ago, days = int(chance("illness", athlete.lot).integers(55, 150)), 4
    if athlete.key == "comeback":
        ago, days = 17, 11
    illness = (today - timedelta(days=ago), today - timedelta(days=ago - days))
    return Life(athlete, first, today, illness, _travel(athlete, first, today))


def _travel(athlete: DemoAthlete, first: date, today: date) -> dict[date, Place]:
    """Each day away, with its place."""
    rng = chance("travel", athlete.lot)
    often = 45 if athlete.key == "short course" else 190
    away: dict[date, Place] = {}
    day = first
    while day < today:
        day += timedelta(days=round(often * float(rng.uniform(0.6, 1.5))))
        camp = _CAMPS[int(rng.integers(len(_CAMPS)))]
        for at in range(int(rng.integers(6, 16)) + 1):
            away.setdefault(day + timedelta(days=at), camp)
        day += timedelta(days=20)
    return away
