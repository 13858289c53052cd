"""The calendar's athletes, view and days, from the address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from coachboard.loaders.newest_day import EVENTS, PLANS, SESSIONS
from coachboard.pages.calendar.data import span_of
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.groups import by_athlete, members, say_failure, words
from coachboard.ui.frame.opening_day import opening_day, say_opening_day
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.calendar_grid import View
from coachboard.ui.widgets.toolbar import Control, Pick, Press, draw_bar

VIEWS: Mapping[str, str] = {"month": "Month", "week": "Week", "agenda": "Agenda"}
_MOST_BESIDE = 3
SQUAD, _GROUP = "squad", "group."
"""All athletes, or those of a group, beside each other in a week."""
_KINDS = (SESSIONS, PLANS, EVENTS)
_RECENT_DAYS = 42
_OPENED_ON = "calendar.opened_on"


@dataclass(frozen=True, slots=True)
class CalendarChoice:
    """Athletes and days in the URL."""

    athletes: tuple[Athlete, ...]
    view: View
    on: date
    start: date
    end: date
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def full_names(self) -> dict[str, str]:
        """For files, where there is room; empty for one athlete."""
        return {athlete.id: athlete.name for athlete in self.athletes} if len(self.athletes) > 1 else {}

    @property
    def month(self) -> int | None:
        return self.on.month if self.view == "month" else None

    @property
    def title(self) -> str:
        if self.view == "month":
            return f"{self.on:%B %Y}"
        same_year = self.start.year == self.end.year
        same_month = same_year and self.start.month == self.end.month
        first = f"{self.start.day}" if same_month else f"{self.start.day} {self.start:%b}"
        first += "" if same_year else f" {self.start.year}"
        return f"{first} to {self.end.day} {self.end:%b %Y}"


def pick(page: Page) -> CalendarChoice:
    """Pick athletes, view and days; all are URL parameters."""
    athlete = pickers.pick_athlete(page)
    view = _asked_view()
    asked = state.get_day("on") or day_of_month(page, state.get_month()) or state.get_day("open")
    on = pickers.reachable(page, asked or opening_day(page, athlete, _KINDS, days=_RECENT_DAYS))
    if asked is None:
        state.put(_OPENED_ON, on)
    if state.get(_OPENED_ON) == on:  # also in the next run, whose address names the day
        say_opening_day(page, athlete, on)
    if state.get_month() is None or state.get_day("on"):
        # An explicit date, so that a link opens the same days tomorrow.
        state.set_param("on", on)
    start, end = span_of(view, on, page.first_weekday)
    athletes = (athlete, *_beside(page, athlete))
    return CalendarChoice(athletes, view, on, start, end, _names(athletes, view))


def day_of_month(page: Page, month: date | None) -> date | None:
    """Today in its own month, so that its week follows the month; else the first day."""
    return page.today if month == page.today.replace(day=1) else month


def is_many(beside: str | None) -> bool:
    """Whether the address asks for the squad or a group, which only a week can show."""
    return beside == SQUAD or (beside or "").startswith(_GROUP)


def _asked_view() -> View:
    if is_many(state.get_param("beside")):
        return "week"
    asked = state.get_param("view")
    return "week" if asked == "week" else "agenda" if asked == "agenda" else "month"


def _beside(page: Page, athlete: Athlete) -> tuple[Athlete, ...]:
    others = {other.id: other for other in page.everyone if other.id != athlete.id}
    asked = [name for name in (state.get_param("beside") or "").split(",") if name in others][:_MOST_BESIDE]
    if not page.athletes:
        return ()
    say_failure(page)
    many = _many(page)
    whole = state.get_param("beside")
    if whole in many:
        title, ids = many[whole]
        controls: list[Control] = [Press("drop", f"{title} ×", whole, help="Show one athlete")]
        asked = [other.id for other in page.athletes if other.id in ids and other.id in others]
    else:
        controls = [
            Press("drop", f"{others[id_].name} ×", id_, help=f"Remove {others[id_].name}") for id_ in asked
        ]
        controls.append(_offered(page, others, asked, many))
    kept = [] if whole in many else asked
    with page.picks:
        draw_bar(
            controls,
            key="calendar.beside",
            on_change=lambda name, picked: _take_beside(kept, name, picked),
        )
    return tuple(others[name] for name in asked)


def _offered(
    page: Page, others: Mapping[str, Athlete], asked: list[str], many: Mapping[str, tuple[str, Sequence[str]]]
) -> Pick:
    """The squad, the groups and the athletes that can be added."""
    is_full, named = len(asked) == _MOST_BESIDE, by_athlete(page)
    return Pick(
        "add",
        "Compare with",
        {name: f"{title} (week)" for name, (title, _ids) in many.items()}
        | {other.id: other.name for other in others.values() if other.id not in asked},
        notes={other.id: words(named.get(other.id, ())) for other in others.values()},
        placeholder=f"Limit: {formats.count(_MOST_BESIDE, 'athlete')}"
        if is_full
        else "Add athlete"
        if asked
        else "Compare with…",
        width=160,
        is_disabled=is_full,
    )


def _many(page: Page) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Title and athletes of the squad and of each group, by its name in the address."""
    if len(page.athletes) < 2:
        return {}
    squad = ("Whole squad", tuple(athlete.id for athlete in page.athletes))
    groups = {f"{_GROUP}{name}": (f"Group {plain(name)}", ids) for name, ids in members(page).items()}
    return {SQUAD: squad} | groups


def _take_beside(asked: list[str], name: str, athlete_id: str) -> None:
    if name == "add" and is_many(athlete_id):
        state.set_params({"beside": athlete_id, "view": "week"})
        return
    beside = (
        [*asked, athlete_id]
        if name == "add"
        else [beside_id for beside_id in asked if beside_id != athlete_id]
    )
    state.set_param("beside", ",".join(beside) or None)


def _names(athletes: Sequence[Athlete], view: View) -> dict[str, str]:
    """Short names of several athletes: whole names if there is room, else the fewest letters that differ."""
    if len(athletes) == 1:
        return {}
    if view != "month":
        return {athlete.id: athlete.name for athlete in athletes}
    short = {
        athlete.id: "".join(word[0] for word in athlete.name.split()[:2]).upper() for athlete in athletes
    }
    return {
        athlete.id: short[athlete.id] if list(short.values()).count(short[athlete.id]) == 1 else athlete.name
        for athlete in athletes
    }


def counts_missed() -> bool:
    """Whether missed plans count towards the totals; `missed=out` in the URL leaves them out."""
    return state.get_param("missed") != "out"
