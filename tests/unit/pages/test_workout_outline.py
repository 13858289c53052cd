"""A workout on one line: repeats together, one target per step, no unknown values."""

from coachboard.execution.structure import References
from coachboard.pages.workout_outlook import outline
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.enums import StepLabel
from coachboard.wire.prescriptions import StructureIntensity, StructureRepetition, StructureStep

KNOWN = References(critical_power_w=250)


def step(label=StepLabel.ACTIVE, length=None, **intensity):
    return StructureStep(
        type="step",
        label=label,
        intensity=StructureIntensity(**dict.fromkeys(StructureIntensity.model_fields) | intensity),
        length=length or {"type": "duration", "duration": 60},
    )


def times(count, *steps):
    return StructureRepetition(type="repetition", n_repetitions=count, steps=steps)


def written(*structure, sport="cycling", references=KNOWN):
    return outline(structure, references, sport=sport, units=METRIC)


def test_repeats_are_in_brackets_at_any_depth():
    hard = step(min_power=300, max_power=320, min_cadence=95, max_cadence=95)
    easy = step(StepLabel.REST, {"type": "free"}, min_power=100, max_power=100)
    warm = step(StepLabel.WARM_UP, {"type": "duration", "duration": 900}, max_heart_rate=130)

    assert written(warm, times(2, times(3, hard, easy), easy)) == (
        "warm up 15:00 up to 130 bpm, 2 × (3 × (1:00 300–320 W at 95 /min, rest free 100 W), rest free 100 W)"
    )


def test_a_target_in_percent_is_the_athletes_own_or_left_out():
    percent = step(min_power_threshold_percentage=90, max_power_threshold_percentage=90)

    assert written(percent) == "1:00 225 W"
    assert written(percent, references=References()) == "1:00"


def test_a_plan_of_endless_parts_ends_with_dots():
    assert written(*[step()] * 100).endswith("1:00, …")
    assert written(*[step()] * 100).count("1:00") == 60
