"""A coach plans twelve weeks for forty athletes with four races: preview, application, undo, roll-out, answers, files."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from io import BytesIO
from zipfile import ZipFile

import fitdecode
import pytest
from icalendar import Calendar as ICalendar

from coachboard.service.store import NewUser
from coachboard.wire.enums import WorkspaceRole
from contract.conftest import seeded_service
from contract.test_planning_feeds import CalendarProgram
from seeded import COACH, COACH_KEY, TODAY

pytestmark = pytest.mark.slow

SPACE = "wke_forty"
WEEKS, PER_WEEK = 12, 6
RACES = [TODAY + timedelta(days=days) for days in (90, 97, 111, 125)]
ATHLETES = [f"usr_many_{number:02}" for number in range(40)]
BUSY, ILL, UNDONE = ATHLETES[4], ATHLETES[5], ATHLETES[6]
EDITED = 5
"""The week of the plan that the coach changes later."""
TEXT = "- 15m 50-60%\n\n3x\n- 12m 95-100%\n- Easy 4m 50%"


def race_of(user_id):
    return RACES[ATHLETES.index(user_id) % len(RACES)]


def start_of(user_id):
    return race_of(user_id) - timedelta(days=WEEKS * 7 - 1)


OWN_DAY = start_of(BUSY) + timedelta(days=2)
ILL_DAYS = [start_of(ILL) + timedelta(days=day) for day in range(4)]
BODY = {"title": "Twelve weeks", "sport": "cycling", "workspaceId": SPACE, "days": WEEKS * 7}


def title_of(week, number):
    return f"Week {week} workout {number}"


def plan_entries():
    return [
        {
            "day": 7 * (week - 1) + number,
            "kind": "workout",
            "value": {"title": title_of(week, number), "sport": "cycling", "text": TEXT},
        }
        for week in range(1, WEEKS + 1)
        for number in range(1, PER_WEEK + 1)
    ]


@pytest.fixture
def service(tmp_path):
    with seeded_service("sqlite", tmp_path) as running:
        running.store.add_workspace("Forty", "forty", id=SPACE)
        running.store.add_member(SPACE, COACH, WorkspaceRole.COACH)
        for user_id in ATHLETES:
            running.store.add_user(NewUser(id=user_id, first_name=user_id, last_name="Many"))
            running.store.add_member(SPACE, user_id, WorkspaceRole.ATHLETE)
        yield running


@pytest.fixture
def ask(service):
    """Send a request, of the coach without a key; returns the JSON of the reply."""

    def send(method, path, body=None, *, key=COACH_KEY, **headers):
        service.clock.next_minute()
        reply = service.client.request(
            method, f"/plan/v1{path}", json=body, headers={"Authorization": f"Bearer {key}", **headers}
        )
        assert reply.is_success, reply.text
        return reply.json()

    return send


def created(kind, user_id, day, **value):
    return {"op": "create", "kind": kind, "userId": user_id, "value": {"date": str(day), **value}}


def workouts_of(ask, user_id):
    """Text of each planned workout of a calendar by day and title."""
    rows = ask("GET", f"/users/{user_id}/entries?from={TODAY}&to={TODAY + timedelta(days=200)}")
    return {
        (date.fromisoformat(row["prescription"]["date"]), row["prescription"]["title"]): row["text"]
        for row in rows
        if row["kind"] == "workout"
    }


def planned(user_id, titles):
    return {
        (start_of(user_id) + timedelta(days=7 * (week - 1) + number - 1), title_of(week, number))
        for week, number in titles
    }


ALL = [(week, number) for week in range(1, WEEKS + 1) for number in range(1, PER_WEEK + 1)]


def summaries(service, path, program):
    """The titles of each day of a subscription, by an independent reader; a real calendar program has the same."""
    reply = service.client.get(path)
    assert reply.status_code == 200
    days = defaultdict(set)
    for event in ICalendar.from_ical(reply.content).walk("VEVENT"):
        start = event["dtstart"].dt
        days[start.date() if isinstance(start, datetime) else start].add(str(event["summary"]))
    if program:
        program.sync()
        listed = program.listed(TODAY, "200d")
        assert all(title in listed for titles in days.values() for title in titles)
        assert listed.count("Week ") == sum(len(titles) for titles in days.values()) - 1  # the race
    return days


def watts(content):
    """The lower ends of the power of each step of a FIT file, by an independent reader."""
    with fitdecode.FitReader(content) as frames:
        return [
            frame.get_value("custom_target_power_low", fallback=None)
            for frame in frames
            if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "workout_step"
        ]


def test_a_coach_plans_twelve_weeks_for_forty_athletes_back_from_four_races(service, ask, tmp_path):
    race_ids = write_races_and_conflicts(ask)
    feed = ask("POST", "/feeds", {"userId": ATHLETES[0]})["path"]
    program = CalendarProgram(service.base_url + feed, tmp_path) if CalendarProgram.is_here else None
    assert set(summaries(service, feed, program)) == {race_of(ATHLETES[0])}
    plan = ask("POST", "/plans", {**BODY, "entries": plan_entries()})
    athletes = [{"userId": user_id, "anchor": {"eventId": race_ids[user_id]}} for user_id in ATHLETES]

    conflicts_are_named_before(ask, plan, athletes)
    one_undo_takes_it_off_one_calendar(ask, plan, athletes)
    days = summaries(service, feed, program)
    changed = an_edited_week_is_rolled_out(ask, plan)
    after = summaries(service, feed, program)
    three_comments_are_answered(service, ask)
    archives_have_the_week_and_the_plan(service, changed)

    start = start_of(ATHLETES[0])
    gone = start + timedelta(days=7 * (EDITED - 1) + PER_WEEK - 1)
    assert days[start] == after[start] == {title_of(1, 1)}
    assert (days[gone], after[gone]) == ({title_of(EDITED, PER_WEEK)}, set())


def write_races_and_conflicts(ask):
    """A race of each athlete, a workout of one, an illness of another, a value; returns the ids of the races."""
    races = [
        created("event", user_id, race_of(user_id), name="Race", sport="cycling", priority="A")
        for user_id in ATHLETES
    ]
    own = created("workout", BUSY, OWN_DAY, title="Own ride", sport="cycling")
    flu = created("note", ILL, start_of(ILL), endDate=str(ILL_DAYS[-1]), title="Flu", type="medical")
    made = ask("POST", "/batches", {"operations": [*races, own, flu]})["entries"]
    power = {"type": "critical power", "sport": "cycling", "value": 250, "date": str(TODAY)}
    ask("POST", f"/users/{ATHLETES[0]}/values", power)
    return {row["userId"]: row["id"] for row in made if row["kind"] == "event"}


def conflicts_are_named_before(ask, plan, athletes):
    preview = ask("POST", f"/plans/{plan['id']}/apply", {"athletes": athletes, "dryRun": True})
    outcomes = {each["userId"]: each for each in preview["athletes"]}

    assert {each["lastDay"] for each in outcomes.values()} == set(map(str, RACES))
    assert {each["added"] for each in outcomes.values()} == {WEEKS * PER_WEEK}
    assert {name: each["clashes"] for name, each in outcomes.items() if each["clashes"]} == {
        BUSY: [{"date": str(OWN_DAY), "title": "Own ride", "reason": "planned"}]
    }
    ill = [warning["date"] for warning in outcomes[ILL]["warnings"] if warning["code"] == "ill"]
    assert ill == list(map(str, ILL_DAYS))
    assert [name for name in ATHLETES if workouts_of(ask, name)] == [BUSY]


def one_undo_takes_it_off_one_calendar(ask, plan, athletes):
    tag = {"If-Match": plan["etag"]}
    applied = ask("POST", f"/plans/{plan['id']}/apply", {"athletes": athletes}, **tag)
    for user_id in ATHLETES:
        assert planned(user_id, ALL) <= workouts_of(ask, user_id).keys()
    ask("POST", f"/batches/{applied['id']}/undo", {"userId": UNDONE})

    assert [name for name in ATHLETES if not workouts_of(ask, name)] == [UNDONE]


def an_edited_week_is_rolled_out(ask, plan):
    """Another text for the week, and one workout less; returns the changed plan."""
    first = 7 * (EDITED - 1)
    entries = [
        {**each, "value": {**each["value"], "text": "- 1h 60%"}} if first < each["day"] <= first + 7 else each
        for each in plan["entries"]
        if each["value"]["title"] != title_of(EDITED, PER_WEEK)
    ]
    path = f"/plans/{plan['id']}"
    changed = ask("PUT", path, {**BODY, "entries": entries}, **{"If-Match": plan["etag"]})
    rolled = ask("POST", f"{path}/rollout", {}, **{"If-Match": changed["etag"]})["athletes"]
    left = [each for each in ALL if each != (EDITED, PER_WEEK)]

    assert {each["userId"] for each in rolled} == set(ATHLETES) - {UNDONE}
    assert {(each["changed"], each["deleted"]) for each in rolled} == {(PER_WEEK - 1, 1)}
    for user_id in set(ATHLETES) - {UNDONE}:
        texts = workouts_of(ask, user_id)
        assert planned(user_id, left) == texts.keys() - {(OWN_DAY, "Own ride")}
        edited = {title for (_day, title), text in texts.items() if text == "- 1h 60%"}
        assert edited == {title_of(EDITED, number) for number in range(1, PER_WEEK)}
    return changed


def three_comments_are_answered(service, ask):
    keys = {user_id: service.store.add_key(user_id, label="phone") for user_id in ATHLETES[:3]}
    for user_id, key in keys.items():
        day = start_of(user_id)
        (entry,) = ask("GET", f"/users/me/entries?from={day}&to={day}", key=key)
        ask("POST", f"/entries/{entry['id']}/comments", {"text": "Too hard?"}, key=key)
    unread = ask("GET", "/comments/unread")
    for each in unread:
        ask("POST", f"/entries/{each['entryId']}/comments", {"text": "Start with two."})
        ask("POST", "/comments/read", {"ids": [each["id"]]})

    assert {(each["userId"], each["title"], each["date"]) for each in unread} == {
        (user_id, title_of(1, 1), str(start_of(user_id))) for user_id in keys
    }
    assert ask("GET", "/comments/unread") == []
    for key in keys.values():
        assert [each["text"] for each in ask("GET", "/comments/unread", key=key)] == ["Start with two."]


def archives_have_the_week_and_the_plan(service, plan):
    """The week of a calendar in the watts of its athlete, the plan in percent."""
    week = start_of(ATHLETES[0]) + timedelta(days=7 * (EDITED - 1))
    calendar = f"/users/{ATHLETES[0]}/files?from={week}&to={week + timedelta(days=6)}&format=fit"
    for path, count, expected in (
        (calendar, PER_WEEK - 1, [150 + 1000]),
        (f"/plans/{plan['id']}/files?format=fit", WEEKS * PER_WEEK - 1, [60]),
    ):
        reply = service.client.get(f"/plan/v1{path}", headers={"Authorization": f"Bearer {COACH_KEY}"})
        with ZipFile(BytesIO(reply.content)) as archive:
            (name,) = (each for each in archive.namelist() if title_of(EDITED, 1) in each)
            assert (len(archive.namelist()), watts(archive.read(name))) == (count, expected)
