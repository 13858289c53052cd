"""Names of sports and strokes, and offsets of places."""

import pytest
from garmin_fit_sdk import Profile

from coachboard.service.importers import sports, timezones
from coachboard.service.importers.timezones import offset_at_min, sane_offset_min
from coachboard.wire.enums import Sport, StrokeType, SubSport

WINTER_S = 1_768_000_000  # 2026-01-09
SUMMER_S = 1_783_000_000  # 2026-07-02


@pytest.mark.parametrize(
    ("kind", "read", "ours"),
    [
        ("sport", sports.fit_sport, Sport),
        ("sub_sport", sports.fit_sub_sport, SubSport),
        ("swim_stroke", sports.fit_stroke, StrokeType),
    ],
)
def test_every_name_of_the_fit_profile_is_known(kind, read, ours):
    names = {name for name in Profile["types"][kind].values() if name != "all"}

    assert {read(name) for name in names} >= set(ours) - {SubSport.TIME_TRIAL}
    assert None not in {read(name) for name in names}


@pytest.mark.parametrize("name", [None, 254, "unheard_of", ""])
def test_an_unknown_sport_stays_unknown(name):
    assert sports.fit_sport(name) is sports.fit_sub_sport(name) is sports.fit_stroke(name) is None


@pytest.mark.parametrize(("name", "sport"), [("Biking", Sport.CYCLING), ("Other", None), (None, None)])
def test_sports_of_tcx(name, sport):
    assert sports.tcx_sport(name)[0] is sport


@pytest.mark.parametrize(
    ("place", "moment", "minutes"),
    [
        ((46.5, 8.0), WINTER_S, 60),
        ((46.5, 8.0), SUMMER_S, 120),
        ((27.7, 85.3), SUMMER_S, 345),
        ((0.0, -30.0), SUMMER_S, -120),
    ],
    ids=["winter", "summer", "Nepal", "at sea"],
)
def test_the_offset_of_a_place_follows_its_seasons(place, moment, minutes):
    assert offset_at_min(*place, moment) == minutes


@pytest.mark.parametrize(
    ("seconds", "minutes"), [(3600, 60), (3599.5, 60), (240, None), (60 * 60 * 15, None)]
)
def test_an_offset_that_no_place_keeps_is_none(seconds, minutes):
    assert sane_offset_min(seconds) == minutes


class Finder:
    def __init__(self, name):
        self.name = name

    def timezone_at(self, *, lat, lng):
        return self.name


@pytest.mark.parametrize("name", [None, "Nowhere/Land"])
def test_a_place_without_a_known_zone_has_no_offset(name, monkeypatch):
    monkeypatch.setattr(timezones, "_finder", lambda: Finder(name))

    assert offset_at_min(46.5, 8, SUMMER_S) is None


def test_a_place_that_is_none_has_no_offset():
    assert offset_at_min(120, 8, SUMMER_S) is None
