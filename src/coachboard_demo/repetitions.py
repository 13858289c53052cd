"""What an athlete makes of repetitions: how hard and how long each becomes, and how long is taken between them."""

import math
from random import Random

from coachboard.models.enums import StepLabel
from coachboard_demo.workouts import Step

_HARD = 0.85
# From the first repetition to the last, and from one to the next: the recorded runs of five and four lose 10 and 2 %
# and differ by 2 %, the recorded trainer session's three by 5 %. The first is the one most misjudged.
_LOST, _LOST_SPREAD, _REPEATED_SPREAD, _FIRST_SPREAD = 0.015, 0.02, 0.014, 0.025
# Who is led through by a device is on time. A lap button is pressed late more often than early: the recorded
# repetitions last 261 to 278 s, and 46 to 55 s on the trainer, the recoveries of one recording 50 to 66 s and once 85.
_IS_LED, _LATE_S, _LATE_SPREAD_S, _WORK_DIFFERS, _REST_DIFFERS = 0.2, 1.5, 4.0, 0.025, 0.17
# Once in a while one is given up before its end, or the bottle is behind the fence.
_GIVEN_UP, _GIVEN_UP_AFTER, _FEWEST, _LONG_ENOUGH_S = 0.16, (0.55, 0.85), 2, 60
_WALKED_BELOW = 0.46
_HELD_UP, _HELD_UP_FOR = 0.3, (1.3, 1.7)


class Repetitions:
    """The repetitions of one session, in their order."""

    def __init__(self, count: int, rng: Random) -> None:
        self.count, self.rng, self.done = count, rng, 0
        self.lost = rng.gauss(_LOST, _LOST_SPREAD)
        self.is_led = count < _FEWEST or rng.random() < _IS_LED
        self.given_up = _one_of(count, _GIVEN_UP, rng)
        self.held_up = _one_of(count, _HELD_UP, rng)

    def effort(self) -> float:
        """The next one against what was asked: nobody hits it every time, most begin better than they end."""
        gone = self.done / max(self.count - 1, 1) - 0.5
        spread = _REPEATED_SPREAD if self.done else _FIRST_SPREAD
        self.done += 1
        return 1 - self.lost * gone + self.rng.gauss(0, spread)

    def lasts_s(self, step: Step, seconds: float, effort: float) -> float:
        """How long a step at that effort becomes that should take so many seconds."""
        if is_repeated(step):
            return self._work_s(step, seconds, effort)
        return self._rest_s(step, seconds) if _is_between(step) else seconds

    def _work_s(self, step: Step, seconds: float, effort: float) -> float:
        if step.metres:  # a measured distance is over the sooner the faster it is gone
            seconds *= (step.low + step.high) / 2 / effort
        if self.done == self.given_up and seconds >= _LONG_ENOUGH_S:
            return seconds * self.rng.uniform(*_GIVEN_UP_AFTER)
        if self.is_led:
            return seconds
        return seconds * (1 + self.rng.gauss(0, _WORK_DIFFERS)) + self.rng.gauss(_LATE_S, _LATE_SPREAD_S)

    def _rest_s(self, step: Step, seconds: float) -> float:
        if self.done == self.held_up:
            return seconds * self.rng.uniform(*_HELD_UP_FOR)
        # Who stands and walks sets off when the breath is back, whatever a device says.
        is_on_time = self.is_led and step.high > _WALKED_BELOW
        return seconds if is_on_time else seconds * math.exp(self.rng.gauss(0, _REST_DIFFERS))


def is_repeated(step: Step) -> bool:
    """Whether it is work of the kind that is done several times over."""
    return step.high > _HARD and step.label in _WORK


def _is_between(step: Step) -> bool:
    """Whether it is what follows such work."""
    return step.label in _BETWEEN


_WORK = frozenset({StepLabel.ACTIVE, StepLabel.MAXIMUM})
_BETWEEN = frozenset({StepLabel.INTRA_RECOVERY, StepLabel.REST})


def _one_of(count: int, share: float, rng: Random) -> int:
    """Which one, counted from 1, something befalls in that share of the sessions; -1 where it befalls none."""
    return rng.randrange(2, count + 1) if count >= _FEWEST and rng.random() < share else -1
