"""One athlete and one ride in the plain reading: every field set, seconds, newest first, UTC; JSON values."""

from datetime import UTC, date, datetime, time, timedelta
from math import sin

from plain_service import PlainRows

TODAY = date(2026, 3, 20)
ATHLETE, COACH, RIDE = "usr_ana", "usr_coach", "act_ride"
RIDE_START = datetime(2026, 3, 19, 8, tzinfo=UTC)
OFFSET_MIN = 60
SECONDS = 1_500


def plain() -> PlainRows:
    """The rows of the plain reading, fresh for each caller."""
    profile = _user(ATHLETE, "Ana", "Li") | {"latestMetrics": _latest()}
    own = _user(COACH, "Cleo", "Coach") | {"latestMetrics": [], "workspaces": [_workspace()]}
    return PlainRows(
        users=[_user(ATHLETE, "Ana", "Li")],
        profiles={ATHLETE: profile, "me": own, COACH: own},
        lists={
            "activities": _activities(),
            "training-prescriptions": _plans(),
            "notes": [_note(1), _note(40)],
            "events": [_event(-30), _event(20)],
            "metrics": _metrics(),
            "sleeps": [sleep(TODAY - timedelta(days=n), n) for n in range(60)],
        },
        streams={RIDE: streams()},
        athlete_id=ATHLETE,
    )


def _user(user_id, first, last):
    ready = dict.fromkeys(
        (
            "hasServiceCyclingCriticalPower",
            "hasServiceRunningCriticalPower",
            "hasServiceRunningCriticalSpeed",
        ),
        True,
    )
    return {
        "id": user_id, "firstName": first, "lastName": last, "dateOfBirth": "1994-07-02", "gender": "female",
        "height": 171, "dataOnboardingStatus": "done", "userMetricReadiness": ready,
    }  # fmt: skip


def _workspace():
    return {"id": "wke_squad", "name": "Squad", "slug": "squad", "role": "coach"}


_METRICS = (
    ("weight", 61.5, "kg", "global"), ("critical power", 250, "W", "cycling"), ("w prime", 19, "kJ", "cycling"),
    ("d prime", 180, "m", "running"), ("max power", 900, "W", "cycling"), ("vo2max", 56, "mL/min/kg", "global"),
    ("critical speed", 4.2, "m/s", "running"), ("max heart rate", 188, "bpm", "global"),
    ("resting heart rate", 48, "bpm", "global"), ("spo2", 97, "%", "global"), ("body fat", 17, "%", "global"),
)  # fmt: skip


def _metrics():
    return [
        {"id": f"mtr_{n}_{ago}", "type": kind, "value": value, "unit": unit, "source": "user",
         "date": _day(ago), "sport": sport}
        for ago in (35, 3)
        for n, (kind, value, unit, sport) in enumerate(_METRICS)
    ]  # fmt: skip


def _latest():
    return [
        {"sport": sport, "type": kind, "source": "user", "value": value} for kind, value, _, sport in _METRICS
    ]


def _day(days_ago):
    return (TODAY - timedelta(days=days_ago)).isoformat()


def stamp(moment):
    """As the interface shapes moments."""
    return f"{moment:%Y-%m-%d %H:%M:%S}+00"


def _activities():
    days = (1, 3, 4, 6, 8, 10, 11, 13, 17, 20, 24, 31, 38, 45, 60)
    return [activity(n, days_ago) for n, days_ago in enumerate(days)]


def activity(number, days_ago):
    start = RIDE_START - timedelta(days=days_ago - 1)
    local = start + timedelta(minutes=OFFSET_MIN)
    return {
        "id": RIDE if number == 0 else f"act_{number}", "groupId": None, "name": f"Ride {number}",
        "description": "Windy", "sport": "cycling", "subSport": "road", "startedAt": stamp(start),
        "utcOffset": OFFSET_MIN, "startedAtLocal": stamp(local), "movingDuration": SECONDS,
        "effectiveDuration": SECONDS, "totalDuration": SECONDS, "trainingStimulus": "tempo", "raceType": None,
        "distance": 12_450, "elevationLoss": 75, "elevationGain": 75, "minElevation": 100,
        "averageElevation": 137, "maxElevation": 175, "startLatitude": 47.0, "startLongitude": 8.0,
        "averageSpeed": 8.3, "maxSpeed": 9.3, "averageCadence": 88, "maxCadence": 92,
        "averageRunningCadence": None, "maxRunningCadence": None, "minTemperature": 15,
        "averageTemperature": 16, "maxTemperature": 17, "averageHeartRate": 141, "maxHeartRate": 152,
        "averagePower": 221, "normalizedPower": 226, "maxPower": 262, "work": 331, "volume": 40 + number,
        "intensity": 61, "calories": 340, "rpe": 5, "feeling": 4, "summary": "Steady tempo.",
        "laps": [_lap(start, 0, 700), _lap(start, 700, SECONDS - 1)] if number == 0 else [],
        "climbs": [_climb(start)] if number == 0 else [], "lengths": [],
        "providerLaps": [_provider_lap(start)] if number == 0 else [],
    }  # fmt: skip


def _lap(start, first, last):
    return _part(start, first, last) | {
        "intensity": "tempo", "characteristic": "cadence", "distance": 8.3 * (last - first),
        "averageAltitude": 137, "elevationGain": 30, "elevationLoss": 30, "averageTorque": 24, "maxTorque": 29,
    }  # fmt: skip


def _climb(start):
    return _part(start, 100, 500) | {
        "distance": 3_320, "averageGrade": 3.1, "maxGrade": 5, "averagePowerPerKilo": 3.6,
        "maxPowerPerKilo": 4.2, "minAltitude": 102, "maxAltitude": 165, "elevationGain": 63,
    }  # fmt: skip


def _part(start, first, last):
    return {
        "startedAtIndex": first, "endedAtIndex": last, "startedAt": stamp(start + timedelta(seconds=first)),
        "endedAt": stamp(start + timedelta(seconds=last)), "duration": last - first, "averagePower": 221,
        "maxPower": 262, "averageCadence": 88, "maxCadence": 92, "averageHeartRate": 141, "maxHeartRate": 152,
        "averageSpeed": 8.3, "maxSpeed": 9.3, "averageTemperature": 16, "workBefore": first * 0.221,
    }  # fmt: skip


def _provider_lap(start):
    end = start + timedelta(seconds=SECONDS)
    return {"startedAt": stamp(start), "endedAt": stamp(end), "intensity": "active", "lapTrigger": "manual"}


def _plans():
    return [_plan(n, days_ago) for n, days_ago in enumerate((-9, -4, -1, 1, 3, 5, 8, 10))]


def _plan(number, days_ago):
    paired = {1: RIDE, 3: "act_1"}.get(days_ago)
    return {
        "id": f"tpr_{number}", "date": _day(days_ago), "time": "07:30:00", "title": f"Tempo {number}",
        "description": "As felt", "sport": "cycling", "subSport": "road", "trainingStimulus": "threshold",
        "structure": [_step(600, 150), _repetition()], "zonesType": "power", "distance": 12_000,
        "duration": 1_500, "freeDuration": 60, "elevationGain": 70, "averagePower": 220, "work": 330,
        "calories": 330, "rpe": 5, "carbIntake": 40, "comment": "Keep it even", "activityId": paired,
    }  # fmt: skip


def _repetition():
    return {"type": "repetition", "nRepetitions": 3, "steps": [_step(240, 250), _step(60, 120)]}


def _step(seconds, watts):
    intensity = {
        "serviceIntensity": "tempo", "zone": "Z3", "fromPower": "absolute", "fromHeartRate": None,
        "minPower": watts, "maxPower": watts + 10, "minPowerThresholdPercentage": watts / 2.5,
        "maxPowerThresholdPercentage": (watts + 10) / 2.5, "minHeartRate": None, "maxHeartRate": None,
        "minMaxHeartRatePercentage": None, "maxMaxHeartRatePercentage": None, "minCadence": 85,
        "maxCadence": 95,
    }  # fmt: skip
    length = {"type": "duration", "duration": seconds}
    return {"type": "step", "label": "active", "intensity": intensity, "length": length}


def _note(days_ago):
    return {"id": f"not_{days_ago}", "type": "medical", "title": "Cold", "content": "Sneezing",
            "date": _day(days_ago), "time": "18:00:00"}  # fmt: skip


def _event(days_ahead):
    return {
        "id": f"evt_{days_ahead}".replace("-", "m"), "name": "Hill climb", "description": "Steep",
        "date": _day(-days_ahead), "time": "10:00:00", "sport": "cycling", "subSport": "road",
        "distance": 12_000, "elevationGain": 800, "duration": 2_700, "work": 600, "carbIntake": 60,
        "activityId": None,
    }  # fmt: skip


def sleep(day, number=0):
    """A night of the plain reading."""
    start = datetime.combine(day, time(), UTC) - timedelta(hours=2, minutes=10 + number % 7)
    end = start + timedelta(hours=8)
    offset = timedelta(minutes=OFFSET_MIN)
    return {
        "id": f"slp_{day}", "day": day.isoformat(), "startedAt": stamp(start), "endedAt": stamp(end),
        "utcOffset": OFFSET_MIN, "startedAtLocal": stamp(start + offset), "endedAtLocal": stamp(end + offset),
        "totalDuration": 27_000 + 60 * (number % 3), "inBedDuration": 28_800,
        "awakeDuration": 1_800 - 60 * (number % 3), "lightDuration": 14_400, "remDuration": 7_200,
        "deepDuration": 5_400 + 60 * (number % 3), "noDataDuration": 0, "averageHrv": 55 + number % 5,
        "restingHeartRate": 48 + number % 3, "skinBodyTemperature": 34, "skinBodyTemperatureDeviation": 0.2,
    }  # fmt: skip


def streams():
    """The ride's columns, a record a second."""
    t = range(SECONDS)
    wave = [sin(at / 40) for at in t]
    start = RIDE_START
    return {
        "timestamp": [f"{start + timedelta(seconds=at):%Y-%m-%dT%H:%M:%SZ}" for at in t],
        "power": [round(220 + 40 * one) for one in wave],
        "distance": [round(8.3 * at, 1) for at in t],
        "heartRate": [round(141 + 10 * one) for one in wave],
        "cadence": [round(88 + 4 * one) for one in wave],
        "temperature": [16 for _ in t],
        "altitude": [round(100 + 75 * min(at, SECONDS - at) / (SECONDS / 2), 1) for at in t],
        "speed": [8.3 for _ in t],
        "grade": [1.2 if at < SECONDS / 2 else -1.2 for at in t],
        "positionLat": [47.0 for _ in t],
        "positionLong": [round(8 + at * 1.09e-4, 6) for at in t],
        "leftRightBalance": [50 + at % 2 for at in t],
        "coreTemperature": [37.5 for _ in t],
        "torque": [round(24 + 4 * one, 1) for one in wave],
        "wPrimeBalance": [round(19_000 - 3_000 * abs(one)) for one in wave],
    }
