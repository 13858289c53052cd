"""The caller's keys and memberships: list, create, rename and revoke keys; who may read the caller's data; leave."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import name_of
from coachboard.service.api.errors import Conflict, InvalidRequest, KeyRefused, NoSuchRow
from coachboard.service.api.request_checks import checked_request
from coachboard.service.own_data.requests import PATH, caller_of, existing, list_reply, read_model, reply
from coachboard.service.store import ApiKey, Membership, Store
from coachboard.service.store.keys import digest_of
from coachboard.wire.own_data import CreatedKey, KeyLabel, NewKey, OwnKey, OwnMembership, Reader

MOST_KEYS = 100
"""Valid keys of one person: a program that creates one in each run would fill the list."""


class Account:
    """The routes over one store."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def routes(self) -> list[Route]:
        key = f"{PATH}/keys/{{key_id}}"
        return [
            Route(f"{PATH}/keys", self.list_keys, methods=["GET"]),
            Route(f"{PATH}/keys", self.create_key, methods=["POST"]),
            Route(key, self.rename_key, methods=["PATCH"]),
            Route(key, self.revoke_key, methods=["DELETE"]),
            Route(f"{PATH}/memberships", self.list_memberships, methods=["GET"]),
            Route(f"{PATH}/memberships/{{workspace_id}}", self.leave, methods=["DELETE"]),
        ]

    async def list_keys(self, request: Request) -> Response:
        return list_reply(await self._keys(request))

    async def create_key(self, request: Request) -> Response:
        """Create a key. It ends with the caller's key: a borrowed key must not create one without an end."""
        asked = await read_model(request, NewKey)
        label = _label(asked.label)
        if len(await self._keys(request)) >= MOST_KEYS:
            raise Conflict(f"You have {MOST_KEYS} valid keys; revoke one first.")
        ends = [checked_request(request.scope).caller.expires_at]
        if asked.expires_in_days is not None:
            ends.append(self._now() + timedelta(days=asked.expires_in_days))
        expires_at = min((end for end in ends if end is not None), default=None)
        maker = checked_request(request.scope).caller
        text = await run_in_threadpool(self._store.add_key_of, maker, label=label, expires_at=expires_at)
        if text is None:
            raise KeyRefused("This API key is not valid.")
        new = await run_in_threadpool(self._store.caller, digest_of(text))
        assert new is not None
        row = next(row for row in await self._keys(request) if row.id == new.key_id)
        return reply(CreatedKey(key=text, row=row), status=HTTPStatus.CREATED)

    async def rename_key(self, request: Request) -> Response:
        label = _label((await read_model(request, KeyLabel)).label)
        row = await self._key(request)
        await run_in_threadpool(self._store.rename_key, row.id, label)
        return reply(await self._key(request))

    async def revoke_key(self, request: Request) -> Response:
        """Revoke a key and those that it made: the holder of a stolen key would go on with another one."""
        row = await self._key(request)
        await run_in_threadpool(self._store.revoke_key, row.id)
        return reply(row)

    async def list_memberships(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._store.memberships_of, caller_of(request))
        return list_reply([_membership(row) for row in rows])

    async def leave(self, request: Request) -> Response:
        user_id, workspace_id = caller_of(request), request.path_params["workspace_id"]
        rows = await run_in_threadpool(self._store.memberships_of, user_id)
        row = existing(next((row for row in rows if row.workspace.id == workspace_id), None), "membership")
        has_left = await run_in_threadpool(self._store.leave, workspace_id, user_id)
        if has_left is None:
            raise Conflict(
                "You are the only coach or admin of this workspace, or its only admin, and it has other members: "
                "make another person admin first."
            )
        if not has_left:
            raise NoSuchRow("No such membership.")
        return reply(_membership(row))

    async def _keys(self, request: Request) -> list[OwnKey]:
        """The keys that the service accepts, oldest first."""
        caller, now = checked_request(request.scope).caller, self._now()
        rows = await run_in_threadpool(self._store.keys, caller.user_id)
        return [
            _key(row, is_current=row.id == caller.key_id)
            for row in rows
            if row.revoked_at is None and (row.expires_at is None or row.expires_at > now)
        ]

    async def _key(self, request: Request) -> OwnKey:
        key_id: str = request.path_params["key_id"]
        return existing(next((row for row in await self._keys(request) if row.id == key_id), None), "key")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _label(text: str) -> str:
    label = name_of(text)
    if label is None:
        raise InvalidRequest("Invalid request body: label: has no visible character.")
    return label


def _key(row: ApiKey, *, is_current: bool) -> OwnKey:
    return OwnKey(
        id=row.id,
        label=row.label,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
        made_by=row.made_by,
        is_current=is_current,
    )


def _membership(row: Membership) -> OwnMembership:
    return OwnMembership(
        workspace_id=row.workspace.id,
        workspace=row.workspace.name,
        role=row.role,
        readers=tuple(Reader(name=name, role=role) for name, role in row.readers),
    )
