"""The permitted ways to serve the plain rows: what changes on the wire, and what may change on the pages and why.

A page that a reading does not name reads exactly as in the plain reading.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import page_views
import plain_rows
from plain_rows import RIDE
from plain_service import PlainRows

ACTIVITIES, PLANS, NOTES, EVENTS, METRICS, SLEEPS = (
    "activities", "training-prescriptions", "notes", "events", "metrics", "sleeps",
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One way to serve the rows; `differs` names the pages that may differ from `base`, `why` says why."""

    id: str
    change: Callable[[PlainRows], None]
    differs: tuple[str, ...] = ()
    why: str = ""
    base: str = "plain"
    reads: str = "everything"  # key of `PAGES_OF`
    is_wide: bool = False  # changes so much that no other page may differ either

    def rows(self) -> PlainRows:
        rows = plain_rows.plain()
        self.change(rows)
        return rows


def each(name, /, **changes):
    """Every row of a list with these values; a callable is given the row."""

    def change(rows):
        for row in rows.lists[name]:
            row.update({key: new(row) if callable(new) else new for key, new in changes.items()})

    return change


def parts(name, /, **changes):
    """Every lap or climb of the ride with these values."""

    def change(rows):
        for row in rows.lists[ACTIVITIES]:
            for part in row[name]:
                part.update(changes)

    return change


def profile(**changes):
    def change(rows):
        for user in (*rows.users, rows.profiles[rows.athlete_id]):
            user.update(changes)

    return change


def of_streams(make):
    """The ride's streams made by a function of the plain columns."""

    def change(rows):
        rows.streams = {RIDE: make(rows.streams[RIDE])}

    return change


def _of(reads, *listed):
    """Readings that change only these rows."""
    return tuple(replace(one, reads=reads) for one in listed)


def encoded(write):
    def change(rows):
        rows.encode = write

    return change


def both(*changes):
    def change(rows):
        for one in changes:
            one(rows)

    return change


def reordered(name, key, *, reverse=False):
    def change(rows):
        rows.lists[name].sort(key=key, reverse=reverse)

    return change


def with_extra(name, make):
    def change(rows):
        rows.lists[name] += [new for row in rows.lists[name] if (new := make(row))]

    return change


# --- other encodings of the same values -----------------------------------------------------------------------


def _floats(value):
    if isinstance(value, dict):
        return {name: _floats(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_floats(part) for part in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _keys_reversed(value):
    if isinstance(value, dict):
        return {name: _keys_reversed(value[name]) for name in reversed(value)}
    return [_keys_reversed(part) for part in value] if isinstance(value, list) else value


def _exponents(payload):
    class Exponent(float):
        def __repr__(self):
            return f"{float(self):.17e}"

    def written(value):
        if isinstance(value, dict):
            return {name: written(part) for name, part in value.items()}
        if isinstance(value, list):
            return [written(part) for part in value]
        return Exponent(value) if isinstance(value, float) else value

    return json.dumps(written(payload), default=float)


ENCODINGS = (
    Reading("numbers with a decimal point", encoded(lambda payload: json.dumps(_floats(payload)))),
    Reading("numbers with exponents", encoded(_exponents)),
    Reading("keys in another order", encoded(lambda payload: json.dumps(_keys_reversed(payload)))),
    Reading("unescaped text, indented", encoded(lambda p: json.dumps(p, ensure_ascii=False, indent=1))),
)

# --- order, which is stated for some lists and not for metrics ------------------------------------------------

ORDERS = (
    *_of(
        "metrics",
        Reading("metrics newest first", reordered(METRICS, lambda row: row["date"], reverse=True)),
        Reading("metrics by type", reordered(METRICS, lambda row: (row["type"], row["date"]))),
        Reading(
            "latest metrics in another order",
            lambda rows: rows.profiles[rows.athlete_id]["latestMetrics"].reverse(),
        ),
    ),
    *(
        Reading(f"{name} oldest first", lambda rows, name=name: rows.lists[name].reverse(), reads=reads)
        for name, reads in (
            (ACTIVITIES, "activities"), (PLANS, "plans"), (NOTES, "events"), (EVENTS, "events"), (SLEEPS, "sleeps"),
        )
    ),
)  # fmt: skip

# --- units ----------------------------------------------------------------------------------------------------


def _w_prime_in_joules(rows):
    for row in rows.profiles[rows.athlete_id]["latestMetrics"]:
        if row["type"] == "w prime":
            row["value"] = 19_000


_DURATIONS = ("total", "inBed", "awake", "light", "rem", "deep", "noData")


def sleep_unit(seconds):
    def change(rows):
        for row in rows.lists[SLEEPS]:
            row.update({f"{name}Duration": row[f"{name}Duration"] / seconds for name in _DURATIONS})

    return change


_TOTALS = {"totalDuration": lambda row: row["inBedDuration"]}
UNITS = (
    *_of(
        "metrics",
        Reading("latest W' in joules", _w_prime_in_joules),
        Reading(
            "W' of the metrics in joules",
            each(
                METRICS,
                value=lambda row: row["value"] * (1000 if row["type"] == "w prime" else 1),
                unit=lambda row: "J" if row["type"] == "w prime" else row["unit"],
            ),
        ),
        Reading("metrics without a unit", each(METRICS, unit=None)),
    ),
    *_of(
        "sleeps",
        *(
            Reading(f"sleep durations in {unit}", sleep_unit(seconds))
            for unit, seconds in (("minutes", 60), ("hours", 3600), ("milliseconds", 0.001))
        ),
        Reading("total sleep with time awake", each(SLEEPS, **_TOTALS)),
    ),
    *_of(
        "streams",
        Reading(
            "W' balance in kJ",
            of_streams(lambda c: c | {"wPrimeBalance": [value / 1000 for value in c["wPrimeBalance"]]}),
        ),
    ),
)

# --- clocks ---------------------------------------------------------------------------------------------------


def _moved(text, minutes):
    return plain_rows.stamp(datetime.fromisoformat(text[:-3]) + timedelta(minutes=minutes))


def zone(offset_min):
    """The same instants by another clock of the athlete."""
    local = {
        f"{end}Local": lambda row, end=end: _moved(row[end], offset_min) for end in ("startedAt", "endedAt")
    }
    return both(
        each(ACTIVITIES, utcOffset=offset_min, startedAtLocal=local["startedAtLocal"]),
        each(SLEEPS, utcOffset=offset_min, **local),
    )


_CLOCK = "Times of day are those of the athlete's clock."
_MOVED = ("activity", "trends sleep")
CLOCKS = (
    *_of(
        "sleeps",
        Reading("local times without an offset of sleeps", each(SLEEPS, utcOffset=None)),
        Reading(
            "an offset without local times of sleeps", each(SLEEPS, startedAtLocal=None, endedAtLocal=None)
        ),
        Reading("sleeps without times in UTC", each(SLEEPS, startedAt=None, endedAt=None)),
    ),
    *(
        Reading(f"an athlete in {place}", zone(offset_min), _MOVED, _CLOCK, reads="clocks")
        for place, offset_min in (("Auckland", 780), ("Denver", -420), ("Kathmandu", 345))
    ),
    *_of(
        "streams",
        Reading(
            "stream times with an offset of zero",
            of_streams(lambda c: c | {"timestamp": [f"{text[:-1]}+00:00" for text in c["timestamp"]]}),
        ),
        Reading(
            "stream times with milliseconds",
            of_streams(lambda c: c | {"timestamp": [f"{text[:-1]}.000Z" for text in c["timestamp"]]}),
        ),
    ),
)

# --- sleeps ---------------------------------------------------------------------------------------------------


def nap(row):
    """A nap of 25 min in the afternoon, without readings."""
    start = datetime.fromisoformat(row["day"]) + timedelta(hours=13)
    end = start + timedelta(minutes=25)
    local = timedelta(minutes=plain_rows.OFFSET_MIN)
    known = {
        "id": f"{row['id']}-nap", "day": row["day"], "utcOffset": plain_rows.OFFSET_MIN,
        "startedAt": plain_rows.stamp(start), "endedAt": plain_rows.stamp(end), "totalDuration": 1_500,
        "startedAtLocal": plain_rows.stamp(start + local), "endedAtLocal": plain_rows.stamp(end + local),
    }  # fmt: skip
    return dict.fromkeys(row) | known


def second_device(row):
    """The same night, recorded shorter and without phases."""
    return row | {
        "id": f"{row['id']}-ring", "totalDuration": 25_000, "inBedDuration": 26_000,
        "lightDuration": 0, "remDuration": 0, "deepDuration": 0, "averageHrv": None, "restingHeartRate": None,
    }  # fmt: skip


_NO_PHASES = {"lightDuration": 0, "remDuration": 0, "deepDuration": 0}
_PHASES = "No phases are drawn, and the sentence says so; time asleep and debt stay."
_SLEEP_PAGES = ("trends load", "trends sleep", "trends metrics")  # each opens with the sentence on sleep
SLEEP_READINGS = _of(
    "sleeps",
    Reading("naps after the nights", with_extra(SLEEPS, nap), ("roster", "athlete", *_SLEEP_PAGES),
            "Naps are named and pay the sleep debt; the night stays."),
    Reading("naps before the nights",
            both(with_extra(SLEEPS, nap), lambda rows: rows.lists[SLEEPS].reverse()), base="naps after the nights"),
    Reading("nights by two devices", with_extra(SLEEPS, second_device)),
    Reading("phases of zero", each(SLEEPS, **_NO_PHASES), ("trends sleep",), _PHASES),
    Reading("phases of null", each(SLEEPS, **dict.fromkeys(_NO_PHASES)), base="phases of zero"),
    Reading("one phase null", each(SLEEPS, deepDuration=None), base="phases of zero"),
    *(
        Reading(f"sleep {name} of zero", each(SLEEPS, **{name: 0}), base=f"sleep.{name} null")
        for name in ("averageHrv", "restingHeartRate", "skinBodyTemperature", "totalDuration", "inBedDuration")
    ),
    Reading("nights filed by the evening", each(SLEEPS, day=lambda row: row["startedAt"][:10]),
            ("roster", "athlete", *_SLEEP_PAGES), "The service decides the day of a night; each is a day earlier."),
)  # fmt: skip

# --- pairing and hidden rows ----------------------------------------------------------------------------------


def _without(name, is_gone):
    def change(rows):
        rows.lists[name] = [row for row in rows.lists[name] if not is_gone(row)]

    return change


PAIRINGS = (
    *_of(
        "plans",
        Reading("plans that are not paired", each(PLANS, activityId=None), ("roster", "athlete", "activity", "calendar"),
                "Pairs are inferred and named so."),
    ),
    *_of(
        "events",
        Reading("a hidden note", _without(NOTES, lambda row: row["id"] == "not_1"),
                ("roster", "athlete", "calendar", *_SLEEP_PAGES), "A note that the service hides is not shown."),
    ),
    *_of(
        "metrics",
        Reading("further fields of a metric", each(METRICS, createdAt="2026-03-01T00:00:00Z", note="by hand")),
    ),
)  # fmt: skip

# --- streams --------------------------------------------------------------------------------------------------


def every(step):
    return lambda columns: {name: values[::step] for name, values in columns.items()}


def without(*names):
    return lambda columns: {name: values for name, values in columns.items() if name not in names}


def _gap(columns):
    """Five minutes of the recording are absent."""
    return {name: values[:600] + values[900:] for name, values in columns.items()}


def _smart(columns):
    """Records at uneven steps of 1 to 7 s, as devices write by need."""
    kept = [at for at in range(plain_rows.SECONDS) if at % 7 in {0, 1, 3}]
    return {name: [values[at] for at in kept] for name, values in columns.items()}


def _words(word):
    def change(columns):
        return columns | {
            name: [word if at in {50, 51} else value for at, value in enumerate(columns[name])]
            for name in ("power", "heartRate")
        }

    return change


_NO_COLUMN = "What the ride page computes from that column is absent, or derived and named as derived."
STREAMS = _of(
    "streams",
    *(
        Reading(f"streams without {name}", of_streams(without(name)), ("activity",), _NO_COLUMN)
        for name in plain_rows.streams()
        if name != "power"
    ),
    Reading("streams without speed and distance", of_streams(without("speed", "distance")), ("activity",), _NO_COLUMN),
    Reading("streams without power", of_streams(without("power")), ("athlete", "activity", "calendar"),
            "Without power a session is compared by its totals."),
    Reading("no streams", lambda rows: rows.streams.clear(), ("athlete", "activity", "calendar"),
            "Without streams no panels, no best efforts and no score; the page says so.", is_wide=True),
    Reading("an empty column", of_streams(lambda c: c | {"torque": [None] * len(c["torque"])}), ("activity",),
            "The record's quality names columns without a value."),
    Reading("a record each 5 s", of_streams(every(5)), ("activity",),
            "Fewer records: the curves have fewer points."),
    Reading("records by need", of_streams(_smart), ("activity",),
            "Fewer records: the curves have fewer points."),
    Reading("a gap of 5 min", of_streams(_gap), ("activity",), "The gap is shown and counted."),
    Reading("values of null", of_streams(_words(None)), ("activity",), "Two seconds are missing and counted."),
    Reading("values of NaN", of_streams(_words("NaN")), base="values of null"),
    Reading("values of Infinity", of_streams(_words("Infinity")), base="values of NaN"),
)  # fmt: skip

# --- every nullable field, by family --------------------------------------------------------------------------

ACTIVITY_FAMILIES = {
    "times": ("startedAt", "startedAtLocal", "utcOffset"),
    "durations": ("movingDuration", "effectiveDuration", "totalDuration"),
    "names": ("name", "description", "summary"),
    "kinds": ("sport", "subSport", "trainingStimulus"),
    "ways": ("distance", "averageSpeed", "maxSpeed"),
    "heights": ("elevationGain", "elevationLoss", "minElevation", "averageElevation", "maxElevation"),
    "place": ("startLatitude", "startLongitude"),
    "cadence": ("averageCadence", "maxCadence"),
    "temperature": ("minTemperature", "averageTemperature", "maxTemperature"),
    "heart rate": ("averageHeartRate", "maxHeartRate"),
    "power": ("averagePower", "normalizedPower", "maxPower", "work"),
    "scores": ("volume", "intensity", "calories"),
    "feelings": ("rpe", "feeling"),
}
LAP_FIELDS = (
    "characteristic", "distance", "averagePower", "maxPower", "averageCadence", "maxCadence", "averageHeartRate",
    "maxHeartRate", "averageSpeed", "maxSpeed", "averageAltitude", "elevationGain", "elevationLoss",
    "averageTorque", "maxTorque", "averageTemperature", "workBefore",
)  # fmt: skip
CLIMB_FIELDS = (
    "averagePower", "maxPower", "averagePowerPerKilo", "maxPowerPerKilo", "workBefore", "averageCadence",
    "maxCadence", "averageHeartRate", "maxHeartRate", "averageSpeed", "maxSpeed", "averageTemperature",
)  # fmt: skip
PLAN_FIELDS = (
    "time", "description", "subSport", "trainingStimulus", "structure", "zonesType", "distance", "duration",
    "freeDuration", "elevationGain", "averagePower", "work", "calories", "rpe", "carbIntake", "comment",
)  # fmt: skip
EVENT_FIELDS = (
    "description",
    "time",
    "subSport",
    "distance",
    "elevationGain",
    "duration",
    "work",
    "carbIntake",
)
NOTE_FIELDS = ("content", "time")
USER_FIELDS = ("firstName", "lastName", "dateOfBirth", "gender", "height", "userMetricReadiness")
SLEEP_FIELDS = tuple(name for name in plain_rows.sleep(plain_rows.TODAY) if name not in {"id", "day"})
METRIC_FIELDS = ("unit", "source")


_GONE = "What the service does not send is left out or shown as an en dash."
_FAMILIES = {
    **{
        f"activity {family}": (names, partial(each, ACTIVITIES), "activities")
        for family, names in ACTIVITY_FAMILIES.items()
    },
    "lap": (LAP_FIELDS, partial(parts, "laps"), "parts"),
    "climb": (CLIMB_FIELDS, partial(parts, "climbs"), "parts"),
    "plan": (PLAN_FIELDS, partial(each, PLANS), "plans"),
    "event": (EVENT_FIELDS, partial(each, EVENTS), "events"),
    "note": (NOTE_FIELDS, partial(each, NOTES), "events"),
    "sleep": (SLEEP_FIELDS, partial(each, SLEEPS), "sleeps"),
    "user": (USER_FIELDS, profile, "users"),
    "metric": (METRIC_FIELDS, partial(each, METRICS), "metrics"),
}
PAGES_OF = {
    "everything": tuple(page_views.PAGES),
    "activities": ("roster", "athlete", "activity", "calendar", "trends load"),
    "plans": ("roster", "athlete", "activity", "calendar"),
    "events": ("roster", "athlete", "calendar", *_SLEEP_PAGES),
    "clocks": ("roster", "athlete", "activity", "calendar", "trends load", "trends sleep"),
    "sleeps": ("roster", "athlete", *_SLEEP_PAGES),
    "metrics": ("athlete", "activity", "trends metrics"),
    "streams": ("athlete", "activity", "calendar"),
    "parts": ("activity",),
    "users": ("roster", "athlete", "activity"),
}  # fmt: skip
"""Which pages read what; a reading is compared on the pages that read what it changes."""

_SESSION = ("roster", "athlete", "activity", "calendar")
_DIFFERS_NULL = {
    "activity times": (*_SESSION, *_SLEEP_PAGES),  # training days end an illness, which shades the trends
    "activity durations": _SESSION,
    "activity names": ("athlete", "activity", "calendar"),
    "activity kinds": _SESSION,
    "activity ways": ("activity", "calendar"),
    "activity heights": ("activity",),
    "activity place": (),
    "activity cadence": ("activity",),
    "activity temperature": (),
    "activity heart rate": ("activity",),
    "activity power": ("activity",),
    "activity scores": (*_SESSION, "trends load"),
    "activity feelings": ("activity",),
    "lap": ("activity",),
    "climb": (),  # the page opens with the laps
    "plan": _SESSION,
    "event": ("calendar",),
    "note": ("roster", "athlete", "calendar"),  # the text of a note is beside its flag and on its day
    "sleep": ("roster", "athlete", *_SLEEP_PAGES),
    "user": ("roster", "athlete"),
    "metric": ("trends metrics",),
}
"""Pages that differ where all fields of a family are null."""

NULLS = tuple(
    Reading(
        f"{family} null", change(**dict.fromkeys(names)), _DIFFERS_NULL[family],
        _GONE, reads=reads, is_wide=True,
    )
    for family, (names, change, reads) in _FAMILIES.items()
)  # fmt: skip
SINGLES = tuple(
    Reading(
        f"{family}.{name} null", change(**{name: None}), _DIFFERS_NULL[family],
        _GONE, reads=reads,
    )
    for family, (names, change, reads) in _FAMILIES.items()
    for name in names
)  # fmt: skip
ALL = (*ENCODINGS, *ORDERS, *UNITS, *CLOCKS, *SLEEP_READINGS, *PAIRINGS, *STREAMS, *NULLS)


def pages_of(reading):
    """The pages on which a reading is compared."""
    return (
        list(page_views.PAGES)
        if reading.is_wide
        else [*dict.fromkeys((*PAGES_OF[reading.reads], *reading.differs))]
    )


BY_ID = {one.id: one for one in (Reading("plain", lambda rows: None), *ALL, *SINGLES)}
