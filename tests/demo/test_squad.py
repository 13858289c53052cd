"""The states and stories of the demo athletes."""

from collections import Counter
from datetime import datetime, timedelta

import orjson
import pytest

from coachboard.service.store import RowKind
from coachboard.service.store.keys import digest_of
from coachboard.wire.enums import DataOnboardingStatus, Sport, WorkspaceRole
from coachboard_demo.people import KEYS, user_id
from coachboard_demo.planning import device_title
from coachboard_demo.squad import SQUAD, squad_of


@pytest.fixture
def rows_of(demo_store):
    def read(kind, key):
        return [orjson.loads(body) for body in demo_store.row_bodies(kind, user_id(key))]

    return read


def test_each_demo_key_opens_its_role(demo_store):
    coach, athlete, admin = (demo_store.caller(digest_of(key)) for key in KEYS)

    assert len(coach.athletes) == len(SQUAD) + 1
    assert athlete.athletes == frozenset()
    assert athlete.user_id in coach.athletes
    assert 2 <= len(admin.athletes) < len(SQUAD)
    assert coach.user_id in admin.athletes
    assert admin.user_id in coach.athletes


def test_the_keys_hold_different_roles_in_two_workspaces(demo_store):
    roles = {
        key: {each["slug"]: each["role"] for each in orjson.loads(demo_store.profile(user_id(key), is_own=True))["workspaces"]}
        for key in ("coach", "admin")
    }  # fmt: skip

    assert roles["coach"] == {
        "coachboard-squad": WorkspaceRole.COACH,
        "altitude-group": WorkspaceRole.ATHLETE,
    }
    assert roles["admin"] == {
        "coachboard-squad": WorkspaceRole.ATHLETE,
        "altitude-group": WorkspaceRole.ADMIN,
    }


def test_all_onboarding_states_and_readiness_flags_occur(demo_store):
    users = demo_store.users()
    flags = {
        (name, value)
        for user in users
        if user.user_metric_readiness
        for name, value in user.user_metric_readiness.model_dump().items()
    }

    assert {user.data_onboarding_status for user in users} == set(DataOnboardingStatus)
    assert len(flags) == 6
    assert any(user.user_metric_readiness is None for user in users)


def test_the_special_athletes_have_their_documented_states(rows_of, today):
    assert rows_of(RowKind.ACTIVITIES, "newcomer") == []
    assert rows_of(RowKind.PRESCRIPTIONS, "no plan") == []
    assert rows_of(RowKind.SLEEPS, "no plan") == []
    assert all(row["averagePower"] is None for row in rows_of(RowKind.ACTIVITIES, "masters"))
    assert {row["sport"] for row in rows_of(RowKind.ACTIVITIES, "swimmer")} <= {
        "swimming",
        "training",
        "walking",
    }
    assert len({row["sport"] for row in rows_of(RowKind.ACTIVITIES, "rare")}) > 80
    newest = rows_of(RowKind.ACTIVITIES, "failed")[0]["startedAtLocal"][:10]
    assert newest <= (today - timedelta(days=21)).isoformat()


def test_the_plan_ends_in_every_way(rows_of, today):
    plan = [
        row for row in rows_of(RowKind.PRESCRIPTIONS, "mountain biker") if row["date"] < today.isoformat()
    ]
    activities = {row["id"]: row for row in rows_of(RowKind.ACTIVITIES, "mountain biker")}
    done = [row for row in plan if row["activityId"]]
    shares = [activities[row["activityId"]]["effectiveDuration"] / row["duration"] for row in done]
    moved = [row for row in done if activities[row["activityId"]]["startedAtLocal"][:10] != row["date"]]
    unplanned = set(activities) - {row["activityId"] for row in plan}

    assert any(0.9 < share < 1.1 for share in shares)
    assert any(share < 0.8 for share in shares)
    assert moved
    assert unplanned
    assert len(done) < len(plan)


def test_today_is_alive(demo_store, rows_of, today):
    day = today.isoformat()
    done = [
        row
        for user in SQUAD
        for row in rows_of(RowKind.ACTIVITIES, user.key)
        if (row["startedAtLocal"] or "")[:10] == day
    ]
    plans = [row for user in SQUAD for row in rows_of(RowKind.PRESCRIPTIONS, user.key)]
    last = max(row["date"] for row in plans)

    assert done
    assert any(row["date"] == day and row["activityId"] is None for row in plans)
    assert today + timedelta(weeks=3) <= type(today).fromisoformat(last) <= today + timedelta(weeks=6)


def test_sessions_of_today_are_over(rows_of, today):
    """Where it is three in the night, the session of eight o'clock is still planned."""
    now = f"{today.isoformat()} 12:00:00"
    ends = [
        f"{datetime.fromisoformat(row['startedAt'][:19]) + timedelta(seconds=row['totalDuration'])}"
        for user in SQUAD
        for row in rows_of(RowKind.ACTIVITIES, user.key)
        if row["startedAt"] and row["totalDuration"]
    ]
    nights = [row["endedAt"] for user in SQUAD for row in rows_of(RowKind.SLEEPS, user.key) if row["endedAt"]]

    assert max(ends) <= now
    assert max(nights) <= now
    assert max(ends) > today.isoformat()


def test_only_rides_have_laps_and_only_pool_swims_have_lengths(rows_of):
    for user in SQUAD:
        for row in rows_of(RowKind.ACTIVITIES, user.key):
            assert row["sport"] == "cycling" or not (row["laps"] or row["climbs"])
            assert row["subSport"] == "lapSwimming" or not row["lengths"]


def test_triathlon_legs_share_a_group_and_follow_each_other(rows_of):
    legs = [row for row in rows_of(RowKind.ACTIVITIES, "age group") if row["groupId"]]
    sizes = Counter(row["groupId"] for row in legs)
    one = sorted(
        (row for row in legs if row["groupId"] == legs[0]["groupId"]), key=lambda row: row["startedAt"]
    )

    assert set(sizes.values()) == {5}
    assert [row["sport"] for row in one] == ["swimming", "transition", "cycling", "transition", "running"]


def test_hidden_and_private_notes_are_not_for_the_athlete(demo_store, today):
    athlete, coach = user_id("climber"), user_id("coach")
    seen_by_athlete, seen_by_coach = (
        {
            orjson.loads(row.body)["title"]
            for row in demo_store.planned_bodies(
                RowKind.NOTES, athlete, start=None, end=None, seen_by=who, today=today
            )
        }
        for who in (athlete, coach)
    )

    assert seen_by_coach - seen_by_athlete == {"Camp selection", "Ask about the left knee"}


def test_nights_answer_illness(rows_of):
    nights = {row["day"]: row for row in rows_of(RowKind.SLEEPS, "comeback")}
    days = sorted(nights)
    ill = [nights[day] for day in days[-17:-7]]
    before = [nights[day] for day in days[:-40]]

    def mean(rows, name):
        values = [row[name] for row in rows if row[name] is not None]
        return sum(values) / len(values)

    assert mean(ill, "averageHrv") < 0.85 * mean(before, "averageHrv")
    assert mean(ill, "restingHeartRate") > mean(before, "restingHeartRate") + 3
    assert mean(ill, "skinBodyTemperatureDeviation") > 0.3


def test_sleep_stages_add_up_and_nights_are_missing(rows_of, demo_store):
    nights = rows_of(RowKind.SLEEPS, "sprinter")

    for row in nights:
        assert row["lightDuration"] + row["remDuration"] + row["deepDuration"] == row["totalDuration"]
        total = row["totalDuration"] + row["awakeDuration"] + row["noDataDuration"]
        assert total == pytest.approx(row["inBedDuration"], abs=3)
    assert len(nights) < 0.32 * 365


def test_travel_changes_the_offset(rows_of):
    offsets = {row["utcOffset"] for row in rows_of(RowKind.SLEEPS, "short course")}

    assert len(offsets) > 1


def test_metrics_come_from_both_sources_at_intervals(rows_of):
    metrics = rows_of(RowKind.METRICS, "climber")
    estimates = [
        row["date"] for row in metrics if row["source"] == "service" and row["type"] == "critical power"
    ]

    assert {row["source"] for row in metrics} == {"user", "service"}
    assert 7 <= len(estimates) <= 9
    assert estimates == sorted(estimates)


def test_larger_squads_hold_the_default_one():
    squad = squad_of(40)

    assert squad[:24] == SQUAD
    assert len({each.key for each in squad}) == 40


def test_a_session_without_a_title_of_its_own_has_the_one_of_its_device(rows_of):
    """Demo sessions were titled "Activity": a device writes the time of day and the sport."""
    titles = Counter(
        row["name"]
        for athlete in SQUAD
        for row in rows_of(RowKind.ACTIVITIES, athlete.key)
        if row["name"] is not None
    )

    assert "Activity" not in titles
    assert {"Morning ride", "Lunch ride", "Evening ride", "Morning run"} & set(titles)
    assert device_title(Sport.CROSS_COUNTRY_SKIING, 10) == "Morning ski"
    assert device_title(Sport.RUNNING, 18) == "Evening run"
    assert device_title(Sport.GOLF, 12) == "Lunch session"


def test_the_next_two_races_have_two_names(rows_of, today):
    """Two entries "Scheldt classic" under the calendar read as one event shown twice."""
    for athlete in SQUAD:
        events = sorted(rows_of(RowKind.EVENTS, athlete.key), key=lambda row: row["date"])
        ahead = [row["name"] for row in events if row["date"] > today.isoformat()][:2]
        assert len(set(ahead)) == len(ahead)
