"""The whole squad: athletes by days in compliance colours, and planned by delivered stimulus."""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from math import isnan

from coachboard.analytics.planning.adherence import Adherence, Match
from coachboard.charts import palette
from coachboard.models.enums import TrainingStimulus
from coachboard.views.frame import formats
from coachboard.views.frame.addresses import day_url, page_url, session_url
from coachboard.views.frame.formats import Units, number
from coachboard.views.frame.page import Athlete
from coachboard.views.frame.text import plain
from coachboard.views.roster.visible_rows import VisibleRoster
from coachboard.views.widgets.people_table import Cell, Chip, PeopleTable, TableColumn, TableRow

_BEFORE, _AHEAD = timedelta(days=6), timedelta(days=3)
_SIGNS = {Adherence.UNPLANNED: "+", Adherence.EXCUSED: "⊘"}
_LONGEST_TITLE = 20
_HYPHENATED = {"Neuromuscular": "Neuro\u00admuscular"}
"""The only word that is wider than a column: a soft hyphen breaks it there."""


def week_table(shown: VisibleRoster) -> PeopleTable:
    """A row per athlete, a column per day."""
    todays = _todays(shown)
    # Of most athletes: a column for each date cut off the names of sessions.
    ((usual, _),) = todays.most_common(1)
    days = [usual + timedelta(n) for n in range(-_BEFORE.days, _AHEAD.days + 1)]
    columns = [TableColumn("name", "Athlete", width=150)]
    columns += [
        TableColumn(str(day), label, f"{day.day} {day:%b}", phone_label=f"{label} {day.day} {day:%b}")
        for day in days
        for label in ["Today" if todays.keys() == {day} else f"{day:%a}"]
    ]
    rows = [replace(_line(shown, athlete, days), group=group) for group, athlete in shown.groups]
    return PeopleTable("The squad's week, planned and done", columns, rows, kind="days")


def _todays(shown: VisibleRoster) -> Counter[date]:
    """The dates that are today for so many athletes: perhaps none has the reader's, who may be a day behind."""
    found = Counter(row.today for athlete in shown.people if (row := shown.row(athlete)))
    return found or Counter({shown.page.today: 1})


def has_one_today(shown: VisibleRoster) -> bool:
    """Whether all athletes have the same date; the header names it, else a shade in each row."""
    return len(_todays(shown)) == 1


def _line(shown: VisibleRoster, athlete: Athlete, days: list[date]) -> TableRow:
    row = shown.row(athlete)
    url = page_url("athlete", athlete=athlete.id)
    head = Cell(plain(athlete.name), href=url)
    if row is None:
        failed = athlete.id in shown.roster.failed
        head = Cell(plain(athlete.name), "could not be loaded" if failed else "loading", href=url)
        return TableRow(athlete.id, [head, *(Cell() for _ in days)], is_muted=True)
    by_day: dict[date, list[Chip]] = {}
    for match in row.week:
        by_day.setdefault(match.calendar_day, []).append(_chip(shown, match, athlete))
    own_today = None if has_one_today(shown) else row.today
    found = [Cell(chips=by_day.get(day, ()), is_today=day == own_today) for day in days]
    return TableRow(athlete.id, [head, *found])


def _chip(shown: VisibleRoster, match: Match, athlete: Athlete) -> Chip:
    state = match.compliance.state if match.compliance else None
    look = palette.COMPLIANCE[state] if state else None
    part = match.done or match.planned
    assert part is not None
    done = match.done
    url = session_url(athlete.id, done.id, done.day) if done else day_url(athlete.id, match.day)
    kind = "inferred" if match.is_inferred else "done" if match.done else "planned"
    return Chip(
        text=_name(match),
        kind="missed" if match.adherence is Adherence.MISSED else kind,  # type: ignore[arg-type] # one of four words
        spoken=_spoken(match, shown.page.units),
        tone=shown.colour(look.tone) if look else None,
        sign=look.sign if look else _SIGNS.get(match.adherence),
        href=url,
    )


def _name(match: Match) -> str:
    """The planned stimulus, if the session had it; else the plan's title: a group ride of 7 h read as "VO2max"."""
    named = match.planned or match.done
    assert named is not None
    if named.stimulus and stimulus_words(match) == formats.label(named.stimulus):
        word = formats.label(named.stimulus)
        return _HYPHENATED.get(word, word)
    # A sport among stimuli reads as one: "Cycling" next to "Recovery".
    return plain(named.title, longest=_LONGEST_TITLE) or formats.sport(named.sport or "session")


def stimulus_words(match: Match) -> str:
    """The stimulus of the session, else of the plan; `done as VO2max` where the plan has another one.

    Empty where the plan has none: nobody rides VO2max for the seven hours of a group ride.
    """
    part, plan = match.done or match.planned, match.planned
    if part is None or not part.stimulus or (plan is not None and not plan.stimulus):
        return ""
    is_other = plan is not None and plan.stimulus != part.stimulus
    return f"{'done as ' if is_other else ''}{formats.label(part.stimulus)}"


def _spoken(match: Match, units: Units) -> str:
    is_unknown = match.adherence is Adherence.UNKNOWN
    parts = ["sessions could not be read" if is_unknown else str(match.adherence)]
    if match.planned is not None:
        by_distance = isnan(match.planned.duration_s)
        target = (
            formats.distance(match.planned.distance_m, match.planned.sport, units=units)
            if by_distance
            else formats.duration_hm(match.planned.duration_s)
        )
        parts.append(f"planned {plain(match.planned.title, longest=60)} {target}")
    if match.done is not None:
        stimulus = f", {words}" if (words := stimulus_words(match)) else ""
        parts.append(f"done {formats.duration_hm(match.done.duration_s)}{stimulus}")
    if match.compliance and match.compliance.state and match.done:
        share = formats.compliance(match.compliance.ratio)
        parts.append(f"{match.compliance.state}, {share} by {match.compliance.measure}")
    if match.days_moved:
        parts.append(f"moved by {formats.count(match.days_moved, 'day', signed=True)}")
    if match.is_inferred:
        parts.append("likely match")
    if match.excuse:
        parts.append(f"excused ({match.excuse} note)")
    return "; ".join(parts)


def stimulus_table(shown: VisibleRoster) -> PeopleTable:
    """Planned in rows, delivered in columns, the number of sessions in each cell."""
    total: Counter[tuple[TrainingStimulus | None, TrainingStimulus | None]] = Counter()
    for athlete in shown.people:
        if row := shown.row(athlete):
            total.update(row.stimuli)
    order = [*TrainingStimulus, None]
    intended = [one for one in order if any(pair[0] == one for pair in total)]
    delivered = [one for one in order if any(pair[1] == one for pair in total)]
    columns = [TableColumn("intended", "Planned", "done →")]
    # First: as the last of 13 columns it was off the screen of a phone.
    columns.append(TableColumn("kept", "As planned", is_number=True))
    columns += [TableColumn(str(one), _label(one), is_number=True) for one in delivered]
    rows = [_intended(one, delivered, total) for one in intended]
    return PeopleTable("Planned and completed stimulus", columns, rows, kind="matrix")


def _label(stimulus: TrainingStimulus | None) -> str:
    return formats.label(stimulus) if stimulus else "Not classified"


def _intended(
    one: TrainingStimulus | None,
    delivered: list[TrainingStimulus | None],
    total: Counter[tuple[TrainingStimulus | None, TrainingStimulus | None]],
) -> TableRow:
    counts = [total[one, other] for other in delivered]
    whole = sum(counts)
    cells = [
        Cell(
            number(count) if count else "",
            title=f"{_label(one)} planned, {_label(other)} done: {formats.count(count, 'session')}",
            shade=count / whole,
            sign="✓" if count and one is not None and one == other else None,
        )
        for count, other in zip(counts, delivered, strict=True)
    ]
    # A session without a planned stimulus cannot match it.
    kept = Cell(formats.percent(total[one, one] / whole * 100) if one else formats.MISSING, f"of {whole}")
    return TableRow(str(one), [Cell(_label(one)), kept, *cells])
