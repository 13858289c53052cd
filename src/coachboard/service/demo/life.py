"""What happens around training: illness, injury, travel, weight."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from coachboard.service.demo.athlete import Athlete
from coachboard.service.demo.chance import chance, seed_of
from coachboard.service.demo.outing import Day, offset_min
from coachboard.service.demo.terrain import Ground, Place

_ILL_EVERY_DAYS = 160.0
_CAMPS = (
    Place(39.57, 2.65, Ground.HILLY, "Europe/Madrid", 18.5, 8.0),
    Place(28.29, -16.63, Ground.MOUNTAIN, "Atlantic/Canary", 20.0, 4.0),
    Place(-1.286, 36.817, Ground.ROLLING, "Africa/Nairobi", 19.0, -1.5),
)


@dataclass(frozen=True, slots=True)
class Spell:
    """Days of something, both ends included."""

    first: date
    last: date

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class Life:
    """One athlete's life from the first to the last day of their data."""

    athlete: Athlete
    first: date
    today: date
    illness: tuple[Spell, ...]
    travel: tuple[tuple[Spell, Place], ...]

    def days(self, until: date) -> Iterator[Day]:
        """Each day up to and including `until`."""
        born = self.athlete.born(self.today) or self.today - timedelta(days=30 * 365)
        last = min(until, self.today - timedelta(days=self.athlete.until_days))
        day = self.first
        while day <= last:
            yield Day(
                day,
                (day - born).days / 365.25,
                1.0,
                self.place(day),
                self.mass_kg(day),
                drained=self.athlete.lately.strain_on(day, self.today),
                sleep_lost_h=self.athlete.lately.sleep_lost_on(day, self.today),
            )
            day += timedelta(days=1)

    def place(self, day: date) -> Place:
        """Where the athlete is."""
        return next((place for spell, place in self.travel if day in spell), self.athlete.place)

    def mass_kg(self, day: date) -> float:
        """Weight goes up in winter and down for the races, by a kilogram or so."""
        year = math.cos((day.timetuple().tm_yday - 15) / 365.25 * 2 * math.pi)
        week = math.sin(day.toordinal() / 9.0 + seed_of("weight", self.athlete.lot) % 6)
        return round(self.athlete.mass_kg * (1 + 0.014 * year + 0.003 * week), 1)

    def is_ill(self, day: date) -> bool:
        """Whether a spell of illness covers the day."""
        return any(day in spell for spell in self.illness)

    def is_away_from_training(self, day: date) -> bool:
        """Ill, or on the long flight."""
        return self.is_ill(day) or any(day == spell.first for spell, _ in self.travel)

    def health(self, day: date) -> float:
        """Capacity left by an illness, coming back within three weeks."""
        ended = max((spell.last for spell in self.illness if spell.first <= day), default=None)
        if ended is None:
            return 1.0
        return 1 - 0.09 * math.exp(-max(0, (day - ended).days) / 9)

    def offset_change_h(self, day: date) -> float:
        """Hours of time zones crossed within the last four days."""
        then = day - timedelta(days=4)
        return abs(offset_min(self.place(day).zone, day) - offset_min(self.place(then).zone, then)) / 60


def life_of(athlete: Athlete, first: date, today: date) -> Life:
    """The athlete's life; illness and travel come at random, some stories come on time."""
    rng = chance("life", athlete.lot)
    illness, day = [], first
    while True:
        day += timedelta(days=round(float(rng.exponential(_ILL_EVERY_DAYS))) + 20)
        if day > today - timedelta(days=50):
            break
        illness.append(Spell(day, day + timedelta(days=int(rng.integers(2, 7)))))
    if athlete.key == "comeback":
        illness.append(Spell(today - timedelta(days=17), today - timedelta(days=6)))
    return Life(athlete, first, today, tuple(illness), tuple(_travel(athlete, first, today)))


def _travel(athlete: Athlete, first: date, today: date) -> Iterator[tuple[Spell, Place]]:
    rng = chance("travel", athlete.lot)
    often = 45 if athlete.key == "short course" else 190
    day = first
    while day < today:
        day += timedelta(days=round(often * float(rng.uniform(0.6, 1.5))))
        camp = _CAMPS[int(rng.integers(len(_CAMPS)))]
        yield Spell(day, day + timedelta(days=int(rng.integers(6, 16)))), replace(camp)
        day += timedelta(days=20)
