"""Groups of athletes, which the coaches of a workspace share: each athlete has the names of theirs."""

from collections.abc import Iterable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import name_of
from coachboard.service.api.errors import InvalidRequest, NoSuchRow
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.ids import is_id
from coachboard.service.own_data.requests import caller_of, list_reply, read_model, reply
from coachboard.service.store import Store
from coachboard.wire.comments import LONGEST_GROUP, AthleteGroups, GroupNames


class Groups:
    """The routes over one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/workspaces/{{workspace_id}}/athletes/{{user_id}}/groups"
        return [
            Route(f"{PLAN_PATH}/groups", self.list_groups, methods=["GET"]),
            Route(path, self.set_groups, methods=["PUT"]),
        ]

    async def list_groups(self, request: Request) -> Response:
        return list_reply(await run_in_threadpool(self._read, caller_of(request)))

    def _read(self, caller_id: str) -> list[AthleteGroups]:
        with self._store.reading_plans() as plans:
            names = plans.groups()
            return [
                AthleteGroups(
                    workspace_id=workspace_id,
                    user_id=user_id,
                    names=tuple(names.get((workspace_id, user_id), ())),
                )
                for user_id, shared in sorted(plans.led_by(caller_id).items())
                for workspace_id in sorted(shared)
            ]

    async def set_groups(self, request: Request) -> Response:
        names = _clean((await read_model(request, GroupNames)).names)
        workspace_id, user_id = request.path_params["workspace_id"], request.path_params["user_id"]
        groups = AthleteGroups(workspace_id=workspace_id, user_id=user_id, names=names)
        await run_in_threadpool(self._write, caller_of(request), groups)
        return reply(groups)

    def _write(self, caller_id: str, groups: AthleteGroups) -> None:
        with self._store.writing_comments() as plans:
            is_known = is_id(groups.workspace_id) and is_id(groups.user_id)
            if not is_known or groups.workspace_id not in plans.led_by(caller_id).get(
                groups.user_id, frozenset()
            ):
                raise NoSuchRow("No such athlete of the workspace, or you are not its coach or admin.")
            plans.set_groups(groups.workspace_id, groups.user_id, groups.names)


def _clean(names: Iterable[str]) -> tuple[str, ...]:
    cleaned = [name_of(name, longest=LONGEST_GROUP) for name in names]
    if None in cleaned:
        raise InvalidRequest("names: a name has no visible character.")
    return tuple(sorted(dict.fromkeys(name for name in cleaned if name is not None)))
