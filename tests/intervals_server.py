"""A small intervals.icu for tests, after its public documentation: Basic auth, upsert by `external_id`, deletion in bulk.

"Uploading planned workouts to Intervals.icu" (forum.intervals.icu/t/63624): events that do not exist are created, others
updated, and an `external_id` is matched against events of the same application only.
"""

import asyncio
import base64
import json
import threading
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

ATHLETE_ID, KEY = "i12345", "key-of-intervals"
NO_INTERVALS = "http://127.0.0.1:9"
"""An address where nobody answers: a test must not call the real one."""


@dataclass
class IntervalsServer:
    """The calendar of one athlete; `events` by id, each with whether our application made it."""

    events: dict[int, dict] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    status: int | None = None  # of each reply, while it is set
    headers: dict[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None  # no reply before it is set
    key: str = KEY

    def app(self) -> Starlette:
        path = "/api/v1/athlete/{athlete_id}/events"
        return Starlette(
            routes=[
                Route(path, self.list_all, methods=["GET"]),
                Route(f"{path}/bulk", self.put_all, methods=["POST"]),
                Route(f"{path}/bulk-delete", self.delete_all, methods=["PUT"]),
            ]
        )

    def pushed(self) -> dict[str, dict]:
        """Events of our application by external id; fails for a duplicate."""
        ours = [event for event in self.events.values() if event["is_of_app"]]
        by_id = {event["external_id"]: event for event in ours}
        assert len(by_id) == len(ours), "a duplicate"
        return by_id

    async def list_all(self, request: Request) -> Response:
        refused = await self._refusal(request)
        return JSONResponse(list(self.events.values())) if refused is None else refused

    async def put_all(self, request: Request) -> Response:
        refused = await self._refusal(request)
        if refused is not None:
            return refused
        for row in await request.json():
            if not {"category", "start_date_local"} <= row.keys():
                return JSONResponse({"error": "missing field"}, 422)
            known = [
                event_id
                for event_id, event in self.events.items()
                if event["is_of_app"] and event.get("external_id") == row.get("external_id")
            ]
            does_update = request.query_params.get("upsert") == "true" and known
            event_id = known[0] if does_update else len(self.events) + 1000
            self.events[event_id] = {**row, "is_of_app": True}
        return JSONResponse(list(self.events.values()))

    async def delete_all(self, request: Request) -> Response:
        refused = await self._refusal(request)
        if refused is not None:
            return refused
        names = {row.get("external_id") for row in await request.json()}
        gone = [
            event_id
            for event_id, event in self.events.items()
            if event["is_of_app"] and event.get("external_id") in names
        ]
        for event_id in gone:
            del self.events[event_id]
        return JSONResponse(len(gone))

    async def _refusal(self, request: Request) -> Response | None:
        self.requests.append((request.method, request.url.path))
        if self.hold is not None:
            await asyncio.to_thread(self.hold.wait, 20)
        if self.status is not None:
            text = json.dumps({"status": self.status, "error": f"of {request.headers['authorization']}"})
            return Response(text, self.status, self.headers)
        expected = base64.b64encode(f"API_KEY:{self.key}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {expected}":
            return JSONResponse({"status": 401, "error": "Unauthorized"}, 401)
        if request.path_params["athlete_id"] != ATHLETE_ID:
            return JSONResponse({"status": 403, "error": "Access denied"}, 403)
        return None
