"""A small squad in a store, reusable by every folder of tests: few rows, each there for a rule of the document."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np

from coachboard.service.store import NewNote, NewUser, Store, StreamRecipe
from coachboard.wire.activities import Activity, Lap, ProviderLap
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import (
    DataOnboardingStatus,
    Gender,
    LapIntensity,
    MetricSource,
    MetricSport,
    NoteType,
    Sport,
    StepLabel,
    SubSport,
    TrainingStimulus,
    WorkspaceRole,
    ZonesType,
)
from coachboard.wire.metrics import MetricType, MetricUnit
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import (
    DurationLength,
    FreeLength,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import UserMetricReadiness

TODAY = date(2026, 3, 20)

COACH_KEY = "coach-key-of-tests"
ATHLETE_KEY = "athlete-key-of-tests"
OTHER_ATHLETE_KEY = "other-athlete-key-of-tests"
ADMIN_KEY = "admin-key-of-tests"
STRANGER_KEY = "stranger-key-of-tests"

COACH, ATHLETE, OTHER_ATHLETE = "usr_coach", "usr_ana", "usr_ben"
ADMIN, STRANGER = "usr_admin", "usr_stranger"
SQUAD, CLUB = "wke_squad", "wke_club"

RIDE, EARLY_RIDE, LATE_RIDE, BARE, MADE = "act_ride", "act_early", "act_late", "act_bare", "act_made"
STRANGERS_RIDE = "act_strangers"
SAMPLES = 120


@dataclass(frozen=True)
class Person:
    id: str
    first_name: str
    last_name: str
    key: str


PEOPLE = (
    Person(COACH, "Carla", "Coach", COACH_KEY),
    Person(ATHLETE, "Ana", "Berg", ATHLETE_KEY),
    Person(OTHER_ATHLETE, "Ben", "Aas", OTHER_ATHLETE_KEY),
    Person(ADMIN, "Ada", "Admin", ADMIN_KEY),
    Person(STRANGER, "Stran", "Ger", STRANGER_KEY),
)
MEMBERS = (
    (SQUAD, COACH, WorkspaceRole.COACH),
    (SQUAD, ATHLETE, WorkspaceRole.ATHLETE),
    (SQUAD, OTHER_ATHLETE, WorkspaceRole.ATHLETE),
    (CLUB, ADMIN, WorkspaceRole.ADMIN),
    (CLUB, COACH, WorkspaceRole.ATHLETE),
    (CLUB, ATHLETE, WorkspaceRole.ATHLETE),
)


def seed(store: Store) -> None:
    """Write the squad: a coach and two athletes, a club with an admin, and a stranger."""
    for person in PEOPLE:
        store.add_user(
            NewUser(
                id=person.id,
                first_name=person.first_name,
                last_name=person.last_name,
                date_of_birth=date(1990, 5, 17),
                gender=Gender.FEMALE,
                height=171.5,
                data_onboarding_status=DataOnboardingStatus.DONE,
                user_metric_readiness=UserMetricReadiness(
                    has_service_cycling_critical_power=True,
                    has_service_running_critical_power=False,
                    has_service_running_critical_speed=False,
                ),
            )
        )
        store.add_key(person.id, label="tests", key=person.key)
    store.add_workspace("Squad", "squad", id=SQUAD)
    store.add_workspace("Club", "club", id=CLUB)
    for workspace_id, user_id, role in MEMBERS:
        store.add_member(workspace_id, user_id, role)
    seed_rows(store)


def seed_rows(store: Store) -> None:
    store.put_activities(ATHLETE, ACTIVITIES)
    store.put_activities(STRANGER, [activity(STRANGERS_RIDE, datetime(2026, 3, 10, 9, tzinfo=UTC))])
    store.put_streams(RIDE, streams())
    store.put_streams(STRANGERS_RIDE, streams())
    store.put_recipes(ATHLETE, [StreamRecipe(MADE, "test", b"7")])
    store.put_prescriptions(ATHLETE, PRESCRIPTIONS)
    store.put_notes(ATHLETE, NOTES)
    store.put_events(ATHLETE, EVENTS)
    store.put_metrics(ATHLETE, METRICS)
    store.put_sleeps(ATHLETE, SLEEPS)


def make_streams(recipe: bytes) -> ActivityStreams:
    """The maker "test": as many samples as the recipe says."""
    return ActivityStreams({"power": np.arange(int(recipe), dtype=np.float64)})


def streams() -> ActivityStreams:
    """Two minutes of power with a gap, an infinity and the word NaN in it."""
    power = np.full(SAMPLES, 200.0)
    power[[3, 4, 5]] = np.nan, np.inf, np.nan
    start = np.datetime64("2026-03-10T08:00:00", "ms")
    stamps = start + np.arange(SAMPLES) * np.timedelta64(1000, "ms")
    heart_rate = np.linspace(100, 160, SAMPLES).round()
    return ActivityStreams({"power": power, "heartRate": heart_rate}, stamps, {"power": np.array([5])})


def activity(activity_id: str, start: datetime | None, *, offset_min: int = 60) -> Activity:
    """A ride with one classified lap; times without a start are unknown."""
    empty = dict.fromkeys(Activity.model_fields)
    local = None if start is None else (start + timedelta(minutes=offset_min)).replace(tzinfo=None)
    known = {
        "id": activity_id,
        "name": "Tempo on the *flat* <b>road</b>",
        "sport": Sport.CYCLING,
        "sub_sport": SubSport.ROAD,
        "started_at": start,
        "utc_offset": offset_min,
        "started_at_local": local,
        "moving_duration": SAMPLES,
        "effective_duration": SAMPLES,
        "total_duration": SAMPLES,
        "training_stimulus": TrainingStimulus.TEMPO,
        "distance": 1234.5,
        "average_power": 200,
        "normalized_power": 203.4,
        "work": 24,
        "volume": 3,
        "intensity": 61.5,
        "laps": () if start is None else (_lap(start),),
        "climbs": (),
        "lengths": (),
        "provider_laps": () if start is None else (_provider_lap(start),),
    }
    return Activity(**{**empty, **known})


def _lap(start: datetime) -> Lap:
    known = {
        "intensity": LapIntensity.TEMPO,
        "started_at_index": 0,
        "ended_at_index": SAMPLES - 1,
        "started_at": start,
        "ended_at": start + timedelta(seconds=SAMPLES),
        "duration": SAMPLES,
        "average_power": 200,
    }
    return Lap(**{**dict.fromkeys(Lap.model_fields), **known})


def _provider_lap(start: datetime) -> ProviderLap:
    end = start + timedelta(seconds=SAMPLES)
    return ProviderLap(started_at=start, ended_at=end, intensity="active", lap_trigger="manual")


# The early ride starts on the 9th in UTC and on the 10th on its own clock.
ACTIVITIES = (
    activity(RIDE, datetime(2026, 3, 10, 8, tzinfo=UTC)),
    activity(EARLY_RIDE, datetime(2026, 3, 9, 23, 30, tzinfo=UTC)),
    activity(LATE_RIDE, datetime(2026, 3, 12, 17, tzinfo=UTC)),
    activity(MADE, datetime(2026, 3, 5, 17, tzinfo=UTC)),
    activity(BARE, None),
)


def _step(label: StepLabel, length: DurationLength | FreeLength, *, watts: int) -> StructureStep:
    required = [name for name, field in StructureIntensity.model_fields.items() if field.is_required()]
    intensity = {**dict.fromkeys(required), "min_power": watts, "max_power": watts + 10}
    return StructureStep(type="step", label=label, intensity=StructureIntensity(**intensity), length=length)


def _structure() -> tuple[StructureStep | StructureRepetition, ...]:
    work = _step(StepLabel.ACTIVE, DurationLength(type="duration", duration=30), watts=320)
    rest = _step(StepLabel.REST, DurationLength(type="duration", duration=15), watts=120)
    inner = StructureRepetition(type="repetition", n_repetitions=10, steps=(work, rest))
    outer = StructureRepetition(type="repetition", n_repetitions=3, steps=(inner, rest))
    return (_step(StepLabel.WARM_UP, FreeLength(type="free"), watts=150), outer)


def prescription(prescription_id: str, day: date, at: time | None = None) -> TrainingPrescription:
    known = {
        "id": prescription_id,
        "date": day,
        "time": at,
        "title": "30/15",
        "sport": Sport.CYCLING,
        "structure": _structure(),
        "zones_type": ZonesType.POWER,
        "duration": 3600,
    }
    return TrainingPrescription(**{**dict.fromkeys(TrainingPrescription.model_fields), **known})


PRESCRIPTIONS = (
    prescription("tpr_first", date(2026, 3, 9)),
    prescription("tpr_morning", date(2026, 3, 10), time(7)),
    prescription("tpr_evening", date(2026, 3, 10), time(18)),
    prescription("tpr_planned", date(2026, 3, 25)),
)


def note(note_id: str, day: date) -> Note:
    return Note(id=note_id, type=NoteType.TRAINING, title="A _note_", content=None, date=day, time=None)


NOTES = (
    NewNote(note("not_open", date(2026, 3, 10)), ATHLETE),
    NewNote(note("not_hidden", date(2026, 3, 11)), COACH, TODAY + timedelta(days=1)),
    NewNote(note("not_shown_today", date(2026, 3, 12)), COACH, TODAY),
)


def event(event_id: str, day: date) -> Event:
    known = {"id": event_id, "name": "Spring race", "date": day, "sport": Sport.CYCLING}
    return Event(**{**dict.fromkeys(Event.model_fields), **known})


EVENTS = (event("evt_past", date(2026, 3, 1)), event("evt_next", date(2026, 4, 12)))


def metric(metric_id: str, day: date, value: float, *, source: MetricSource = MetricSource.USER) -> Metric:
    return Metric(
        id=metric_id,
        type=MetricType.CRITICAL_POWER,
        value=value,
        unit=MetricUnit.W,
        source=source,
        date=day,
        sport=MetricSport.CYCLING,
    )


METRICS = (
    metric("mtr_new", date(2026, 3, 10), 290),
    metric("mtr_old", date(2025, 11, 1), 280),
    metric("mtr_estimated", date(2026, 3, 10), 301.5, source=MetricSource.SERVICE),
)


def sleep(sleep_id: str, day: date) -> Sleep:
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=2)
    known = {"id": sleep_id, "day": day, "started_at": start, "total_duration": 27_000, "average_hrv": 61}
    return Sleep(**{**dict.fromkeys(Sleep.model_fields), **known})


SLEEPS = tuple(sleep(f"slp_{day}", date(2026, 3, day)) for day in (9, 10, 11))
