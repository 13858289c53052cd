"""Sessions scored as a coach would: rides, runs and swims with noise, automatic laps, pauses and late heart rates."""

from itertools import pairwise

import numpy as np
import pytest

from coachboard.execution.compared_steps import SessionSamples
from coachboard.execution.score import execution_score
from coachboard.execution.structure import FlatStep, References, Target
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome
from coachboard.wire.enums import LapIntensity, StepLabel

REFERENCES = References(critical_power_w=270.0, max_heart_rate_bpm=190.0, critical_speed_mps=4.2)
WARM, COOL, REST, WORK = StepLabel.WARM_UP, StepLabel.COOL_DOWN, StepLabel.REST, StepLabel.ACTIVE
V, T, A = LapIntensity.VO2MAX, LapIntensity.THRESHOLD, LapIntensity.AEROBIC
QUANTITIES = {"power": "power_w", "speed": "speed_mps", "heart rate": "heart_rate_bpm"}


class Plan:
    """A workout that is written step by step."""

    def __init__(self):
        self.steps, self.durations_s = [], []

    def step(self, seconds, target=None, *, label=WORK, intensity=None, by="power", metres=None, repeats=()):
        targets = dict.fromkeys(QUANTITIES.values())
        if target is not None:
            targets[QUANTITIES[by]] = Target(*target)
        seconds_of_step = None if metres else seconds
        self.steps.append(
            FlatStep(len(self.steps), repeats, label, intensity, None, seconds_of_step, metres,
                     targets["power_w"], targets["heart_rate_bpm"], targets["speed_mps"], None)
        )  # fmt: skip
        self.durations_s.append(float(seconds))
        return self

    def repeated(self, count, seconds, target, rest_s, *, intensity=V, by="power", metres=None):
        for turn in range(1, count + 1):
            self.step(seconds, target, intensity=intensity, by=by, metres=metres, repeats=((turn, count),))
            self.step(rest_s, label=REST, repeats=((turn, count),))
        return self

    def warm_up(self, seconds=900):
        return self.step(seconds, label=WARM, intensity=A)

    def cool_down(self, seconds=600):
        return self.step(seconds, label=COOL, intensity=A)


def intervals(count=5, seconds=240, target=(290, 310), rest_s=180, **more):
    return Plan().warm_up().repeated(count, seconds, target, rest_s, **more).cool_down()


def values(*parts, noise=0.0, seed=1):
    """One value a second: pairs of seconds and level."""
    plain = np.repeat([level for _, level in parts], [seconds for seconds, _ in parts]).astype(float)
    return plain + np.random.default_rng(seed).normal(0, noise, len(plain))


def ride(*parts, noise=25.0, **more):
    power = np.maximum(values(*parts, noise=noise), 0)
    return SessionSamples(np.arange(len(power), dtype=float), power_w=power, **more)


def run(*parts, noise=0.25, heart_rate=None, **more):
    speed = np.maximum(values(*parts, noise=noise), 0)
    return SessionSamples(
        np.arange(len(speed), dtype=float),
        speed_mps=speed,
        distance_m=np.cumsum(speed),
        heart_rate_bpm=heart_rate,
        **more,
    )


def late(parts, lag_s=35.0):
    """A heart rate that follows its level with a time constant."""
    aimed, now, rates = values(*parts), parts[0][1], []
    for level in aimed:
        now += (level - now) / lag_s
        rates.append(now)
    return np.array(rates)


def sets(count, seconds, level, rest_s, easy, warm_s=900, cool_s=600):
    return [(warm_s, easy), *[(seconds, level), (rest_s, easy)] * count, (cool_s, easy)]


def scored(plan, recording):
    return execution_score(plan.steps, plan.durations_s, recording, REFERENCES)


RIDES = {
    "as planned": (ride(*sets(5, 240, 300, 180, 140)), 1.0),
    "steady at tempo": (ride((4000, 225)), 0.0),
    "one missed": (ride(*sets(4, 240, 300, 180, 140)), 0.8),
    "each half as long": (ride(*sets(5, 122, 300, 180, 140)), 0.5),
    "last cut in half": (ride(*sets(4, 240, 300, 180, 140, cool_s=1), (121, 300), (600, 140)), 0.9),
    "6 % too easy": (ride(*sets(5, 240, 273, 180, 140)), 0.5),
    "4 % above": (ride(*sets(5, 240, 322, 180, 140)), 1.0),
    "one long block": (ride((900, 140), (1200, 300), (600, 140)), 1.0),
    "three as one": (ride((900, 140), (720, 300), (600, 140)), 0.6),
    "ended after two": (ride((900, 140), *[(240, 300), (180, 140)] * 2), 0.4),
    "hills in between": (ride((900, 140), *[(240, 300), (60, 260), (120, 120)] * 5, (600, 170)), 1.0),
    "five seconds short": (ride(*sets(5, 233, 300, 187, 140)), 1.0),
}


@pytest.mark.parametrize("name", RIDES)
def test_a_ride_of_five_repetitions(name):
    recording, share = RIDES[name]
    score = scored(intervals(), recording)

    assert score.compared is ScoreBasis.POWER
    assert score.share == pytest.approx(share, abs=0.001), [str(step.outcome) for step in score.steps]


def test_a_far_too_hard_session_is_no_tick():
    plan = Plan().step(3600, (170, 190), intensity=A)

    assert scored(plan, ride((3600, 260))).share == 0
    assert scored(plan, ride((3600, 185))).share == 1
    assert scored(plan, ride((3600, 160))).share == 1  # an easy ride that was easier
    assert scored(plan, ride((1500, 180))).share == 0


def test_the_order_of_the_blocks_does_not_matter():
    plan = Plan().warm_up().step(1200, (230, 245), intensity=T).step(300, label=REST)
    plan.repeated(4, 60, (340, 380), 120).cool_down()
    recording = ride((600, 140), *[(60, 360), (120, 130)] * 4, (300, 140), (1200, 238), (600, 140))

    assert scored(plan, recording).share == 1.0


def test_over_and_under_are_distinguished():
    plan = Plan().warm_up()
    for turn in range(1, 7):
        plan.step(60, (280, 290), intensity=V, repeats=((turn, 6),))
        plan.step(120, (235, 245), intensity=T, repeats=((turn, 6),))
    as_planned = ride((900, 140), *[(60, 285), (120, 240)] * 6, (300, 140))
    even = ride((900, 140), (1080, 240), (300, 140))

    assert scored(plan, as_planned).share == 1.0
    assert scored(plan, even).share == 0.5
    between = ride((900, 140), (1080, 258), (300, 140), noise=5)
    outcomes = [str(step.outcome) for step in scored(plan, between).steps]
    assert outcomes[1::2] == ["too hard"] * 6 or outcomes[0::2] == ["too easy"] * 6
    near_under = ride((900, 140), (1080, 252), (300, 140), noise=5)
    assert [str(step.outcome) for step in scored(plan, near_under).steps] == ["too easy", "done"] * 6


def test_short_sprints_have_no_upper_limit():
    plan = intervals(8, 15, (600, 700), 165, intensity=LapIntensity.NEUROMUSCULAR)

    assert scored(plan, ride(*sets(8, 15, 900, 165, 130))).share == 1.0
    assert scored(plan, ride(*sets(8, 15, 300, 165, 130))).share == 0.0


RUN_5K = intervals(5, 222, (4.4, 4.6), 120, by="speed", metres=1000.0)


def test_a_run_by_distance_without_laps():
    score = scored(RUN_5K, run(*sets(5, 222, 4.5, 120, 2.7)))

    assert score.compared is ScoreBasis.SPEED
    assert score.share == 1.0
    assert [step.outcome for step in score.steps] == [WorkOutcome.DONE] * 5


@pytest.mark.parametrize(
    ("parts", "share"),
    [
        ([(4000, 3.1)], 0.0),
        (sets(4, 222, 4.5, 120, 2.7), 0.8),
        (sets(5, 243, 4.12, 120, 2.7), 0.5),
        (sets(5, 111, 4.5, 230, 2.7), 0.5),
        (sets(5, 260, 3.85, 120, 2.7), 0.0),
    ],
)
def test_a_run_that_was_not_as_planned(parts, share):
    assert scored(RUN_5K, run(*parts)).share == pytest.approx(share)


def test_the_noise_of_positions_costs_no_repetition():
    for seed in range(20):
        speed = np.maximum(values(*sets(10, 80, 5.0, 60, 2.5), noise=0.6, seed=seed), 0)
        recording = SessionSamples(
            np.arange(len(speed), dtype=float), speed_mps=speed, distance_m=np.cumsum(speed) * 1.01
        )
        plan = intervals(10, 80, (4.9, 5.1), 60, by="speed", metres=400.0)
        assert scored(plan, recording).share == 1.0


def test_strides_without_a_target_rise_above_the_run():
    plan = Plan().step(2400, label=WARM, intensity=A)
    for turn in range(1, 7):
        plan.step(20, label=StepLabel.MAXIMUM, intensity=LapIntensity.NEUROMUSCULAR, repeats=((turn, 6),))
        plan.step(70, label=REST, repeats=((turn, 6),))
    with_strides = run((2400, 2.8), *[(20, 5.2), (70, 2.2)] * 6, (300, 2.8))
    without = run((3300, 2.8))
    plan_without_references = execution_score(plan.steps, plan.durations_s, with_strides)

    assert plan_without_references.share == 1.0
    assert execution_score(plan.steps, plan.durations_s, without).share == 0.0


@pytest.mark.parametrize("minutes", [31, 37, 43, 50, 55, 60])
def test_a_shortened_step_is_shown_with_all_that_was_done_of_it(minutes):
    """33 of 60 min read as "Done 30:00, cut short"; 37 of 60 min were a tick with 11 min of the cool-down."""
    plan = Plan().warm_up(600).step(3600, (200, 220), intensity=T)
    done = ride((600, 120), (60 * minutes, 210), (600, 110))
    (step,) = execution_score(plan.steps, plan.durations_s, done, REFERENCES).steps

    assert step.from_s == pytest.approx(600, abs=60)
    assert step.to_s - step.from_s == pytest.approx(60 * minutes, abs=90)
    assert step.outcome is (WorkOutcome.CUT_SHORT if minutes < 48 else WorkOutcome.DONE)
    assert step.level == pytest.approx(210, abs=5)


def test_shortened_repetitions_do_not_reach_into_the_next():
    plan = intervals(3, 480, (250, 270), 120, intensity=T)
    parts = [(900, 90), *[(280, 260), (120, 50)] * 3, (600, 120)]
    steps = execution_score(plan.steps, plan.durations_s, ride(*parts), REFERENCES).steps

    assert [step.to_s - step.from_s for step in steps] == pytest.approx([280] * 3, abs=20)
    assert all(step.to_s <= after.from_s for step, after in pairwise(steps))


def test_a_shortened_distance_is_shown_with_all_that_was_run_of_it():
    plan = Plan().step(1200, (3.9, 4.1), by="speed", intensity=T, metres=5000)
    speed = values((900, 4.0), noise=0.05)
    run = SessionSamples(np.arange(900.0), speed_mps=speed, distance_m=np.cumsum(speed))
    (step,) = execution_score(plan.steps, plan.durations_s, run, REFERENCES).steps

    assert (step.from_s, step.to_s) == (0, 900)  # 3,600 of 5,000 m, not half of them
    assert step.outcome is WorkOutcome.CUT_SHORT


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("seconds_short", [3, 13, 40, 60])
def test_steps_that_end_some_seconds_early_are_done(quantity, seconds_short):
    """The last of the steps had no room for its full length and was missed: 2 x 20 min read as half done."""
    ranges = {"power": ((175, 190), 183), "speed": ((2.8, 3.0), 2.9), "heart rate": ((130, 145), 138)}
    target, level = ranges[quantity]
    for count in (2, 9):
        plan = Plan()
        for _ in range(count):
            plan.step(1200, target, by=quantity, intensity=A)
        seconds = count * (1200 - seconds_short)
        recording = SessionSamples(
            np.arange(float(seconds)), **{QUANTITIES[quantity]: values((seconds, level))}
        )

        score = scored(plan, recording)

        assert [str(step.outcome) for step in score.steps] == ["done"] * count
        assert all(step.to_s <= after.from_s for step, after in pairwise(score.steps))


def test_an_easy_run_with_a_cap_is_scored_by_its_cap():
    plan = Plan().step(3000, (None, 145), by="heart rate", intensity=A)
    easy = run((3000, 2.8), heart_rate=late([(3000, 138)]))
    hard = run((3000, 3.6), heart_rate=late([(3000, 165)]))
    short = run((1800, 2.8), heart_rate=late([(1800, 138)]))

    assert [scored(plan, each).share for each in (easy, hard, short)] == [1.0, 0.0, 0.5]
    assert scored(plan, easy).compared is ScoreBasis.HEART_RATE


def test_a_late_heart_rate_costs_no_repetition():
    parts = sets(4, 480, 172, 120, 120)
    plan = intervals(4, 480, (165, 178), 120, by="heart rate", intensity=T)
    short_plan = intervals(8, 90, (168, 180), 90, by="heart rate", intensity=V)
    short = sets(8, 90, 178, 90, 125)

    assert scored(plan, run(*parts, heart_rate=late(parts))).share == 1.0
    assert scored(short_plan, run(*short, heart_rate=late(short))).share == 1.0
    easy = sets(4, 480, 140, 120, 120)
    assert scored(plan, run(*easy, heart_rate=late(easy))).share == 0.0


def test_an_intensity_without_a_target_uses_the_athletes_value():
    plan = Plan().warm_up()
    for turn in range(1, 4):
        plan.step(600, intensity=T, repeats=((turn, 3),)).step(180, label=REST, repeats=((turn, 3),))

    assert scored(plan, ride(*sets(3, 600, 260, 180, 140))).share == 1.0
    assert scored(plan, ride(*sets(3, 600, 200, 180, 140))).share == 0.0
    assert scored(plan, run(*sets(3, 600, 4.1, 180, 2.7))).share == 1.0
    assert execution_score(plan.steps, plan.durations_s, ride((3600, 200))) is not None


def test_pauses_of_the_device_do_not_break_a_repetition():
    power = np.maximum(values(*sets(5, 240, 300, 180, 140), noise=25), 0)
    clock = np.arange(len(power), dtype=float)
    clock[1000:] += 95.0  # a traffic light inside the first repetition

    score = scored(intervals(), SessionSamples(clock, power_w=power))

    assert score.share == 1.0
    assert score.steps[0].to_s - score.steps[0].from_s == pytest.approx(240 + 95, abs=10)


def test_a_set_of_laps_aligns_the_repetitions():
    laps = tuple((900 + n * 420, 1140 + n * 420) for n in range(5))
    score = scored(intervals(), ride(*sets(5, 240, 300, 180, 140), laps=laps))

    assert [(step.from_s, step.to_s) for step in score.steps] == [tuple(map(float, lap)) for lap in laps]


def test_without_a_quantity_or_a_work_step_there_is_no_score():
    empty = SessionSamples(np.arange(100.0))
    half = ride((4000, 300))
    half.power_w[:2500] = np.nan

    assert scored(intervals(), empty) is None
    assert scored(intervals(), half) is None
    assert scored(Plan().warm_up().cool_down(), ride((900, 140))) is None
    assert scored(intervals(), SessionSamples(np.arange(0.0), power_w=np.array([]))) is None


def test_a_long_ride_over_hills_counts_by_normalized_power():
    plan = Plan().step(3 * 3600, (185, 205), intensity=A)
    hilly = ride(*[(300, 250), (300, 60)] * 18, noise=40)

    assert scored(plan, hilly).share == 1.0


def test_a_distance_by_heart_rate_is_as_short_as_at_critical_speed():
    """400 m of 84 s read as too easy while the heart rate rose: at the mean speed of the session they took 140 s."""
    plan = Plan().warm_up()
    for turn in range(1, 11):
        plan.step(140, (168, 172), by="heart rate", intensity=V, metres=400.0, repeats=((turn, 10),))
        plan.step(90, label=REST, repeats=((turn, 10),))
    parts = sets(10, 84, 4.8, 90, 2.2)
    rates = late([(seconds, 172 if speed == 4.8 else 100) for seconds, speed in parts], lag_s=80.0)

    assert scored(plan, run(*parts, heart_rate=rates)).share == 1.0
    assert execution_score(plan.steps, plan.durations_s, run(*parts, heart_rate=rates)).share < 1.0


def test_a_stride_is_too_short_for_a_heart_rate_and_counts_by_its_speed():
    plan = Plan().step(2400, (130, 140), by="heart rate", label=WARM, intensity=A)
    for turn in range(1, 7):
        plan.step(20, (170, 180), by="heart rate", intensity=LapIntensity.NEUROMUSCULAR, repeats=((turn, 6),))
        plan.step(70, label=REST, repeats=((turn, 6),))
    parts = [(2400, 2.8), *[(20, 5.2), (70, 2.2)] * 6, (300, 2.8)]
    rates = late([(seconds, 135 + 10 * (speed > 5)) for seconds, speed in parts])
    easy = late([(3240, 135)])

    strides = scored(plan, run(*parts, heart_rate=rates))
    assert strides.share == 1.0
    assert {(step.target, str(step.level)) for step in strides.steps} == {(None, "nan")}  # no speed as bpm
    assert scored(plan, run((3240, 2.8), heart_rate=easy)).share == 0.0
    assert scored(plan, SessionSamples(np.arange(3240.0), heart_rate_bpm=easy)).share == 1.0  # by time alone
