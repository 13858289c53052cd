"""One number of a thing on all pages that show it: weeks, planned load, excused days, the load and sports of an athlete."""

import re
from collections import Counter
from datetime import timedelta
from math import isnan
from types import SimpleNamespace

import pytest

from coachboard.execution.adherence import Adherence, last_week
from coachboard.formulas.days import week_start
from coachboard.formulas.frames import DISTANCE_M, DURATION_S, FITNESS, FORM, SESSIONS, SPORT, VOLUME, WEEK
from coachboard.formulas.season.load import CLASSIC
from coachboard.loaders.done_and_planned import load_of
from coachboard.loaders.roster_row import SPARK_WEEKS, load_row
from coachboard.pages.athlete.data import load_athlete, season, weekly, weekly_targets
from coachboard.pages.athlete.season import load_says
from coachboard.pages.calendar.data import load_calendar
from coachboard.pages.calendar.totals import excused_in, total_rows
from coachboard.pages.roster import cells, review
from coachboard.pages.trends.data import load_trends
from coachboard.pages.trends.opening import hrv_sentence, resting_sentence
from coachboard.ui.frame import formats
from coachboard.wire.activities import local_day
from coachboard.wire.enums import Sport
from store_client import StoreClient

pytestmark = pytest.mark.slow

WEEKS = 3


@pytest.fixture(scope="module")
def client(demo_store):
    return StoreClient(demo_store)


@pytest.fixture(scope="module")
def weeks(client, demo_store, today):
    """Each athlete on the Sundays of some weeks, where the roster's seven days are a week of the calendar."""
    sundays = [week_start(today) - timedelta(days=1, weeks=n) for n in range(WEEKS)]
    return [SundayPages(client, user, sunday) for user in demo_store.users() for sunday in sundays]


class SundayPages:
    """The data of three pages on a Sunday."""

    def __init__(self, client, user, sunday):
        self.monday, self.sunday = sunday - timedelta(days=6), sunday
        self.row = load_row(client, user, today=sunday, thresholds={})
        self.athlete = load_athlete(client, user.id, today=sunday, thresholds={})
        self.calendar = load_calendar(
            client, [user.id], start=self.monday, end=sunday, today=sunday, today_of=lambda _: sunday
        )


def by_sport(frame, monday):
    return {
        row[SPORT]: (row[DURATION_S], row[DISTANCE_M], row[VOLUME], row[SESSIONS])
        for row in frame[frame[WEEK] == monday].to_dict("records")
    }


def total(values):
    return sum(value for value in values if not isnan(value))


def same(left, right):
    return left == pytest.approx(right, nan_ok=True)


def test_the_totals_of_a_week_are_the_same_in_calendar_chart_roster_and_squad_week(weeks):
    compared = 0
    for pages in weeks:
        rows = [row for row in total_rows(pages.calendar, 0) if row.week == pages.monday and row.done]
        chart = by_sport(weekly(pages.athlete.known, first_weekday=0, weeks=26), pages.monday)
        calendar = {row.sport: (row.done_s, row.distance_m, row.volume, row.done) for row in rows}
        squad = [m.done for m in pages.row.week if m.done and pages.monday <= m.done.day <= pages.sunday]
        volume = total(row.volume for row in rows)

        assert calendar.keys() == chart.keys()
        assert all(same(calendar[sport], chart[sport]) for sport in calendar)
        assert len(squad) == sum(row.done for row in rows)
        assert total(done.duration_s for done in squad) == pytest.approx(total(row.done_s for row in rows))
        if not isnan(pages.row.done_week):
            assert pages.row.done_week == pytest.approx(volume)
            assert pages.row.weekly[-1] == pytest.approx(volume)
            assert pages.athlete.known.week.last == pytest.approx(volume)
            compared += bool(volume)

    assert compared > 60


@pytest.mark.parametrize("ago", range(7))
def test_each_bar_of_the_weeks_is_a_whole_week_of_the_calendar(client, demo_store, today, ago):
    """The first bar was cut at the window and drawn as whole; on each weekday the window begins on another."""
    compared = 0
    for user in demo_store.users():
        day = today - timedelta(days=ago)
        known = load_athlete(client, user.id, today=day, thresholds={}).known
        for weeks, first_weekday in ((13, 0), (26, 6), (52, 0)):
            chart = weekly(known, first_weekday=first_weekday, weeks=weeks)
            first = week_start(day, first_weekday=first_weekday) - timedelta(weeks=weeks - 1)
            sessions = list(client.list_activities(user.id, first, first + timedelta(days=6)).value)
            assert chart.loc[chart[WEEK] == first, SESSIONS].sum() == len(sessions)
            assert (chart[WEEK] >= first).all()
            compared += bool(sessions)

    assert compared > 20


def test_the_planned_load_of_a_week_is_the_same_in_calendar_chart_and_roster(weeks):
    """The roster owed excused plans. It counts a moved session on its own day and leaves out what is still ahead."""
    compared = 0
    for pages in weeks:
        (athlete,) = pages.calendar.athletes
        in_week = [m for m in athlete.matches if m.planned and pages.monday <= m.planned.day <= pages.sunday]
        planned = total(row.planned_volume for row in total_rows(pages.calendar, 0))
        targets = weekly_targets(pages.athlete.known, first_weekday=0, weeks=4)
        assert planned == pytest.approx(targets.loc[targets[WEEK] == pages.monday, VOLUME].sum())
        listed = {m.planned.id for m in last_week(pages.row.week, pages.sunday) if m.planned}
        if {m.planned.id for m in in_week} == listed and not isnan(pages.row.planned_week):
            assert pages.row.planned_week == pytest.approx(planned)
            compared += bool(planned)

    assert compared > 25


def test_the_load_of_the_next_days_is_the_same_in_calendar_athlete_and_roster(client, demo_store, today):
    compared = 0
    for user in demo_store.users():
        row = load_row(client, user, today=today, thresholds={})
        athlete = load_athlete(client, user.id, today=today, thresholds={})
        month = load_calendar(
            client,
            [user.id],
            start=today,
            end=today + timedelta(days=6),
            today=today,
            today_of=lambda _: today,
        )
        ahead = [
            m for m in month.athletes[0].matches if m.adherence is Adherence.AHEAD and m.planned.day >= today
        ]
        assert [m.planned.id for m in athlete.next_days] == [
            m.planned.id for m in ahead if m.planned.day < today + timedelta(days=7)
        ]
        if isnan(row.planned_next):
            continue
        compared += bool(row.planned_next)
        assert athlete.known.planned_volume(athlete.next_days) == pytest.approx(row.planned_next)
        assert total(m.planned.volume for m in ahead) == pytest.approx(row.planned_next)

    assert compared > 10


def test_excused_and_missed_plans_are_counted_the_same_on_calendar_athlete_and_roster(weeks):
    counted = Counter()
    for pages in weeks:
        (calendar,) = pages.calendar.athletes
        listed = last_week(pages.row.week, pages.sunday)
        athlete = last_week(pages.athlete.known.matches, pages.sunday)
        for kind in (Adherence.EXCUSED, Adherence.MISSED):
            number = sum(match.adherence is kind for match in last_week(calendar.matches, pages.sunday))
            counted[kind] += number
            assert pages.row.adherence.counts[kind] == number
            assert sum(match.adherence is kind for match in listed) == number
            assert sum(match.adherence is kind for match in athlete) == number
        assert (
            excused_in(calendar.matches, pages.monday, pages.sunday)
            == pages.row.adherence.counts[Adherence.EXCUSED]
        )

    assert min(counted[Adherence.EXCUSED], counted[Adherence.MISSED]) > 5


@pytest.mark.parametrize("days", [14, 41, 42, 43, 70])
def test_the_load_of_a_new_athlete_has_its_caution_on_roster_athlete_page_and_trends(
    client, demo_store, days
):
    """The six weeks from the first load are shown and not judged; only the chart said so."""
    cautious = set()
    for user in demo_store.users():
        profile = client.get_user(user.id).value
        loaded = [row for row in client.list_activities(user.id).value if load_of(row, profile)[0]]
        if not loaded:
            continue
        day = min(filter(None, map(local_day, loaded))) + timedelta(days=days)
        row = load_row(client, user, today=day, thresholds={})
        cell = cells.form(SimpleNamespace(choice=SimpleNamespace(model=CLASSIC)), None, row)
        curves = season(load_athlete(client, user.id, today=day, thresholds={}).known, CLASSIC)
        range_ = load_trends(client, user.id, start=day - timedelta(days=27), end=day, today=day).load
        cautions = {
            "roster": row.loads[CLASSIC.id].is_settling,
            "roster's word": cell.sub == "settling",
            "athlete": day in curves.settling,
            "trends": range_.settling[1] == len(range_.days),
        }
        assert len(set(cautions.values())) == 1, (user.id, cautions)
        cautious.add(cautions["roster"])

    assert cautious == {days < 42}


def test_a_mean_is_outside_its_normal_range_on_roster_review_and_trends_or_on_none(client, demo_store, today):
    """The roster's marks need a margin; Trends said "above normal range" of the same mean without one."""
    counted = Counter()
    for user in demo_store.users():
        for day in (today - timedelta(days=ago) for ago in range(0, 40, 4)):
            row = load_row(client, user, today=day, thresholds={})
            nights = load_trends(client, user.id, start=day - timedelta(days=27), end=day, today=day).nights
            visible = SimpleNamespace(colour=lambda tone: tone)
            marks = {"HRV": cells.hrv(visible, None, row).sign}
            if row.resting_hr_bpm is not None and row.resting_hr_bpm.day is not None:
                body = row.resting_hr_bpm
                marks["Resting heart rate"] = (
                    cells.BELOW if body.is_below else cells.ABOVE if body.is_above else None
                )
            sentences = {"HRV": hrv_sentence(nights), "Resting heart rate": resting_sentence(nights)}
            for quantity, mark in marks.items():
                side = next(
                    (words for words in SIDES if f", {words} normal range" in sentences[quantity]), None
                )
                if side is None:
                    continue
                assert SIDES[side] == mark, (user.id, day, sentences[quantity], mark)
                counted[quantity, side] += 1

    assert min(counted["HRV", side] for side in SIDES) > 2, counted
    assert min(counted["Resting heart rate", side] for side in ("at the edge of", "above")) > 2, counted


SIDES = {"within": None, "at the edge of": None, "below": cells.BELOW, "above": cells.ABOVE}
"""Words of Trends by the sign of the roster."""


def test_no_page_says_that_nothing_is_planned_above_planned_sessions(client, demo_store, today):
    """The page of a new athlete read "Nothing is planned" under two planned sessions; the load of both was unknown."""
    counted = Counter()
    for user in demo_store.users():
        first = min(filter(None, map(local_day, client.list_activities(user.id).value)), default=today)
        for day in (today, today - timedelta(days=17), first + timedelta(days=2), first + timedelta(days=30)):
            row = load_row(client, user, today=day, thresholds={})
            athlete = load_athlete(client, user.id, today=day, thresholds={})
            month = load_calendar(
                client, [user.id], start=day, end=day + timedelta(days=6), today=day, today_of=lambda _, day=day: day
            )  # fmt: skip
            ahead = [m for m in month.athletes[0].matches if m.adherence is Adherence.AHEAD]
            says = {
                "review": review.plan_table(row).none,
                "roster": cells.next_session(None, None, row).sub,
                "season": load_says(season(athlete.known, CLASSIC), len(athlete.next_days)),
            }
            assert len(athlete.next_days) == len(ahead)
            without = {page for page, words in says.items() if NOTHING.search(words)}
            if ahead:
                assert without == set(), (user.id, day, says)
            else:
                assert "review" in without
            counted[bool(ahead)] += 1

    assert min(counted.values()) > 10, counted


NOTHING = re.compile("nothing (is )?planned|no recent plan", re.IGNORECASE)


def test_the_fitness_of_a_morning_is_one_number_on_roster_athlete_page_and_trends(client, demo_store, today):
    """Fitness 0 was shown while the newest data loaded."""
    counted = 0
    visible = SimpleNamespace(choice=SimpleNamespace(model=CLASSIC))
    for user in demo_store.users():
        for day in (today, today - timedelta(days=20)):
            row = load_row(client, user, today=day, thresholds={})
            if row.no_data_since is not None:
                assert cells.fitness(visible, None, row).main == formats.MISSING
                continue
            now = season(load_athlete(client, user.id, today=day, thresholds={}).known, CLASSIC).actual.iloc[
                -1
            ]
            assert cells.fitness(visible, None, row).main == formats.number(now[FITNESS])
            assert cells.form(visible, None, row).main == formats.number(now[FORM], signed=True)
            counted += bool(now[FITNESS])

    assert counted > 30


def test_a_swim_is_compared_with_its_rests_on_every_page(client, demo_store, today):
    """Its plan has the rests at the wall; without them 3,000 m as planned read as 80 % of the planned time."""
    counted = Counter()
    for user in demo_store.users():
        swims = {
            swim.id: swim
            for swim in client.list_activities(user.id).value
            if swim.sport is Sport.SWIMMING and swim.effective_duration and swim.moving_duration
        }
        month = load_calendar(
            client,
            [user.id],
            start=today - timedelta(days=60),
            end=today,
            today=today,
            today_of=lambda _: today,
        )
        rows = [
            load_row(client, user, today=today - timedelta(days=ago), thresholds={}) for ago in (0, 7, 14)
        ]
        athlete = load_athlete(client, user.id, today=today, thresholds={})
        pages = {
            "calendar": month.athletes[0].matches,
            "roster": [match for row in rows for match in row.week],
            "athlete": athlete.last(client, 40),
        }
        for page, matches in pages.items():
            for done in (match.done for match in matches if match.done and match.done.id in swims):
                swim = swims[done.id]
                assert done.duration_s == swim.effective_duration
                counted[page, swim.effective_duration > swim.moving_duration] += 1

    assert min(counted[page, True] for page in ("calendar", "roster", "athlete")) > 5, counted


def test_an_athlete_of_three_sports_is_of_all_of_them_on_the_roster_as_in_the_sessions_of_the_calendar(
    client, demo_store, today
):
    """A triathlete was "cycling"."""
    counted = Counter()
    for user in demo_store.users():
        row = load_row(client, user, today=today, thresholds={})
        month = load_calendar(
            client,
            [user.id],
            start=today - timedelta(weeks=SPARK_WEEKS) + timedelta(days=1),
            end=today,
            today=today,
            today_of=lambda _: today,
        )
        seconds = Counter()
        for match in month.athletes[0].matches:
            if match.done is not None and match.done.sport is not None and not isnan(match.done.duration_s):
                seconds[match.done.sport] += match.done.duration_s
        main = {sport for sport in seconds if seconds[sport] >= 0.1 * sum(seconds.values())}
        assert set(row.main_sports) == main
        visible = SimpleNamespace(news=lambda _: {}, unread={})
        text = cells.name(visible, SimpleNamespace(id=user.id, name="A", user=user), row).sub
        if len(main) > 2:
            assert text.endswith(f"{len(main)} sports")
        else:
            assert all(formats.sport(sport).lower() in text for sport in main)
        counted[len(main)] += 1

    assert counted[3] > 0
