"""Nights and metrics: they answer load, illness and travel."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from functools import partial

from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import METRICS, MetricType
from coachboard_demo.chance import chance, lots, new_id
from coachboard_demo.life import Life
from coachboard_demo.outing import Day, body_of
from coachboard_demo.people import Size
from coachboard_demo.rows import built
from coachboard_demo.simulation import RUNNING_WATTS_PER_MPS
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.training import Diary

_MISSING_FROM = 1.55  # deviations: six nights in a hundred
_HRV_LOST_TO_STRAIN, _HRV_LOST_TO_ILLNESS = 0.13, 0.36
_RHR_GAINED_BY_STRAIN, _RHR_GAINED_BY_ILLNESS = 2.6, 7.0
_SKIN_C = 34.6
_WEIGHING_DAYS = frozenset({0, 4})


def sleeps_of(life: Life, diary: Diary, size: Size) -> Iterator[Sleep]:
    """The nights that were recorded and are over; a night belongs to the morning that it ends on."""
    if not life.athlete.sleeps:
        return
    drawn = chance("nights", life.athlete.lot).standard_normal((len(diary.days), 11)).tolist()
    for day, of_night in zip(diary.days, drawn, strict=True):
        # An athlete who sleeps badly wears the watch.
        if of_night[-1] < _MISSING_FROM or day.drained or day.sleep_lost_h:
            night = _night(life, day, of_night)
            if night.ended_at is not None and night.ended_at.timestamp() <= size.now_s:
                yield night


def _night(life: Life, day: Day, drawn: list[float]) -> Sleep:
    """The night that ends on that day; each drawn number, in standard deviations, varies one quantity."""
    bed_time, length, awake_share, deep_share, rem_share, skin, hrv_noise, heart, hrv_gap, stage_gap, _ = (
        drawn
    )
    athlete, strain = life.athlete, day.strain + day.drained
    is_ill, is_weekend = life.is_ill(day.day), day.day.weekday() >= 5
    bed_hour = 22.7 + 0.32 * is_weekend + 0.35 * bed_time
    in_bed_h = 8.1 + 0.35 * is_weekend + 0.45 * length - 0.2 * max(strain, 0)
    in_bed = max(4.5, in_bed_h - day.sleep_lost_h + (0.7 if is_ill else 0)) * 3600
    awake = in_bed * _within(0.02, 0.08 + 0.02 * awake_share, 0.3)
    unknown = 420 if stage_gap > 1.4 else 0
    asleep = in_bed - awake - unknown
    deep = asleep * _within(0.08, 0.19 + 0.025 * deep_share + 0.02 * strain, 0.3)
    rem = asleep * _within(0.1, 0.23 + 0.025 * rem_share, 0.32)
    offset = day.utc_offset_min()
    start = datetime.combine(day.day - timedelta(days=1), time()) + timedelta(hours=bed_hour)
    start = start.replace(microsecond=0)
    end = start + timedelta(seconds=round(in_bed))
    deviation = 0.14 * skin + (0.75 if is_ill else 0) + 0.12 * max(strain, 0)
    resting = athlete.hr_rest + _RHR_GAINED_BY_STRAIN * strain + 1.1 * heart
    lost = _HRV_LOST_TO_STRAIN * strain + (_HRV_LOST_TO_ILLNESS if is_ill else 0)
    hrv = athlete.hrv_ms * math.exp(0.075 * hrv_noise - lost)
    return built(
        Sleep,
        id=new_id("slp", athlete.lot, day.day),
        day=day.day,
        started_at=start.replace(tzinfo=UTC) - timedelta(minutes=offset),
        ended_at=end.replace(tzinfo=UTC) - timedelta(minutes=offset),
        utc_offset=offset,
        started_at_local=start,
        ended_at_local=end,
        total_duration=round(asleep),
        in_bed_duration=round(in_bed),
        awake_duration=round(awake),
        light_duration=round(asleep) - round(deep) - round(rem),
        rem_duration=round(rem),
        deep_duration=round(deep),
        no_data_duration=unknown,
        average_hrv=None if hrv_gap > 1.9 else round(hrv),
        resting_heart_rate=round(resting + (_RHR_GAINED_BY_ILLNESS if is_ill else 0)),
        skin_body_temperature=round(_SKIN_C + deviation, 2),
        skin_body_temperature_deviation=round(deviation, 2),
    )


def _within(low: float, value: float, high: float) -> float:
    return min(high, max(low, value))


def metrics_of(athlete: DemoAthlete, diary: Diary) -> Iterator[Metric]:
    """Weights twice a week, estimates of the service every two weeks, the athlete's tests a few times a year."""
    for day in diary.days:
        # By the calendar: a squad that is made again on another day has its values on the same days.
        at = day.day.toordinal()
        is_weighing_day = day.day.weekday() in _WEIGHING_DAYS
        has_estimates, has_tests, has_resting_rate = at % 14 == 5, at % 91 == 30, at % 28 == 9
        if not (is_weighing_day or has_estimates or has_tests or has_resting_rate):
            continue
        drawn, varied, *_ = lots("metrics", athlete.lot, day.day)
        if is_weighing_day and drawn < 0.8:
            yield _metric(athlete, day, MetricType.WEIGHT, round(day.mass_kg, 1))
        if has_estimates:
            yield from _estimates(athlete, day)
        if has_tests:
            yield from _tests(athlete, day)
        if has_resting_rate:
            beats = round(athlete.hr_rest + 2.4 * (varied - 0.5))
            yield _metric(athlete, day, MetricType.RESTING_HEART_RATE, beats)


def _estimates(athlete: DemoAthlete, day: Day) -> Iterator[Metric]:
    estimate = partial(_metric, athlete, day, source=MetricSource.SERVICE)
    cycling, running, speed = athlete.readiness or (False, False, False)
    body = body_of(athlete, day, Sport.CYCLING)
    if cycling:
        highest = round(body.power_w * 3.1 + athlete.w_prime_j / 100)
        yield estimate(MetricType.CRITICAL_POWER, round(body.power_w), sport=MetricSport.CYCLING)
        yield estimate(MetricType.W_PRIME, round(body.w_prime_j), sport=MetricSport.CYCLING)
        yield estimate(MetricType.MAX_POWER, highest, sport=MetricSport.CYCLING)
    if running:
        watts = round(RUNNING_WATTS_PER_MPS * body.mass_kg * body.speed_mps)
        yield estimate(MetricType.CRITICAL_POWER, watts, sport=MetricSport.RUNNING)
    if speed:
        d_prime = round(120 + athlete.w_prime_j / 200)
        yield estimate(MetricType.CRITICAL_SPEED, round(body.speed_mps, 2), sport=MetricSport.RUNNING)
        yield estimate(MetricType.D_PRIME, d_prime, sport=MetricSport.RUNNING)
    if cycling or speed:
        kilo = body.power_w / body.mass_kg if cycling else body.speed_mps * 1.05
        yield estimate(MetricType.VO2MAX, round(9 + kilo * 11.2, 1))


def _tests(athlete: DemoAthlete, day: Day) -> Iterator[Metric]:
    test = partial(_metric, athlete, day)
    body = body_of(athlete, day, Sport.SWIMMING)
    yield test(MetricType.MAX_HEART_RATE, round(body.hr_max))
    for kind, record in METRICS.items():
        if record.demo is not None:
            low, high = record.demo
            usual, varied = lots(kind, athlete.lot)[0], lots(kind, athlete.lot, day.day)[0]
            yield test(kind, round(low + (high - low) * (0.7 * usual + 0.3 * varied), record.digits))
    if athlete.discipline in {"triathlon", "swim"}:
        yield test(MetricType.CRITICAL_SPEED, round(body.speed_mps, 2), sport=MetricSport.SWIMMING)
    if athlete.discipline != "swim" and "power" in athlete.sensors:
        yield test(MetricType.CRITICAL_POWER, round(body.power_w * 1.01), sport=MetricSport.CYCLING)
        yield test(MetricType.W_PRIME, round(body.w_prime_j * 0.97), sport=MetricSport.CYCLING)


def _metric(
    athlete: DemoAthlete, day: Day, kind: MetricType, value: float, *,
    sport: MetricSport = MetricSport.GLOBAL, source: MetricSource = MetricSource.USER,
) -> Metric:  # fmt: skip
    return built(Metric,
        id=new_id("mtr", athlete.lot, day.day, kind, sport, source),
        type=kind, value=value, unit=METRICS[kind].unit, source=source, date=day.day, sport=sport,
    )  # fmt: skip
