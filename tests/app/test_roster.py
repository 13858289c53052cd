"""The roster: its texts, its filters and snoozed flags."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

import squad
import training
from coachboard.client import Client
from coachboard.client.errors import Unreachable
from coachboard.client.waiting import Progress
from coachboard.flags.engine import RULES_BY_ID
from coachboard.loaders.athlete_today import Clock
from coachboard.loaders.flag_snooze import LONGEST_REASON
from coachboard.loaders.preferences import change_preferences, load_preferences
from coachboard.pages import roster as roster_page
from coachboard.pages.roster import flags, visible_rows
from coachboard.pages.squad_rows import Roster, RosterPhase
from coachboard.service.store import NewNote
from coachboard.ui.frame import connection, navigation, review_bar, shell, theme
from coachboard.wire.enums import NoteType, Sport, WorkspaceRole
from coachboard.wire.planning import EntryKind, PlanValue
from coachboard.wire.plans import Note
from coachboard.wire.training_plans import TrainingPlanEntry, TrainingPlanInput
from drawn import page_test
from faulty_proxy import faulty, reset
from faulty_proxy import says as status
from waiting import wait_until

MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "ui" / "frame" / "main.py"


@pytest.fixture
def roster(dashboard_settings, squad_store):
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())

    def open_roster(**params):
        at = AppTest.from_file(str(MAIN), default_timeout=30)
        for name, value in params.items():
            at.query_params[name] = value
        at.run()
        for _ in range(50):
            if "athletes read" not in read(at) and not at.get("progress"):
                break
            time.sleep(0.1)
            at.run()
        assert not at.exception
        return at

    return open_roster


def read(at):
    return "\n".join(
        element.value for kind in (at.markdown, at.caption, at.subheader) for element in kind
    ).replace("\\", "")


def test_the_rows_are_read_with_the_client_of_now(roster, squad_store):
    """For an hour they were those of a client that was closed."""
    assert "Only in the evening" not in read(roster(view="look"))
    connection.close_all()
    ill = Note(
        id="not_1",
        type=NoteType.MEDICAL,
        title="Only in the evening",
        content=None,
        date=training.TODAY,
        time=None,
    )
    squad_store.put_notes(squad.BEN, [NewNote(note=ill, creator_id=squad.BEN, hidden_until=None)])

    assert "Only in the evening" in read(roster(view="look"))


def test_an_athlete_without_a_session_has_the_same_words_in_row_and_to_do(roster):
    at = roster()
    table = "".join(part.proto.json for part in at.get("bidi_component"))

    assert '"no session in 12 months"' in table
    assert ": no session in 12 months" in read(roster(view="look"))


def test_the_page_opens_with_how_many_need_a_look(roster):
    assert "of 2 athletes need" in read(roster())


def test_every_view_opens_by_its_address(roster):
    for view in ["everyone", "look", "week", "stimulus", "nonsense"]:
        assert "of 2 athletes need" in read(roster(view=view))


def test_search_and_filters_of_the_address_are_applied(roster):
    assert "2 hidden by search or filter" in read(roster(q="nobody of that name"))
    assert "1 hidden by search or filter" in read(roster(sport="cycling"))


def test_one_workspace_alone_is_nothing_to_choose_from(roster):
    assert not [box for box in roster(workspace=squad.SQUAD).selectbox if box.label == "Workspace"]


def test_a_workspace_is_filtered_by_the_members_that_the_reader_named(roster, squad_store):
    """The service names no workspace per athlete."""
    squad_store.add_workspace("Juniors", "juniors", id="wke_juniors")
    squad_store.add_member("wke_juniors", squad.COACH, WorkspaceRole.COACH)

    at = roster(workspace="wke_juniors")
    assert "2 hidden by search or filter" in read(at)
    at.multiselect(key="roster.members.wke_juniors").set_value([squad.ANA]).run()

    assert "1 hidden by search or filter" in read(at)
    assert "1 hidden by search or filter" in read(roster(workspace="wke_juniors"))
    assert "hidden by" not in read(roster(workspace="wke_elsewhere"))


def test_the_members_of_a_workspace_are_chosen_by_group(roster, squad_store):
    squad_store.add_workspace("Juniors", "juniors", id="wke_juniors")
    squad_store.add_member("wke_juniors", squad.COACH, WorkspaceRole.COACH)
    with squad_store.changing_plans() as plans:
        plans.set_groups(squad.SQUAD, squad.BEN, ["Track"])
    at = roster(workspace="wke_juniors")
    field = at.multiselect(key="roster.members.wke_juniors")
    assert {"All athletes (2)", "Group: Track (1)"} < set(field.options)
    field.set_value(["Group: Track"]).run()

    assert at.multiselect(key="roster.members.wke_juniors").value == [squad.BEN]
    assert "1 hidden by search or filter" in read(roster(workspace="wke_juniors"))


def test_a_search_of_the_address_narrows_the_roster(roster):
    assert "1 hidden by" in read(roster(q="ana"))


def test_a_hostile_search_is_harmless(roster):
    at = roster(q="<script>alert(1)</script>")

    assert "<script>" not in read(at)


def test_an_athletes_rules_name_missing_data(roster):
    text = read(roster(view="look", athlete=squad.BEN))

    assert "Not enough data" in text
    assert "no plan in the last 28 days" in text


def test_a_reader_without_athletes_is_led_to_their_own_page(dashboard_settings, squad_store):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()

    assert not at.exception
    assert [title.value for title in at.title] == ["Ana Li"]


def test_a_reason_stops_where_it_would_be_cut_off_when_kept(roster, squad_store):
    ill = Note(id="not_9", type=NoteType.MEDICAL, title="Ill", content=None, date=training.TODAY, time=None)
    squad_store.put_notes(squad.ANA, [NewNote(note=ill, creator_id=squad.ANA, hidden_until=None)])
    at = roster(view="look")
    assert {field.max_chars for field in at.text_input if field.label == "Reason"} == {LONGEST_REASON}


def test_plans_by_distance_are_compared_on_the_roster(roster, squad_store):
    days = [training.TODAY - timedelta(days=n) for n in (1, 2, 3)]
    squad_store.put_prescriptions(
        squad.BEN,
        [training.prescription(f"By distance {day}", day, duration=None, distance=30_000) for day in days],
    )
    squad_store.put_activities(squad.BEN, [training.activity(f"Ride {day}", day) for day in days])
    at = roster(q="ben")
    (table,) = (str(one.proto) for one in at.get("bidi_component") if "roster.table" in one.proto.id)

    assert "3 of 3" in table
    assert "Well over plan" in read(roster(view="look", athlete=squad.BEN)).partition("Checked, OK:")[2]


@pytest.mark.parametrize("is_phone", [False, True])
def test_the_legend_of_the_squads_week_is_above_the_long_list_of_a_phone(roster, monkeypatch, is_phone):
    monkeypatch.setattr(theme, "is_phone", lambda: is_phone)
    parts = [str(getattr(one, "proto", one)) for one in roster(view="week").main]
    (legend,) = (at for at, part in enumerate(parts) if "Filled = done" in part)
    (table,) = (at for at, part in enumerate(parts) if "roster.week" in part)

    assert (legend < table) is is_phone


def test_all_athletes_with_flags_are_listed_the_last_in_short_form(roster, squad_store, monkeypatch):
    monkeypatch.setattr(flags, "_AT_ONCE", 1)
    for user_id in (squad.ANA, squad.BEN):
        ill = Note(
            id=f"not_{user_id}",
            type=NoteType.MEDICAL,
            title="Ill",
            content=None,
            date=training.TODAY,
            time=None,
        )
        squad_store.put_notes(user_id, [NewNote(note=ill, creator_id=user_id, hidden_until=None)])
    at = roster(view="look")
    assert "Highest priority first (0 = no flag)." in read(at)
    (more,) = (str(one.proto) for one in at.get("bidi_component") if "roster.more" in one.proto.id)

    assert "by search or filter" not in read(at)
    assert RULES_BY_ID["medical_note"].title in more
    (rule,) = (
        said for said in at.markdown if RULES_BY_ID["medical_note"].sentence() in said.value.replace("\\", "")
    )
    for part in ("Window", "Missing data", "Worked example"):
        assert f"**{part}:**" in rule.help


@pytest.mark.parametrize(("note_below", "is_headed"), [(0.6, False), (9.0, True)])
def test_flags_of_a_low_priority_are_listed_as_worth_a_note(
    roster, squad_store, monkeypatch, note_below, is_headed
):
    monkeypatch.setattr(visible_rows, "NOTE_BELOW", note_below)
    ill = Note(id="not_1", type=NoteType.MEDICAL, title="Ill", content=None, date=training.TODAY, time=None)
    squad_store.put_notes(squad.ANA, [NewNote(note=ill, creator_id=squad.ANA, hidden_until=None)])
    at = roster(view="look")

    assert ("Worth a note" in [heading.value for heading in at.subheader]) == is_headed
    assert ("worth a note" in read(at)) == is_headed


def says(at):
    return "\n".join(warning.value for warning in at.warning).replace("\\", "")


@pytest.mark.parametrize("view", ["everyone", "look"])
def test_athletes_that_could_not_be_loaded_are_named_with_the_cause_and_tried_again(
    roster, dashboard_settings, squad_service, view
):
    def without_sessions(exchange):
        if b"/activities" in exchange.raw.split(b"\r\n", 1)[0]:
            reset(exchange)
        else:
            exchange.answer(exchange.ask())

    with faulty(squad_service) as line:
        dashboard_settings.setenv("COACHBOARD_BASE_URL", line.url)
        dashboard_settings.setenv("COACHBOARD_TIMEOUT_S", "10")
        line.always = without_sessions
        at = roster(view=view)
        assert (
            "2 athletes could not be loaded: The data service cannot be reached. Check the network"
            in says(at)
        )
        assert "No athlete needs a look" not in read(at)

        line.always = None
        at.button(key="roster.again").click().run()
        wait_until(lambda: not says(at.run()))
        assert "of 2 athletes need" in read(at)


def test_progress_counts_failed_athletes_apart():
    failed = {"usr_a": Unreachable("GET", "/users/usr_a/activities")}
    roster = Roster({}, failed, ("usr_b", "usr_c"), Progress(1, 3), RosterPhase.READING)

    assert roster_page.progress_words(roster) == "Loaded 0 of 3 athletes, 1 failed"


def test_the_review_has_the_outlook_of_tomorrows_plan(roster):
    text = read(roster(view="review", athlete=squad.ANA))

    assert "Tomorrow: Intervals" in text
    assert "Not feasible as planned" in text
    assert "Last similar workouts:" in text


def test_a_review_has_the_time_of_its_click(roster, monkeypatch):
    """Hours after the page had opened, a review was saved with the time of the opening."""
    saved, moments = [], [datetime.now(UTC) - timedelta(hours=3)]
    monkeypatch.setattr(shell, "Clock", partial(Clock, now=lambda: moments[-1]))
    monkeypatch.setattr(review_bar, "save_review", lambda *args: saved.append(args[-1].reviewed_at))
    at = roster(view="review", athlete=squad.ANA)
    moments.append(datetime.now(UTC))
    next(button for button in at.button if button.label.startswith("Reviewed")).click().run()

    assert saved == [moments[-1]]


def test_a_missed_session_has_its_name_wherever_it_is_counted(roster, squad_store):
    """The roster said "2 missed", the squad week their stimulus, the review nothing."""
    plans = [
        training.prescription(name, training.TODAY - timedelta(days=days))
        for days, name in ((2, "Long hills"), (4, "Sweet spot"))
    ]
    squad_store.put_prescriptions(squad.BEN, plans)
    for view in ["everyone", "look", "week", "review"]:
        at = roster(view=view, athlete=squad.BEN)
        shown = read(at) + "".join(part.proto.json for part in at.get("bidi_component"))

        for plan in plans:
            assert plan.title in shown


def test_the_review_says_if_nothing_is_planned(roster):
    text = read(roster(view="review", athlete=squad.BEN))

    assert "Nothing left for today, nothing planned for tomorrow." in text


def test_the_review_has_the_outlook_of_the_day_of_the_flag(roster, squad_store):
    """The flag was about the hard session of today, the outlook below it about that of tomorrow."""
    days = [training.TODAY + timedelta(days=number) for number in (-2, -1, 0, 1)]
    hard = [training.prescription(f"Hard {day}", day, training_stimulus="vo2max") for day in days]
    done = [training.activity(f"Hard {day}", day, training_stimulus="vo2max") for day in days[:2]]
    squad_store.put_prescriptions(squad.BEN, hard)
    squad_store.put_activities(squad.BEN, done)
    text = read(roster(view="review", athlete=squad.BEN))

    assert f"Today: Hard {training.TODAY}" in text
    assert "Tomorrow:" not in text


def test_the_review_lists_every_missed_session_of_the_week(roster, squad_store):
    """The roster counted five; the review listed the four newest sessions."""
    week = [training.TODAY - timedelta(days=number) for number in range(1, 6)]
    squad_store.put_prescriptions(squad.BEN, [training.prescription(f"Plan {day}", day) for day in week])
    at = roster(view="review", athlete=squad.BEN)
    (tables,) = (e.proto.json for e in at.get("bidi_component") if "roster.review.sessions" in e.proto.id)

    assert all(f"Plan {day}" in tables for day in week)


def test_a_count_of_missed_sessions_opens_the_review_that_lists_them(roster, squad_store):
    """Their names were in a title, which a finger and a keyboard do not reach."""
    squad_store.put_prescriptions(
        squad.BEN, [training.prescription("Long hills", training.TODAY - timedelta(days=2))]
    )
    (table,) = (e.proto.json for e in roster().get("bidi_component") if "roster.table" in e.proto.id)
    cells = [
        cell for row in json.loads(table)["rows"] for cell in row["cells"] if cell.get("sub") == "1 missed"
    ]

    assert [cell["pick"] for cell in cells] == [f"review {squad.BEN}"]


def test_each_session_of_a_day_has_its_own_feel_score(roster, squad_store):
    """With two sessions on a day none had one, as a day of the flags has scores without their session."""
    for feeling in (2, 5):
        session = training.activity(f"Ride {feeling}", training.TODAY, feeling=feeling)
        squad_store.put_activities(squad.BEN, [session])
    (table,) = (
        json.loads(element.proto.json)
        for element in roster(view="feed").get("bidi_component")
        if "roster.feed" in element.proto.id
    )
    subs = {cell["main"]: cell.get("sub", "") for row in table["rows"] for cell in row["cells"]}

    assert subs["Ride 2"].endswith("feel 2 of 5")
    assert subs["Ride 5"].endswith("feel 5 of 5")


@pytest.fixture
def break_groups(dashboard_settings, squad_service, squad_store):
    """A group "Track" with Ben; from a call on the service fails for groups, and the dashboard asks again."""
    with squad_store.changing_plans() as plans:
        plans.set_groups(squad.SQUAD, squad.BEN, ["Track"])
    failed = status(500, b'{"code":"internal_error","error":"broken"}')

    def answer(exchange):
        is_of_groups = b"groups" in exchange.raw.split(b"\r\n", 1)[0]
        failed(exchange) if is_of_groups else exchange.answer(exchange.ask())

    with faulty(squad_service) as line:
        dashboard_settings.setenv("COACHBOARD_BASE_URL", line.url)

        def fail():
            line.always = answer
            connection.client_for(access_of_settings()).planning.forget_failure()

        yield fail


def access_of_settings():
    return connection.Access(
        connection.base_url(), connection.settings.current().api_key, connection.Way.SETTINGS
    )


def put_tags(tags):
    fingerprint = access_of_settings().fingerprint
    change_preferences(connection.local_store(), fingerprint, lambda kept: replace(kept, tags=tags))


def tags():
    return load_preferences(connection.local_store(), access_of_settings().fingerprint).tags


UNREAD_GROUPS = "Groups of athletes: The data service failed with an internal error."


@pytest.mark.parametrize("page", [{}, {"members": "Track"}, {"view": "review", "athlete": squad.BEN}])
def test_groups_that_could_not_be_loaded_are_not_taken_for_none(page, roster, break_groups):
    put_tags({squad.BEN: ("Mine",)})
    break_groups()
    at = roster(**page)

    assert UNREAD_GROUPS in says(at)
    assert "Mine" not in read(at) + str([box.options for box in at.multiselect])


def test_fields_that_offer_groups_say_that_they_could_not_be_loaded(break_groups, roster, squad_service):
    value = PlanValue(title="Hills", sport=Sport.CYCLING)
    entry = TrainingPlanEntry(day=1, kind=EntryKind.WORKOUT, value=value)
    planned = TrainingPlanInput(title="One week", days=7, entries=(entry,))
    with Client(squad_service, squad.COACH_KEY) as client:
        plan = client.planning.add_plan(planned)
    break_groups()
    for name, address in {
        "calendar": {"athlete": squad.ANA},
        "plans": {"plan": plan.id, "view": "apply"},
    }.items():
        at = page_test(name, timeout_s=60)
        at.query_params.update(address)

        assert UNREAD_GROUPS in says(at.run())


def test_groups_of_before_a_failure_stay(roster, break_groups):
    at = roster(members="Track")
    break_groups()
    at.run()

    assert "1 hidden by search or filter" in read(at)
    assert UNREAD_GROUPS not in says(at)


def test_no_group_of_a_service_that_fails_becomes_a_tag(roster, break_groups):
    at = roster(view="review", athlete=squad.BEN)
    (field,) = (each for each in at.multiselect if each.label == "Groups")
    break_groups()
    field.set_value([]).run()

    assert "The groups were not saved" in str([error.value for error in at.error])
    assert tags() == {}


def test_tags_that_did_not_become_groups_stay(roster, break_groups):
    put_tags({squad.ANA: ("Juniors",)})
    at = roster(view="review", athlete=squad.ANA)
    break_groups()
    at.button(key="groups.take_over").click().run()

    assert "Some of your tags: The data service failed" in says(at)
    assert tags() == {squad.ANA: ("Juniors",)}


def test_tags_from_before_become_groups_of_the_workspace(roster, squad_store):
    at = roster(view="review", athlete=squad.ANA)
    assert "You have tags from before" not in read(at)
    put_tags({squad.ANA: ("Juniors", "Track")})
    at = roster(view="review", athlete=squad.ANA)
    assert "You have tags from before" in read(at)
    at.button(key="groups.take_over").click().run()

    with squad_store.reading_plans() as plans:
        assert plans.groups([squad.SQUAD]) == {(squad.SQUAD, squad.ANA): ["Juniors", "Track"]}
    assert "You have tags from before" not in read(roster(view="review", athlete=squad.ANA))
