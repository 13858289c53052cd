"""The routes of what coaches and athletes set for an athlete: values, availability and weekly targets."""

from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import replace
from datetime import date, timedelta
from http import HTTPStatus
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow, NotAllowed
from coachboard.service.api.request_checks import PLAN_PATH, checked_request
from coachboard.service.ids import new_id
from coachboard.service.own_data.jobs import Worker
from coachboard.service.own_data.requests import (
    caller_of,
    existing,
    expected_tag,
    job_reply,
    list_reply,
    read_model,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes, Calendars, required_days
from coachboard.service.store import RowKind
from coachboard.service.store.plans import AthleteSetting, Plans, SettingKind
from coachboard.service.values import ImplausibleValueError, check_value
from coachboard.wire.athlete_settings import (
    AthleteValue,
    AthleteValuePatch,
    Availability,
    AvailabilityPatch,
    NewAthleteValue,
    NewAvailability,
    NewWeekTarget,
    SavedAthleteValue,
    WeekTarget,
)
from coachboard.wire.base import Wire, plausible_day, wire_names
from coachboard.wire.enums import MetricSource
from coachboard.wire.metrics import THRESHOLD_HEART_RATE, VALUES

MOST_SETTINGS = 2_000
"""Values of an athlete, and as many availabilities and targets: ten years of weekly ones are a quarter of it."""
MOST_EXCEPTION_DAYS = 366
Setting = AthleteValue | Availability | WeekTarget
_MODELS: dict[SettingKind, type[Setting]] = {
    SettingKind.VALUE: AthleteValue,
    SettingKind.AVAILABILITY: Availability,
    SettingKind.TARGET: WeekTarget,
}
_PREFIXES = {SettingKind.VALUE: "mtr", SettingKind.AVAILABILITY: "avl", SettingKind.TARGET: "tgt"}

Change = Callable[[AthleteSetting | None], AthleteSetting | None]
"""Makes the setting after a request of the one before; None for one that does not exist."""


class _StaleSetting(Exception):  # noqa: N818 (what happened; it ends the transaction)
    """The setting has changed since the caller read it."""

    def __init__(self, current: Setting | None) -> None:
        self.current = current


class AthleteSettings(CalendarRoutes):
    """All routes over one store and one worker, which recomputes loads after a change of a value."""

    def __init__(self, calendars: Calendars, worker: Worker) -> None:
        super().__init__(calendars)
        self._worker = worker

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/users/{{user_id}}"
        value, availability = f"{path}/values/{{setting_id}}", f"{path}/availability/{{setting_id}}"
        target = f"{path}/targets/{{monday}}"
        return [
            Route(f"{path}/values", self.list_values, methods=["GET"]),
            Route(f"{path}/values", self.add_value, methods=["POST"]),
            Route(value, _conditional(self.change_value), methods=["PATCH"]),
            Route(value, _conditional(self.delete_value), methods=["DELETE"]),
            Route(f"{path}/availability", self.list_availability, methods=["GET"]),
            Route(f"{path}/availability", self.add_availability, methods=["POST"]),
            Route(availability, _conditional(self.change_availability), methods=["PATCH"]),
            Route(availability, _conditional(self.delete_availability), methods=["DELETE"]),
            Route(f"{path}/targets", self.list_targets, methods=["GET"]),
            Route(target, _conditional(self.put_target), methods=["PUT"]),
            Route(target, _conditional(self.delete_target), methods=["DELETE"]),
        ]

    # Values.

    async def list_values(self, request: Request) -> Response:
        if checked_request(request.scope).caller.may_read(_athlete(request)):
            await self._until_written(_athlete(request), RowKind.METRICS, None)
        return list_reply(await self._read(_listed, request, SettingKind.VALUE))

    async def add_value(self, request: Request) -> Response:
        asked = await read_model(request, NewAthleteValue)
        if asked.type not in VALUES:
            raise InvalidRequest(f"type: write one of {', '.join(VALUES)}.")
        sports = VALUES[asked.type].sports_to_set
        if asked.sport not in sports:
            raise InvalidRequest(f"sport: {asked.type} is set for {', '.join(sports)}.")
        body = {
            "type": asked.type,
            "value": _plausible(asked.type, asked.value),
            "unit": VALUES[asked.type].unit,
            "source": asked.source,
            "date": str(asked.date),
            "sport": asked.sport,
        }
        saved = await self._added(request, SettingKind.VALUE, asked.date, body)
        assert isinstance(saved, AthleteValue)
        return await self._with_job(request, saved, asked.type, status=HTTPStatus.CREATED)

    async def change_value(self, request: Request) -> Response:
        asked = await read_model(request, AthleteValuePatch)
        changes = _changes(asked)
        if "value" in changes:
            changes["source"] = MetricSource.USER

        def check(body: dict[str, Any]) -> None:
            if "value" in changes:
                _plausible(body["type"], body["value"])
                body["unit"] = VALUES[body["type"]].unit

        saved = await self._changed(request, SettingKind.VALUE, _merging(changes, check))
        assert isinstance(saved, AthleteValue)
        return await self._with_job(request, saved, saved.type)

    async def delete_value(self, request: Request) -> Response:
        deleted = await self._changed(request, SettingKind.VALUE, _nothing)
        assert isinstance(deleted, AthleteValue)
        return await self._with_job(request, None, deleted.type)

    async def _with_job(
        self, request: Request, saved: AthleteValue | None, kind: str, *, status: int = HTTPStatus.OK
    ) -> Response:
        """The reply of a changed value, with the job that recomputes the athlete's sessions."""
        job = None
        if kind != THRESHOLD_HEART_RATE:
            job = job_reply(await run_in_threadpool(self._worker.recompute, _athlete(request)))
        changed = SavedAthleteValue(saved=saved, recompute=job)
        return reply(changed, status=status, etag=None if saved is None else saved.etag)

    # Availability.

    async def list_availability(self, request: Request) -> Response:
        return list_reply(await self._read(_listed, request, SettingKind.AVAILABILITY))

    async def add_availability(self, request: Request) -> Response:
        asked = await read_model(request, NewAvailability)
        body = asked.model_dump(mode="json", by_alias=True)
        _check_span(body)
        saved = await self._added(request, SettingKind.AVAILABILITY, asked.date, body)
        return _tagged(saved, status=HTTPStatus.CREATED)

    async def change_availability(self, request: Request) -> Response:
        asked = await read_model(request, AvailabilityPatch)
        changes = _changes(asked, nullable={"end_date"})
        return _tagged(await self._changed(request, SettingKind.AVAILABILITY, _merging(changes, _check_span)))

    async def delete_availability(self, request: Request) -> Response:
        return _tagged(await self._changed(request, SettingKind.AVAILABILITY, _nothing))

    # Targets.

    async def list_targets(self, request: Request) -> Response:
        start, end = required_days(request)
        targets = await self._read(_listed, request, SettingKind.TARGET)
        return list_reply(
            [each for each in targets if isinstance(each, WeekTarget) and start <= each.monday <= end]
        )

    async def put_target(self, request: Request) -> Response:
        asked, monday = await read_model(request, NewWeekTarget), _monday(request)
        if asked.load is not None and asked.hours is not None:
            raise InvalidRequest("Send load or hours, not both.")
        if (asked.load, asked.hours, asked.phase) == (None, None, None):
            raise InvalidRequest("Send load, hours or phase; DELETE removes a target.")
        body = {"monday": str(monday), "load": None, "hours": None, "phase": None, **asked.to_wire()}

        def make(before: AthleteSetting | None) -> AthleteSetting:
            if before is None and "if-match" in request.headers:
                raise _StaleSetting(None)  # another person deleted it
            if before is None:
                return _new(request, SettingKind.TARGET, monday, body)
            return replace(before, body=orjson.dumps({**body, "id": before.id}))

        return _tagged(await self._changed(request, SettingKind.TARGET, make, monday=monday))

    async def delete_target(self, request: Request) -> Response:
        return _tagged(await self._changed(request, SettingKind.TARGET, _nothing, monday=_monday(request)))

    # All of them.

    async def _added(
        self, request: Request, kind: SettingKind, day: date, body: Mapping[str, Any]
    ) -> Setting:
        def add(plans: Plans, rights: Rights, _request: Request) -> Setting:
            _check(rights, request, kind)
            if len(plans.settings(kind, _athlete(request))) >= MOST_SETTINGS:
                raise Conflict(f"There are {MOST_SETTINGS:,} already; delete old ones first.")
            setting = _new(request, kind, day, body)
            plans.put_setting(setting)
            return _model(setting, plans.names([rights.caller_id]))

        return await self._written(add, request, kind)

    async def _changed(
        self, request: Request, kind: SettingKind, make: Change, *, monday: date | None = None
    ) -> Setting:
        """The setting after a change, or the deleted one; a new target, which has no row yet, needs no tag.

        Raises `NoSuchRow`, `PreconditionRequired`, `_StaleSetting`.
        """

        def change(plans: Plans, rights: Rights, _request: Request) -> Setting:
            _check(rights, request, kind)
            plans.lock([_athlete(request)])
            settings = plans.settings(kind, _athlete(request))
            setting_id = request.path_params.get("setting_id")
            before = next((each for each in settings if setting_id == each.id or monday == each.day), None)
            names = plans.names(filter(None, {before.set_by if before else None, rights.caller_id}))
            if before is None and monday is None:
                raise NoSuchRow(f"No such {kind}.")
            if before is not None and _tag(before) != expected_tag(request):
                raise _StaleSetting(_model(before, names))
            after = make(before)
            if after is not None:
                after = replace(after, set_by=rights.caller_id)
                plans.put_setting(after)
                return _model(after, names)
            plans.delete_setting(existing(before, kind))
            return _model(existing(before, kind), names)

        return await self._written(change, request, kind)

    async def _written(self, do: Callable[..., Setting], request: Request, kind: SettingKind) -> Setting:
        is_plan = kind is not SettingKind.VALUE
        return await self._write(do, request, people={_athlete(request)}, is_plan=is_plan)


def _listed(plans: Plans, rights: Rights, request: Request, kind: SettingKind) -> list[Setting]:
    settings = plans.settings(kind, rights.person(_athlete(request)))
    names = plans.names({setting.set_by for setting in settings if setting.set_by})
    return [_model(setting, names) for setting in settings]


def _check(rights: Rights, request: Request, kind: SettingKind) -> None:
    """Raise `NoSuchRow` unless the caller may read the athlete; for a target also `NotAllowed`."""
    user_id = rights.person(_athlete(request))
    if kind is SettingKind.TARGET and not rights.may_set_targets(user_id):
        raise NotAllowed("Your coach sets the targets of your weeks.")


def _new(request: Request, kind: SettingKind, day: date, body: Mapping[str, Any]) -> AthleteSetting:
    setting_id = new_id(_PREFIXES[kind], _athlete(request))
    whole = orjson.dumps({"id": setting_id, **body})
    return AthleteSetting(setting_id, _athlete(request), kind, day, whole, caller_of(request))


def _conditional(
    answer: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint, whose refusal of an outdated tag has the setting as it is now."""

    async def conditional(request: Request) -> Response:
        try:
            return await answer(request)
        except _StaleSetting as stale:
            return stale_reply(stale.current)

    return conditional


def _athlete(request: Request) -> str:
    user_id: str = request.path_params["user_id"]
    return caller_of(request) if user_id == "me" else user_id


def _monday(request: Request) -> date:
    text = request.path_params["monday"]
    try:
        day = plausible_day(text)
    except ValueError:
        raise InvalidRequest("Write the Monday of the week as YYYY-MM-DD.") from None
    if day.weekday():
        monday = day - timedelta(days=day.weekday())
        raise InvalidRequest(f"{day} is no Monday: the week begins on {monday}.")
    return day


def _plausible(kind: str, value: float) -> float:
    try:
        check_value(kind, value, VALUES[kind])
    except ImplausibleValueError as error:
        raise InvalidRequest(f"value: {error}") from error
    return value


def _changes(asked: Wire, nullable: Container[str] = ()) -> dict[str, Any]:
    """The fields that a correction names. Raises `InvalidRequest` for none, and for a null that the field cannot be."""
    names = wire_names(type(asked))
    if not asked.model_fields_set:
        raise InvalidRequest(f"The body needs one of {', '.join(names.values())}.")
    for name in asked.model_fields_set:
        if getattr(asked, name) is None and name not in nullable:
            raise InvalidRequest(f"{names[name]}: may not be null.")
    whole = asked.model_dump(mode="json", by_alias=True)
    return {names[name]: whole[names[name]] for name in asked.model_fields_set}


def _merging(changes: Mapping[str, Any], check: Callable[[dict[str, Any]], None]) -> Change:
    def make(before: AthleteSetting | None) -> AthleteSetting:
        assert before is not None
        body = {**orjson.loads(before.body), **changes}
        check(body)
        return replace(before, day=date.fromisoformat(body["date"]), body=orjson.dumps(body))

    return make


def _nothing(_before: AthleteSetting | None) -> None:
    """The change of a deletion."""


def _check_span(body: Mapping[str, Any]) -> None:
    """Raise `InvalidRequest` for an exception that ends before it begins or is longer than a year."""
    if body["endDate"] is None:
        return
    start, end = date.fromisoformat(body["date"]), date.fromisoformat(body["endDate"])
    if not timedelta() <= end - start < timedelta(days=MOST_EXCEPTION_DAYS):
        raise InvalidRequest(f"endDate: must be from {start} on, and within {MOST_EXCEPTION_DAYS} days.")


def _tag(setting: AthleteSetting) -> str:
    return tag_of(setting.body.decode(), setting.set_by)


def _model(setting: AthleteSetting, names: Mapping[str, str]) -> Setting:
    body, by = orjson.loads(setting.body), setting.set_by
    if setting.kind is SettingKind.TARGET:
        del body["id"]
    person = None if by is None else {"id": by, "name": names.get(by, by)}
    return _MODELS[setting.kind].from_wire({**body, "setBy": person, "etag": _tag(setting)})


def _tagged(setting: Setting, *, status: int = HTTPStatus.OK) -> Response:
    return reply(setting, status=status, etag=setting.etag)
