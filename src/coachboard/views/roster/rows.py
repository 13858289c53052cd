"""The roster's lines: each athlete's numbers as cells, filtered and in the order asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from math import inf, isnan

from coachboard.analytics.compliance import ComplianceState
from coachboard.analytics.flags import Flag, Standing, concern
from coachboard.charts import palette
from coachboard.loaders.put_off import FlagOf, PutOff
from coachboard.loaders.roster import Body, Roster, RosterRow
from coachboard.models.enums import DataOnboardingStatus
from coachboard.views import formats, notices, theme
from coachboard.views.formats import MISSING, number
from coachboard.views.people_table import Cell, Column, Row, Table
from coachboard.views.roster.choice import ANY_FLAG, LITTLE_DATA, Choice
from coachboard.views.shell import Athlete, Page
from coachboard.views.text import plain


@dataclass(frozen=True, slots=True)
class Shown:
    """The roster as this reader looks at it."""

    page: Page
    choice: Choice
    roster: Roster
    put_off: Mapping[FlagOf, PutOff]

    def standing(self, row: RosterRow) -> tuple[Flag, ...]:
        """Raised flags that are not put off."""
        return tuple(f for f in row.raised if FlagOf(row.user.id, f.rule.id) not in self.put_off)

    def concern(self, row: RosterRow) -> float:
        return concern(self.standing(row))

    @property
    def people(self) -> list[Athlete]:
        """Who passes search and filters, in the order asked for; those not read yet or failed come last."""
        found = [athlete for athlete in self.page.athletes if self._passes(athlete)]
        key = SORTS.get(self.choice.sort.lstrip("-"), SORTS["look"])
        sign = -1 if self.choice.sort.startswith("-") else 1
        return sorted(found, key=lambda athlete: self._place(athlete, key, sign))

    def row(self, athlete: Athlete) -> RosterRow | None:
        return self.roster.rows.get(athlete.id)

    def _place(
        self, athlete: Athlete, key: Callable[["Shown", RosterRow], float], sign: int
    ) -> tuple[float, float, str]:
        row = self.row(athlete)
        if self.choice.sort.lstrip("-") == "name":
            return 0.0, 0.0, athlete.name.casefold()
        value = key(self, row) if row else inf
        missing = row is None or isnan(value)
        return float(missing), 0.0 if missing else sign * value, athlete.name.casefold()

    def _passes(self, athlete: Athlete) -> bool:
        if self.choice.search.casefold().strip() not in athlete.name.casefold():
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
        if self.choice.flag == LITTLE_DATA:
            return any(flag.standing is Standing.TOO_LITTLE_DATA for flag in row.flags)
        standing = {flag.rule.id for flag in self.standing(row)}
        return bool(standing) if self.choice.flag == ANY_FLAG else self.choice.flag in standing


def _days(until: date | None, shown: Shown) -> float:
    return float((until - shown.page.today).days) if until else float("nan")


SORTS: Mapping[str, Callable[[Shown, RosterRow], float]] = {
    "name": lambda _shown, _row: 0.0,
    "look": lambda shown, row: shown.concern(row),
    "last": lambda shown, row: -_days(row.last_session, shown),
    "week": lambda _, row: row.done_week,
    "ahead": lambda _, row: row.planned_next,
    "fitness": lambda shown, row: row.loads[shown.choice.model.id].fitness,
    "fatigue": lambda shown, row: row.loads[shown.choice.model.id].fatigue,
    "form": lambda shown, row: row.loads[shown.choice.model.id].form,
    "done": lambda _, row: row.compliance.share,
    "sleep": lambda _, row: row.sleep_h.mean,
    "hrv": lambda _, row: row.hrv_ms.mean,
    "next": lambda shown, row: _days(row.next_session.day if row.next_session else None, shown),
    "event": lambda shown, row: _days(row.next_event[0] if row.next_event else None, shown),
    "age": lambda _, row: -row.sessions_as_of.timestamp(),
}
"""What each column sorts by; NaN goes last in either direction."""


_HELP = {
    "look": "Raised flags, weightiest first; order: how they compound",
    "last": "Days since the last session",
    "week": "Volume of the last seven days, of what the plans of those days were estimated to bring; under it what is "
    "planned for the seven days from today. A plan has no volume: own median volume an hour of like sessions.",
    "spark": "Weekly volume, the last seven days at the right",
    "done": "Planned sessions of the last seven days that were done; excused ones are left out",
    "sleep": "Mean of the last 7 nights, h:min; own normal: mean ± 1 SD of the 60 days before",
    "hrv": "As reported, taken as rMSSD in ms: 7-day mean of ln; own normal: ± 0.5 SD of the 60 days before",
    "event": "Days to the next event",
    "age": "When the service last gave the sessions, and the state of the historical import",
}


def table(shown: Shown) -> Table:
    """Everybody's numbers."""
    return Table(
        title="Athletes with load, recovery, plans and flags",
        columns=_columns(shown),
        rows=[_row(shown, athlete) for athlete in shown.people],
    )


def _columns(shown: Shown) -> list[Column]:
    model = shown.choice.model
    words = _HELP | {"fitness": model.says, "form": model.says}
    given = (
        ("name", "Athlete", "age, sports", 114),
        ("look", "Needs a look", "days it stands", 128),
        ("last", "Last", "session", 62),
        ("week", "7 days", "and ahead", 72),
        ("spark", "Weeks", "volume", 54),
        # The constants stand in the picker above and in the head's help: there is no room for them twice.
        ("fitness", model.fitness, model.fatigue.lower(), 66),
        ("form", "Form", "today", 40),
        ("done", "Done", "7 days", 44),
        ("sleep", "Sleep", "normal", 64),
        ("hrv", "HRV", "normal", 46),
        ("next", "Next session", "", 88),
        ("event", "Event", "", 56),
        ("age", "Data", "import", 54),
    )
    sort = shown.choice.sort
    numbers = {"week", "fitness", "form", "done", "sleep", "hrv"}
    return [
        Column(
            id=name,
            label=label,
            note=note,
            help=words.get(name, ""),
            pick=f"sort {name}" if name in SORTS else None,
            sort="" if sort.lstrip("-") != name else "descending" if sort.startswith("-") else "ascending",
            is_number=name in numbers,
            width=width,
        )
        for name, label, note, width in given
    ]


def _row(shown: Shown, athlete: Athlete) -> Row:
    row = shown.row(athlete)
    if row is not None:
        return Row(athlete.id, _cells(shown, athlete, row))
    error = shown.roster.failed.get(athlete.id)
    says = notices.sentence(error) if error else "reading"
    head = Cell(plain(athlete.name), _age(athlete, shown.page.today), pick=f"athlete {athlete.id}")
    blank = [Cell() for _ in range(10)]
    status = Cell("–", _import_state(athlete.user.data_onboarding_status))
    state_cell = Cell("Did not arrive" if error else "…", says, title=says, sign="!" if error else None)
    return Row(athlete.id, [head, state_cell, *blank, status], is_muted=error is None)


def _cells(shown: Shown, athlete: Athlete, row: RosterRow) -> list[Cell]:
    today, load = shown.page.today, row.loads[shown.choice.model.id]
    as_of = f"Sessions {_as_of(shown, row)}"
    who = athlete.id
    return [
        Cell(plain(athlete.name), _who(athlete, row, today), pick=f"athlete {who}", title=plain(athlete.name)),
        _look(shown, row),
        _last(shown, row),
        Cell(_week(row), _ahead(row.planned_next), title=as_of),
        Cell(bars=row.weekly, title="Weekly volume: " + ", ".join(number(v) for v in row.weekly)),
        Cell(number(load.fitness), number(load.fatigue), title=as_of),
        Cell(number(load.form, signed=True), title=as_of),
        _done(row),
        _night(row.sleep_h, hours, shown, who),
        _night(row.hrv_ms, number, shown, who),
        _next(shown, row),
        _event(shown, row),
        Cell(_short_age(row, shown), _import_state(athlete.user.data_onboarding_status),
             title=_ages(shown, row)),
    ]  # fmt: skip


def _age(athlete: Athlete, today: date) -> str:
    born = athlete.user.date_of_birth
    if born is None:
        return ""
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return f"{years} y"


def _who(athlete: Athlete, row: RosterRow, today: date) -> str:
    sports = ", ".join(formats.label(sport).lower() for sport in row.sports[:3])
    return ", ".join(part for part in (_age(athlete, today), sports) if part)


def _look(shown: Shown, row: RosterRow) -> Cell:
    standing = shown.standing(row)
    put_off = len(row.raised) - len(standing)
    aside = f"{put_off} put off" if put_off else ""
    if not standing:
        little = sum(flag.standing is Standing.TOO_LITTLE_DATA for flag in row.flags)
        says = aside or (f"{formats.count(little, 'rule')} without data" if little else "")
        return Cell("", says, title="Rules that could not be read for want of data" if little else "",
                    pick=f"look {row.user.id}" if says else None)  # fmt: skip
    first = standing[0]
    more = f"+{len(standing) - 1} more" if len(standing) > 1 else ""
    stands = formats.count(first.days_standing, "day") if first.days_standing else ""
    return Cell(
        first.rule.title,
        ", ".join(part for part in (stands, more, aside) if part),
        title="; ".join(flag.rule.title for flag in standing),
        sign="▲",
        tone=theme.colour(palette.COMPLIANCE[ComplianceState.FAR_OFF].tone),
        pick=f"look {row.user.id}",
    )


def _last(shown: Shown, row: RosterRow) -> Cell:
    if row.last_session is None:
        return Cell(MISSING, "none in a year")
    days = (shown.page.today - row.last_session).days
    newest = next((m.done for m in reversed(row.week) if m.done and m.done.day == row.last_session), None)
    lead = f"activity {row.user.id} {newest.id}" if newest else f"athlete {row.user.id}"
    near = {0: "today", 1: "yesterday"}
    return Cell(
        near.get(days, f"{days} d ago"), formats.day(row.last_session, today=shown.page.today), pick=lead
    )


def _week(row: RosterRow) -> str:
    planned = "" if isnan(row.planned_week) else f" of {number(row.planned_week)}"
    return f"{number(row.done_week)}{planned}"


def _ahead(planned: float) -> str:
    return "none ahead" if isnan(planned) else f"{number(planned)} ahead"


def _done(row: RosterRow) -> Cell:
    share = row.compliance.share
    if isnan(share):
        return Cell(MISSING, "no plan")
    state = (
        ComplianceState.ON_TARGET
        if share >= 0.8
        else ComplianceState.OFF
        if share >= 0.5
        else ComplianceState.FAR_OFF
    )
    look = palette.COMPLIANCE[state]
    inferred = f", {row.compliance.inferred} inferred" if row.compliance.inferred else ""
    return Cell(
        f"{row.compliance.done}/{row.compliance.due}",
        formats.percent(share * 100),
        title=f"{row.compliance.done} of {row.compliance.due} planned sessions done{inferred}",
        tone=theme.colour(look.tone),
        sign=look.sign,
    )


def hours(value: float) -> str:
    return MISSING if isnan(value) else f"{int(value * 60 + 0.5) // 60}:{int(value * 60 + 0.5) % 60:02}"


def _night(body: Body, write: Callable[[float], str], shown: Shown, who: str) -> Cell:
    if body.day is None:
        return Cell(MISSING, "none")
    normal = f"{write(body.low)}–{write(body.high)}" if not isnan(body.low) else f"{body.nights} of 14"
    below, above = body.mean < body.low, body.mean > body.high
    newest = formats.day(body.day, today=shown.page.today)
    return Cell(
        write(body.mean),
        normal,
        title=f"Last {write(body.last)} on {newest}; own normal from {body.nights} nights",
        sign="▼" if below else "△" if above else None,
        tone=theme.colour(palette.COMPLIANCE[ComplianceState.FAR_OFF].tone) if below else None,
        pick=f"trends {who}",
    )


def _next(shown: Shown, row: RosterRow) -> Cell:
    plan = row.next_session
    if plan is None:
        return Cell(MISSING, "nothing planned")
    days = (plan.day - shown.page.today).days
    when = {0: "today", 1: "tomorrow"}.get(days, f"{plan.day:%a} {plan.day.day}")
    what = formats.label(plan.stimulus or plan.sport)
    return Cell(what, f"{when}, {plain(plan.title)}", title=plain(plan.title),
                pick=f"calendar {row.user.id} {plan.day}")  # fmt: skip


def _event(shown: Shown, row: RosterRow) -> Cell:
    if row.next_event is None:
        return Cell(MISSING)
    day, name = row.next_event
    days = (day - shown.page.today).days
    return Cell("today" if days == 0 else f"{days} d", plain(name), title=plain(name))


def _short_age(row: RosterRow, shown: Shown) -> str:
    minutes = (shown.page.now - row.sessions_as_of).total_seconds() / 60
    if minutes < 1:
        return "just now"
    steps = ((60, 1, "min"), (1440, 60, "h"), (inf, 1440, "d"))
    return next(f"{int(minutes / length)} {unit}" for limit, length, unit in steps if minutes < limit)


def _import_state(status: DataOnboardingStatus) -> str:
    return {
        DataOnboardingStatus.DONE: "imported",
        DataOnboardingStatus.ONGOING: "importing",
        DataOnboardingStatus.FAILED: "failed",
        DataOnboardingStatus.NOT_STARTED: "not begun",
    }[status]


def _as_of(shown: Shown, row: RosterRow) -> str:
    return f"as of {formats.ago(row.sessions_as_of, shown.page.now)}"


def _ages(shown: Shown, row: RosterRow) -> str:
    parts = {"Sessions": row.sessions_as_of, "plans": row.plans_as_of, "nights": row.nights_as_of}
    return ", ".join(f"{what} {formats.ago(when, shown.page.now)}" for what, when in parts.items())
