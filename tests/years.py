"""Eight years of training of one athlete: 400 sessions, 50 a year, and plans for some of them."""

from datetime import UTC, date, datetime, time, timedelta

import rides
import training
from coachboard.service.store import Store
from coachboard.wire.enums import Sport, TrainingStimulus

TODAY = date(2026, 3, 20)
SPORTS = (Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING, Sport.CYCLING)
COUNT, EVERY_D = 400, 7.3
NAMES = ("Morning ride", "Long run", "Pool", "Hills with Zoë")


def seed(store: Store, user_id: str, *, count: int = COUNT, every_d: float = EVERY_D) -> None:
    """Session n is of sport n % 4 and 10 + n % 90 km long; each tenth has a plan that the service pairs."""
    sessions, plans = [], []
    for number in range(count):
        moment = datetime.combine(TODAY - timedelta(days=1 + round(number * every_d)), time(6), UTC)
        sessions.append(_session(number, moment))
        if number % 10 == 0:
            plans.append(
                training.prescription(
                    str(number),
                    moment.date(),
                    title=f"Threshold block {number}",
                    sport=SPORTS[number % 4],
                    activity_id=f"act_{number}",
                )
            )
    store.put_activities(user_id, sessions)
    store.put_prescriptions(user_id, plans)


def _session(number, moment):
    sport = SPORTS[number % 4]
    return rides.activity(
        f"act_{number}",
        start=moment,
        sport=sport,
        name=NAMES[number % 4],
        description=f"Felt fine, entry {number}." if number % 5 == 0 else None,
        started_at_local=(moment + timedelta(hours=1)).replace(tzinfo=None),
        utc_offset=60,
        distance=1000.0 * (10 + number % 90),
        moving_duration=3600.0 + 10 * (number % 300),
        volume=50 + number % 100,
        training_stimulus=TrainingStimulus.TEMPO if number % 3 == 0 else None,
    )
