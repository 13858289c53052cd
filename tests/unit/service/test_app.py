"""What an application is made with."""

from datetime import date

import httpx

from coachboard.service.app import create_app
from coachboard.settings import Settings
from seeded import ATHLETE, ATHLETE_KEY, seed
from serving import served

HEADERS = {"Authorization": f"Bearer {ATHLETE_KEY}"}


def test_the_day_of_the_settings_decides_which_notes_are_hidden(store):
    seed(store)
    with served(create_app(store, settings=Settings(today=date(2026, 3, 21)))) as address:
        notes = httpx.get(f"{address}/users/{ATHLETE}/notes", headers=HEADERS).json()

    assert [note["id"] for note in notes] == ["not_shown_today", "not_hidden", "not_open"]


def test_limits_are_shared_where_it_is_asked_for(store):
    """Two applications on one database, as two processes would be."""
    seed(store)
    one, other = (create_app(store, shared_limits=True, clock=lambda: 600.0) for _ in range(2))
    with served(one) as first, served(other) as second:
        statuses = [
            httpx.get(f"{address}/users/me", headers=HEADERS).status_code for address in [first, second] * 16
        ]

    assert statuses == [200] * 30 + [429] * 2
