"""Sessions as athletes record them, with the percent that a coach gives: power, pace, heart rate, pool lengths, totals."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from coachboard.execution.score import SessionSamples, execution_score
from coachboard.execution.structure import FlatStep, References, Target, step_duration_s
from coachboard.execution.swim_sets import NoSets, SwumLength, swim_score
from coachboard.execution.work_steps import WorkOutcome
from coachboard.formulas.session.zones import SPEED_BANDS, intensity_of
from coachboard.wire.enums import LapIntensity, StepLabel

ATHLETE = References(critical_power_w=300.0, max_heart_rate_bpm=190.0, critical_speed_mps=4.5)
HARD, EASY = WorkOutcome.TOO_HARD, WorkOutcome.TOO_EASY
CUT, MISSED = WorkOutcome.CUT_SHORT, WorkOutcome.MISSED


def step(length, low=None, high=None, by="power_w", label=StepLabel.ACTIVE, intensity=None):
    """A step of seconds, or of metres ("400 m"), in the intensity of its target."""
    metres = float(length[:-2]) if isinstance(length, str) else None
    middle = (low + high) / 2 if low is not None and high is not None else None
    if middle is not None and by == "power_w":
        intensity = intensity_of(middle / 3.0)
    elif middle is not None and by == "speed_mps":
        bands = [band for band in SPEED_BANDS.bands if band.low <= middle / 0.045]
        intensity = LapIntensity(max(bands, key=lambda band: band.low).name)
    bare = FlatStep(0, (), label, intensity, None, None if metres else length, metres, None, None, None, None)
    return bare if low is None and high is None else replace(bare, **{by: Target(low, high)})


def pace(length, low, high, **more):
    return step(length, low, high, "speed_mps", **more)


def heart(length, low, high, **more):
    return step(length, low, high, "heart_rate_bpm", **more)


def warm(length=900):
    return [step(length, label=StepLabel.WARM_UP)]


def cool(length=600):
    return [step(length, label=StepLabel.COOL_DOWN)]


def rest(length=180):
    return step(length, label=StepLabel.REST)


def sets(count, *steps):
    return [replace(each, repeats=((turn, count),)) for turn in range(1, count + 1) for each in steps]


def session(*steps):
    return warm() + list(steps) + cool()


def efforts(count, seconds, level, rest_s, easy):
    return [(seconds, level), (rest_s, easy)] * count


def noise(length, spread, seconds=8, seed=44):
    """Noise with a memory of some seconds, as positions and legs have it."""
    white = np.random.default_rng(seed).normal(0, 1, length + 10 * seconds)
    kernel = np.exp(-np.arange(5 * seconds) / seconds)
    return spread * np.convolve(white, kernel / np.sqrt((kernel**2).sum()), "valid")[:length]


def following(target, lag_s):
    """A first-order response, as of heart rate, a trainer or the speed of a watch."""
    values, level = np.empty(len(target)), target[0]
    for second, aim in enumerate(target):
        level += (aim - level) / lag_s
        values[second] = level
    return values


def seconds_of(parts):
    return np.concatenate([np.full(round(seconds), float(level)) for seconds, level in parts])


def ride(*parts, lag_s=2, spread=30, coasting=0.04, **changes):
    watts = following(seconds_of(parts), lag_s)
    watts = np.maximum(watts / (1 - coasting) + noise(len(watts), spread, 3), 0)
    watts[np.random.default_rng(7).random(len(watts)) < coasting] = 0
    return changed(SessionSamples(np.arange(len(watts), dtype=float), power_w=watts), **changes)


def run(*parts, lag_s=6, spread=0.12, **changes):
    speed = following(seconds_of(parts), lag_s)
    recorded = np.maximum(speed + noise(len(speed), spread) + noise(len(speed), spread / 2, 1, 5), 0)
    recording = SessionSamples(
        np.arange(len(speed), dtype=float), speed_mps=recorded, distance_m=np.cumsum(speed) * 1.006
    )
    return changed(recording, **changes)


def pulse(*parts, lag_s=35, drift=4.0, **changes):
    beats = following(seconds_of(parts), lag_s)
    beats = beats + np.linspace(0, drift, len(beats)) + noise(len(beats), 1.0, 5)
    return changed(
        SessionSamples(np.arange(len(beats), dtype=float), heart_rate_bpm=np.round(beats)), **changes
    )


def changed(recording, *, lost=(), stops=(), paused=(), spikes=None):
    """Lost samples, stops with the clock running, pauses of the device, power spikes."""
    for name in ("power_w", "speed_mps", "heart_rate_bpm"):
        values = getattr(recording, name)
        if values is None:
            continue
        for first, after in lost:
            values[first:after] = np.nan
        if name != "heart_rate_bpm":
            for first, after in stops:
                values[first:after] = 0.0
    if spikes:
        recording.power_w[::spikes] = 1900.0
    for first, pause_s in paused:
        recording.clock_s[first:] += pause_s
    return recording


def with_pulse(recording, *repetitions):
    return replace(
        recording, heart_rate_bpm=pulse((900, 120), *repetitions, (600, 115), lag_s=80).heart_rate_bpm
    )


def with_km_laps(recording):
    edges = np.searchsorted(recording.distance_m, np.arange(0, recording.distance_m[-1], 1000))
    laps = tuple((int(first), int(after)) for first, after in pairwise(edges))
    return replace(recording, laps=laps)


def swim(*sections, pool=25, with_pace=True):
    """Lengths of sections of metres, speed and rest; each length varies by a second."""
    lengths, variation = [], np.random.default_rng(3)
    for metres, speed, rest_s in sections:
        count = round(metres / pool)
        for number in range(count):
            seconds = pool / speed + variation.uniform(-0.5, 0.5)
            rest_here = rest_s if number == count - 1 else variation.uniform(0, 1.2)
            lengths.append(SwumLength(seconds, rest_here, with_pace))
    return tuple(lengths), float(pool)


def score(plan, recording):
    steps = [replace(each, index=index) for index, each in enumerate(plan)]
    durations_s = [step_duration_s(each, speed_mps=8.0) for each in steps]
    if isinstance(recording, SessionSamples):
        return execution_score(steps, durations_s, recording, ATHLETE)
    lengths, pool = recording
    return swim_score(steps, durations_s, lengths, pool)


WU, CD = (900, 170), (600, 140)
VO2 = session(*sets(5, step(240, 330, 350), rest()))
THRESHOLD = session(*sets(4, step(480, 280, 300), rest(240)))
TEMPO_2X20 = session(*sets(2, step(1200, 230, 250), rest(300)))
BILLATS = session(*[each for _ in range(2) for each in [*sets(10, step(30, 380, 420), rest(15)), rest(300)]])
OVER_UNDER = session(
    *[each for _ in range(3) for each in [*sets(3, step(120, 275, 295), step(60, 315, 335)), rest(300)]]
)
RAMP = session(*[step(180, watts - 8, watts + 8) for watts in (180, 210, 240, 270, 300, 330)])
HEART_3X15 = session(*sets(3, heart(900, 150, 160), rest(300)))
ENDURANCE = [step(10800, 170, 200)]
SPRINTS = session(*sets(8, step(20, label=StepLabel.MAXIMUM), rest(160)))
SWAP = session(*sets(2, step(480, 280, 300), rest(240)), *sets(6, step(60, 400, 440), rest(120)))
KM_REPEATS = session(*sets(6, pace("1000 m", 4.4, 4.6), rest("400 m")))
QUARTERS = session(*sets(10, pace("400 m", 4.9, 5.1), rest(90)))
RUN_4MIN = session(*sets(5, pace(240, 4.5, 4.7), rest(150)))
TEMPO_RUN = session(*sets(2, pace(900, 4.0, 4.2), rest(180)))
TEMPO_30 = session(pace(1800, 4.0, 4.2))
EASY_CAP = [heart(2700, None, 145, intensity=LapIntensity.AEROBIC)]
EASY_PACE = [pace(2700, 2.8, 3.1)]
STRIDES = [
    step(2400, intensity=LapIntensity.AEROBIC),
    *sets(6, step(20, intensity=LapIntensity.NEUROMUSCULAR), rest(60)),
]
FAST_STRIDES = [step(2400), *sets(6, step(20, label=StepLabel.MAXIMUM), rest(60))]
HILLS = session(*sets(8, pace(90, 4.3, 4.8), rest(120)))
HILL_MINUTES = session(*sets(10, pace(60, 4.7, 5.13), rest(105)))
PROGRESSION = [pace(900, 3.3, 3.5), pace(900, 3.6, 3.8), pace(900, 3.9, 4.1)]
TWO_HUNDREDS = session(*sets(12, pace("200 m", 5.4, 5.8), rest(60)))
HEART_RUN = session(*sets(4, heart(480, 165, 172), rest(180)))
LONG_RUN = [pace("25000 m", 3.0, 3.3)]
PYRAMID = session(*[each for minutes in (1, 2, 3, 2, 1) for each in (pace(60 * minutes, 4.6, 4.9), rest(90))])
JOG = (900, 2.9)
SHORT_BY_HEART = session(*sets(10, heart(100, 168, 172, intensity=LapIntensity.VO2MAX), rest(90)))
SHORT_RUN = run(JOG, *efforts(10, 100, 4.8, 90, 2.2), (600, 2.8))
ROWED = session(*sets(3, step(720, 291, 310), rest(240)))
POWER_PYRAMID = session(*[step(180, watts - 8, watts + 8) for watts in (240, 270, 300, 330, 300, 270, 240)])
HUNDREDS = [*warm("400 m"), *sets(10, step("100 m"), rest(20)), *cool("200 m")]
PACED = [*warm("400 m"), *sets(10, pace("100 m", 1.24, 1.28), rest(20)), *cool("200 m")]
TWO_SETS = [
    *warm("200 m"),
    *sets(4, step("200 m"), rest(30)),
    *sets(8, step("50 m"), rest(15)),
    *cool("200 m"),
]
FIFTIES = [*warm("200 m"), *sets(8, step("50 m"), rest(30)), *cool("200 m")]
SWIM_WU, SWIM_CD = (400, 1.05, 30), (200, 1.0, 0)

CASES = {
    # --- rides by power: least and most percent, the most frequent outcome of the steps that are not done ---
    "5 x 4 min as planned": (VO2, ride(WU, *efforts(5, 240, 340, 180, 140), CD), 95, 100, None),
    "5 x 4 min ridden steady": (VO2, ride((3600, 215)), 0, 5, MISSED),
    "5 x 4 min, three done": (VO2, ride(WU, *efforts(3, 240, 340, 180, 140), (1300, 180)), 55, 65, MISSED),
    "5 x 4 min at 90 %": (VO2, ride(WU, *efforts(5, 240, 306, 180, 140), CD), 40, 60, EASY),
    "5 x 4 min at 80 %": (VO2, ride(WU, *efforts(5, 240, 270, 180, 140), CD), 0, 10, EASY),
    "5 x 4 min at 123 % of the range": (VO2, ride(WU, *efforts(5, 240, 430, 180, 130), CD), 0, 60, HARD),
    "4 x 8 min threshold at 112 %": (THRESHOLD, ride(WU, *efforts(4, 480, 336, 240, 130), CD), 0, 60, HARD),
    "4 x 8 min threshold at 120 %": (THRESHOLD, ride(WU, *efforts(4, 480, 360, 240, 130), CD), 0, 20, HARD),
    "2 x 20 min tempo raced at 120 %": (TEMPO_2X20, ride(WU, *efforts(2, 1200, 300, 300, 140), CD), 0, 30, HARD),
    "5 x 4 min, the last two faded": (
        VO2, ride(WU, *efforts(3, 240, 340, 180, 140), *efforts(2, 240, 302, 180, 140), CD), 70, 90, EASY),
    "5 x 3 min of 4": (VO2, ride(WU, *efforts(5, 180, 345, 240, 140), CD), 40, 60, CUT),
    "a warm-up of 45 min": (VO2, ride((2700, 180), *efforts(5, 240, 340, 180, 140), CD), 95, 100, None),
    "seven repetitions for five": (VO2, ride(WU, *efforts(7, 240, 335, 180, 140), CD), 95, 100, None),
    "started with the first repetition": (VO2, ride(*efforts(5, 240, 340, 180, 140), CD), 95, 100, None),
    "the blocks swapped": (
        SWAP, ride(WU, *efforts(6, 60, 420, 120, 130), *efforts(2, 480, 290, 240, 140), CD), 95, 100, None),
    "2 x 20 min ridden as 40 min": (TEMPO_2X20, ride(WU, (2400, 240), CD), 95, 100, None),
    "40 min ridden as 2 x 20 min": (
        session(step(2400, 230, 250)), ride(WU, *efforts(2, 1200, 240, 240, 130), CD), 75, 100, None),
    "power spikes": (VO2, ride(WU, *efforts(5, 240, 335, 180, 140), CD, spikes=300), 95, 100, None),
    "power lost now and then": (
        VO2, ride(WU, *efforts(5, 240, 340, 180, 140), CD, lost=[(at, at + 25) for at in range(60, 3500, 150)]),
        95, 100, None),
    "the battery died before the fourth": (
        VO2, ride(WU, *efforts(5, 240, 340, 180, 140), CD, lost=[(2160, 3600)]), 55, 65, MISSED),
    "30/15 with a trainer's lag": (
        BILLATS, ride(WU, *([*efforts(10, 30, 400, 15, 150), (300, 140)]) * 2, CD, lag_s=5, coasting=0), 75, 100, None),
    "30/15 on the road": (BILLATS, ride(WU, *([*efforts(10, 30, 405, 15, 120), (300, 140)]) * 2, CD), 85, 100, None),
    "30/15, the first set only": (BILLATS, ride(WU, *efforts(10, 30, 405, 15, 120), (1200, 160)), 45, 55, MISSED),
    "30/15 ridden steady": (BILLATS, ride(WU, *efforts(2, 450, 310, 300, 140), CD), 0, 25, None),
    "over-unders": (
        OVER_UNDER, ride(WU, *([*efforts(3, 120, 285, 60, 325), (300, 140)]) * 3, CD, coasting=0, spread=15), 90, 100, None),
    "over-unders ridden steady below": (OVER_UNDER, ride(WU, *efforts(3, 540, 285, 300, 140), CD, coasting=0, spread=15), 0, 55, EASY),
    "over-unders ridden steady between": (
        OVER_UNDER, ride(WU, *efforts(3, 540, 300, 300, 140), CD, coasting=0, spread=15), 0, 55, EASY),
    "over-unders ridden steady above": (
        OVER_UNDER, ride(WU, *efforts(3, 540, 325, 300, 140), CD, coasting=0, spread=15), 0, 55, HARD),
    "over-unders ridden steady on the road": (OVER_UNDER, ride(WU, *efforts(3, 540, 285, 300, 140), CD), 0, 70, EASY),
    "over-unders with a small difference": (
        OVER_UNDER, ride(WU, *([*efforts(3, 120, 293, 60, 316), (300, 140)]) * 3, CD, coasting=0, spread=8), 90, 100, None),
    "pyramid of power, upwards alone": (
        POWER_PYRAMID, ride(WU, *[(180, watts) for watts in (240, 270, 300, 330)], (1500, 150), coasting=0), 50, 65, None),
    "ramp on a trainer": (
        RAMP, ride(WU, *[(180, watts) for watts in (180, 210, 240, 270, 300, 330)], CD, coasting=0, lag_s=8), 90, 100, None),
    "ramp without its last two steps": (
        RAMP, ride(WU, *[(180, watts) for watts in (180, 210, 240, 270)], (900, 130), coasting=0), 40, 70, MISSED),
    "8 sprints": (SPRINTS, ride(WU, *efforts(8, 20, 850, 160, 140), CD), 95, 100, None),
    "4 of 8 sprints": (SPRINTS, ride(WU, *efforts(4, 20, 850, 160, 140), (1200, 160)), 45, 55, MISSED),
    "endurance with lights and descents": (
        ENDURANCE, ride((10800, 190), spread=70, coasting=0.15, stops=[(at, at + 40) for at in range(500, 10000, 900)]),
        95, 100, None),
    "half of the endurance": (ENDURANCE, ride((5400, 185)), 40, 60, CUT),
    "80 min of 3 h endurance": (ENDURANCE, ride((4800, 185)), 0, 50, CUT),
    "endurance at 125 %": (ENDURANCE, ride((10800, 250)), 0, 20, HARD),
    "endurance with a climb of 45 min 17 % above": (
        ENDURANCE, ride((4000, 190), (2700, 234), (4100, 190)), 40, 60, HARD),
    "endurance with that climb later": (ENDURANCE, ride((6000, 190), (2700, 234), (2100, 190)), 40, 60, HARD),
    "endurance with that climb first": (ENDURANCE, ride((2700, 234), (8100, 190)), 40, 60, HARD),
    "endurance with that climb last": (ENDURANCE, ride((8100, 190), (2700, 234)), 40, 60, HARD),
    "endurance with a steeper climb first": (ENDURANCE, ride((300, 190), (2700, 270), (7800, 190)), 40, 60, HARD),
    "endurance with a climb after three hours": (ENDURANCE, ride((10800, 190), (2700, 250)), 40, 60, HARD),
    "endurance with a climb of 15 min": (ENDURANCE, ride((900, 260), (9900, 185)), 95, 100, None),
    "an hour of tempo after a hard warm-up": (
        session(step(3600, 230, 250)), ride((600, 170), (240, 310), (60, 150), (3600, 240), CD), 95, 100, None),
    "endurance 10 % below": (ENDURANCE, ride((10800, 154)), 90, 100, None),
    "endurance with a pause for coffee": (ENDURANCE, ride((10800, 185), paused=[(5400, 2400)]), 95, 100, None),
    "lights in two of four repetitions": (
        THRESHOLD, ride(WU, *efforts(4, 480, 296, 240, 140), CD, stops=[(1100, 1130), (2600, 2630)]), 85, 100, None),
    "4 x 2 km by power, indoors without distance": (
        session(*sets(4, step("2000 m", 280, 300), rest(240))), ride(WU, *efforts(4, 250, 290, 240, 140), CD), 70, 100, None),
    # --- rides and runs by heart rate ---
    "3 x 15 min by heart rate": (
        HEART_3X15, pulse((900, 120), *efforts(3, 900, 154, 300, 118), (600, 115)), 95, 100, None),
    "3 x 15 min by heart rate, too easy": (
        HEART_3X15, pulse((900, 120), *efforts(3, 900, 133, 300, 118), (600, 115)), 0, 0, None),
    "3 x 15 min by heart rate, belt lost": (
        HEART_3X15, pulse((900, 120), *efforts(3, 900, 154, 300, 118), (600, 115), lag_s=50,
                          lost=[(900, 1000), (2300, 2480), (3500, 3530)]), 95, 100, None),
    "easy run under its cap": (EASY_CAP, pulse((2700, 137), drift=6), 95, 100, None),
    "20 of 45 min under its cap": (EASY_CAP, pulse((1200, 135)), 0, 50, CUT),
    "easy run 10 beats above its cap": (EASY_CAP, pulse((2700, 153), drift=6), 0, 50, HARD),
    "easy run 20 beats above its cap": (EASY_CAP, pulse((2700, 163), drift=6), 0, 10, HARD),
    "easy run with 15 min of racing": (EASY_CAP, pulse((900, 135), (900, 168), (900, 140), drift=0), 25, 60, HARD),
    "easy run with its first 15 min raced": (EASY_CAP, pulse((900, 168), (1800, 137), drift=0), 0, 60, HARD),
    "easy run with its last 15 min raced": (EASY_CAP, pulse((1800, 137), (900, 170), drift=0), 0, 60, HARD),
    "easy run over three hills": (
        EASY_CAP, pulse(*[(700, 137), (120, 153), (80, 138)] * 3, drift=0), 95, 100, None),
    "10 x 100 s by heart rate on a track": (SHORT_BY_HEART, with_pulse(SHORT_RUN, *efforts(10, 100, 172, 90, 100)), 95, 100, None),
    "10 x 100 s by heart rate, run steady": (
        SHORT_BY_HEART, with_pulse(run((3400, 3.0)), *efforts(10, 100, 140, 90, 140)), 0, 5, None),
    "4 x 8 min by heart rate on a treadmill": (
        HEART_RUN, pulse((900, 135), *efforts(4, 480, 168, 180, 130), (600, 130)), 90, 100, None),
    # --- runs by pace ---
    "6 x 1 km with a lap at each kilometre": (
        KM_REPEATS, with_km_laps(run(JOG, *efforts(6, 222, 4.5, 150, 2.7), (600, 2.8))), 90, 100, None),
    "5 x 4 min run steady": (RUN_4MIN, run((3500, 3.4)), 0, 5, MISSED),
    "5 x 4 min in two recordings of noise": (RUN_4MIN, run(JOG, *efforts(5, 240, 4.6, 150, 2.5), (600, 2.8), spread=0.3), 90, 100, None),
    "5 x 4 min, the position lost in the second": (
        RUN_4MIN, run(JOG, *efforts(5, 240, 4.6, 150, 2.5), (600, 2.8), lost=[(1300, 1520)]), 75, 85, MISSED),
    "5 x 4 min, a minute of the second lost": (
        RUN_4MIN, run(JOG, *efforts(5, 240, 4.6, 150, 2.5), (600, 2.8), lost=[(1350, 1410)]), 95, 100, None),
    "10 x 400 m, six done": (QUARTERS, run(JOG, *efforts(6, 80, 5.0, 90, 2.0), (900, 2.9)), 55, 65, MISSED),
    "10 x 400 m, 9 s too fast": (QUARTERS, run(JOG, *efforts(10, 71, 5.63, 90, 1.5), (600, 2.8)), 0, 60, HARD),
    "10 x 400 m, standing rests paused": (
        QUARTERS, run(JOG, *efforts(10, 80, 5.0, 2, 1.0), (600, 2.8), lag_s=2,
                      paused=[(900 + 82 * n, 88) for n in range(1, 11)]), 85, 100, None),
    "2 x 15 min tempo run as 30 min": (TEMPO_RUN, run(JOG, (1800, 4.1), (600, 2.8)), 95, 100, None),
    "tempo 8 % below": (TEMPO_30, run(JOG, (1800, 3.72), (600, 2.8)), 40, 60, EASY),
    "tempo with a tunnel": (TEMPO_30, run(JOG, (1800, 4.1), (600, 2.8), lost=[(1500, 1700)]), 95, 100, None),
    "easy run with traffic lights": (
        EASY_PACE, run((2700, 2.95), stops=[(at, at + 30) for at in range(300, 2600, 420)]), 95, 100, None),
    "easy run far too fast": (EASY_PACE, run((2700, 3.6)), 0, 50, HARD),
    "strides": (STRIDES, run((2400, 2.9), *efforts(6, 20, 5.8, 60, 2.3)), 80, 100, None),
    "strides left out, one climb of 4 min": (FAST_STRIDES, run((1300, 2.7), (240, 4.4), (1300, 2.7)), 0, 20, MISSED),
    "strides twice as long": (FAST_STRIDES, run((2400, 2.9), *efforts(6, 40, 5.4, 60, 2.3)), 80, 100, None),
    "strides with paused rests": (
        FAST_STRIDES, run((2400, 2.9), *efforts(6, 20, 5.8, 2, 2.3), (200, 2.8),
                     paused=[(2400 + 22 * n, 60) for n in range(1, 7)]), 60, 100, None),
    "strides left out": (STRIDES, run((2900, 2.9)), 0, 15, MISSED),
    "hill repeats by grade-adjusted pace": (HILLS, run(JOG, *efforts(8, 90, 4.55, 120, 2.4), (600, 2.8), spread=0.3), 85, 100, None),
    "hills of a minute with a steep end": (
        HILL_MINUTES, run(JOG, *[(25, 4.8), (15, 6.6), (20, 4.7), (105, 2.4)] * 10, (600, 2.8), lag_s=2), 90, 100, None),
    "progression run": (PROGRESSION, run((900, 3.4), (900, 3.7), (900, 4.0)), 95, 100, None),
    "progression run without progression": (PROGRESSION, run((2700, 3.7)), 30, 70, None),
    "12 x 200 m": (TWO_HUNDREDS, run(JOG, *efforts(12, 36, 5.7, 60, 1.5), (600, 2.8), lag_s=3), 85, 100, None),
    "20 of 25 km": (LONG_RUN, run((6350, 3.15)), 75, 100, None),
    "13 of 25 km": (LONG_RUN, run((4130, 3.15)), 40, 60, CUT),
    "pyramid": (PYRAMID, run(JOG, *[part for m in (1, 2, 3, 2, 1) for part in ((60 * m, 4.75), (90, 2.4))], (600, 2.8)), 90, 100, None),
    "pyramid upwards alone": (
        PYRAMID, run(JOG, *[part for m in (1, 2, 3) for part in ((60 * m, 4.75), (90, 2.4))], (1500, 2.8)), 60, 60, MISSED),
    "pyramid downwards alone": (
        PYRAMID, run(JOG, *[part for m in (3, 2, 1) for part in ((60 * m, 4.75), (90, 2.4))], (1500, 2.8)), 60, 60, MISSED),
    "pyramid as one block": (PYRAMID, run(JOG, (540, 4.75), (900, 2.8)), 95, 100, None),
    "pyramid with longer ends": (
        PYRAMID, run(JOG, *[part for m in (2, 2, 3, 2, 2) for part in ((60 * m, 4.75), (90, 2.4))], (600, 2.8)), 95, 100, None),
    "easy run with its last kilometres raced": (EASY_PACE, run((1900, 2.95), (800, 4.2)), 0, 60, HARD),
    "over-unders run steady": (
        session(*[each for _ in range(2) for each in [*sets(4, pace(120, 4.0, 4.15), pace(60, 4.45, 4.6)), rest(180)]]),
        run(JOG, *efforts(2, 720, 4.3, 180, 2.5), (600, 2.8), spread=0.05), 0, 60, None),
    "threshold by intensity alone": (
        session(*sets(3, step(600, intensity=LapIntensity.THRESHOLD), rest(120))),
        run(JOG, *efforts(3, 600, 4.42, 120, 2.5), (600, 2.8)), 95, 100, None),
    "3 x 12 min rowed by feel, half of the session": (
        ROWED, run((900, 2.7), *efforts(3, 720, 4.3, 200, 2.0), (500, 1.95), spread=0.1), 95, 100, None),
    "3 x 12 min rowed steady": (ROWED, run((4380, 3.2), spread=0.1), 0, 5, MISSED),
    "3 x 12 min rowed, the last left out": (
        ROWED, run((900, 2.7), *efforts(2, 720, 4.3, 240, 2.0), (1500, 1.95), spread=0.1), 60, 70, MISSED),
    "20 x 1 min on and off by feel": (
        session(*sets(20, step(60, label=StepLabel.MAXIMUM), rest(60))),
        run(JOG, *efforts(20, 60, 4.8, 60, 2.6), (600, 2.8)), 95, 100, None),
    "open water by position": (
        [*warm(600), *sets(3, pace("500 m", 1.2, 1.3), rest(60))],
        run((600, 1.0), *efforts(3, 400, 1.25, 60, 0.3), lag_s=3, spread=0.12), 90, 100, None),
    # --- swims by pool lengths ---
    "10 x 100 m": (HUNDREDS, swim(SWIM_WU, *[(100, 1.25, 20)] * 10, SWIM_CD), 100, 100, None),
    "10 x 100 m, a length missed in two": (
        HUNDREDS, swim(SWIM_WU, *[(100, 1.25, 20)] * 4, *[(75, 1.0, 20)] * 2, *[(100, 1.25, 20)] * 4, SWIM_CD), 85, 100, None),
    "10 x 100 m, a turn counted twice": (
        HUNDREDS, swim(SWIM_WU, *[(100, 1.25, 20)] * 5, (125, 1.5, 20), *[(100, 1.25, 20)] * 4, SWIM_CD), 95, 100, None),
    "six of 10 x 100 m": (HUNDREDS, swim(SWIM_WU, *[(100, 1.25, 20)] * 6, SWIM_CD), 55, 65, None),
    "12 x 100 m for ten": (HUNDREDS, swim(SWIM_WU, *[(100, 1.25, 20)] * 12, SWIM_CD), 100, 100, None),
    "10 x 100 yd for 100 m": (HUNDREDS, swim(SWIM_WU, *[(91.44, 1.2, 20)] * 10, SWIM_CD, pool=22.86), 95, 100, None),
    "10 x 50 m for 100 m": (HUNDREDS, swim(SWIM_WU, *[(50, 1.3, 20)] * 10, SWIM_CD), 20, 60, None),
    "a warm-up of 800 m": (HUNDREDS, swim((800, 1.05, 40), *[(100, 1.25, 20)] * 10, SWIM_CD), 95, 100, None),
    "10 x 100 m, 5 s too slow": (PACED, swim(SWIM_WU, *[(100, 1.175, 20)] * 10, SWIM_CD), 40, 60, EASY),
    "10 x 100 m, 12 s too slow": (PACED, swim(SWIM_WU, *[(100, 1.08, 20)] * 10, SWIM_CD), 0, 10, EASY),
    "10 x 100 m as drill": (PACED, swim(SWIM_WU, *[(100, 0.9, 20)] * 10, SWIM_CD, with_pace=False), 95, 100, None),
    "the sets swapped": (
        TWO_SETS, swim((200, 1.05, 30), *[(50, 1.4, 15)] * 8, *[(200, 1.2, 30)] * 4, (200, 1.0, 0)), 90, 100, None),
    "both sets": (TWO_SETS, swim((200, 1.05, 30), *[(200, 1.2, 30)] * 4, *[(50, 1.4, 15)] * 8, (200, 1.0, 0)), 100, 100, None),
    "the second set alone": (TWO_SETS, swim((200, 1.05, 30), *[(50, 1.4, 15)] * 8, (200, 1.0, 0)), 60, 70, MISSED),
    "4 of 8 x 50 m in a long pool": (FIFTIES, swim((200, 1.05, 30), *[(50, 1.4, 30)] * 4, (200, 1.0, 0), pool=50), 45, 55, None),
    "5 x 200 m swum as 10 x 100 m": (
        [*warm("400 m"), *sets(5, step("200 m"), rest(30)), *cool("200 m")],
        swim(SWIM_WU, *[(100, 1.25, 20)] * 10, SWIM_CD), 50, 100, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_session_is_scored_as_a_coach_would(name):
    plan, recording, least, most, outcome = CASES[name]
    result = score(plan, recording)
    assert not isinstance(result, NoSets | None)
    assert least <= round(100 * result.share) <= most
    if outcome is not None:
        not_done = result.counts
        del not_done[WorkOutcome.DONE]
        assert not_done.most_common(1)[0][0] is outcome


TOTALS = {
    "a treadmill without speed for a run by pace": (RUN_4MIN, pulse((900, 130), (2550, 160)), None),
    "heart rate alone for a ride by power": (VO2, pulse((900, 130), (2550, 160)), None),
    "a workout of words": ([], ride((3600, 200)), None),
    "ten 100s swum without a rest": (HUNDREDS, swim((1600, 1.1, 0)), NoSets.NO_RESTS),
    "a swim typed in": (HUNDREDS, ((), 25.0), NoSets.NO_LENGTHS),
    "a swim without the length of its pool": (
        HUNDREDS,
        (swim(SWIM_WU, SWIM_CD)[0], float("nan")),
        NoSets.NO_POOL,
    ),
}


@pytest.mark.parametrize("name", TOTALS)
def test_a_session_that_shows_no_work_steps_compares_totals(name):
    plan, recording, reason = TOTALS[name]
    assert score(plan, recording) is reason
