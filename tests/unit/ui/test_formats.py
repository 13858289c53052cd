"""Numbers, durations and days as a coach writes them."""

from datetime import UTC, date, datetime, timedelta
from math import inf, nan

import pytest

from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import System, Units

IMPERIAL = Units(System.IMPERIAL)
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (formats.power(242.6), "243 W"),
        (formats.number(1254, 0, "m"), "1,254 m"),
        (formats.percent(-12), "−12 %"),
        (formats.signed(3.04, 1), "+3.0"),
        (formats.number(-0.2), "0"),
        (formats.duration_hms(5025), "1:23:45"),
        (formats.duration_hms(1425.4), "23:45"),
        (formats.duration_hms(-65), "−1:05"),
        (formats.duration_hm(27_900), "7h45"),
        (formats.duration_hm(7200), "2h00"),
        (formats.duration_hm(20), "0 min"),
        (formats.duration_hm(4_066_560), "1,129h36"),
        (formats.pace(1000 / 292, "running"), "4:52 /km"),
        (formats.pace(100 / 98, "swimming"), "1:38 /100 m"),
        (formats.pace(4.0, "rowing"), "2:05 /500 m"),
        (formats.pace(0, "running"), "–"),
        (formats.speed(10), "36.0 km/h"),
        (formats.speed_or_pace(10, "cycling"), "36.0 km/h"),
        (formats.distance(182_400, "cycling"), "182 km"),
        (formats.distance(42_195, "running"), "42.2 km"),
        (formats.distance(1_500, "swimming"), "1,500 m"),
        (formats.elevation(1254.4), "1,254 m"),
        (formats.weight(61.43), "61.4 kg"),
        (formats.label("crossCountrySkiing"), "Cross country skiing"),
        (formats.label("hiit"), "HIIT"),
        (formats.cadence(88, "cycling"), "88 rpm"),
        (formats.cadence(88, "running"), "176 steps/min"),
        (formats.cadence(55, "hiking"), "110 steps/min"),
        (formats.cadence(28, "rowing"), "28 strokes/min"),
    ],
)
def test_metric_values(written, expected):
    assert written == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (formats.distance(16_093.44, "cycling", units=IMPERIAL), "10.0 mi"),
        (formats.distance(1_371.6, "swimming", units=IMPERIAL), "1,500 yd"),
        (formats.pace(1609.344 / 480, "running", units=IMPERIAL), "8:00 /mi"),
        (formats.speed(1609.344 / 3600 * 20, units=IMPERIAL), "20.0 mph"),
        (formats.elevation(304.8, units=IMPERIAL), "1,000 ft"),
        (formats.weight(45.359237, units=IMPERIAL), "100.0 lb"),
        (formats.weight(-1.5, units=IMPERIAL, signed=True), "−3.3 lb"),
        (formats.height(171.5, units=IMPERIAL), "5 ft 8 in"),
        (formats.height(182.9, units=IMPERIAL), "6 ft 0 in"),
    ],
)
def test_imperial_values(written, expected):
    assert written == expected


def test_one_sport_may_have_another_system():
    mixed = Units(System.IMPERIAL, {"swimming": System.METRIC})

    assert formats.distance(1_500, "swimming", units=mixed) == "1,500 m"
    assert formats.distance(1609.344, "running", units=mixed) == "1.00 mi"


@pytest.mark.parametrize("value", [None, nan, inf, -inf])
@pytest.mark.parametrize(
    "write",
    [
        formats.number,
        formats.power,
        formats.duration_hms,
        formats.duration_hm,
        formats.pace,
        formats.speed,
        formats.distance,
        formats.elevation,
        formats.weight,
        formats.percent,
        formats.megabytes,
    ],
)
def test_missing_is_an_en_dash(write, value):
    assert write(value) == "–"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (date(2026, 11, 20), "Fri 20 Nov"),
        (date(2026, 10, 1), "1 Oct"),
        (date(2025, 11, 30), "30 Nov 2025"),
        (date(2025, 12, 31), "31 Dec 2025"),
        (None, "–"),
    ],
)
def test_a_day_beside_today(when, expected):
    assert formats.day(when, today=NOW.date()) == expected


def test_a_day_alone_has_all_of_it():
    assert formats.day(date(2026, 11, 3)) == "Tue 3 Nov 2026"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (NOW - timedelta(days=3), "3 days ago"),
        (NOW - timedelta(hours=1), "1 hour ago"),
        (NOW - timedelta(seconds=5), "just now"),
        (NOW + timedelta(days=2, seconds=1), "in 2 days"),
        (NOW.date(), "today"),
        (NOW.date() - timedelta(days=1), "yesterday"),
        (NOW.date() + timedelta(days=1), "tomorrow"),
        (NOW.date() - timedelta(days=9), "9 days ago"),
        (None, "–"),
    ],
)
def test_ago(when, expected):
    assert formats.ago(when, NOW) == expected


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (timedelta(days=6, hours=4, minutes=3), "6 days 4 h left"),
        (timedelta(hours=5, minutes=10), "5h10 left"),
        (timedelta(minutes=35), "35 min left"),
        (timedelta(minutes=-1), "expired"),
    ],
)
def test_countdown(left, expected):
    assert formats.countdown(NOW + left, NOW) == expected


@pytest.mark.parametrize(
    ("seconds", "text"), [(65, "+1:05"), (-65, "−1:05"), (0.2, "0:00"), (float("nan"), "–")]
)
def test_a_difference_of_durations_has_a_sign(seconds, text):
    assert formats.signed_text(seconds, formats.duration_hms) == text


def test_a_value_under_the_pointer_has_the_digits_and_sign_of_the_number():
    assert [formats.hover_format(1, signed=True), formats.hover_format()] == ["+.1f", ".0f"]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (5, 3000, "<1 %"),
        (15, 3000, "<1 %"),
        (16, 3000, "1 %"),
        (0, 3000, "0 %"),
        (3000, 3000, "100 %"),
        (0, 0, "0 %"),
    ],
)
def test_a_small_share_is_not_none(part, whole, text):
    """5 s read "0:05, 0 %"."""
    assert formats.share(part, whole) == text
