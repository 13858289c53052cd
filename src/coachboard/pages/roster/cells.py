"""The cells of an athlete's row: one number with its reference below."""

from collections.abc import Callable
from datetime import date, datetime
from math import inf, isnan

from coachboard.charts import palette
from coachboard.execution.adherence import WEEK_D, Adherence, last_week
from coachboard.execution.compliance import ComplianceState
from coachboard.flags.engine import RACE_NEAR_D
from coachboard.flags.flag import Flag
from coachboard.flags.nights import HRV_UNCERTAINTY_MS, RESTING_HR_UNCERTAINTY_BPM, SLEEP_UNCERTAINTY_H
from coachboard.flags.rules import long_before_event
from coachboard.loaders.known_days import AHEAD_DAYS
from coachboard.loaders.reviews import Seen
from coachboard.loaders.roster_row import LastNight, RosterRow
from coachboard.pages.athlete_words import no_data_words, readiness
from coachboard.pages.roster.visible_rows import MOST_NAMED, VisibleRoster
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.addresses import day_url, page_url, session_url
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.flag_facts import note_words
from coachboard.ui.widgets.people_table import Cell
from coachboard.wire.enums import DataOnboardingStatus, Sport

THOUSAND = 1_000
_IMPORT_FAILED_HELP = "History import failed: load, fitness and form are unknown after the last session"
_SETTLING_HELP = "Less than six weeks since the first session: too early to judge fitness, fatigue and form"
NEW, FLAGGED, NOTED, BELOW, ABOVE, NEAR, ERROR = "•", "◆", "◇", "▼", "△", "⚑", "!"
_MARGIN = f"{HRV_UNCERTAINTY_MS:g} ms, {RESTING_HR_UNCERTAINTY_BPM:g} bpm or {60 * SLEEP_UNCERTAINTY_H:g} min"
SIGNS = {
    NEW: "new since your last visit",
    FLAGGED: "needs a look",
    NOTED: "worth a note",
    BELOW: f"at least {_MARGIN} below the normal range",
    ABOVE: f"at least {_MARGIN} above the normal range",
    NEAR: f"event within {RACE_NEAR_D} days",
    ERROR: "error",
}
"""The signs of the table in words, in the order of its columns."""
_CELL_NOTE, _CARD_NOTE = 36, 120
NO_SESSION = "no session in 12 months"
OLD_NIGHT_D = 2
"""A newest night as old as this is out of date for this morning: grey it out and show its age."""


ENOUGH_NIGHTS = 6
"""Nights of the last seven from which a row names their number in its hint alone."""


def name(visible: VisibleRoster, athlete: Athlete, row: RosterRow) -> Cell:
    sports = [formats.sport(sport).lower() for sport in row.sports[:3]]
    years = age(athlete, row.today)
    main = [formats.sport(sport).lower() for sport in row.main_sports]
    trains = f"{len(main)} sports" if len(main) > MOST_NAMED else ", ".join(main)
    unread = visible.unread.get(athlete.id, 0)
    comments = formats.count(unread, "new comment") if unread else ""
    who = ", ".join(part for part in (comments, years, trains) if part)
    whole = ", ".join(part for part in (plain(athlete.name), comments, years, *sports) if part)
    news = news_words(visible.news(row), row)
    since = f"; new since your last visit: {news}" if news else ""
    return Cell(plain(athlete.name), who, href=page_url("athlete", athlete=athlete.id),
                title=f"{whole}{since}", sign=NEW if news else None)  # fmt: skip


_NEWS = {"sessions": "session", "nights": "night", "notes": "note"}


def news_words(news: Seen, row: RosterRow) -> str:
    """`2 sessions, 1 night, flag Low HRV`; empty without news."""
    titles = {flag.rule.id: flag.rule.title for flag in row.raised}
    counted = [formats.count(len(news[kind]), noun) for kind, noun in _NEWS.items() if kind in news]
    flags = [titles[rule] for rule in news.get("flags", ()) if rule in titles]
    return ", ".join([*counted, *(f"flag {title}" for title in flags)])


def age(athlete: Athlete, today: date) -> str:
    born = athlete.user.date_of_birth
    if born is None:
        return ""
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return f"{years} y"


def priority(visible: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    active = visible.active_flags(row)
    snoozed = len(row.raised) - len(active)
    aside = f"{snoozed} snoozed" if snoozed else ""
    if not active:
        little = [flag.rule.title for flag in row.flags if flag.shortage]
        lacking = f"{len(little)} of {formats.count(len(row.flags), 'check')} lack data" if little else ""
        if little and row.user.data_onboarding_status is DataOnboardingStatus.FAILED:
            lacking = "not judged: import failed"
        aside_or_lacking = aside or lacking
        return Cell("", aside_or_lacking, title=f"Not enough data to check: {', '.join(little)}" if little else "",
                    pick=f"review {row.user.id}" if aside_or_lacking else None)  # fmt: skip
    first = active[0]
    more = f"{len(active) - 1} more" if len(active) > 1 else ""
    facts = ", ".join(part for part in (_since_or_due(first, row), more, aside) if part)
    # A cell has three lines below the flag, a card of a phone more; the review, which a press opens, has the whole text.
    short, long = (note_words(active, longest=longest) for longest in (_CELL_NOTE, _CARD_NOTE))
    return Cell(
        first.rule.short_title or first.rule.title,
        "; ".join(filter(None, (facts, short))),
        phone_sub="; ".join(filter(None, (facts, long))) if short else "",
        title="; ".join(": ".join(filter(None, (flag.rule.title, plain(flag.note)))) for flag in active),
        sign=FLAGGED if visible.needs_look(row) else NOTED,
        tone=visible.colour(palette.COMPLIANCE[ComplianceState.FAR_OFF].tone),
        pick=f"review {row.user.id}",
    )


def _since_or_due(flag: Flag, row: RosterRow) -> str:
    """`3 days`; of a hard or long session its day: "10 days" next to tomorrow's session says nothing."""
    if flag.due is not None:
        days = (flag.due - row.today).days
        kind = "long" if flag.rule.id == long_before_event.RULE.id else "hard"
        when = {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")
        return f"{kind} {when}"
    return formats.count(flag.days_active, "day") if flag.days_active else ""


def last(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    if row.last_session is None:
        return Cell(MISSING, NO_SESSION)
    days = (row.today - row.last_session).days
    newest = next((m.done for m in reversed(row.week) if m.done and m.done.day == row.last_session), None)
    user_id = row.user.id
    url = session_url(user_id, newest.id, newest.day) if newest else page_url("athlete", athlete=user_id)
    near = {0: "today", 1: "yesterday"}
    return Cell(near.get(days, f"{days} d ago"), formats.day(row.last_session, today=row.today), href=url)


def week(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    if row.no_data_since is not None:
        return Cell(MISSING, no_data_words(row.no_data_since, row.today), title=_IMPORT_FAILED_HELP)
    done, of_planned = number(row.done_week), week_words(row)
    # Four digits on both sides were cut off: the planned ones go to the line below, which wraps.
    is_long = any(volume >= THOUSAND for volume in (row.done_week, row.planned_week))
    ahead = "next 7 d: –" if isnan(row.planned_next) else f"next 7 d: {number(row.planned_next)}"
    below = [of_planned.removeprefix(done).strip(), ahead] if is_long else [ahead]
    return Cell(
        done if is_long else of_planned,
        ", ".join([part for part in below if part] + [*row.load_methods[:1]]),
        title=formats.load_source(row.load_methods),
    )


def week_words(row: RosterRow) -> str:
    """Done volume and estimated planned volume of these days."""
    planned = "" if isnan(row.planned_week) else f" of {number(row.planned_week)}"
    return f"{number(row.done_week)}{planned}"


def weeks(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    if not row.weekly:
        return Cell(MISSING)
    return Cell(bars=row.weekly, title="Weekly load: " + ", ".join(number(v) for v in row.weekly))


def fitness(visible: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    load = row.loads[visible.choice.model.id]
    if row.no_data_since is not None:
        return Cell(MISSING, title=_IMPORT_FAILED_HELP)
    return Cell(number(load.fitness), number(load.fatigue), is_stale=load.is_settling)


def form(visible: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    load = row.loads[visible.choice.model.id]
    if row.no_data_since is not None:
        return Cell(MISSING, title=_IMPORT_FAILED_HELP)
    note = "settling" if load.is_settling else ""  # the column is narrow
    return Cell(
        number(load.form, signed=True), note, title=_SETTLING_HELP if note else "", is_stale=load.is_settling
    )


def done(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    """A count without the colours of compliance: all planned sessions done is not green beside four times the load."""
    adherence = row.adherence
    unplanned, unknown = adherence.counts[Adherence.UNPLANNED], adherence.counts[Adherence.UNKNOWN]
    if not adherence.due:
        return Cell(MISSING, "sessions could not be read" if unknown else _absent_plan(row, "no plan"))
    missed, excused = adherence.due - adherence.done, adherence.counts[Adherence.EXCUSED]
    facts = [
        f"{adherence.done} of {formats.count(adherence.due, 'planned session')} done",
        f"{missed} missed{_missed_titles(row)}" if missed else "",
        f"{excused} more excused" if excused else "",
        f"{unplanned} unplanned" if unplanned else "",
        formats.count(adherence.inferred, "likely match", "likely matches") if adherence.inferred else "",
        f"{unknown} not compared: sessions could not be read" if unknown else "",
    ]
    return Cell(
        f"{adherence.done} of {adherence.due}",
        f"{missed} missed" if missed else facts[3],
        title=", ".join(fact for fact in facts if fact),
        # The review lists them: a finger and a keyboard reach no title.
        pick=f"review {row.user.id}" if missed else None,
    )


def _missed_titles(row: RosterRow) -> str:
    """`: Long ride (Sun), Tempo (Tue)`, the newest first."""
    plans = [
        match.planned
        for match in last_week(row.week, row.today)
        if match.adherence is Adherence.MISSED and match.planned is not None
    ]
    newest = sorted(plans, key=lambda plan: plan.day, reverse=True)
    names = (
        f"{plain(plan.title, longest=40) or formats.sport(plan.sport)} ({plan.day:%a})" for plan in newest
    )
    return f": {', '.join(names)}" if newest else ""


def sleep(visible: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    return _night(visible, row.sleep_h, formats.hours, row)


def hrv(visible: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    return _night(visible, row.hrv_ms, milliseconds(row.hrv_ms), row)


def milliseconds(body: LastNight) -> Callable[[float], str]:
    """HRV text: as precise as needed to show on which side of the mean it is."""
    return lambda value: number(value, body.digits if abs(value - body.mean) < 1 else 0)


def _night(visible: VisibleRoster, body: LastNight, write: Callable[[float], str], row: RosterRow) -> Cell:
    today = row.today
    if body.day is None:
        return Cell(MISSING, "no data")
    days = (today - body.day).days
    is_old = days >= OLD_NIGHT_D
    # Early in the morning each athlete lacks the last night: "6 nights" took a third line of each row.
    words = range_words if body.recent < ENOUGH_NIGHTS else normal_words
    return Cell(
        write(body.mean),
        f"{days} d old" if is_old else _unbroken(words(body, write)),
        title=f"Mean of {formats.count(body.recent, 'night')} in 7 days {write(body.mean)}; last night {write(body.last)} ({formats.day(body.day, today=today)}); normal "
        f"range {normal_words(body, write)} from {formats.count(body.nights, 'night')}{nap_words(body)}",
        sign=BELOW if body.is_below else ABOVE if body.is_above else None,
        tone=visible.colour(palette.COMPLIANCE[ComplianceState.FAR_OFF].tone) if body.is_below else None,
        href=page_url("trends", athlete=row.user.id),
        is_stale=is_old,
    )


def nap_words(body: LastNight) -> str:
    """Naps of the last seven days, which the mean of the nights excludes."""
    return (
        f"; naps on {formats.count(body.nap_days, 'day')}, {formats.hours(body.nap_h)} each"
        if body.nap_days
        else ""
    )


def normal_words(body: LastNight, write: Callable[[float], str]) -> str:
    """The normal range, or how many of the required nights are known."""
    return f"{body.nights}/14 nights" if isnan(body.low) else f"{write(body.low)}–{write(body.high)}"


def mean_words(body: LastNight) -> str:
    """`7-day mean`, or of how many nights where some are missing."""
    return "7-day mean" if body.recent >= WEEK_D else f"mean of {formats.count(body.recent, 'night')}"


def range_words(body: LastNight, write: Callable[[float], str]) -> str:
    """The normal range, and the nights of a 7-day mean that lacks some."""
    words = normal_words(body, write)
    if body.recent >= WEEK_D or isnan(body.mean):
        return words
    return f"{words}; {formats.count(body.recent, 'night')}"


def _unbroken(words: str) -> str:
    """The range and the nights on a line each, where the column is too narrow for both."""
    return words.replace("–", "\u2060–\u2060").replace(" night", "\u00a0night")


def _absent_plan(row: RosterRow, words: str) -> str:
    """These words, unless rows of the plans were dropped: a plan may be among them."""
    is_unread = any(gap.name == "training-prescriptions" for gap in row.unread)
    return "plans could not be read" if is_unread else words


def next_session(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    plan = row.next_session
    if plan is None:
        # The to-do concerns athletes who had plans until lately: "nothing planned" in other rows had none.
        is_without = any(flag.rule.is_todo and flag.shortage for flag in row.flags)
        words = "no recent plan" if is_without else "nothing planned"
        return Cell(MISSING, _absent_plan(row, words))
    days = (plan.day - row.today).days
    when = {0: "today", 1: "tomorrow"}.get(days, f"{plan.day:%a} {plan.day.day} {plan.day:%b}")
    stimulus = formats.label(plan.stimulus) if plan.stimulus else formats.sport(plan.sport)
    full, ends = ", ".join(part for part in (when, plain(plan.title)) if part), row.planned_until
    if ends is not None and row.days_planned < AHEAD_DAYS:
        full = f"{full}; plan ends {formats.day(ends, today=row.today)}"
        when = {0: "today", 1: "tomorrow"}.get(days, f"{plan.day:%a}")
        when = f"{when}, the last" if plan.day == ends else f"{when} to {ends:%a}"
    return Cell(
        stimulus, when, phone_sub=full, title=f"{stimulus} {full}", href=day_url(row.user.id, plan.day)
    )


def event(_shown: VisibleRoster, _athlete: Athlete, row: RosterRow) -> Cell:
    if row.next_event is None:
        return Cell(MISSING)
    day, name = row.next_event
    days = (day - row.today).days
    is_near = 0 <= days <= RACE_NEAR_D
    full = f"{plain(name)}, {formats.day(day, today=row.today)}"
    return Cell(
        "today" if days == 0 else f"{days} d",
        f"{day.day} {day:%b}",
        phone_sub=full,
        title=full,
        sign=NEAR if is_near else None,
    )


def models(_shown: VisibleRoster, athlete: Athlete, row: RosterRow) -> Cell:
    ready = readiness(athlete.user)
    if not ready:
        return Cell(MISSING, title="Not known which estimates are ready")
    words = [f"{name} {'ready' if is_ready else 'not ready'}" for name, is_ready in ready.items()]
    # "CP bike, to do" read as if the estimate that is ready were to do.
    needed = [f"no {_SHORT.get(f'{sport} critical power', 'CP')}" for sport in row.without_critical_power]
    lacking = [f"to do: {without_critical_power_words(sport)}" for sport in row.without_critical_power]
    # Three names would take three lines of a row, and say what "3 of 3" says.
    ready_names = [] if all(ready.values()) else [_SHORT[name] for name in ready if ready[name]]
    return Cell(
        f"{sum(ready.values())} of {len(ready)}",
        "; ".join(part for part in (", ".join(ready_names), ", ".join(needed)) if part),
        title="; ".join(words + lacking),
    )


_SHORT = {
    "cycling critical power": "CP bike",
    "running critical power": "CP run",
    "running critical speed": "CS run",
}
"""The names of the estimates in a narrow column: "2 of 3" did not say which."""


def without_critical_power_words(sport: Sport) -> str:
    """The to-do of a sport whose recorded power cannot be judged."""
    return f"no critical power for {formats.sport(sport).lower()}"


def data(visible: VisibleRoster, athlete: Athlete, row: RosterRow) -> Cell:
    unread = sum(gap.rows for gap in row.unread)
    status = import_state(athlete.user.data_onboarding_status)
    is_absent = athlete.user.data_onboarding_status in {
        DataOnboardingStatus.FAILED,
        DataOnboardingStatus.NOT_STARTED,
    }
    return Cell(
        # "now, import failed" read as a contradiction.
        "" if is_absent and not unread else short_age(row.sessions_as_of, visible.page.now),
        f"{formats.count(unread, 'error')}" if unread else status,
        title="; ".join([*([status] if status else []), *(notices.unread_words(gap) for gap in row.unread)]),
        sign=ERROR if unread else None,
        pick=f"look {row.user.id}",
    )


def short_age(moment: datetime, now: datetime) -> str:
    """`now`, `3 min`, `2 h`, `4 d`; Firefox cut "just now" off."""
    minutes = (now - moment).total_seconds() / 60
    if minutes < 1:
        return "now"
    steps = ((60, 1, "min"), (1440, 60, "h"), (inf, 1440, "d"))
    return next(f"{int(minutes / length)} {unit}" for limit, length, unit in steps if minutes < limit)


def import_state(status: DataOnboardingStatus) -> str:
    """The state of an unfinished history import: "imported" below each age read as one statement with it."""
    return {
        DataOnboardingStatus.DONE: "",
        DataOnboardingStatus.ONGOING: "importing",
        DataOnboardingStatus.FAILED: "import failed",
        DataOnboardingStatus.NOT_STARTED: "not imported",
    }[status]
