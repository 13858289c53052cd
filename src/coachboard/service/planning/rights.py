"""Who may see and change a row of a calendar."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property

from coachboard.service.api.errors import InvalidRequest, NoSuchRow
from coachboard.service.api.routes import NO_USER
from coachboard.service.invitations.endpoint import NO_WORKSPACE
from coachboard.service.store.plans import PlanRow, Plans
from coachboard.wire.planning import EntryKind, PlanOp


@dataclass(frozen=True)
class Author:
    """Who sends a batch, on which day and at which time (s since 1970)."""

    user_id: str
    today: date
    now_s: float


@dataclass(frozen=True)
class Rights:
    """The rights of one caller on one day: an athlete on their calendar, a coach or admin on those of athletes."""

    plans: Plans
    caller_id: str
    today: date

    @cached_property
    def led(self) -> Mapping[str, frozenset[str]]:
        """The caller's athletes, with the workspaces where the caller leads them."""
        return self.plans.led_by(self.caller_id)

    @cached_property
    def led_names(self) -> dict[str, str]:
        """Ids and names of the workspaces that the caller leads."""
        return self.plans.workspaces_led_by(self.caller_id)

    @cached_property
    def _has_coach(self) -> bool:
        return self.plans.has_coach(self.caller_id)

    def may_read_calendar(self, user_id: str) -> bool:
        return user_id == self.caller_id or user_id in self.led

    def require_workspace(self, workspace_id: str | None) -> None:
        """Raise `NoSuchRow` unless the caller leads the workspace; without an id there is none."""
        if workspace_id is not None and workspace_id not in self.led_names:
            raise NoSuchRow(NO_WORKSPACE)

    def workspace_of(self, user_id: str, named: str | None) -> str | None:
        """The workspace of a new entry: that of its coach. Raises `InvalidRequest` with the choices, `NoSuchRow`."""
        shared = self.led.get(user_id, frozenset())
        if named is not None and named not in self.led_names:
            raise NoSuchRow("no such workspace, or you do not coach in it")
        if user_id == self.caller_id:
            if named is not None:
                raise InvalidRequest("an entry on your calendar has no workspace")
            return None
        if named is not None and named not in shared:
            raise InvalidRequest("the athlete is not in this workspace")
        if named is None and len(shared) > 1:
            choices = ", ".join(f"{self.led_names[each]} ({each})" for each in sorted(shared))
            raise InvalidRequest(f"name the workspaceId of the entry: {choices}")
        return named or next(iter(shared))

    def person(self, user_id: str) -> str:
        """The id of a person whose calendar the caller may read; `me` is the caller. Raises `NoSuchRow`."""
        user_id = self.caller_id if user_id == "me" else user_id
        if not self.may_read_calendar(user_id):
            raise NoSuchRow(NO_USER)
        return user_id

    def may_set_targets(self, user_id: str) -> bool:
        """Whether the caller may set weekly targets: a coach, or an athlete whom nobody coaches."""
        return user_id in self.led or (user_id == self.caller_id and not self._has_coach)

    def may_read(self, row: PlanRow) -> bool:
        """Whether the caller may see the row: hidden and private ones only in their workspace."""
        shared = self.led.get(row.user_id, frozenset())
        if row.user_id != self.caller_id and not shared:
            return False
        if row.is_private and row.workspace_id not in shared:
            return False
        is_hidden = row.hidden_until is not None and row.hidden_until > self.today
        # A hidden row of an import, which has no author and no workspace, is for all coaches of the athlete.
        is_for_coaches = bool(shared) and row.creator_id is None and row.workspace_id is None
        return (
            not is_hidden or row.creator_id == self.caller_id or row.workspace_id in shared or is_for_coaches
        )

    def rows(self, user_id: str, start: date, end: date, *, only_decided: bool = False) -> list[PlanRow]:
        """The rows of `Plans.between` that the caller may see."""
        listed = self.plans.between(user_id, start, end, only_decided=only_decided)
        return [row for row in listed if self.may_read(row)]

    def may_write(self, row: PlanRow) -> bool:
        """Whether the caller may change everything of a row that they may read."""
        if row.user_id == self.caller_id:
            return self._is_own(row) or self._is_left(row)
        shared = self.led.get(row.user_id, frozenset())
        is_of_athlete = row.workspace_id is None or self._is_left(row)
        return row.workspace_id in shared or (bool(shared) and is_of_athlete)

    def _is_left(self, row: PlanRow) -> bool:
        """Whether the athlete has left the workspace of the row, so that none of its coaches may write it any more."""
        return row.workspace_id is not None and row.workspace_id not in self._trains_in(row.user_id)

    @cached_property
    def _trains_in(self) -> Callable[[str], frozenset[str]]:
        """The workspaces in which a person is an athlete, each person read once."""
        return cache(self.plans.workspaces_of_athlete)

    def _is_own(self, row: PlanRow) -> bool:
        if row.creator_id is not None:
            return row.creator_id == self.caller_id
        # Of an import, or of a person whom nobody coaches.
        return row.import_id is not None or not self._has_coach

    def allowed(self, row: PlanRow) -> tuple[PlanOp, ...]:
        """The operations that the caller may do with a row that they may read."""
        is_skipped = row.entry.get("skipped") is not None
        skip = () if row.kind is not EntryKind.WORKOUT else (PlanOp.UNSKIP if is_skipped else PlanOp.SKIP,)
        pair = () if row.kind is EntryKind.NOTE else (PlanOp.PAIR, PlanOp.UNPAIR)
        if self.may_write(row):
            return (PlanOp.UPDATE, PlanOp.MOVE, PlanOp.COPY, PlanOp.DELETE, *pair, *skip)
        if row.user_id != self.caller_id:
            return (PlanOp.COPY,)
        may_move = row.kind is EntryKind.WORKOUT and not row.entry.get("isLocked")
        skipped_by = (row.entry.get("skipped") or {}).get("by")
        skip = skip if skipped_by in {None, self.caller_id} else ()
        return (*((PlanOp.MOVE,) if may_move else ()), PlanOp.COPY, *pair, *skip)
