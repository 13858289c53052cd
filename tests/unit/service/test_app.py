"""Options of the application."""

import asyncio
from datetime import date

import httpx

from coachboard.service.api.app import create_app
from coachboard.settings import Settings
from seeded import ATHLETE, ATHLETE_KEY, COACH_KEY, seed
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


def test_a_client_that_hangs_up_in_mid_body_is_no_fault_of_the_service(store):
    """An exception that leaves the application is a fault, which the server logs with its traceback."""
    seed(store)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/workspaces/wke_squad/invitations",
        "root_path": "",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {COACH_KEY}".encode()), (b"content-length", b"500")],
    }
    parts = iter([{"type": "http.request", "body": b'{"email": ', "more_body": True}])
    sent = []

    async def receive():
        return next(parts, {"type": "http.disconnect"})

    async def send(message):
        sent.append(message)

    asyncio.run(create_app(store)(scope, receive, send))

    assert sent[0]["status"] == 400
