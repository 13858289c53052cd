"""A fortnight of one athlete around a fixed today: done, moved, missed, excused, planned, with nights and metrics."""

import json
from datetime import UTC, date, datetime, time, timedelta

from coachboard.service.store import NewNote, Store
from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from unit.formulas.test_nights import night

TODAY = date(2026, 3, 12)
HOSTILE = "<script>alert(1)</script> **bold** ![x](https://tracker.example/p.png)"

_STRUCTURE = [
    {
        "type": "repetition",
        "nRepetitions": 3,
        "steps": [
            {"type": "step", "label": label, "length": length, "intensity": intensity}
            for label, length, intensity in (
                ("active", {"type": "duration", "duration": 180}, 400),
                ("rest", {"type": "free"}, 100),
            )
        ],
    }
]


def intensity(watts):
    names = [
        "serviceIntensity",
        "zone",
        "fromPower",
        "fromHeartRate",
        "minPower",
        "maxPower",
        "minPowerThresholdPercentage",
        "maxPowerThresholdPercentage",
        "minHeartRate",
        "maxHeartRate",
        "minMaxHeartRatePercentage",
        "maxMaxHeartRatePercentage",
        "minCadence",
        "maxCadence",
    ]
    return dict.fromkeys(names) | {"minPower": watts, "maxPower": watts, "serviceIntensity": "vo2max"}


def activity(name, day, **changes):
    start = datetime.combine(day, time(7, 30))
    fields = {
        field: None
        for field in Activity.model_fields
        if field not in {"laps", "climbs", "lengths", "provider_laps"}
    } | {
        "id": f"act_{name}",
        "name": name,
        "sport": Sport.CYCLING,
        "started_at": start.replace(tzinfo=UTC),
        "started_at_local": start,
        "utc_offset": 0,
        "moving_duration": 3600,
        "distance": 30_000,
        "volume": 60,
        "laps": (),
        "climbs": (),
        "lengths": (),
        "provider_laps": (),
    }
    return Activity(**fields | changes)


def prescription(name, day, **changes):
    fields = dict.fromkeys(TrainingPrescription.model_fields) | {
        "id": f"tpr_{name}",
        "date": day,
        "title": name,
        "sport": Sport.CYCLING,
        "duration": 3600,
    }
    return TrainingPrescription(**fields | changes)


def seed(store: Store, user_id: str) -> None:
    """Ten days back and two ahead."""
    structure = json.loads(json.dumps(_STRUCTURE))
    for step in structure[0]["steps"]:
        step["intensity"] = intensity(step["intensity"])
    back = [TODAY - timedelta(days=n) for n in range(11)]
    store.put_activities(
        user_id,
        [
            activity("Kept", back[8]),
            activity("Moved", back[4], moving_duration=5400),
            activity("Surplus", back[2], sport=Sport.RUNNING, moving_duration=None, distance=None),
        ],
    )
    store.put_prescriptions(
        user_id,
        [
            prescription("Kept plan", back[8], activity_id="act_Kept"),
            prescription("Moved plan", back[6], activity_id="act_Moved"),
            prescription(HOSTILE, back[9]),
            prescription("Sick day", back[3]),
            prescription("Intervals", TODAY + timedelta(days=1), structure=structure, free_duration=60),
        ],
    )
    cold = Note(id="not_1", type=NoteType.MEDICAL, title="Cold", content=HOSTILE, date=back[3], time=None)
    store.put_notes(user_id, [NewNote(note=cold, creator_id=user_id, hidden_until=None)])
    store.put_events(user_id, [_race(TODAY + timedelta(days=30))])
    store.put_metrics(user_id, _metrics())
    store.put_sleeps(user_id, [night(TODAY - timedelta(days=n), average_hrv=50 + n % 5) for n in range(9)])


def _race(day):
    fields = dict.fromkeys(Event.model_fields) | {"id": "evt_1", "name": "Hill climb", "date": day}
    return Event(**fields | {"sport": Sport.CYCLING, "distance": 12_000})


def _metrics():
    rows = (
        ("weight", 62.5, "kg", "global", "user", 40),
        ("weight", 61.0, "kg", "global", "user", 2),
        ("critical power", 250, "W", "cycling", "service", 20),
        ("w prime", 20, "kJ", "cycling", "service", 20),
    )
    return [
        Metric(
            id=f"mtr_{n}",
            type=kind,
            value=value,
            unit=unit,
            sport=sport,
            source=source,
            date=TODAY - timedelta(days=ago),
        )
        for n, (kind, value, unit, sport, source, ago) in enumerate(rows)
    ]
