"""The user's settings, stored per key: units, first day of the week, time zone, pace zones, flag thresholds, tags, favourites."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from typing import Any
from zoneinfo import available_timezones

from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from coachboard.database import writing
from coachboard.flags.engine import RULES_BY_ID
from coachboard.formulas.session.zones import PACE_BANDS
from coachboard.loaders.local_store import PREFERENCES, StoreUnreachable, asked, changes, note_change

SYSTEMS = ("metric", "imperial")
LONGEST_TAG, MOST_TAGS = 30, 8


@cache
def time_zones() -> tuple[str, ...]:
    """The selectable zones by name, without zones that have no place (`Etc/GMT+3`, `posixrules`)."""
    places = (zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/"))
    return ("UTC", *sorted(places))


FIRST_WEEKDAYS = (0, 6, 5)
"""Monday, Sunday, Saturday: the first days of the week in use."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings of a user; the defaults apply before the first change."""

    system: str = "metric"
    system_by_sport: Mapping[str, str] = field(default_factory=dict)
    first_weekday: int = 0  # 0 is Monday, 6 is Sunday
    time_zone: str = ""  # the user's time zone; empty means the browser's
    pace_zones: str = "intensities"  # a key of `zones.PACE_BANDS`
    flag_thresholds: Mapping[str, float] = field(default_factory=dict)
    workspace_athletes: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # in the order of the user's list
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by athlete
    favourites: tuple[str, ...] = ()  # athletes


def load_preferences(engine: Engine, owner: str) -> Preferences:
    """The user's settings; an unreadable or invalid value becomes its default.

    Without the store all values are defaults: a page must not fail for its units.
    """
    try:
        with asked():
            return _read_each_second(engine, owner, changes(owner), int(time.monotonic()))
    except StoreUnreachable:
        return Preferences()


def change_preferences(
    engine: Engine, owner: str, change: Callable[[Preferences], Preferences]
) -> Preferences:
    """Change the settings as stored now, not as a page read them earlier.

    Raises `StoreUnreachable` and changes nothing then.
    """
    with asked():
        changed = change(_read(engine, owner))
        _save(engine, owner, changed)
        note_change(owner)
        return changed


@lru_cache(maxsize=1_000)
def _read_each_second(engine: Engine, owner: str, _changes: int, _second: int) -> Preferences:
    """Each run of each page reads the settings: 1 of 20 ms. Another process may change them, so read them each second."""
    return _read(engine, owner)


def _read(engine: Engine, owner: str) -> Preferences:
    with engine.connect() as connection:
        body = connection.scalar(select(PREFERENCES.c.body).where(PREFERENCES.c.owner == owner))
    try:
        return _checked(json.loads(body)) if body else Preferences()
    except ValueError:  # a damaged row
        return Preferences()


def _save(engine: Engine, owner: str, preferences: Preferences) -> None:
    body = json.dumps(asdict(preferences))
    with writing(engine).begin() as connection:
        changed = connection.execute(
            PREFERENCES.update().where(PREFERENCES.c.owner == owner).values(body=body)
        ).rowcount
    if not changed:
        _insert(engine, owner, body)


def _insert(engine: Engine, owner: str, body: str) -> None:
    try:
        with writing(engine).begin() as connection:
            connection.execute(PREFERENCES.insert().values(owner=owner, body=body))
    except IntegrityError:
        # Another window of the user was faster; the last change wins.
        with writing(engine).begin() as connection:
            connection.execute(PREFERENCES.update().where(PREFERENCES.c.owner == owner).values(body=body))


def _checked(body: Any) -> Preferences:
    given: dict[str, Any] = body if isinstance(body, dict) else {}
    weekday, favourites = given.get("first_weekday"), given.get("favourites")
    return Preferences(
        system=given["system"] if given.get("system") in SYSTEMS else "metric",
        system_by_sport={
            str(sport): system
            for sport, system in _mapping(given, "system_by_sport").items()
            if system in SYSTEMS
        },
        first_weekday=weekday if isinstance(weekday, int) and weekday in FIRST_WEEKDAYS else 0,
        time_zone=zone if (zone := str(given.get("time_zone"))) in time_zones() else "",
        pace_zones=chosen if (chosen := str(given.get("pace_zones"))) in PACE_BANDS else "intensities",
        flag_thresholds={
            str(rule): float(value)
            for rule, value in _mapping(given, "flag_thresholds").items()
            if rule in RULES_BY_ID
            and isinstance(value, int | float)
            and _lies_within(RULES_BY_ID[rule].bounds, value)
        },
        workspace_athletes=_lists(given, "workspace_athletes"),
        tags={
            user_id: names
            for user_id, given_names in _lists(given, "tags").items()
            if (names := clean_tags(given_names))
        },
        favourites=tuple(str(athlete_id) for athlete_id in favourites)
        if isinstance(favourites, list)
        else (),
    )


def clean_tags(names: Iterable[str]) -> tuple[str, ...]:
    """The names without surrounding space, empty names and repetitions; long ones are cut."""
    short = (" ".join(name.split())[:LONGEST_TAG] for name in names)
    return tuple(dict.fromkeys(name for name in short if name))[:MOST_TAGS]


def _lists(given: dict[str, Any], name: str) -> dict[str, tuple[str, ...]]:
    entries = _mapping(given, name).items()
    return {str(key): tuple(str(user_id) for user_id in ids) for key, ids in entries if isinstance(ids, list)}


def _lies_within(bounds: tuple[float, float], value: float) -> bool:
    return bounds[0] <= value <= bounds[1]


def _mapping(given: dict[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name)
    return value if isinstance(value, dict) else {}
