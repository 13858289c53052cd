"""Sessions, plans, notes and events as items of the calendar grid."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from math import isnan

from coachboard.analytics.planning.adherence import Adherence, Done, Match, Planned
from coachboard.charts import palette
from coachboard.loaders.calendar.page_data import AthleteCalendar
from coachboard.models.enums import TrainingStimulus
from coachboard.models.plans import Event, Note
from coachboard.views.calendar import sport_signs
from coachboard.views.frame import formats, theme
from coachboard.views.frame.formats import Units
from coachboard.views.frame.text import plain
from coachboard.views.widgets.calendar_grid import GridItem, Kind

_SPOKEN = {
    Adherence.ON_TIME: "done as scheduled",
    Adherence.MISSED: "missed",
    Adherence.EXCUSED: "not done (excused by a note)",
    Adherence.UNPLANNED: "done, unplanned",
    Adherence.AHEAD: "planned",
    Adherence.UNKNOWN: "not compared (sessions or plans could not be read)",
}


def match_day(match: Match, start: date, end: date) -> date:
    """The day of a match within the span: where it was done, else where it was planned."""
    if match.done is not None and start <= match.done.day <= end:
        return match.done.day
    return match.day


def match_item(match: Match, *, who: str | None, units: Units, at: str = "") -> GridItem:
    """A plan with its session, a plan alone, or a session alone; `at` is its time of day."""
    source = match.planned or match.done
    assert source is not None
    state = match.compliance.state if match.compliance else None
    shown = palette.COMPLIANCE.get(str(state)) if state else None
    title = plain(source.title) or formats.sport(source.sport)
    stimulus = _type(match)
    words = [
        title, formats.sport(source.sport), stimulus and formats.label(stimulus), at,
        adherence_words(match), amounts(match, units=units),
    ]  # fmt: skip
    return GridItem(
        id=match_id(match),
        kind=_kind(match),
        title=title,
        detail=_detail(match, units=units),
        spoken=", ".join(word for word in words if word),
        tone=theme.colour(shown.tone) if shown else _type_colour(match),
        sign=_sign(match, shown.sign if shown else None),
        at=at,
        sport=sport_signs.family(source.sport),
        who=who,
    )


def _type(match: Match) -> TrainingStimulus | None:
    """The stimulus of a plan to come."""
    is_ahead = match.adherence is Adherence.AHEAD and match.planned is not None
    return match.planned.stimulus if is_ahead and match.planned else None


def _type_colour(match: Match) -> str | None:
    if match.adherence is not Adherence.AHEAD:
        return None
    stimulus = _type(match)
    # In the colour of the grid's lines, a ride of 7 h looked like an empty cell.
    return theme.colour(palette.STIMULI[stimulus] if stimulus else palette.PLANNED)


def stimulus_colours(athletes: Sequence[AthleteCalendar]) -> Sequence[tuple[str, str]]:
    """Name and colour of the types among the plans to come, from easy to hard; last the plans without a type."""
    ahead = [match for athlete in athletes for match in athlete.matches if match.adherence is Adherence.AHEAD]
    shown = {_type(match) for match in ahead}
    named = [
        (formats.label(name), theme.colour(tone)) for name, tone in palette.STIMULI.items() if name in shown
    ]
    # Without a named colour "outlined = planned" says all.
    return [*named, ("no stimulus set", theme.colour(palette.PLANNED))] if named and None in shown else named


def _detail(match: Match, *, units: Units) -> str:
    """The amounts, and details that the icon lacks: type of a plan to come, moved by how many days, excused."""
    amount_text = amounts(match, units=units)
    if stimulus := _type(match):
        # The type in words: 13 colours alone say nothing to some users.
        return " · ".join(filter(None, (amount_text, formats.label(stimulus))))
    if match.adherence is Adherence.MOVED:
        # First, because a month's cell truncates.
        days = f"{'+' if match.days_moved > 0 else '−'}{abs(match.days_moved)} d"
        done, _, planned = amount_text.partition(" of ")
        unit = planned.rpartition(" ")[2]  # "+1 d, 44 min/46 min" was cut off
        return f"{days}, {done.removesuffix(f' {unit}')}/{planned}" if planned else f"{days}, {done}"
    return f"excused, {amount_text}" if match.adherence is Adherence.EXCUSED else amount_text


def match_id(match: Match) -> str:
    """The id of the item: the plan's, else the session's."""
    source = match.planned or match.done
    assert source is not None
    return source.id


def _kind(match: Match) -> Kind:
    if match.is_inferred:
        return "inferred"
    if match.done is not None or match.adherence in {Adherence.ON_TIME, Adherence.MOVED}:
        return "done"
    return "missed" if match.adherence is Adherence.MISSED else "planned"


def _sign(match: Match, sign: str | None) -> str | None:
    if match.is_inferred:
        return f"{sign or ''}?"
    return {Adherence.UNPLANNED: "+", Adherence.EXCUSED: "⊘"}.get(match.adherence, sign)


_SIGNS = {
    **{state.sign: state.word for state in palette.COMPLIANCE.values()},
    "+": "unplanned",
    "⊘": "excused",
    "?": "likely match",
    "★": "event",
}
_KINDS: dict[Kind, str] = {"planned": "outlined = planned", "done": "filled = done", "note": "dotted = note"}


_MOVED = re.compile(r"[+−]\d+ d, ")


def legend(items: Iterable[GridItem]) -> str:
    """The signs and outlines of these items in words, because their colours alone say nothing to some readers."""
    shown = list(items)
    signs = "".join(item.sign or "" for item in shown)
    kinds = {item.kind for item in shown}
    parts = [f"{sign} {word}" for sign, word in _SIGNS.items() if sign in signs]
    if any(_MOVED.match(item.detail or "") for item in shown):
        parts.append("+1 d = done 1 day later than planned")
    return " · ".join([*parts, *(text for kind, text in _KINDS.items() if kind in kinds)])


def adherence_words(match: Match) -> str:
    """The outcome in words: "planned for Mon 2 Mar 2026, done 2 days later, off: 128 % of the planned duration"."""
    words = _SPOKEN.get(match.adherence, "")
    if match.adherence is Adherence.MOVED:
        days = abs(match.days_moved)
        words = f"planned for {formats.day(match.day)}, done {formats.count(days, 'day')} {'later' if match.days_moved > 0 else 'earlier'}"
    if match.is_inferred:
        words = f"likely match, {words}"
    found = match.compliance
    if found and found.measure and found.state:
        words += f", {found.state}: {formats.compliance(found.ratio)} of the planned {found.measure}"
    return words


def amounts(match: Match, *, units: Units) -> str:
    """Done and planned amount in a measure that both have."""
    if match.planned is None or match.done is None:
        source = match.planned or match.done
        return _amount(source, units=units) if source else ""
    if not isnan(match.planned.duration_s) and not isnan(match.done.duration_s):
        done_s, planned_s = match.done.duration_s, match.planned.duration_s
        return f"{formats.duration_hm(done_s)} of {formats.duration_hm(planned_s)}"
    planned = _amount(match.planned, units=units)
    done = _amount(match.done, units=units, like=match.planned)
    return f"{done} of {planned}" if planned and done else done or planned


def _amount(source: Planned | Done, *, units: Units, like: Planned | None = None) -> str:
    template = like or source
    if not isnan(template.duration_s) and not isnan(source.duration_s):
        return formats.duration_hm(source.duration_s)
    if not isnan(source.distance_m):
        return formats.distance(source.distance_m, source.sport, units=units)
    return "" if isnan(source.duration_s) else formats.duration_hm(source.duration_s)


def note_item(note: Note, *, who: str | None) -> GridItem:
    kind = formats.label(note.type)
    title = plain(note.title) or kind
    detail = "" if title.casefold() == kind.casefold() else kind
    return GridItem(note.id, "note", title, detail, f"Note, {note.type}: {title}", who=who)


def raced_ids(athlete: AthleteCalendar) -> set[str]:
    """The athlete's races among the sessions without a plan: each is shown in place of its event."""
    alone = {match.done.id for match in athlete.matches if match.done is not None and match.planned is None}
    return alone & {event.activity_id for event in athlete.events if event.activity_id}


def event_item(event: Event, *, who: str | None, units: Units) -> GridItem:
    title = plain(event.name) or "Unnamed event"
    parts = [formats.sport(event.sport)]
    if event.distance is not None:
        parts.append(formats.distance(event.distance, event.sport, units=units))
    detail = " · ".join(parts)
    return GridItem(event.id, "event", title, detail, f"Event: {title}, {detail}", sign="★",
                sport=sport_signs.family(event.sport), who=who)  # fmt: skip
