"""Which athletes the roster shows: those that pass search and filters, in order, in groups, with their active flags."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import inf, isnan, nan

from coachboard.charts.palette import Tone
from coachboard.flags.engine import NOTE_BELOW
from coachboard.flags.flag import Flag
from coachboard.loaders.flag_snooze import FlagOf, Snooze
from coachboard.loaders.known_days import AHEAD_DAYS
from coachboard.loaders.load_state import LoadState
from coachboard.loaders.reviews import Seen, Visit, new_since
from coachboard.loaders.roster_row import RosterRow
from coachboard.pages.roster import choice
from coachboard.pages.roster.choice import (
    ANY_FLAG,
    FAVOURITES,
    LITTLE_DATA,
    PLAN_ENDS,
    SPORT,
    WORKSPACE,
    RosterChoice,
)
from coachboard.pages.squad_rows import Roster
from coachboard.plain_text import searchable
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Athlete, Page

NO_SPORT, NO_GROUP, NO_WORKSPACE = "No sport", "No group", "No workspace chosen"
NOT_LOADED, SEVERAL = "Not loaded", "Several sports"
MOST_NAMED = 2
"""An athlete of more main sports is of several sports."""
_GROUP_ORDER = {FAVOURITES: 0, NO_SPORT: 2, NO_GROUP: 2, NO_WORKSPACE: 2, NOT_LOADED: 3}


@dataclass(frozen=True, slots=True)
class VisibleRoster:
    """The roster with the user's search, filters and order; also the snoozes, theme and last visit that cells show."""

    page: Page
    choice: RosterChoice
    roster: Roster
    snoozes: Mapping[FlagOf, Snooze]
    is_dark: bool = False
    visit: Visit = field(default_factory=Visit)
    unread: Mapping[str, int] = field(default_factory=dict)  # comments, by athlete
    group_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by athlete

    def colour(self, tone: Tone) -> str:
        """The tone in the user's theme, read once: Streamlit takes 0.5 ms per read."""
        return tone.dark if self.is_dark else tone.light

    def active_flags(self, row: RosterRow) -> tuple[Flag, ...]:
        """Raised flags that are not snoozed."""
        return tuple(f for f in row.raised if not self.is_snoozed(FlagOf(row.user.id, f.rule.id)))

    def is_snoozed(self, flag: FlagOf) -> bool:
        """Whether the coach snoozed the flag and the athlete's current date is within the snooze."""
        snooze = self.snoozes.get(flag)
        return snooze is not None and snooze.until >= self.today_of(flag.user_id)

    def today_of(self, user_id: str) -> date:
        """The athlete's current date; the reader's until the athlete's row is there."""
        row = self.roster.rows.get(user_id)
        return row.today if row else self.page.today

    def end_of_snooze(self, user_id: str, days: int) -> date:
        """The last day of a new snooze; the athlete's current date is the first one."""
        return self.today_of(user_id) + timedelta(days=days - 1)

    def needs_look(self, row: RosterRow) -> bool:
        """Whether the flags are worth more than a note."""
        return bool(self.active_flags(row)) and self.priority(row) >= NOTE_BELOW

    def priority(self, row: RosterRow) -> float:
        return row.priority_of(self.active_flags(row))

    @property
    def people(self) -> list[Athlete]:
        """The athletes that pass search and filters, in order; athletes without rows, which load or failed, are last."""
        passing = [athlete for athlete in self.page.athletes if self._passes(athlete)]
        column, is_descending = self.choice.sort.lstrip("-"), self.choice.sort.startswith("-")
        if column == "name":
            return sorted(passing, key=lambda athlete: athlete.name.casefold(), reverse=is_descending)
        key = SORTS.get(column, SORTS["priority"])
        sign = -1 if is_descending else 1
        return sorted(passing, key=lambda athlete: self._place(athlete, key, sign))

    @property
    def groups(self) -> list[tuple[str, Athlete]]:
        """The athletes with their group, once in each; one group without a name if none is chosen."""
        people = self.people
        if self.choice.group is None:
            return [("", athlete) for athlete in people]
        named = [(name, athlete) for athlete in people for name in self._groups_of(athlete)]
        return sorted(named, key=lambda pair: (_GROUP_ORDER.get(pair[0], 1), pair[0].casefold()))

    def _groups_of(self, athlete: Athlete) -> list[str]:
        if self.choice.group == SPORT:
            row = self.row(athlete)
            if row is None:  # under "No sport" it read as 16 athletes without sessions
                return [NOT_LOADED]
            if len(row.main_sports) > MOST_NAMED:
                return [SEVERAL]
            return [formats.sport(row.main_sports[0])] if row.main_sports else [NO_SPORT]
        if self.choice.group == WORKSPACE:
            names = [
                name
                for workspace_id, name in choice.workspaces_led(self.page).items()
                if athlete.id in choice.members_of(self.page, workspace_id)
            ]
            return names or [NO_WORKSPACE]
        is_favourite = athlete.id in self.page.preferences.favourites
        names = [*([FAVOURITES] if is_favourite else []), *self.group_names.get(athlete.id, ())]
        return names or [NO_GROUP]

    def news(self, row: RosterRow) -> Seen:
        """The athlete's data since the reader's last visit."""
        return new_since(self.visit, row)

    def row(self, athlete: Athlete) -> RosterRow | None:
        return self.roster.rows.get(athlete.id)

    def _place(
        self, athlete: Athlete, key: Callable[["VisibleRoster", RosterRow], float], sign: int
    ) -> tuple[float, float, str]:
        row = self.row(athlete)
        value = key(self, row) if row else inf
        missing = row is None or isnan(value)
        return float(missing), 0.0 if missing else sign * value, athlete.name.casefold()

    def _passes(self, athlete: Athlete) -> bool:
        if searchable(self.choice.search) not in searchable(athlete.name):
            return False
        if self.choice.workspace and athlete.id not in choice.members_of(self.page, self.choice.workspace):
            return False
        if self.choice.members == FAVOURITES and athlete.id not in self.page.preferences.favourites:
            return False
        if self.choice.members not in {"", FAVOURITES, *self.group_names.get(athlete.id, ())}:
            return False
        row = self.row(athlete)
        if self.choice.sport and (row is None or self.choice.sport not in row.sports):
            return False
        return self._passes_flag(row)

    def _passes_flag(self, row: RosterRow | None) -> bool:
        if self.choice.flag is None:
            return True
        if row is None:
            return False
        if self.choice.flag == PLAN_ENDS:
            return row.days_planned < AHEAD_DAYS
        if self.choice.flag == LITTLE_DATA:
            return any(flag.shortage for flag in row.flags)
        active_ids = {flag.rule.id for flag in self.active_flags(row)}
        return bool(active_ids) if self.choice.flag == ANY_FLAG else self.choice.flag in active_ids


def _days(until: date | None, row: RosterRow) -> float:
    return float((until - row.today).days) if until else float("nan")


def _settled_form(load: LoadState) -> float:
    """Sorts an unsettled form last, because it is not judged."""
    return nan if load.is_settling else load.form


SORTS: Mapping[str, Callable[[VisibleRoster, RosterRow], float]] = {
    "name": lambda _shown, _row: 0.0,
    "priority": lambda visible, row: visible.priority(row),
    "last": lambda _, row: -_days(row.last_session, row),
    "week": lambda _, row: row.done_week,
    "ahead": lambda _, row: row.planned_next,
    "fitness": lambda visible, row: row.loads[visible.choice.model.id].fitness,
    "fatigue": lambda visible, row: row.loads[visible.choice.model.id].fatigue,
    "form": lambda visible, row: _settled_form(row.loads[visible.choice.model.id]),
    "done": lambda _, row: row.adherence.share,
    "sleep": lambda _, row: row.sleep_h.mean,
    "hrv": lambda _, row: row.hrv_ms.mean,
    "next": lambda _, row: _days(row.next_session.day if row.next_session else None, row),
    "event": lambda _, row: _days(row.next_event[0] if row.next_event else None, row),
    "new": lambda visible, row: float(sum(map(len, visible.news(row).values()))),
    "age": lambda _, row: -row.sessions_as_of.timestamp(),
}
"""Sort key of each column; NaN is last in both directions."""
