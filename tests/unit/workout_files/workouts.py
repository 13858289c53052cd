"""Planned workouts for the tests of their files."""

from datetime import date

from coachboard.execution.structure import References
from coachboard.wire.enums import Sport
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.workout_files.workout import device_workout
from coachboard.workout_text.parsing import parse_workout

ANA = References(critical_power_w=250, max_heart_rate_bpm=190, critical_speed_mps=4.0)
NOBODY = References()

INTERVALS = """Warm-up
- Spin up 15m 50-60%

Main set 3x
- 12m 95-100% 85-95rpm
  4x
  - 15s 120%
- Easy 4m 50%

- 5m 145-155bpm
- 10m 220w
Cool-down
- press lap 40%
"""


def typed(text, sport=Sport.CYCLING, references=ANA, **changes):
    """The workout of a text, as the service stores it: targets in percent are in percent alone."""
    parsed = parse_workout(text, sport)
    assert not parsed.errors
    fields = {
        "id": "tpr_1",
        "date": date(2026, 5, 4),
        "title": "Over-unders",
        "sport": sport,
        "structure": parsed.structure,
    }
    plan = TrainingPrescription(**dict.fromkeys(TrainingPrescription.model_fields) | fields | changes)
    return device_workout(plan, text, references)
