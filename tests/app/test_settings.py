"""The settings page: the connection in words, and choices that stay with their key."""

import re
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

import squad
import training
from coachboard.flags.engine import RULES
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.service.store.keys import digest_of
from coachboard.settings import Settings
from coachboard.ui.frame import navigation
from faulty_proxy import faulty, reset
from intervals_server import ATHLETE_ID, KEY, IntervalsServer
from serving import served
from waiting import wait_until

PAGE = str(navigation.PAGES_FOLDER / "settings.py")


def read(at):
    """The words as they read on the screen, without the escapes that keep them text."""
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", texts(at))


@pytest.fixture
def page_of(dashboard_settings):
    def opened(key=squad.COACH_KEY, *, near=True):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        at = AppTest.from_file(PAGE, default_timeout=30)
        at.session_state["settings.flags.near"] = near
        return at.run()

    return opened


def texts(at):
    return "\n".join(element.value for kind in (at.markdown, at.caption, at.text) for element in kind)


def test_the_connection_is_shown_without_the_key(page_of):
    at = page_of()

    assert "Cleo Coach" in texts(at)
    assert "of 300" in texts(at)
    assert "key from the settings" in texts(at)
    assert squad.COACH_KEY not in texts(at)


def test_testing_the_connection_says_how_long_the_service_took(page_of):
    at = page_of()
    at.button(key="settings.test").click().run()

    assert "the data service answered in" in texts(at)


def test_a_test_of_the_connection_that_fails_says_why_in_words(page_of, dashboard_settings, squad_service):
    with faulty(squad_service) as line:
        dashboard_settings.setenv("COACHBOARD_BASE_URL", line.url)
        at = page_of()
        line.always = reset
        at.button(key="settings.test").click().run()

    assert "The data service cannot be reached. It does not answer at http" in read(at)
    assert "reset by peer" not in texts(at)


def test_clearing_deletes_the_cached_data(page_of):
    at = page_of()
    at.button(key="settings.clear").click().run()

    assert "Copy deleted" in texts(at)
    assert not at.exception


def test_after_clearing_the_sync_is_not_shown_as_up_to_date(page_of):
    at = page_of()
    at.button(key="settings.sync").click().run()
    wait_until(lambda: "done just now; repeated every 15 minutes" in read(at.run()))
    at.button(key="settings.clear").click().run()

    assert "repeated every" not in texts(at)
    assert "starts within 2 minutes" in texts(at)


def test_units_and_week_stay_with_their_key(page_of):
    at = page_of()
    at.button_group(key="settings.system").set_value("imperial").run()
    at.button_group(key="settings.weekday").set_value(6).run()

    again, other = page_of(), page_of(squad.ADMIN_KEY)
    assert again.session_state["settings.system"] == "imperial"
    assert again.session_state["settings.weekday"] == 6
    assert other.session_state["settings.system"] == "metric"


def test_the_readers_time_zone_stays_with_their_key(page_of):
    at = page_of()
    at.selectbox(key="settings.time_zone").set_value("Asia/Tokyo").run()

    assert page_of().session_state["settings.time_zone"] == "Asia/Tokyo"
    assert page_of(squad.ADMIN_KEY).session_state["settings.time_zone"] == ""


def test_one_sport_may_keep_its_own_units(page_of):
    at = page_of()
    at.selectbox(key="settings.system.swimming").set_value("imperial").run()

    assert page_of().session_state["settings.system.swimming"] == "imperial"


def test_every_rule_of_the_flags_is_a_field_with_its_words_and_its_source(page_of):
    at = page_of()

    fields = {field.key: field for field in at.number_input}
    for rule in RULES:
        field = fields[f"settings.flag.{rule.id}"]
        unit = f" ({rule.unit})" if rule.unit else ""
        assert (field.label, field.value) == (f"{rule.title}{unit}", rule.threshold)
        assert "Source" in field.help
        assert (field.min, field.max) == rule.bounds
    assert "Mean resting heart rate of 3 nights at least 5 bpm above" in read(at)


def test_the_thresholds_wait_until_the_reader_comes_near(page_of):
    assert not page_of(near=False).number_input


def test_a_threshold_is_saved_shown_and_reset(page_of):
    at = page_of()
    at.number_input(key="settings.flag.resting_hr_high").set_value(4).run()
    at.button(key="settings.flag.resting_hr_high.save").click().run()

    again = page_of()
    assert again.number_input(key="settings.flag.resting_hr_high").value == 4
    assert "Mean resting heart rate of 3 nights at least 4 bpm" in read(again)
    assert "Default: 5" in read(again)

    again.button(key="settings.flags_default").click().run()
    assert again.number_input(key="settings.flag.resting_hr_high").value == 5
    assert "Mean resting heart rate of 3 nights at least 5 bpm" in read(page_of())


def test_a_threshold_shows_the_athletes_that_it_would_flag_before_it_is_saved(
    page_of, dashboard_settings, squad_store
):
    """Nine days after Ana's last session, and Ben has none."""
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_TODAY", (training.TODAY + timedelta(days=9)).isoformat())
    at = page_of()
    at.number_input(key="settings.flag.no_session").set_value(20).run()
    wait_until(lambda: "0** (saved: 1) of 2 athletes" in read(at.run()))

    assert (
        "With 20 days, this rule flags **0** (saved: 1) of 2 athletes. No longer: \u2068Ana Li\u2069."
        in read(at)
    )
    assert page_of().number_input(key="settings.flag.no_session").value == 5

    at.button(key="settings.flag.no_session.discard").click().run()
    assert at.number_input(key="settings.flag.no_session").value == 5
    assert "this rule flags" not in read(at)


def test_a_number_has_its_meaning_formula_unit_and_source(page_of):
    at = page_of()
    at.selectbox(key="settings.formula").set_value("Session: Normalized power").run()

    shown = texts(at)
    for text in ("The power that would have cost as much", "Formula", "Unit", "Allen H, Coggan A."):
        assert text in shown


def test_syncing_begins_on_demand_and_says_how_far_it_is(page_of):
    at = page_of()
    assert "starts within 2 minutes" in texts(at)
    at.button(key="settings.sync").click().run()

    assert "Updating in the background" in texts(at)
    assert "starts within 2 minutes" not in texts(at)


def test_a_choice_that_cannot_be_saved_is_reported_and_the_widget_shows_the_saved_one(
    page_of, dashboard_settings, tmp_path
):
    (tmp_path / "dashboard.db").mkdir()  # a folder cannot be opened, like a server that is down
    dashboard_settings.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{tmp_path / 'cache.db'}")
    at = page_of()

    at.button_group(key="settings.system").set_value("imperial").run()
    assert at.toast[0].value.startswith("Not saved")
    assert at.session_state["settings.system"] == "metric"

    at.number_input(key="settings.flag.resting_hr_high").set_value(4).run()
    at.button(key="settings.flag.resting_hr_high.save").click().run()
    assert at.toast[0].value.startswith("Not saved")
    assert at.number_input(key="settings.flag.resting_hr_high").value == 5
    assert not at.exception


def test_every_run_sends_the_saved_values_to_the_browser(page_of):
    """A value that one run's message alone carries is lost where the next overtakes it, and its widget writes its own."""
    first = page_of()
    first.number_input(key="settings.flag.resting_hr_high").set_value(4).run()
    first.button(key="settings.flag.resting_hr_high.save").click().run()
    first.selectbox(key="settings.system.running").set_value("imperial").run()
    first.button_group(key="settings.weekday").set_value(6).run()
    at = page_of().run()

    assert at.number_input(key="settings.flag.resting_hr_high").proto.default == 4
    assert at.number_input(key="settings.flag.sleep_short").proto.default == 6
    assert at.selectbox(key="settings.system.running").proto.default == 2
    assert at.selectbox(key="settings.time_zone").proto.default == 0
    assert list(at.button_group(key="settings.weekday").proto.default) == [1]
    assert list(at.button_group(key="settings.system").proto.default) == [0]


def button(at, label):
    (found,) = [one for one in at.button if one.label == label]
    return found


def test_a_key_is_created_shown_once_named_and_revoked(page_of, squad_store):
    at = page_of()
    at.text_input(key="settings.key_name").set_value("Notebook")
    at = button(at, "Create key").click().run()
    key = at.session_state["settings.new_key"].get_secret_value()
    assert squad_store.caller(digest_of(key)).user_id == squad.COACH
    assert at.dataframe[0].value["Name"].tolist()[-1] == "Notebook"
    assert at.dataframe[0].value["Last used"].tolist() == ["this session", "never"]
    assert key not in read(at)

    at = at.button(key="settings.key_saved").click().run()
    assert "settings.new_key" not in at.session_state
    (new,) = [row.id for row in squad_store.keys(squad.COACH) if row.label == "Notebook"]
    at.selectbox(key="settings.key").set_value(new).run()
    at.text_input(key=f"settings.label.{new}").set_value("Old notebook")
    at = button(at, "Rename").click().run()
    assert "Old notebook" in at.dataframe[0].value["Name"].tolist()

    at = at.button(key="settings.revoke").click().run()
    assert "Revoke **Old notebook**? Programs that use it stop working." in read(at)
    assert squad_store.caller(digest_of(key)) is not None
    at = at.button(key="settings.revoke_yes").click().run()
    assert squad_store.caller(digest_of(key)) is None
    assert "Old notebook" not in at.dataframe[0].value["Name"].tolist()
    assert not at.exception


def test_a_key_needs_a_name(page_of, squad_store):
    at = button(page_of(), "Create key").click().run()

    assert "Enter a name for the key." in at.error[0].value
    assert len(squad_store.keys(squad.COACH)) == 1


def test_revoking_a_key_names_the_keys_that_it_made_and_takes_them_along(page_of, squad_store):
    (own,) = [row.id for row in squad_store.keys(squad.COACH)]
    texts_of = {}
    makers = {"script": own, "watch_*1*": "script", "phone": "watch_*1*"}
    for label, maker in makers.items():
        ids = {row.label: row.id for row in squad_store.keys(squad.COACH)}
        caller = squad_store.caller(digest_of(squad.COACH_KEY))
        texts_of[label] = squad_store.add_key_of(replace(caller, key_id=ids.get(maker, maker)), label=label)
    ids = {row.label: row.id for row in squad_store.keys(squad.COACH)}
    at = page_of()
    at.selectbox(key="settings.key").set_value(ids["script"]).run()
    at = at.button(key="settings.revoke").click().run()
    asked = (
        "Revoke **script**? 2 keys that it made will be revoked too: **watch_*1***, **phone**. Programs that use it "
        "stop working."
    )
    assert asked in read(at)

    at = at.button(key="settings.revoke_yes").click().run()
    assert len(at.dataframe[0].value) == 1
    assert [squad_store.caller(digest_of(text)) for text in texts_of.values()] == [None] * 3


def test_revoking_the_key_of_the_session_signs_out(page_of, squad_store):
    at = page_of()
    (own,) = [row.id for row in squad_store.keys(squad.COACH)]
    at.selectbox(key="settings.key").set_value(own).run()
    at = at.button(key="settings.revoke").click().run()
    assert "You will be signed out." in read(at)
    at = at.button(key="settings.revoke_yes").click().run()

    assert at.title[0].value == "Sign in"
    assert "Cleo" not in texts(at)


@pytest.mark.parametrize(("key", "is_there"), [(squad.COACH_KEY, True), (squad.ATHLETE_KEY, False)])
def test_flag_thresholds_are_for_people_who_coach(page_of, key, is_there):
    at = page_of(key)

    assert ("Flag thresholds" in [header.value for header in at.header]) is is_there
    assert any("settings.flag." in (field.key or "") for field in at.number_input) is is_there


def words(at):
    return read(at) + "\n".join(element.value for kind in (at.error, at.warning) for element in kind)


@pytest.fixture
def calendar_elsewhere(dashboard_settings, tmp_path):
    """An account at intervals.icu, and a service that pushes to it."""
    server = IntervalsServer()
    with ExitStack() as stack:
        there = stack.enter_context(served(server.app()))
        store = stack.enter_context(closing(Store.open(f"sqlite:///{tmp_path / 'pushing.db'}")))
        squad.seed(store)
        settings = Settings(data=tmp_path, intervals_url=there)
        address = stack.enter_context(served(mounted(create_app(store, settings=settings))))
        dashboard_settings.setenv("COACHBOARD_BASE_URL", f"{address}/api")
        dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
        yield server


def connected(at, athlete_id, key):
    at.text_input(key="settings.intervals_id").set_value(athlete_id)
    at.text_input(key="settings.intervals_key").set_value(key)
    return at.button(key="settings.intervals_save").click().run()


def test_an_account_at_intervals_is_connected_and_disconnected_and_its_key_is_not_on_the_page(
    calendar_elsewhere,
):
    at = AppTest.from_file(PAGE, default_timeout=30).run()
    assert "Nothing is sent before you connect an account." in words(at)
    at = connected(at, "my name", KEY)
    assert "The account was not saved." in words(at)
    assert at.text_input(key="settings.intervals_id").value == "my name"
    at = connected(at, ATHLETE_ID, KEY)
    assert at.text_input(key="settings.intervals_key").value == ""
    at.button(key="settings.intervals_push").click().run()
    wait_until(lambda: "0 workouts at intervals.icu, pushed" in words(at.run()))
    assert KEY not in repr(at.main) + words(at)
    at.button(key="settings.intervals_leave").click().run()
    at.button(key="settings.intervals_leave_yes").click().run()

    assert "Nothing is sent before you connect an account." in words(at)
    assert calendar_elsewhere.events == {}


def test_a_refused_key_of_intervals_is_named(calendar_elsewhere):
    at = AppTest.from_file(PAGE, default_timeout=30).run()
    at = connected(at, ATHLETE_ID, "wrong")

    wait_until(lambda: "Workouts were not pushed." in words(at.run()))
    assert "does not accept the athlete id or the API key" in words(at)


def test_a_new_address_for_mails_counts_once_the_code_of_its_mail_is_entered(dashboard_settings, tmp_path):
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store.open(f"sqlite:///{tmp_path / 'mailing.db'}")))
        squad.seed(store)
        settings = Settings(data=tmp_path, outbox=tmp_path / "outbox")
        address = stack.enter_context(served(mounted(create_app(store, settings=settings))))
        dashboard_settings.setenv("COACHBOARD_BASE_URL", f"{address}/api")
        dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
        at = AppTest.from_file(PAGE, default_timeout=30).run()
        without_server = words(at)
        at.text_input(key="settings.comment_mail.address").set_value("ana@example.org")
        press(at, "Save mails")
        asked = words(at)
        at.text_input(key="settings.comment_mail.code").set_value("WRONG")
        press(at, "Confirm address")
        refused = words(at)
        today = datetime.now(UTC).date()
        code = store.address_code(squad.ANA, "ana@example.org", today)
        at.text_input(key="settings.comment_mail.code").set_value(code)
        press(at, "Confirm address")

    assert "This service has no mail server" in without_server
    assert "A code was sent to ana@\u2060example.org." in asked
    assert "is not that of the mail" in refused
    assert "A mail with a code" not in words(at)
    assert at.text_input(key="settings.comment_mail.address").value == "ana@example.org"


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
