"""Subscriptions over HTTP: who may make them, what they show, and real clients: khal and vdirsyncer."""

import re
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta

import pytest
from icalendar import Calendar as ICalendar

from contract.test_planning import change, create, done, plan, refused
from seeded import (
    ADMIN_KEY,
    ATHLETE,
    ATHLETE_KEY,
    COACH,
    COACH_KEY,
    OTHER_ATHLETE,
    RIDE,
    SQUAD,
    STRANGER_KEY,
    TODAY,
)

__all__ = ["plan"]


@pytest.fixture
def subscribe(service, ask):
    """Makes a subscription; returns the reply. All are revoked and zones forgotten at the end."""

    def make(key=COACH_KEY, **body):
        return ask("/plan/v1/feeds", key=key, method="POST", json=body or {"userId": ATHLETE})

    yield make
    for key in (COACH_KEY, ATHLETE_KEY):
        for feed in ask("/plan/v1/feeds", key=key).json():
            changed(ask, feed, key=key)
    zone = ask("/plan/v1/users/me", key=ATHLETE_KEY).json()
    service.store.replace_time_zone(ATHLETE, zone["timeZone"], None)


def changed(ask, feed, path="", **request):
    """The subscription revoked, or renewed, with the tag that was read."""
    headers = {"If-Match": f'"{feed["etag"]}"'}
    method = "POST" if path else "DELETE"
    return ask(f"/plan/v1/feeds/{feed['id']}{path}", method=method, headers=headers, **request)


def read(ask, feed, **headers):
    reply = ask(feed["path"], key=None, headers=headers)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == "text/calendar; charset=utf-8"
    return {
        str(entry["uid"]).partition("@")[0]: entry
        for entry in ICalendar.from_ical(reply.content).walk("VEVENT")
    }


def test_a_subscription_has_one_entry_for_a_session_and_whole_days_for_races_and_notes(plan, ask, subscribe):
    ahead = done(
        plan(create(date="2026-05-04", time="09:30:00", duration=None, text="3x\n- 12m 95%\n- Easy 4m 50%"))
    )
    paired = done(plan(create(date="2026-03-11")))
    done(plan(change("pair", paired, activityId=RIDE)))
    camp = done(plan(create("note", endDate="2026-05-10", content="Bring shoes")))
    race = done(plan(create("event", time="10:00:00", priority="A")))
    entries = read(ask, subscribe().json())

    planned = entries[ahead["id"]]
    assert planned["dtstart"].dt == datetime(2026, 5, 4, 9, 30)  # noqa: DTZ001 (without a zone)
    assert planned["duration"].dt == timedelta(minutes=48)
    assert str(planned["description"]) == "3x\n- 12m 95%\n- Easy 4m 50%"
    assert RIDE not in entries
    assert entries[paired["id"]]["dtstart"].dt.tzinfo is not None
    assert (entries[camp["id"]]["dtstart"].dt, entries[camp["id"]]["dtend"].dt) == (
        date(2026, 5, 4),
        date(2026, 5, 11),
    )
    assert (entries[race["id"]]["dtstart"].dt, str(entries[race["id"]]["description"])) == (
        date(2026, 5, 4),
        "Start 10:00",
    )


def test_times_follow_the_zone_of_the_athlete_with_its_summer_time(plan, ask, subscribe):
    winter = done(plan(create(date="2026-12-04", time="09:30:00")))
    summer = done(plan(create(date="2026-05-04", time="09:30:00")))
    zone = {"timeZone": "Europe/Oslo"}
    path, before = "/plan/v1/users/me", ask("/plan/v1/users/me", key=ATHLETE_KEY).json()
    headers = {"If-Match": f'"{before["etag"]}"'}
    assert ask(path, key=ATHLETE_KEY, method="PATCH", json=zone).status_code == 428
    set_ = ask(path, key=ATHLETE_KEY, method="PATCH", json=zone, headers=headers).json()
    assert set_["timeZone"] == "Europe/Oslo"
    stale = ask(path, key=ATHLETE_KEY, method="PATCH", json={"timeZone": None}, headers=headers)
    assert (stale.status_code, stale.json()["current"]) == (412, set_)
    headers = {"If-Match": f'"{set_["etag"]}"'}
    entries = read(ask, subscribe().json())

    assert ask(f"/plan/v1/users/{ATHLETE}").json() == set_
    assert entries[winter["id"]]["dtstart"].dt == datetime(2026, 12, 4, 8, 30, tzinfo=UTC)
    assert entries[summer["id"]]["dtstart"].dt == datetime(2026, 5, 4, 7, 30, tzinfo=UTC)
    wrong = ask(path, key=ATHLETE_KEY, method="PATCH", json={"timeZone": "../etc/passwd"}, headers=headers)
    assert refused(wrong) == (400, "timeZone: write a name such as Europe/Oslo.")
    of_ana = f"/plan/v1/users/{ATHLETE}"
    assert ask(of_ana, key=STRANGER_KEY, method="PATCH", json=zone, headers=headers).status_code == 404


def test_hidden_entries_are_in_a_coachs_subscription_only_and_private_notes_in_none(plan, ask, subscribe):
    hidden = done(plan(create(visibleFrom=str(TODAY + timedelta(days=3)))))
    private = done(plan(create("note", isPrivate=True)))
    coachs = read(ask, subscribe().json())
    squads = read(ask, subscribe(workspaceId=SQUAD).json())
    own = read(ask, subscribe(ATHLETE_KEY, userId="me").json())

    assert hidden["id"] in coachs
    assert hidden["id"] in squads
    assert hidden["id"] not in own
    assert private["id"] not in {**coachs, **squads, **own}
    assert str(squads[hidden["id"]]["summary"]) == "Ana Berg: Endurance"


def test_the_discreet_variant_has_times_alone(plan, ask, subscribe):
    workout = done(plan(create(title="Secret", description="VO2max", time="09:30:00")))
    note = done(plan(create("note", title="Injury")))
    feed = subscribe(userId=ATHLETE, busyOnly=True).json()
    entries, text = read(ask, feed), ask(feed["path"], key=None).text

    assert str(entries[workout["id"]]["summary"]) == "Busy"
    assert note["id"] not in entries
    assert {str(entry["summary"]) for entry in entries.values()} == {"Busy"}
    for word in ("Secret", "VO2max", "Injury", "cycling", "Ana", "DESCRIPTION", "CATEGORIES"):
        assert word not in text


@pytest.mark.parametrize(
    ("key", "body", "status"),
    [
        (COACH_KEY, {"userId": ATHLETE}, 200),
        (ATHLETE_KEY, {"userId": "me"}, 200),
        (COACH_KEY, {"workspaceId": SQUAD}, 200),
        (ATHLETE_KEY, {"workspaceId": SQUAD}, 404),
        (ATHLETE_KEY, {"userId": COACH}, 404),
        (STRANGER_KEY, {"userId": ATHLETE}, 404),
        (COACH_KEY, {}, 400),
        (COACH_KEY, {"userId": ATHLETE, "workspaceId": SQUAD}, 400),
        (COACH_KEY, {"userId": ATHLETE, "group": "Juniors"}, 400),
        (ATHLETE_KEY, {"workspaceId": SQUAD, "group": "Juniors"}, 404),
    ],
)
def test_rights_to_subscribe(key, body, status, ask, subscribe):
    assert ask("/plan/v1/feeds", key=key, method="POST", json=body).status_code == status


def test_an_address_is_shown_once_and_ends_when_it_is_renewed_or_revoked(ask, subscribe):
    feed = subscribe().json()
    (listed,) = ask("/plan/v1/feeds").json()
    renewed = changed(ask, feed, "/renew").json()

    assert listed == {**feed, "path": None}
    assert re.fullmatch(r"/plan/v1/feeds/cbf_[\w-]{43}\.ics", feed["path"])
    assert ask(feed["path"], key=None).status_code == 404
    assert ask(renewed["path"], key=None).status_code == 200
    assert changed(ask, renewed, key=ADMIN_KEY).status_code == 404
    assert changed(ask, feed).status_code == 412
    assert ask(f"/plan/v1/feeds/{feed['id']}", method="DELETE").status_code == 428
    assert ask(f"/plan/v1/feeds/{feed['id']}/renew", method="POST").status_code == 428
    assert ask(renewed["path"], key=None).status_code == 200
    assert changed(ask, renewed).json() == {**renewed, "path": None}
    assert ask(renewed["path"], key=None).status_code == 404
    assert ask("/plan/v1/feeds").json() == []


def test_the_secret_is_in_no_table(service, subscribe):
    secret = subscribe().json()["path"].split("/")[-1].removesuffix(".ics")
    with service.store._readers.connect() as connection:
        rows = [dict(row) for row in connection.exec_driver_sql("SELECT * FROM feeds").mappings()]

    assert rows
    assert secret not in repr(rows)


def test_an_address_ends_with_the_key_that_made_it_and_with_the_right_to_read(service, ask, subscribe):
    key = service.store.add_key(COACH, label="phone")
    path = ask("/plan/v1/feeds", key=key, method="POST", json={"userId": ATHLETE}).json()["path"]
    kept = subscribe().json()["path"]
    key_id = next(
        row.id for row in service.store.keys(COACH) if row.label == "phone" and row.revoked_at is None
    )
    before = ask(path, key=None).status_code
    service.store.revoke_key(key_id)
    assert (before, ask(path, key=None).status_code) == (200, 404)

    service.store.remove_member(SQUAD, ATHLETE)
    try:
        assert ask(kept, key=None).status_code == 404
    finally:
        service.store.add_member(SQUAD, ATHLETE, "athlete")
    assert ask(kept, key=None).status_code == 200


def test_a_group_has_the_athletes_who_are_in_it_at_each_read(plan, ask, subscribe):
    def put(*names):
        path = f"/plan/v1/workspaces/{SQUAD}/athletes/{ATHLETE}/groups"
        assert ask(path, method="PUT", json={"names": names}).status_code == 200

    workout = done(plan(create()))
    other = done(plan(create(user_id=OTHER_ATHLETE)))
    put("Juniors")
    feed = subscribe(workspaceId=SQUAD, group="Juniors").json()
    inside, text = read(ask, feed), ask(feed["path"], key=None).text
    put()
    left = ask(feed["path"], key=None)

    assert workout["id"] in inside
    assert other["id"] not in inside
    assert "Training of Juniors" in text
    assert str(inside[workout["id"]]["summary"]).startswith("Ana Berg: ")
    assert (left.status_code, "BEGIN:VEVENT" in left.text) == (200, False)
    assert [each["group"] for each in ask("/plan/v1/feeds").json()] == ["Juniors"]
    assert refused(subscribe(workspaceId=SQUAD, group="Juniors")) == (
        400, "group: the workspace has no such group.",
    )  # fmt: skip


def test_an_unchanged_file_is_304_and_a_changed_one_is_not(plan, ask, subscribe):
    feed = subscribe().json()
    first = ask(feed["path"], key=None)
    same = ask(feed["path"], key=None, headers={"If-None-Match": first.headers["etag"]})
    done(plan(create()))
    changed = ask(feed["path"], key=None, headers={"If-None-Match": first.headers["etag"]})

    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (changed.status_code, changed.headers["etag"] != first.headers["etag"]) == (200, True)
    assert ask(feed["path"], key=None).content == changed.content


def test_reads_of_an_address_and_wrong_addresses_are_limited(service, ask, subscribe):
    path = subscribe().json()["path"]
    statuses = [ask(path, key=None).status_code for _ in range(31)]
    service.clock.next_minute()

    assert statuses == [200] * 30 + [429]
    assert ask(path, key=None).status_code == 200


def test_hostile_titles_stay_one_text_of_one_entry(plan, ask, subscribe):
    title = "a,b;c\\n BEGIN:VEVENT <script>"
    entry = done(plan(create(title=title, description="x\nEND:VCALENDAR")))
    (held,) = [each for uid, each in read(ask, subscribe().json()).items() if uid == entry["id"]]

    assert (str(held["summary"]), str(held["description"])) == (title, "x\nEND:VCALENDAR")


class CalendarProgram:
    """vdirsyncer, which fetches an address, and khal, which lists days of what was fetched."""

    is_here = bool(shutil.which("vdirsyncer") and shutil.which("khal"))

    def __init__(self, url, folder):
        self._folder = folder
        (folder / "sync").write_text(
            f'[general]\nstatus_path = "{folder}/status"\n[pair p]\na = "feed"\nb = "disk"\ncollections = null\n'
            'conflict_resolution = "a wins"\n'
            f'[storage feed]\ntype = "http"\nurl = "{url}"\n'
            f'[storage disk]\ntype = "filesystem"\npath = "{folder}/events"\nfileext = ".ics"\n'
        )
        (folder / "khal").write_text(
            f"[calendars]\n[[plan]]\npath = {folder}/events\n[sqlite]\npath = {folder}/khal.db\n"
            "[locale]\nlocal_timezone = Europe/Oslo\ndefault_timezone = Europe/Oslo\ntimeformat = %H:%M\n"
            "dateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\n"
            "longdatetimeformat = %Y-%m-%d %H:%M\n"
        )
        (folder / "events").mkdir()

    def sync(self):
        self._run("vdirsyncer", "-c", str(self._folder / "sync"), "discover")
        self._run("vdirsyncer", "-c", str(self._folder / "sync"), "sync")

    def listed(self, day, span="1d"):
        """The lines of these days."""
        return self._run("khal", "-c", str(self._folder / "khal"), "list", "-df", "", str(day), span)

    def _run(self, *command):
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.skipif(not CalendarProgram.is_here, reason="needs khal and vdirsyncer")
def test_vdirsyncer_fetches_the_address_and_khal_lists_its_days(service, plan, ask, subscribe, tmp_path):
    done(plan(create(title="Long ride", time="09:30:00")))
    done(plan(create("event")))
    program = CalendarProgram(service.base_url + subscribe().json()["path"], tmp_path)
    for _ in range(2):  # the second time nothing has changed
        program.sync()
    listed = program.listed("2026-05-04")

    assert "09:30-10:30 Long ride" in listed
    assert "Spring classic" in listed
