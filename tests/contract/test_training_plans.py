"""Plans of several weeks: kept, applied to many calendars as one batch, and rolled out after an edit."""

from datetime import date, timedelta

import pytest

from coachboard.service.planning.texts import read_text
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.training_plans import PlanOutcome, StalePlanBody, TrainingPlan, TrainingPlanRow
from seeded import (
    ADMIN,
    ADMIN_KEY,
    ATHLETE,
    ATHLETE_KEY,
    CLUB,
    COACH,
    COACH_KEY,
    OTHER_ATHLETE,
    SQUAD,
    STRANGER,
    STRANGER_KEY,
    TODAY,
)

START = date(2026, 6, 1)
TEXT = "- 15m 50-60%\n\n3x\n- 12m 95-100%\n- 4m 50%"


def workout(day, title, **value):
    return {
        "day": day,
        "kind": "workout",
        "value": {"title": title, "sport": "cycling", "text": TEXT, **value},
    }


def note(day, title="Rest well", **fields):
    return {"day": day, "kind": "note", "value": {"title": title, "type": "training"}, **fields}


PLAN = {
    "title": "Two weeks",
    "sport": "cycling",
    "days": 14,
    "entries": [note(8, lastDay=10), workout(1, "Threshold"), workout(9, "Long")],
}


def day_of(number, first=START):
    return str(first + timedelta(days=number - 1))


@pytest.fixture
def post(ask):
    """Send a body as one person; returns the reply."""

    def send(path, body=None, key=COACH_KEY, **headers):
        return ask(f"/plan/v1{path}", key=key, method="POST", json=body or {}, headers=headers)

    yield send
    for user_id in (ATHLETE, OTHER_ATHLETE, COACH):
        written = [row for row in entries_of(ask, user_id) if row["updatedAt"] is not None]
        operations = [change("delete", row) for row in written]
        if operations:
            assert send("/batches", {"operations": operations}).status_code == 200


@pytest.fixture
def kept(post):
    """A plan of the coach, as the service replied it."""
    return good(post("/plans", PLAN))


def good(reply):
    assert reply.status_code == 200, reply.text
    return reply.json()


def entries_of(ask, user_id, key=COACH_KEY):
    reply = ask(f"/plan/v1/users/{user_id}/entries?from=2026-01-01&to=2026-12-31", key=key)
    return reply.json() if reply.status_code == 200 else []


def of_plan(ask, user_id=ATHLETE):
    """Day and title of each entry of a calendar that a plan wrote."""
    rows = [row for row in entries_of(ask, user_id) if row["plan"]]
    return [(row["prescription"] or row["note"] or row["event"])["date"] for row in rows], rows


def titles_of(ask, user_id=ATHLETE):
    rows = of_plan(ask, user_id)[1]
    return {(obj["date"], obj["title"]) for obj in (row["prescription"] or row["note"] for row in rows)}


def change(op, entry, **value):
    operation = {
        "op": op, "kind": entry["kind"], "userId": entry["userId"], "id": entry["id"], "ifMatch": entry["etag"],
    }  # fmt: skip
    return {**operation, **({"value": value} if value else {})}


def anchored(*user_ids, **anchor):
    return [{"userId": user_id, "anchor": anchor or {"start": str(START)}} for user_id in user_ids]


def replaced(ask, plan, **fields):
    """The plan with other fields, as its coach saves it."""
    names = ("title", "description", "sport", "workspaceId", "days", "entries")
    body = {name: plan[name] for name in names} | fields
    return good(
        ask(f"/plan/v1/plans/{plan['id']}", method="PUT", json=body, headers={"If-Match": plan["etag"]})
    )


def with_entry(plan, named, **changes):
    """The entries with one changed: fields of its value, or `day`."""
    return [
        {**each, "day": changes.get("day", each["day"]),
         "value": each["value"] | {name: new for name, new in changes.items() if name != "day"}}
        if each["value"]["title"] == named else each
        for each in plan["entries"]
    ]  # fmt: skip


# Kept.


def test_a_plan_is_kept_by_day_and_listed_without_its_entries(post, ask, kept):
    read = ask(f"/plan/v1/plans/{kept['id']}")
    (row,) = (each for each in ask("/plan/v1/plans").json() if each["id"] == kept["id"])

    assert [(each["day"], each["value"]["title"]) for each in TrainingPlan.from_wire(kept).to_wire()["entries"]] == [
        (1, "Threshold"), (8, "Rest well"), (9, "Long"),
    ]  # fmt: skip
    assert (read.json(), read.headers["etag"]) == (kept, f'"{kept["etag"]}"')
    assert row == {name: value for name, value in kept.items() if name != "entries"}
    assert (TrainingPlanRow.from_wire(row).workouts, row["changedBy"]) == (
        2,
        {"id": COACH, "name": "Carla Coach"},
    )


def test_a_private_plan_is_for_its_person_and_a_shared_one_for_the_coaches_of_the_workspace(post, ask):
    private, shared = good(post("/plans", PLAN)), good(post("/plans", {**PLAN, "workspaceId": SQUAD}))
    own = good(post("/plans", PLAN, ATHLETE_KEY))

    for key, expected in (
        (COACH_KEY, {private["id"], shared["id"]}),
        (ATHLETE_KEY, {own["id"]}),
        (ADMIN_KEY, set()),
    ):
        listed = {row["id"] for row in ask("/plan/v1/plans", key=key).json()}
        assert listed & {private["id"], shared["id"], own["id"]} == expected
        for plan in (private, shared, own):
            path, tag = f"/plan/v1/plans/{plan['id']}", {"If-Match": plan["etag"]}
            is_theirs = plan["id"] in expected
            assert ask(path, key=key).status_code == (200 if is_theirs else 404)
            if not is_theirs:
                assert ask(path, key=key, method="PUT", json=PLAN, headers=tag).status_code == 404
                assert ask(path, key=key, method="DELETE", headers=tag).status_code == 404
                assert (
                    post(f"/plans/{plan['id']}/apply", {"athletes": anchored("me")}, key).status_code == 404
                )
                assert post(f"/plans/{plan['id']}/rollout", {}, key).status_code == 404
    assert post("/plans", {**PLAN, "workspaceId": CLUB}).status_code == 404
    assert post("/plans", {**PLAN, "workspaceId": SQUAD}, ATHLETE_KEY).status_code == 404


def test_two_writers_of_a_plan_do_not_overwrite_each_other(ask, kept):
    path = f"/plan/v1/plans/{kept['id']}"
    changed = replaced(ask, kept, title="Three weeks", days=21)
    stale = ask(path, method="PUT", json=PLAN, headers={"If-Match": kept["etag"]})

    assert (changed["version"], changed["title"], changed["days"]) == (2, "Three weeks", 21)
    assert [each["id"] for each in changed["entries"]] == [each["id"] for each in kept["entries"]]
    assert (stale.status_code, StalePlanBody.from_wire(stale.json()).to_wire()["current"]) == (412, changed)
    assert ask(path, method="PUT", json=PLAN).status_code == 428
    assert ask(path, method="DELETE", headers={"If-Match": kept["etag"]}).status_code == 412
    assert ask(path, method="DELETE", headers={"If-Match": changed["etag"]}).status_code == 200
    assert ask(path).status_code == 404


def test_other_writers_do_not_wait_for_the_texts_of_a_changed_plan(post, ask, kept, monkeypatch):
    """A thousand long texts take minutes, and SQLite has one writer at a time."""
    writes = []

    def read_beside_a_write(*args):
        if not writes:
            writes.append(post("/plans", {**PLAN, "entries": []}, ATHLETE_KEY))
        return read_text(*args)

    monkeypatch.setattr("coachboard.service.planning.entries.read_text", read_beside_a_write)
    replaced(ask, kept, title="Three weeks")

    assert [reply.status_code for reply in writes] == [200]


@pytest.mark.parametrize("what", ["apply", "rollout"])
def test_other_writers_do_not_wait_for_the_texts_of_an_applied_plan(what, post, kept, monkeypatch):
    good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE)}))
    writes = []

    def read_beside_a_write(*args):
        if not writes:
            writes.append(post("/plans", {**PLAN, "entries": []}, ATHLETE_KEY))
        return read_text(*args)

    monkeypatch.setattr("coachboard.service.planning.entries.read_text", read_beside_a_write)
    good(post(f"/plans/{kept['id']}/{what}", {"athletes": anchored(ATHLETE)} if what == "apply" else {}))

    assert [reply.status_code for reply in writes] == [200]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": " \u200b "}, "title: has no visible character."),
        ({"days": 0}, "days"),
        ({"days": 400}, "days"),
        ({"entries": [workout(15, "Late")]}, "Day: the plan has 14 days." ),
        ({"entries": [workout(1, "A"), workout(2, "B", text="- 30h 60%")]}, "Entry 2 of 2: text: "),
        ({"entries": [workout(1, "A", pairing={"mode": "none"})]}, "A plan's workout has no pairing."),
        ({"entries": [workout(1, "A", visibleFrom="2026-05-01")]}, "A plan's workout has no visibleFrom."),
        ({"entries": [workout(2, "A") | {"lastDay": 3}]}, "lastDay: only a note or an event has one"),
        ({"entries": [note(3, lastDay=2)]}, "lastDay: only a note or an event has one, from its day on."),
        ({"entries": [note(3) | {"kind": "event"}]}, "A plan's event has no title, type."),
        ({"entries": [workout(1, "")]}, "title: has no visible character."),
    ],
)  # fmt: skip
def test_a_wrong_plan_is_refused_with_the_entry_and_the_field(fields, words, post):
    reply = post("/plans", {**PLAN, **fields})

    assert reply.status_code == 400
    assert words.casefold() in reply.json()["error"].casefold()


def test_a_draft_of_a_plan_is_a_draft_on_the_calendar(post, ask):
    plan = good(post("/plans", {**PLAN, "entries": [workout(1, "Idea", text="- hard", isDraft=True)]}))
    good(post(f"/plans/{plan['id']}/apply", {"athletes": anchored(ATHLETE)}))

    ((row,),) = (of_plan(ask)[1],)
    assert (row["isDraft"], row["text"], row["prescription"]["structure"]) == (True, "- hard", None)


def test_texts_of_people_stay_texts(post, ask):
    hostile = '=HYPERLINK("https://evil.example")<img src=x onerror=alert(1)>[a](javascript:b)'
    plan = good(
        post("/plans", {**PLAN, "title": hostile, "entries": [workout(1, hostile, description=hostile)]})
    )
    good(post(f"/plans/{plan['id']}/apply", {"athletes": anchored(ATHLETE)}))

    ((row,),) = (of_plan(ask)[1],)
    assert (plan["title"], row["prescription"]["title"], row["prescription"]["description"]) == (hostile,) * 3
    assert post("/plans", {**PLAN, "title": "a\x00b"}).status_code == 400


# Applied.


def test_a_plan_is_on_the_calendars_of_all_athletes_and_one_undo_takes_it_back(post, ask, kept):
    path, body = f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE)}
    before = entries_of(ask, ATHLETE)
    preview = good(post(path, {**body, "dryRun": True}))
    nothing = titles_of(ask) | titles_of(ask, OTHER_ATHLETE)
    reply = good(post(path, body))
    there = [titles_of(ask, user_id) for user_id in (ATHLETE, OTHER_ATHLETE)]
    (span,) = (row for row in of_plan(ask)[1] if row["kind"] == "note")
    (long,) = (
        row for row in of_plan(ask)[1] if row["prescription"] and row["prescription"]["title"] == "Long"
    )
    history = ask(f"/plan/v1/batches?userId={ATHLETE}").json()[0]
    undone = post(f"/batches/{reply['id']}/undo")

    assert nothing == set()
    assert there == [{(day_of(1), "Threshold"), (day_of(8), "Rest well"), (day_of(9), "Long")}] * 2
    assert (span["endDate"], span["workspaceId"], span["createdBy"]["id"]) == (day_of(10), SQUAD, COACH)
    assert (long["text"], long["originalDate"]) == (TEXT, None)
    assert long["plan"] == {"planId": kept["id"], "entryId": kept["entries"][2]["id"], "version": 1}
    outcomes = PlanOutcome.from_wire(reply).athletes
    assert [(each.user_id, each.added, str(each.last_day)) for each in outcomes] == [
        (ATHLETE, 3, day_of(14)), (OTHER_ATHLETE, 3, day_of(14)),
    ]  # fmt: skip
    without = [{**each, "batchId": None} for each in reply["athletes"]]
    assert (preview["id"], preview["athletes"]) == (None, without)
    assert (history["id"], history["source"], history["total"]) == (reply["id"], "Plan", 3)
    assert undone.status_code == 200
    assert titles_of(ask) | titles_of(ask, OTHER_ATHLETE) == set()
    assert entries_of(ask, ATHLETE) == before


def test_a_plan_ends_on_a_day_or_on_the_race_of_each_athlete(post, ask, kept):
    races = [
        good(post("/batches", {"operations": [
            {"op": "create", "kind": "event", "userId": user_id,
             "value": {"date": day, "name": "Race", "sport": "cycling", "priority": "A"}}
        ]}))["entries"][0]["id"]
        for user_id, day in ((ATHLETE, "2026-07-12"), (OTHER_ATHLETE, "2026-08-02"))
    ]  # fmt: skip
    athletes = [
        {"userId": user_id, "anchor": {"eventId": race}}
        for user_id, race in zip((ATHLETE, OTHER_ATHLETE), races, strict=True)
    ]
    reply = good(post(f"/plans/{kept['id']}/apply", {"athletes": athletes, "dryRun": True}))
    ends = good(
        post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, end="2026-07-12"), "dryRun": True})
    )

    days = [(each["firstDay"], each["lastDay"]) for each in (*reply["athletes"], *ends["athletes"])]
    assert days == [("2026-06-29", "2026-07-12"), ("2026-07-20", "2026-08-02"), ("2026-06-29", "2026-07-12")]
    foreign = {"athletes": [{"userId": OTHER_ATHLETE, "anchor": {"eventId": races[0]}}], "dryRun": True}
    assert (
        post(f"/plans/{kept['id']}/apply", foreign).json()["error"]
        == "anchor: the athlete has no such event."
    )


def test_the_history_names_a_shared_plan_and_not_a_private_one(post, ask):
    """Athletes read the history, and the title of a private plan is for its owner."""
    for body, expected in ((PLAN, "Plan"), ({**PLAN, "workspaceId": SQUAD}, "Plan Two weeks")):
        plan = good(post("/plans", body))
        good(post(f"/plans/{plan['id']}/apply", {"athletes": anchored(ATHLETE)}))
        for key in (COACH_KEY, ATHLETE_KEY):
            assert ask(f"/plan/v1/batches?userId={ATHLETE}", key=key).json()[0]["source"] == expected


def test_a_preview_names_the_applications_that_a_calendar_still_has(post, kept):
    path = f"/plans/{kept['id']}/apply"
    first = good(post(path, {"athletes": anchored(ATHLETE, OTHER_ATHLETE)}))
    good(post(path, {"athletes": anchored(ATHLETE, start=day_of(29))}))
    asked = {"athletes": anchored(ATHLETE, OTHER_ATHLETE, start=day_of(57)), "dryRun": True}
    both = good(post(path, asked))["athletes"]
    good(post(f"/batches/{first['id']}/undo"))
    after = good(post(path, asked))["athletes"]

    assert [each["earlier"] for each in first["athletes"]] == [[], []]
    assert [each["earlier"] for each in both] == [[day_of(1), day_of(29)], [day_of(1)]]
    assert [each["earlier"] for each in after] == [[day_of(29)], []]


def test_days_before_today_are_left_out(post, ask, kept):
    first = TODAY - timedelta(days=5)
    reply = good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, start=str(first))}))

    assert (reply["athletes"][0]["past"], reply["athletes"][0]["added"]) == (1, 2)
    assert titles_of(ask) == {(day_of(8, first), "Rest well"), (day_of(9, first), "Long")}


@pytest.mark.parametrize(
    ("rule", "expected", "counts"),
    [
        ("keep", {"Old", "Threshold", "Rest well", "Long"}, (3, 0, 0)),
        ("replace", {"Threshold", "Rest well", "Long"}, (3, 1, 0)),
        ("skip", {"Old", "Threshold", "Rest well"}, (2, 0, 1)),
    ],
)
def test_a_day_that_has_a_workout_is_kept_replaced_or_left_out(rule, expected, counts, post, ask, kept):
    old = {"op": "create", "kind": "workout", "userId": ATHLETE,
           "value": {"date": day_of(9), "title": "Old", "sport": "running"}}  # fmt: skip
    good(post("/batches", {"operations": [old]}))
    reply = good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE), "conflicts": rule}))
    titles = {
        (row["prescription"] or row["note"])["title"]
        for row in entries_of(ask, ATHLETE)
        if row["batchId"] and (row["prescription"] or row["note"])
    }
    outcome = reply["athletes"][0]
    good(post(f"/batches/{reply['id']}/undo"))

    assert titles == expected
    assert (outcome["added"], outcome["deleted"], outcome["leftOut"]) == counts
    assert outcome["clashes"] == [{"date": day_of(9), "title": "Old", "reason": "planned"}]
    assert {row["prescription"]["title"] for row in entries_of(ask, ATHLETE) if row["batchId"]} == {"Old"}


def test_illness_and_days_off_are_named_in_the_preview(post, ask, kept):
    ill = {"op": "create", "kind": "note", "userId": ATHLETE,
           "value": {"date": day_of(8), "endDate": day_of(10), "title": "Flu", "type": "medical"}}  # fmt: skip
    good(post("/batches", {"operations": [ill]}))
    reply = good(
        post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE), "dryRun": True})
    )

    assert [[(each["date"], each["code"]) for each in outcome["warnings"]] for outcome in reply["athletes"]] == [
        [(day_of(9), "ill")], [],
    ]  # fmt: skip


def test_one_athlete_is_undone_and_then_the_others(post, ask, kept):
    reply = good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE)}))
    one = good(post(f"/batches/{reply['id']}/undo", {"userId": ATHLETE}))
    left = titles_of(ask), len(titles_of(ask, OTHER_ATHLETE))
    again = post(f"/batches/{reply['id']}/undo", {"userId": ATHLETE})
    rest = good(post(f"/batches/{reply['id']}/undo"))
    back = good(post(f"/batches/{one['id']}/undo"))

    assert left == (set(), 3)
    assert again.status_code == 412
    assert (len(one["entries"]), len(rest["entries"]), len(back["entries"])) == (3, 3, 3)
    assert (len(titles_of(ask)), titles_of(ask, OTHER_ATHLETE)) == (3, set())
    assert post(f"/batches/{reply['id']}/undo", {"userId": COACH}).status_code == 404


def test_an_application_that_is_sent_twice_is_done_once(post, ask, kept):
    body, headers = {"athletes": anchored(ATHLETE)}, {"Idempotency-Key": f"once-{kept['id']}"}
    first = good(post(f"/plans/{kept['id']}/apply", body, **headers))
    second = good(post(f"/plans/{kept['id']}/apply", body, **headers))
    other = post(f"/plans/{kept['id']}/apply", {**body, "conflicts": "skip"}, **headers)

    assert second == first
    assert other.status_code == 409
    assert len(titles_of(ask)) == 3


def test_a_plan_that_changed_since_the_preview_is_not_applied(post, ask, kept):
    changed = replaced(ask, kept, days=20)
    path, body = f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE)}
    stale = post(path, body, **{"If-Match": kept["etag"]})

    assert (stale.status_code, stale.json()["current"]) == (412, changed)
    assert titles_of(ask) == set()
    assert post(path, body, **{"If-Match": changed["etag"]}).status_code == 200


@pytest.mark.parametrize(
    ("athletes", "status", "words"),
    [
        ([], 400, "athletes"),
        (anchored(ATHLETE, ATHLETE), 400, "is named twice"),
        (anchored(ATHLETE, STRANGER), 404, "No such user"),
        (anchored(STRANGER), 404, "No such user"),
        ([{"userId": ATHLETE, "anchor": {}}], 400, "send start, end or eventId"),
        (anchored(ATHLETE, start="2026-06-01", end="2026-07-01"), 400, "send start, end or eventId"),
        (anchored(ATHLETE, start="2199-12-31"), 400, "the plan would not be within"),
        (anchored(ATHLETE, end="1900-01-02"), 400, "the plan would not be within"),
        (anchored(ATHLETE, eventId="evt_\u0001"), 400, ""),
        (anchored(ATHLETE, eventId="evt_unknown"), 400, "no such event"),
        ([{"userId": ATHLETE, "anchor": {"start": "2026-06-01"}, "workspaceId": CLUB}], 404, "workspace"),
    ],
)
def test_a_wrong_application_is_refused_and_writes_nothing(athletes, status, words, post, ask, kept):
    reply = post(f"/plans/{kept['id']}/apply", {"athletes": athletes})

    assert (reply.status_code, words.casefold() in reply.json()["error"].casefold()) == (status, True), (
        reply.text
    )
    assert titles_of(ask) == set()


def test_athletes_apply_plans_of_their_own_to_themselves_alone(post, ask):
    plan = good(post("/plans", PLAN, ATHLETE_KEY))
    path = f"/plans/{plan['id']}/apply"
    reply = good(post(path, {"athletes": anchored("me")}, ATHLETE_KEY))

    assert {row["workspaceId"] for row in of_plan(ask)[1]} == {None}
    assert post(path, {"athletes": anchored(OTHER_ATHLETE)}, ATHLETE_KEY).status_code == 404
    good(post(f"/batches/{reply['id']}/undo", key=ATHLETE_KEY))


# Rolled out.


def test_a_later_edit_reaches_the_calendars_and_one_undo_takes_it_back(post, ask, kept):
    good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE)}))
    entries = [each for each in with_entry(kept, "Long", day=11, title="Longer") if each["kind"] != "note"]
    replaced(ask, kept, entries=[*entries, workout(12, "Openers")])
    before = entries_of(ask, ATHLETE)
    preview = good(post(f"/plans/{kept['id']}/rollout", {"dryRun": True}))
    unchanged = entries_of(ask, ATHLETE)
    reply = good(post(f"/plans/{kept['id']}/rollout"))
    there = titles_of(ask), titles_of(ask, OTHER_ATHLETE)
    (longer,) = (row for row in of_plan(ask)[1] if row["prescription"]["title"] == "Longer")
    nothing_left = good(post(f"/plans/{kept['id']}/rollout"))
    good(post(f"/batches/{reply['id']}/undo"))

    assert unchanged == before
    assert there == ({(day_of(1), "Threshold"), (day_of(11), "Longer"), (day_of(12), "Openers")},) * 2
    assert (longer["id"], longer["originalDate"]) == (
        next(row["id"] for row in before if row["prescription"] and row["prescription"]["title"] == "Long"), None,
    )  # fmt: skip
    for outcomes in (preview["athletes"], reply["athletes"]):
        assert [(each["added"], each["changed"], each["deleted"]) for each in outcomes] == [(1, 1, 1)] * 2
    assert (nothing_left["id"], [each["changed"] for each in nothing_left["athletes"]]) == (None, [0, 0])
    assert [row["etag"] for row in entries_of(ask, ATHLETE)] == [row["etag"] for row in before]


def test_changes_of_people_are_kept_in_a_roll_out(post, ask):
    titles = ["Moved", "Edited", "Deleted", "Skipped", "Untouched", "Moved and back"]
    plan = good(
        post("/plans", {**PLAN, "entries": [workout(place + 2, each) for place, each in enumerate(titles)]})
    )
    good(post(f"/plans/{plan['id']}/apply", {"athletes": anchored(ATHLETE)}))
    rows = {row["prescription"]["title"]: row for row in of_plan(ask)[1]}
    moved = good(
        post("/batches", {"operations": [change("move", rows["Moved"], date=day_of(13))]}, ATHLETE_KEY)
    )
    good(post("/batches", {"operations": [
        change("update", rows["Edited"], title="Edited by hand"), change("delete", rows["Deleted"]),
        change("skip", rows["Skipped"], reason="Exam"), change("move", rows["Moved and back"], date=day_of(14)),
    ]}))  # fmt: skip
    away = next(row for row in of_plan(ask)[1] if row["prescription"]["title"] == "Moved and back")
    good(post("/batches", {"operations": [change("move", away, date=day_of(7))]}))
    replaced(ask, plan, entries=[
        {**each, "value": {**each["value"], "text": "- 1h 60%"}} for each in plan["entries"]
    ])  # fmt: skip
    (outcome,) = good(post(f"/plans/{plan['id']}/rollout"))["athletes"]
    texts = {row["prescription"]["title"]: row["text"] for row in of_plan(ask)[1]}

    assert moved["entries"][0]["plan"]["planId"] == plan["id"]
    assert texts == {"Moved": TEXT, "Edited by hand": TEXT, "Skipped": TEXT, "Untouched": "- 1h 60%",
                     "Moved and back": "- 1h 60%"}  # fmt: skip
    assert (outcome["changed"], outcome["leftOut"]) == (2, 4)
    assert {(each["title"], each["reason"]) for each in outcome["clashes"]} == {
        ("Moved", "changed"), ("Edited by hand", "changed"), ("Deleted", "deleted"), ("Skipped", "changed"),
    }  # fmt: skip


def test_a_roll_out_leaves_rows_of_a_workspace_that_the_coach_has_left(post, ask, service):
    """They are another coach's from then on: nothing is added to that workspace, and its titles stay there."""
    plan = good(post("/plans", {**PLAN, "entries": [note(2), workout(1, "Threshold")]}))
    good(post(f"/plans/{plan['id']}/apply", {"athletes": anchored(ATHLETE)}))
    (row,) = (row for row in of_plan(ask)[1] if row["kind"] == "note")
    service.store.add_member(SQUAD, ADMIN, WorkspaceRole.COACH)
    service.store.add_member(CLUB, COACH, WorkspaceRole.COACH)
    service.store.remove_member(SQUAD, COACH)
    try:
        hidden = change("update", row, title="Only for the squad", isPrivate=True)
        good(post("/batches", {"operations": [hidden]}, ADMIN_KEY))
        replaced(ask, plan, entries=[
            {**note(2, "Another"), "id": plan["entries"][1]["id"]}, workout(3, "New in the plan"),
        ])  # fmt: skip
        before = entries_of(ask, ATHLETE, ADMIN_KEY)
        for is_dry in (True, False):
            reply = good(post(f"/plans/{plan['id']}/rollout", {"dryRun": is_dry}))

            assert (reply["id"], reply["athletes"]) == (None, [])
        assert entries_of(ask, ATHLETE, ADMIN_KEY) == before
    finally:
        service.store.add_member(SQUAD, COACH, WorkspaceRole.COACH)
        service.store.add_member(CLUB, COACH, WorkspaceRole.ATHLETE)
        service.store.remove_member(SQUAD, ADMIN)


def test_a_roll_out_leaves_past_days_and_calendars_without_the_plan(post, ask, kept, service):
    first = date(2026, 3, 20) + timedelta(days=1)
    applied = good(
        post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE, start=str(first))})
    )
    good(post(f"/batches/{applied['id']}/undo", {"userId": OTHER_ATHLETE}))
    replaced(
        ask, kept, entries=[{**each, "value": {**each["value"], "title": "New"}} for each in kept["entries"]]
    )
    now = service.clock.now
    service.clock.now = now + 5 * 86_400
    try:
        reply = good(post(f"/plans/{kept['id']}/rollout"))
    finally:
        service.clock.now = now

    assert [(each["userId"], each["changed"], each["past"]) for each in reply["athletes"]] == [
        (ATHLETE, 2, 1)
    ]
    assert titles_of(ask) == {
        (day_of(1, first), "Threshold"),
        (day_of(8, first), "New"),
        (day_of(9, first), "New"),
    }
    assert titles_of(ask, OTHER_ATHLETE) == set()


def test_a_roll_out_that_was_undone_is_rolled_out_again(post, ask, kept):
    good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE)}))
    replaced(ask, kept, entries=[*kept["entries"], workout(12, "Openers")])
    first = good(post(f"/plans/{kept['id']}/rollout"))
    good(post(f"/batches/{first['id']}/undo"))
    without = titles_of(ask)
    good(post(f"/plans/{kept['id']}/rollout"))

    assert (day_of(12), "Openers") not in without
    assert (day_of(12), "Openers") in titles_of(ask)


def test_a_roll_out_may_name_athletes_and_counts_a_plan_that_was_applied_twice_twice(post, ask, kept):
    for first in (START, START + timedelta(days=28)):
        good(
            post(
                f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE, OTHER_ATHLETE, start=str(first))}
            )
        )
    replaced(ask, kept, entries=with_entry(kept, "Long", title="Longer"))
    reply = good(post(f"/plans/{kept['id']}/rollout", {"userIds": [ATHLETE]}))

    assert [(each["userId"], each["changed"]) for each in reply["athletes"]] == [(ATHLETE, 1)] * 2
    assert "Longer" not in {title for _day, title in titles_of(ask, OTHER_ATHLETE)}
    assert post(f"/plans/{kept['id']}/rollout", {"userIds": [STRANGER]}).status_code == 404
    assert post(f"/plans/{kept['id']}/rollout", {}, STRANGER_KEY).status_code == 404


def test_a_deleted_plan_leaves_the_calendars_as_they_are(post, ask, kept):
    good(post(f"/plans/{kept['id']}/apply", {"athletes": anchored(ATHLETE)}))
    before = titles_of(ask)
    good(ask(f"/plan/v1/plans/{kept['id']}", method="DELETE", headers={"If-Match": kept["etag"]}))

    assert titles_of(ask) == before
    assert post(f"/plans/{kept['id']}/rollout").status_code == 404
