"""A second service of the interface, for tests: plain JSON rows behind Starlette, without any code of Coachboard.

It shares nothing with `coachboard.service`, so a page that reads only what our own service sends fails here.
"""

import json
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

LISTS = ("activities", "training-prescriptions", "notes", "events", "metrics", "sleeps")
DAY_FIELDS = {"activities": ("startedAtLocal", "startedAt"), "sleeps": ("day",)}


@dataclass
class PlainRows:
    """All that the service holds, as JSON values; `encode` writes a reply."""

    users: list
    profiles: dict  # by user id; the caller's own as "me"
    lists: dict  # by name, of the one athlete
    streams: dict  # by activity id
    athlete_id: str
    encode: object = json.dumps
    asked: list = field(default_factory=list)


def plain_app(rows: PlainRows) -> Starlette:
    """The service; `app.state.rows` may be replaced while it runs."""
    routes = [
        Route("/users", _users),
        Route("/users/{user_id}", _profile),
        Route("/users/{user_id}/{name}", _listed),
        Route("/activities/{activity_id}/streams", _streams),
    ]
    app = Starlette(routes=routes)
    app.state.rows = rows
    return app


def _users(request):
    return _reply(request, request.app.state.rows.users)


def _profile(request):
    profiles, user_id = request.app.state.rows.profiles, request.path_params["user_id"]
    return _reply(request, profiles[user_id]) if user_id in profiles else _missing(request)


def _listed(request):
    rows, name = request.app.state.rows, request.path_params["name"]
    if name not in LISTS or request.path_params["user_id"] not in rows.profiles:
        return _missing(request)
    own = rows.lists[name] if request.path_params["user_id"] == rows.athlete_id else []
    start, end = (request.query_params.get(end) for end in ("from", "to"))
    if start is None and end is None:
        return _reply(request, own)
    days = [(row, _day(name, row)) for row in own]
    return _reply(request, [row for row, day in days if day and (start or day) <= day <= (end or day)])


def _day(name, row):
    fields = DAY_FIELDS.get(name, ("date",))
    return next((row[one][:10] for one in fields if row[one]), None)


def _streams(request):
    columns = request.app.state.rows.streams.get(request.path_params["activity_id"])
    return _missing(request) if columns is None else _reply(request, columns)


def _missing(request):
    return _reply(request, {"code": "not_found", "error": "not here"}, status=404)


def _reply(request, payload, status=200):
    body = request.app.state.rows.encode(payload)
    return Response(body, status_code=status, media_type="application/json")
