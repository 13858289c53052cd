"""Sessions, plans, notes and events as items of the calendar grid."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from math import isnan
from types import MappingProxyType

from coachboard.charts import palette
from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.pages.calendar.data import AthleteCalendar
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.calendar_grid import GridItem, Kind
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.plans import Event, Note

_NOTE_TEXT = 60
_SPOKEN = {
    Adherence.ON_TIME: "done as scheduled",
    Adherence.MISSED: "missed",
    Adherence.UNPLANNED: "done, unplanned",
    Adherence.AHEAD: "planned",
    Adherence.UNKNOWN: "not compared (sessions or plans could not be read)",
}


def match_day(match: Match, start: date, end: date) -> date:
    """The day of a match within the span: where it was done, else where it was planned."""
    if match.done is not None and start <= match.done.day <= end:
        return match.done.day
    return match.day


def match_item(match: Match, *, who: str | None, units: Units, clock: str = "") -> GridItem:
    """A plan with its session, a plan alone, or a session alone; `clock` is its time of day."""
    source = match.planned or match.done
    assert source is not None
    state = match.compliance.state if match.compliance else None
    tone_and_sign = palette.COMPLIANCE.get(str(state)) if state else None
    title = plain(source.title) or formats.sport(source.sport)
    stimulus = _type(match)
    words = [
        title, formats.sport(source.sport), stimulus and formats.label(stimulus), clock,
        adherence_words(match), amounts(match, units=units),
    ]  # fmt: skip
    return GridItem(
        id=match_id(match),
        kind=_kind(match),
        title=title,
        detail=_detail(match, units=units),
        spoken=", ".join(word for word in words if word),
        tone=theme.colour(tone_and_sign.tone) if tone_and_sign else _type_colour(match),
        sign=_sign(match, tone_and_sign.sign if tone_and_sign else None),
        at=clock,
        sport=family(source.sport),
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
    types = {_type(match) for match in ahead}
    named = [
        (formats.label(name), theme.colour(tone)) for name, tone in palette.STIMULI.items() if name in types
    ]
    # Without a named colour "outlined = planned" says all.
    return [*named, ("no stimulus set", theme.colour(palette.PLANNED))] if named and None in types else named


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
    listed = list(items)
    signs = "".join(item.sign or "" for item in listed)
    kinds = {item.kind for item in listed}
    parts = [f"{sign} {word}" for sign, word in _SIGNS.items() if sign in signs]
    if any(item.kind != "note" and _MOVED.match(item.detail or "") for item in listed):
        parts.append("+1 d = done 1 day later than planned")
    return " · ".join([*parts, *(text for kind, text in _KINDS.items() if kind in kinds)])


def adherence_words(match: Match) -> str:
    """The outcome in words: "planned for Mon 2 Mar 2026, done 2 days later, off: 128 % of the planned duration"."""
    words = _SPOKEN.get(match.adherence, "")
    if match.adherence is Adherence.EXCUSED:
        is_skipped = match.planned is not None and match.planned.skip_reason is not None
        words = plain(match.excuse_words, longest=80) if is_skipped else "not done (excused by a note)"
    if match.adherence is Adherence.MOVED:
        days = abs(match.days_moved)
        words = f"planned for {formats.day(match.day)}, done {formats.count(days, 'day')} {'later' if match.days_moved > 0 else 'earlier'}"
    if match.is_inferred:
        words = f"likely match, {words}"
    compliance = match.compliance
    if compliance and compliance.measure and compliance.state:
        words += f", {compliance.state}: {formats.compliance(compliance.ratio)} of the planned {compliance.compared}"
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
    """A note with the beginning of its text; the open day below the grid has the whole."""
    title, text = plain(note.title) or formats.label(note.type), plain(note.content, longest=_NOTE_TEXT)
    detail = " · ".join(filter(None, (note_kind(note), text)))
    spoken = ". ".join(filter(None, (f"Note, {note.type}: {title}", text)))
    return GridItem(note.id, "note", title, detail, spoken, who=who)


def note_kind(note: Note) -> str:
    """The type of a note, empty where its title says the same."""
    kind = formats.label(note.type)
    return "" if (plain(note.title) or kind).casefold() == kind.casefold() else kind


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
                sport=family(event.sport), who=who)  # fmt: skip


OTHER = "other"
SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "bike": "M1 10.5a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0M9.4 10.5a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0"
        "M3.8 10.5l2.7-5h4.2l1.5 5M6.5 5.5l2 5h-4.7M10.7 5.5l-.9-2.5h1.7",
        "run": "M9.2 2.6a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.8 5.5l-2.2 4 3 2-1 3.5"
        "M6.6 9.5l-1 2.5-3 .5M8.8 5.5l-3.3.8-1.2 2M8.8 5.5l1.8 2.3 2.4.2",
        "swim": "M11 5.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M3 8.5l3.5-4 3.5 4"
        "M1.5 11c1.1-1 2.2-1 3.3 0s2.2 1 3.3 0 2.2-1 3.3 0 2.2 1 3.3 0"
        "M1.5 14c1.1-1 2.2-1 3.3 0s2.2 1 3.3 0 2.2-1 3.3 0 2.2 1 3.3 0",
        "strength": "M1.5 6.5v3M3.8 4.5v7M12.2 4.5v7M14.5 6.5v3M3.8 8h8.4",
        "ski": "M8.7 2.8a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.5 5.5l-2.5 3 3 2-1 3.5M8.5 5.5l3 2.5"
        "M12.5 7l-2 7M1.5 14.5h12.5",
        "row": "M1.5 10.5h13c-1 2-2.5 3-4.5 3h-4c-2 0-3.5-1-4.5-3zM4 3.5l8 10M5.5 7.5l3-3",
        "walk": "M7.2 2.6a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0M8.2 5.5v4.5l-2 4.5M8.2 10l2 4.5"
        "M8.2 5.5l-2.7 3M8.2 5.5l2.8 2.5",
        "several": "M2 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M10 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M6 8h4",
        OTHER: "M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    }
)
"""SVG paths in a 16 × 16 box, stroked, not filled."""

_FAMILIES: Mapping[Sport, str] = MappingProxyType(
    {
        Sport.CYCLING: "bike",
        Sport.E_BIKING: "bike",
        Sport.RUNNING: "run",
        Sport.SWIMMING: "swim",
        Sport.TRAINING: "strength",
        Sport.FITNESS_EQUIPMENT: "strength",
        Sport.HIIT: "strength",
        Sport.MOBILITY: "strength",
        Sport.CROSS_COUNTRY_SKIING: "ski",
        Sport.ALPINE_SKIING: "ski",
        Sport.ROWING: "row",
        Sport.KAYAKING: "row",
        Sport.CANOEING: "row",
        Sport.PADDLING: "row",
        Sport.WALKING: "walk",
        Sport.HIKING: "walk",
        Sport.MOUNTAINEERING: "walk",
        Sport.SNOWSHOEING: "walk",
        Sport.MULTISPORT: "several",
        Sport.TRANSITION: "several",
    }
)


def family(sport: Sport | None) -> str:
    """The key of a sport's icon."""
    return _FAMILIES.get(sport, OTHER) if sport is not None else OTHER
