"""A plan of twelve weeks to a road race, which the coach of the demo has: base, build, race, taper."""

from collections.abc import Iterator
from typing import Any

from coachboard.service.store.plans import Plans
from coachboard.service.store.training_plans import StoredPlan
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.planning import EntryKind
from coachboard_demo.chance import new_id
from coachboard_demo.people import user_id
from coachboard_demo.size import Size

_TITLE = "Twelve weeks to a road race"
_PURPOSE = (
    "For a rider with 7 to 10 hours a week. Three blocks of four weeks, each with an easy fourth week; the race is on the last "
    "day. Apply it back from the race."
)
_BLOCKS = (
    (1, "Base: long and steady", "Ride often. Nothing this block should leave you flat the day after."),
    (4, "Easy week", "Half the load. Sleep, eat, and come back hungry."),
    (5, "Build: raise the threshold", "Two hard days a week, the others easy enough to make them count."),
    (8, "Easy week", "Half the load before the last block."),
    (
        9,
        "Race: short and sharp",
        "Above threshold now, with long recoveries. Practise what you eat in the race.",
    ),
    (12, "Race week", "Fresh legs win. Do less than you want to."),
)
_WARM, _COOL = "Warm-up\n- 15m ramp 45-70%", "Cool-down\n- 10m 50%"
_HARD = (
    ("Sprints 6 × 15 s", TrainingStimulus.NEUROMUSCULAR, "6x\n- 15s 160%\n- Easy 3m45s 50%"),
    ("Cadence 5 × 4 min", TrainingStimulus.TEMPO, "5x\n- 4m 80% 100-110rpm\n- Easy 3m 55%"),
    ("Tempo 3 × 12 min", TrainingStimulus.TEMPO, "3x\n- 12m 80-85%\n- Easy 4m 50%"),
    ("Openers 4 × 1 min", TrainingStimulus.NEUROMUSCULAR, "4x\n- 1m 110%\n- Easy 4m 50%"),
    ("Threshold 3 × 10 min", TrainingStimulus.THRESHOLD, "3x\n- 10m 95-98%\n- Easy 5m 50%"),
    ("Threshold 3 × 12 min", TrainingStimulus.THRESHOLD, "3x\n- 12m 95-100%\n- Easy 5m 50%"),
    ("Over-unders 3 × 9 min", TrainingStimulus.THRESHOLD, "3x\n  3x\n  - 2m 95%\n  - 1m 108%\n- Easy 5m 50%"),
    ("Openers 4 × 1 min", TrainingStimulus.NEUROMUSCULAR, "4x\n- 1m 110%\n- Easy 4m 50%"),
    ("VO2max 5 × 3 min", TrainingStimulus.VO2MAX, "5x\n- 3m 112-116%\n- Easy 3m 50%"),
    ("VO2max 6 × 3 min", TrainingStimulus.VO2MAX, "6x\n- 3m 112-116%\n- Easy 3m 50%"),
    ("Attacks 8 × 40 s", TrainingStimulus.ANAEROBIC, "8x\n- 40s 135%\n- Easy 3m20s 50%"),
    ("Openers 3 × 2 min", TrainingStimulus.VO2MAX, "3x\n- 2m 108%\n- Easy 4m 50%"),
)
"""The hard workout of each week: title, stimulus, main set."""
_LONG_H = (2.0, 2.25, 2.5, 1.75, 2.5, 2.75, 3.0, 2.0, 2.75, 3.0, 2.5, 0.75)
"""Hours of the long ride of each week."""


def write_plan(plans: Plans, size: Size) -> None:
    """Write the plan, unless the coach has it already; what the coach changed in it stays."""
    plan_id, coach = new_id("pln", size.seed, "season"), user_id("coach")
    if plans.training.find(plan_id) is not None:
        return
    entries = [
        {"id": new_id("ple", size.seed, place), "lastDay": None, **entry}
        for place, entry in enumerate(_entries())
    ]
    fields = {
        "title": _TITLE,
        "description": _PURPOSE,
        "sport": Sport.CYCLING,
        "days": 7 * len(_HARD),
        "entries": entries,
        "createdBy": coach,
    }
    plans.training.add(StoredPlan(plan_id, coach, None, coach, int(size.now_s) - 9 * 86_400, 1, fields))


def _entries() -> Iterator[dict[str, Any]]:
    """By day: a note where a block begins, the hard day on Tuesday, two easy rides, steady on Saturday, long on Sunday."""
    blocks = {week: (title, text) for week, title, text in _BLOCKS}
    for week, (title, stimulus, main) in enumerate(_HARD, start=1):
        first = 7 * (week - 1)
        if week in blocks:
            note = {"title": blocks[week][0], "content": blocks[week][1], "type": "training"}
            yield {"day": first + 1, "kind": EntryKind.NOTE, "value": note}
        yield _ride(first + 2, title, stimulus, f"{_WARM}\n\nMain set {main}\n\n{_COOL}")
        yield _ride(
            first + 3, "Endurance", TrainingStimulus.AEROBIC, f"- {_minutes(week, 75)}m 60-68% 85-95rpm"
        )
        yield _ride(first + 4, "Easy spin", TrainingStimulus.RECOVERY, "- 45m 45-55% 90-100rpm")
        if week < len(_HARD):
            steady = f"{_WARM}\n\nSteady 2x\n- {_minutes(week, 20)}m 76-82%\n- Easy 5m 50%\n\n{_COOL}"
            yield _ride(first + 6, "Steady tempo", TrainingStimulus.TEMPO, steady)
            hours = _LONG_H[week - 1]
            text = f"- Warm-up 15m 50-60%\n- {round(60 * hours) - 25}m 62-70%\n- Cool-down 10m 50%"
            yield _ride(first + 7, "Long ride", TrainingStimulus.DURABILITY, text)
        else:
            yield _ride(
                first + 6,
                "Legs open",
                TrainingStimulus.NEUROMUSCULAR,
                "- 20m 55-65%\n\n3x\n- 30s 120%\n- Easy 4m 50%",
            )


def _minutes(week: int, usual: int) -> int:
    """Shorter in easy weeks, a little longer from block to block."""
    return usual * 2 // 3 if week in {4, 8, 12} else usual + 2 * (week - 1)


def _ride(day: int, title: str, stimulus: TrainingStimulus, text: str) -> dict[str, Any]:
    value = {"title": title, "sport": Sport.CYCLING, "trainingStimulus": stimulus, "text": text}
    return {"day": day, "kind": EntryKind.WORKOUT, "value": value}
