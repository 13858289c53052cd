"""Push of planned workouts to the athlete's account at intervals.icu, from today on, by the athlete's API key.

A thread looks every few seconds for accounts whose athlete's rows have changed, or whose last push was on another day: both
are in the database, so a restart loses nothing. One push sends all workouts of the next days under `external_id`s, which
intervals.icu inserts or updates, and deletes those that are no longer planned. Entries of other origin have other ids.
Source: "Uploading planned workouts to Intervals.icu", forum.intervals.icu/t/63624.
"""

import base64
import hashlib
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import first_line
from coachboard.service.api.errors import InvalidRequest, NoSuchRow
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.own_data.requests import caller_of, read_model, reply
from coachboard.service.planning import files, targets
from coachboard.service.planning.rights import Rights
from coachboard.service.store import Store, intervals
from coachboard.service.store.intervals import IntervalsAccount
from coachboard.service.store.plans import PlanRow, Plans
from coachboard.wire.enums import Sport
from coachboard.wire.planning import EntryKind, IntervalsConnection, IntervalsState
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.workout_files.formats import WorkoutFormat

_LOG = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
PREFIX = "coachboard-"
"""The beginning of the external ids: entries with another id are not ours."""
TIMEOUT_S = 15.0
"""Of a connection and of each part of a reply; the head of a reply has twice as long as a whole."""
_MOST_ROWS = 100
"""Workouts of one request."""
_REST_S, _LONGEST_REST_S = 60, 3600
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        Sport.CYCLING: "Ride",
        Sport.RUNNING: "Run",
        Sport.SWIMMING: "Swim",
        Sport.WALKING: "Walk",
        Sport.HIKING: "Hike",
        Sport.ROWING: "Rowing",
        Sport.CROSS_COUNTRY_SKIING: "NordicSki",
        Sport.ALPINE_SKIING: "AlpineSki",
        Sport.E_BIKING: "EBikeRide",
        Sport.KAYAKING: "Kayaking",
    }
)
"""Types of intervals.icu; any other sport is a `Workout`."""
_ATHLETE_ID = re.compile(r"i?\d{1,12}", re.ASCII)
_KEY = re.compile(r"[\x21-\x7e]{1,200}", re.ASCII)
_NO_ACCOUNT = "No account at intervals.icu is connected."


class PushFailure(Exception):  # noqa: N818 (ends one push)
    """The push failed; `rest_s` is null if only the athlete can correct it."""

    def __init__(self, text: str, rest_s: int | None) -> None:
        super().__init__(text)
        self.rest_s = rest_s


class Intervals:
    """The routes over one store, and the thread that pushes."""

    def __init__(
        self, store: Store, url: str, *, today: Callable[[], date], clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._url = url.rstrip("/")
        self._today = today
        self._clock = clock
        self._is_closing, self._asked = False, threading.Event()
        self._thread = threading.Thread(target=self._repeat, name="intervals", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End the thread after the requests of a push that runs."""
        self._is_closing = True
        self._asked.set()
        if self._thread.is_alive():
            self._thread.join()

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/intervals"
        return [
            Route(path, self.get, methods=["GET"]),
            Route(path, self.connect, methods=["PUT"]),
            Route(path, self.disconnect, methods=["DELETE"]),
            Route(f"{path}/push", self.push_now, methods=["POST"]),
        ]

    async def get(self, request: Request) -> Response:
        return reply(await run_in_threadpool(self._state, caller_of(request)))

    async def connect(self, request: Request) -> Response:
        """Connect or change the caller's account; the key is in no reply."""
        asked = await read_model(request, IntervalsConnection)
        if not _ATHLETE_ID.fullmatch(asked.athlete_id):
            raise InvalidRequest("athleteId: write the id of your settings at intervals.icu, such as i12345.")
        if asked.api_key is not None and not _KEY.fullmatch(asked.api_key):
            raise InvalidRequest("apiKey: copy the API key of your settings at intervals.icu.")
        put = partial(intervals.put, athlete_id=asked.athlete_id, api_key=asked.api_key, days=asked.days)
        if not await self._change(put, request):
            raise InvalidRequest("apiKey: is required for a new account.")
        self._asked.set()
        return await self.get(request)

    async def disconnect(self, request: Request) -> Response:
        """Forget the account with its key; workouts at intervals.icu stay."""
        if not await self._change(intervals.remove, request):
            raise NoSuchRow(_NO_ACCOUNT)
        return await self.get(request)

    async def push_now(self, request: Request) -> Response:
        """Push in the background, whatever failed before."""
        if not await self._change(intervals.ask, request):
            raise NoSuchRow(_NO_ACCOUNT)
        self._asked.set()
        return await self.get(request)

    async def _change(self, do: Callable[[sa.Connection, str], bool], request: Request) -> bool:
        def change() -> bool:
            with self._store.changing_accounts() as connection:
                return do(connection, caller_of(request))

        return await run_in_threadpool(change)

    def _state(self, user_id: str) -> IntervalsState:
        account = self._store.intervals_account(user_id)
        if account is None:
            return IntervalsState(
                athlete_id=None, days=None, pushed_at=None, count=0, error=None, is_waiting=False
            )
        return IntervalsState(
            athlete_id=account.athlete_id,
            days=account.days,
            pushed_at=account.pushed_at,
            count=len(account.pushed),
            error=account.error,
            is_waiting=account.digest is None and account.error is None,
        )

    def _repeat(self) -> None:
        while not self._is_closing:
            try:
                self.push_due()
            except (SQLAlchemyError, OSError) as error:
                _LOG.error("intervals.icu: the database does not answer: %s", first_line(error))
            except Exception:  # noqa: BLE001 (the edge of a thread; the accounts stay due)
                _LOG.exception("intervals.icu: workouts could not be pushed now")
            self._asked.wait(LOOK_EVERY_S)
            self._asked.clear()

    def push_due(self) -> None:
        """Push to each account that is due."""
        with self._store.changing_accounts() as connection:
            due = intervals.take_due(connection, self._today(), int(self._clock()))
        for account in due:
            if self._is_closing:
                return
            try:
                self._push(account)
            except PushFailure as failure:
                _LOG.warning("intervals.icu of %s: %s", account.user_id, failure)
                self._note_failure(account, str(failure), failure.rest_s)
            except (SQLAlchemyError, OSError):
                raise
            except Exception:  # noqa: BLE001 (the rows of one athlete hold up no other's)
                _LOG.exception("intervals.icu of %s: the workouts could not be read", account.user_id)
                self._note_failure(account, "The workouts could not be read.", _rest_s(account))

    def _note_failure(self, account: IntervalsAccount, text: str, rest_s: int | None) -> None:
        next_try_at = None if rest_s is None else int(self._clock()) + rest_s
        with self._store.changing_accounts() as connection:
            intervals.fail(connection, account, text, next_try_at)

    def _push(self, account: IntervalsAccount) -> None:
        today = self._today()
        with self._store.reading_plans() as plans:
            rows = list(_rows(plans, account, today))
        wanted = {row["external_id"]: date.fromisoformat(row["start_date_local"][:10]) for row in rows}
        # A workout of the past stays: it is history at intervals.icu.
        gone = [name for name, day in account.pushed.items() if name not in wanted and day >= today]
        digest = hashlib.sha256(orjson.dumps(rows)).hexdigest()
        if gone or digest != account.digest:
            with self._store.changing_accounts() as connection:
                # Before the request: what may be there must be deletable after a kill.
                if not intervals.note_sending(connection, account, {**account.pushed, **wanted}):
                    return
            path = f"/api/v1/athlete/{quote(account.athlete_id)}/events"
            if not rows and not gone:  # a wrong key must be named before the first workout
                self._send(account, "GET", f"{path}?oldest={today}&newest={today}")
            for part in _parts(rows):
                self._send(account, "POST", f"{path}/bulk?upsert=true", part)
            for part in _parts([{"external_id": name} for name in gone]):
                self._send(account, "PUT", f"{path}/bulk-delete", part)
        with self._store.changing_accounts() as connection:
            intervals.finish(
                connection, account, pushed=wanted, digest=digest, today=today, now=int(self._clock())
            )

    def _send(
        self, account: IntervalsAccount, method: str, path: str, rows: Sequence[Any] | None = None
    ) -> None:
        """One request, without redirects: these would send the key to another address. Raises `PushFailure`."""
        address = urlsplit(self._url)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=TIMEOUT_S)
        credentials = base64.b64encode(f"API_KEY:{account.api_key}".encode()).decode()
        headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
        body = None if rows is None else orjson.dumps(rows)
        rest_s, until = _rest_s(account), time.monotonic() + 2 * TIMEOUT_S

        def end() -> None:
            with suppress(OSError):  # closed already
                if connection.sock is not None:
                    connection.sock.shutdown(socket.SHUT_RDWR)

        # The timeout counts for each part of a reply, and a reply may have parts without end.
        whole = threading.Timer(2 * TIMEOUT_S, end)
        whole.start()
        try:
            connection.request(method, address.path + path, body, headers)
            answer = connection.getresponse()
            status, retry_after = answer.status, answer.headers.get("Retry-After", "")
        except TimeoutError:
            raise PushFailure("intervals.icu did not answer in time.", rest_s) from None
        except ssl.SSLCertVerificationError:
            raise PushFailure(
                "The certificate of intervals.icu is not valid; nothing was sent.", rest_s
            ) from None
        except (OSError, HTTPException):
            why = "did not answer in time" if time.monotonic() >= until else "cannot be reached"
            raise PushFailure(f"intervals.icu {why}.", rest_s) from None
        finally:
            whole.cancel()
            connection.close()
        _check_answer(status, retry_after, rest_s)


def _rest_s(account: IntervalsAccount) -> int:
    """The rest before the next attempt after a fault that may pass."""
    return min(_REST_S << min(account.failures, 10), _LONGEST_REST_S)


def _check_answer(status: int, retry_after: str, rest_s: int) -> None:
    """Raise `PushFailure` unless the request was done."""
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        wait_s = int(retry_after) if retry_after.isascii() and retry_after.isdigit() else rest_s
        raise PushFailure("intervals.icu takes no more requests at present.", min(wait_s, _LONGEST_REST_S))
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}:
        raise PushFailure("intervals.icu does not accept the athlete id or the API key.", None)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise PushFailure(f"intervals.icu has a fault (status {status}).", rest_s)
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        raise PushFailure(f"intervals.icu did not take the workouts (status {status}).", None)


def _rows(plans: Plans, account: IntervalsAccount, today: date) -> Iterator[dict[str, Any]]:
    """The workouts of the next days as intervals.icu takes them: neither hidden ones nor drafts nor skipped ones."""
    last = today + timedelta(days=account.days - 1)
    rights = Rights(plans, account.user_id, today)
    athlete = targets.PlannedAthlete(plans, account.user_id, today=today)
    for row in rights.rows(account.user_id, today, last):
        is_hidden = row.hidden_until is not None and row.hidden_until > today
        is_left_out = is_hidden or row.is_private or row.entry.get("isDraft") or row.entry.get("skipped")
        if row.kind is EntryKind.WORKOUT and not is_left_out:
            yield _event(row, athlete)


def _event(row: PlanRow, athlete: targets.PlannedAthlete) -> dict[str, Any]:
    plan = TrainingPrescription.from_wire(
        orjson.loads(targets.resolved(row.body, athlete, row.entry.get("text")))
    )
    event: dict[str, Any] = {
        "category": "WORKOUT",
        "external_id": f"{PREFIX}{row.id}",
        "start_date_local": f"{plan.date}T{plan.time or '00:00:00'}",
        "name": plan.title,
        "type": _TYPES.get(plan.sport, "Workout"),
        "description": plan.description or "",
    }
    if plan.duration:
        event["moving_time"] = round(plan.duration)
    if plan.distance:
        event["distance"] = round(plan.distance)
    if plan.structure:
        try:
            file = files.file_of(row, athlete, WorkoutFormat.FIT)
        except InvalidRequest:  # the format cannot hold it: title, time and description are pushed
            return event
        event["filename"] = f"{row.id}.fit"
        event["file_contents_base64"] = base64.b64encode(file.content).decode()
    return event


def _parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _MOST_ROWS):
        yield rows[start : start + _MOST_ROWS]
