"""Addresses of pages: a value of the service stays inside its parameter."""

from datetime import date
from urllib.parse import parse_qs, urlsplit

from coachboard.ui.frame import addresses


def test_an_id_of_strangers_cannot_leave_its_place():
    odd = "usr_1&activity=act_2#x/../?"
    url = urlsplit(addresses.session_url(odd, "act_1", date(2026, 3, 9)))

    assert (url.path, url.fragment) == ("activity", "")
    assert parse_qs(url.query) == {"athlete": [odd], "activity": ["act_1"], "day": ["2026-03-09"]}


def test_a_day_opens_in_its_week():
    url = urlsplit(addresses.day_url("usr_1", date(2026, 3, 9)))

    assert parse_qs(url.query) == {
        "athlete": ["usr_1"], "view": ["week"], "on": ["2026-03-09"], "open": ["2026-03-09"]
    }  # fmt: skip
