"""Each session of the demo squad has one verdict and one set of totals, on every page that shows it."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, time, timedelta
from math import isnan
from types import SimpleNamespace

import httpx
import orjson
import pytest

import rides
from coachboard.client import Result
from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import Adherence, Planned, match_sessions
from coachboard.execution.compliance import Measure
from coachboard.execution.pool_lengths import swum
from coachboard.execution.sessions import duration_s, moving_s
from coachboard.formulas.season.load import CLASSIC
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel
from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.done_and_planned import load_of, sessions_of
from coachboard.loaders.roster_row import load_row
from coachboard.loaders.summary_motion import is_whole, motion_of
from coachboard.pages.activity import headline, stream_panels
from coachboard.pages.activity.data import load_activity
from coachboard.pages.activity.efficiency import grade_adjusted
from coachboard.pages.activity.recording_quality import usable_summary
from coachboard.pages.activity.selection_summary import summary_of
from coachboard.pages.activity.streams import _distance_words
from coachboard.pages.athlete.data import load_athlete, season
from coachboard.pages.calendar.data import load_adherence, load_calendar
from coachboard.pages.trends.data import load_trends
from coachboard.service.api.app import create_app, mounted
from coachboard.service.demo_squad import STREAM_MAKERS
from coachboard.service.store.rows import encode
from coachboard.settings import Settings
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import METRIC
from coachboard.ui.widgets.key_numbers import Card
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Note
from coachboard_demo.streams import make_streams
from coachboard_demo.summary import Caption, record
from demo_sessions import SESSIONS
from intervals_server import NO_INTERVALS
from serving import served
from store_client import AS_OF, StoreClient

pytestmark = pytest.mark.slow

SCORED_DAYS = 14
DAYS = 130
"""All days of the squad."""


@pytest.fixture(scope="module")
def client(demo_store):
    return StoreClient(demo_store, streams=True)


@pytest.fixture(scope="module")
def people(demo_store):
    return demo_store.users()


def shown(matches):
    """Measure and percentage of each compared session, by its id."""
    return {
        match.done.id: (match.compliance.state, match.compliance.measure, match.compliance.ratio)
        for match in matches
        if match.done is not None and match.compliance is not None and match.compliance.state is not None
    }


@pytest.fixture(scope="module")
def calendars(client, people, today):
    for _ in range(2):  # the first reading lets the background score the sessions
        data = load_calendar(
            client, [user.id for user in people], start=today - timedelta(days=DAYS), end=today + timedelta(days=7),
            today=today, today_of=lambda _: today,
        )  # fmt: skip
    return {athlete.user_id: athlete for athlete in data.athletes}


@pytest.fixture(scope="module")
def rows(client, people, today, calendars):
    """The roster on the last day of each week."""
    ends = [today - timedelta(days=days) for days in range(0, DAYS, 7)]
    return {user.id: [load_row(client, user, today=end, thresholds={}) for end in ends] for user in people}


@pytest.fixture(scope="module")
def lists(client, people, today, calendars):
    """The sessions of each athlete page."""
    pages = {user.id: load_athlete(client, user.id, today=today, thresholds={}) for user in people}
    return {user_id: page.last(client, len(page.known.matches)) for user_id, page in pages.items()}


def page_of(client, user_id, activity, today):
    data, _ = load_activity(
        client, user_id=user_id, activity_id=activity.id, day=local_day(activity), today=today
    )
    return data


def test_every_session_has_one_verdict_duration_distance_speed_and_volume(
    client, people, today, calendars, rows, lists
):
    """Headline, panels and selection of its page; calendar, roster and the athlete's list."""
    counted = Counter()
    for user in people:
        profile, calendar = client.get_user(user.id).value, calendars[user.id]
        verdicts, listed = shown(calendar.matches), defaultdict(list)
        for match in (*lists[user.id], *(match for row in rows[user.id] for match in row.week)):
            if match.done is not None:
                listed[match.done.id].append(totals(match.done))
        assert shown(rows[user.id][0].week).items() <= verdicts.items()
        assert shown(lists[user.id]).items() <= verdicts.items()
        for done in (match.done for match in calendar.matches if match.done is not None):
            activity = calendar.activities[done.id]
            counted["listed"] += len(listed[done.id])
            data = page_of(client, user.id, activity, today)
            assert shown([data.match] if data.match else []).get(done.id) == verdicts.get(done.id)
            assert all(one == totals(done) for one in listed[done.id])
            assert page_totals(data, profile) == totals(done)
            counted["compared"] += done.id in verdicts
            counted["by work"] += done.id in verdicts and verdicts[done.id][1] is Measure.WORK_STEPS
            if data.streams is not None and len(data.streams) and is_whole(data.streams, activity):
                counted["recorded"] += 1
                assert recording_totals(data) == totals(done)
                assert len(speeds(data)) <= 1
                assert len(adjusted_speeds(data)) <= 1
                counted["adjusted"] += len(adjusted_speeds(data))

    assert counted["recorded"] > 2_400
    assert counted["listed"] > 3_500
    assert counted["compared"] > 1_500
    assert counted["by work"] > 300
    assert counted["adjusted"] > 300


def test_decisions_of_people_are_the_same_on_every_page(demo_store, people, today, calendars):
    """A likely match is unpaired, a missed workout is skipped, or in the middle of a journey that began before."""
    week = [
        match
        for user in people
        for match in calendars[user.id].matches
        if today - timedelta(days=6) <= match.calendar_day < today
    ]
    likely = {match.planned.id: match.done.id for match in week if match.is_inferred}
    missed = [match.planned for match in week if match.adherence is Adherence.MISSED]
    away, missed = {plan.id: journey(plan) for plan in missed[::2]}, {plan.id for plan in missed[1::2]}
    client, ids = StoreClient(demo_store), [user.id for user in people]
    client.decisions = lambda _user_id: frozenset(
        {PlanDecision(plan_id, True, None) for plan_id in likely}
        | {PlanDecision(plan_id, False, "No time") for plan_id in missed}
        | set(away.values())
    )
    span = {"start": today - timedelta(days=30), "end": today, "today_of": lambda _: today}
    month, (periods, _) = load_calendar(client, ids, today=today, **span), load_adherence(client, ids, **span)
    outcomes = defaultdict(set)
    for user, calendar in zip(people, month.athletes, strict=True):
        athlete = load_athlete(client, user.id, today=today, thresholds={})
        sessions = [row for row in calendar.activities.values() if row.id in likely.values()]
        opened = [page_of(client, user.id, session, today).match for session in sessions]
        pages = {
            "calendar": calendar.matches,
            "adherence": periods[user.id].matches,
            "roster": load_row(client, user, today=today, thresholds={}).week,
            "athlete": athlete.last(client, len(athlete.known.matches)),
            "activity": [match for match in opened if match],
        }
        for page, match in ((page, match) for page, matches in pages.items() for match in matches):
            if match.planned is not None and match.planned.id in missed:
                outcomes["skipped", page].add((match.adherence, match.excuse_words))
            if match.planned is not None and match.planned.id in away:
                outcomes["away", page].add(match.adherence)
            if match.planned is not None and match.planned.id in likely:
                outcomes["unpaired", page].add(match.done)

    assert likely
    assert missed
    assert away
    lists = ("calendar", "adherence", "roster", "athlete")
    assert outcomes == {
        **{("skipped", page): {(Adherence.EXCUSED, "skipped: No time")} for page in lists},
        **{("away", page): {Adherence.EXCUSED} for page in lists},
        **{("unpaired", page): {None} for page in lists},
    }


def journey(plan):
    """A journey of 60 days up to the day of the plan: no page lists notes from so long ago."""
    row = Note(
        id=f"not_{plan.id}",
        type=NoteType.AVAILABILITY,
        title="Away",
        content=None,
        date=plan.day - timedelta(days=60),
        time=None,
    )
    return PlanDecision(row.id, note=row, last_day=plan.day)


def page_totals(data, profile):
    cards = headline_of(usable_summary(data), profile)
    return {
        "duration": cards.get("Moving time", cards.get("Duration")),
        "distance": cards["Distance"],
        "volume": cards["Load"],
    }


def recording_totals(data):
    """Of the selection of all samples; a recording has no volume."""
    selected = summary_of(data, data.streams, slice(None))
    return {
        "duration": formats.duration_hms(
            selected.active_s if has_no_rests(data) else duration_s(data.activity)
        ),
        "distance": formats.distance(selected.distance_m, data.activity.sport, units=METRIC),
        "volume": formats.number(load_of(data.activity, data.profile)[0]),
    }


def has_no_rests(data):
    """A swim's time has its rests, the selection and the headline's second line have not."""
    if data.activity.sport is not Sport.SWIMMING or data.activity.moving_duration is None:
        return True
    selected = summary_of(data, data.streams, slice(None))
    assert selected.active_s == data.activity.moving_duration
    return False


def speeds(data):
    """The mean speeds of headline, panel and selection."""
    activity, streams = data.activity, data.streams
    if streams.get("speed") is None:
        return set()
    whole = slice(None)
    found = {
        motion_of(activity).speed_mps,
        summary_of(data, streams, whole).columns["speed"].average,
        stream_panels.trace_of(streams, "speed", axis="elapsed").average,
    }
    return {formats.speed_or_pace(speed, activity.sport, units=METRIC) for speed in found}


def adjusted_speeds(data):
    """The grade-adjusted paces of headline, panel, selection and analysis."""
    found = grade_adjusted(data, GradeModel.MINETTI, per_m=1000)
    if found is None:
        return set()
    speeds = {
        data.streams.whole[ADJUSTED_SPEED],
        summary_of(data, data.streams, slice(None)).columns[ADJUSTED_SPEED].average,
        stream_panels.trace_of(data.streams, ADJUSTED_SPEED, axis="elapsed").average,
        found.adjusted_mps,
    }
    return {formats.speed_or_pace(speed, data.activity.sport, units=METRIC) for speed in speeds}


def test_fitness_fatigue_and_form_of_a_morning_are_the_same_on_every_page(client, people, today):
    """Fitness counted today's session and form did not, so that their difference was not the form shown."""
    compared = 0
    for user in people:
        known = load_athlete(client, user.id, today=today, thresholds={}).known
        card = load_row(client, user, today=today, thresholds={}).loads[CLASSIC.id]
        chart = season(known, CLASSIC).actual.iloc[-1]
        trends = load_trends(client, user.id, start=today - timedelta(days=27), end=today, today=today).load
        cell = [card.fitness, card.fatigue, card.form]
        if isnan(card.fitness):
            continue
        compared += 1

        assert chart.tolist() == cell
        assert trends.frame.iloc[-1].tolist() == pytest.approx(cell, abs=1e-9)
        assert card.form == pytest.approx(card.fitness - card.fatigue, abs=1e-9)
        future = season(known, CLASSIC).futures[0].frame.iloc[len(known.volumes) - 1]
        assert future.tolist() == pytest.approx(cell, abs=1e-9)

    assert compared > 20


def headline_of(activity, profile):
    cards = [
        *headline.amount_cards(activity, METRIC),
        *headline.effort_cards(activity, METRIC, weight_kg=None),
        *headline.score_cards(activity, Card("Load", formats.number(load_of(activity, profile)[0]))),
    ]
    return {card.label: card.value for card in cards}


def test_the_planning_api_scores_each_planned_session_as_the_calendar(demo_store, people, today, calendars):
    """The same pair, mark, percentage and compared quantity, by HTTP."""
    counted = Counter()
    for athlete in people:
        demo_store.add_key(athlete.id, label="scores", key=f"key-of-{athlete.id}")
    settings = Settings(intervals_url=NO_INTERVALS)
    clock = datetime.combine(today, time(12), UTC).timestamp
    app = mounted(create_app(demo_store, settings=settings, stream_makers=STREAM_MAKERS, clock=clock))
    with served(app) as address, httpx.Client(base_url=f"{address}/api/plan/v1/users/me", timeout=60) as http:
        for athlete in people:
            reply = http.get(
                "scores",
                params={
                    "from": str(today - timedelta(days=SCORED_DAYS)),
                    "to": str(today - timedelta(days=1)),
                },
                headers={"Authorization": f"Bearer key-of-{athlete.id}"},
            )
            scores = {row["id"]: row for row in reply.json()}
            for match in calendars[athlete.id].matches:
                if match.planned is None or match.done is None:
                    continue
                if not today - timedelta(days=SCORED_DAYS) <= match.planned.day < today:
                    continue
                row = scores.pop(match.planned.id)
                assert (row["activityId"], row["isLikelyMatch"]) == (match.done.id, match.is_inferred)
                assert figures_of(row) == expected_figures(match.compliance), match
                counted[row["comparedBy"]] += 1
            assert scores == {}

    assert min(counted[name] for name in ("power", "speed", "pool lengths", "duration")) > 0, counted
    assert sum(counted.values()) > 100, counted


def figures_of(row):
    return tuple(row[name] for name in ("mark", "score", "extra", "comparedBy", "workSteps", "doneSteps"))


def expected_figures(compliance):
    if compliance.measure is None:
        return (None,) * 6
    work = compliance.work
    return (
        str(compliance.state),
        pytest.approx(100 * min(compliance.ratio, 1), abs=0.06),
        pytest.approx(100 * max(compliance.ratio - 1, 0), abs=0.06),
        str(work.compared if work else compliance.measure),
        len(work.steps) if work else None,
        work.done if work else None,
    )


def totals(done):
    """The texts of a list for a session."""
    return {
        "duration": formats.duration_hms(done.duration_s),
        "distance": formats.distance(done.distance_m, done.sport, units=METRIC),
        "volume": formats.number(done.volume),
    }


@pytest.mark.parametrize("kind", sorted(SESSIONS))
def test_the_selection_of_a_whole_session_has_the_totals_of_its_headline(kind):
    """Streams are whole metres and seconds: within a metre in a thousand."""
    session = SESSIONS[kind]
    activity = Activity.from_wire(
        orjson.loads(encode(record(session, Caption(id="act_1", utc_offset_min=60)).activity))
    )
    streams = SessionStreams.from_streams(
        make_streams(session.to_bytes()), total_duration_s=activity.total_duration, swum=swum(activity)
    )
    whole, motion = summarize(streams, slice(None)), motion_of(activity)

    assert whole.active_s == activity.moving_duration == moving_s(activity)
    if motion.distance_m is not None:
        assert whole.distance_m == pytest.approx(motion.distance_m, rel=1e-3)
        assert whole.columns["speed"].average == pytest.approx(motion.speed_mps, rel=0.01)


def test_another_distance_in_the_recording_is_named():
    """The panels' average speed is over the recording's distance, the headline's over the summary's."""
    recorded = SessionStreams.from_streams(rides.streams(1001))  # 10 m/s: 10 km

    assert _distance_words(rides.activity(distance=9_900), recorded, METRIC) == (
        " The recording has 10.0 km, the session's summary 9.90 km: parts of the session use the recording."
    )
    assert _distance_words(rides.activity(distance=59_000), recorded, METRIC) == (
        " The recording has 10.0 km of the session's 59.0 km: panels and selections use the recording."
    )
    assert _distance_words(rides.activity(distance=10_030), recorded, METRIC) == ""
    assert _distance_words(rides.activity(), recorded, METRIC) == ""


def test_a_session_without_a_distance_has_the_derived_one_in_the_lists_too():
    """The headline showed 10 km derived from speed, the calendar none."""
    ride = rides.activity(average_speed=5.0, moving_duration=2000)
    (done,) = sessions_of(Result((ride,), AS_OF), None)

    assert done.distance_m == motion_of(ride).distance_m == 10_000


def test_a_session_without_a_moving_time_names_the_kind_of_its_duration():
    cards = {
        name: headline.amount_cards(rides.activity(**times), METRIC)[0]
        for name, times in {
            "moving": {"moving_duration": 500},
            "paused": {"effective_duration": 550},
            "same": {"effective_duration": 600},
            "elapsed": {},
            "swum": {"sport": Sport.SWIMMING, "moving_duration": 500, "effective_duration": 590},
        }.items()
    }

    assert {name: (card.label, card.value, card.note) for name, card in cards.items()} == {
        "moving": ("Moving time", "8:20", "10:00 elapsed"),
        "paused": ("Duration", "9:10", "10:00 elapsed"),
        "same": ("Duration", "10:00", "without pauses"),
        "elapsed": ("Duration", "10:00", "elapsed"),
        "swum": ("Duration", "9:50", "8:20 without rests"),
    }


def test_the_line_below_the_legs_has_the_totals_of_the_calendar():
    """The page had only the elapsed time, and the distance that devices sent."""
    sports = (Sport.CYCLING, Sport.TRANSITION, Sport.RUNNING)
    times = ((3000, 3100, 30_000, 60.0), (60, 90, None, 2.0), (1200, 1250, None, 20.0))
    legs = tuple(
        rides.activity(
            f"act_{n}", sport=sport, group_id="grp_1", moving_duration=moving, total_duration=total, distance=way, volume=load,
            average_speed=4.0 if sport is Sport.RUNNING else None, start=rides.START + timedelta(seconds=4000 * n),
        )
        for n, (sport, (moving, total, way, load)) in enumerate(zip(sports, times, strict=True))
    )  # fmt: skip
    plan = Planned("tpr_1", local_day(legs[0]), Sport.MULTISPORT, activity_id="act_0")
    (match,) = match_sessions([plan], sessions_of(Result(legs[::-1], AS_OF), None), excuses=(), today=local_day(legs[0]))  # fmt: skip
    data = SimpleNamespace(legs=legs, profile=None)

    assert match.done.duration_s == 4260
    assert headline.legs_total(SimpleNamespace(units=METRIC), data) == (
        "2 legs and 1 transition: 1:11:00 moving, 1:14:00 elapsed, 34.8 km, load 82."
    )
    assert totals(match.done) == {"duration": "1:11:00", "distance": "34.8 km", "volume": "82"}
