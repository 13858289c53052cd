"""The reader's own values and sessions: set, correct, delete; a conflict overwrites nothing."""

import json
import re
import time
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import orjson
import pytest

import page_views
import squad
from coachboard.client.own_data import LOOK_EVERY_S
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.corrections import BY_HAND
from coachboard.service.importers.importing import Importer, athletes_of
from coachboard.service.importers.reread import by_hand
from coachboard.service.own_data.jobs import job_file, new_job
from coachboard.service.store import JobFile, JobKind, JobState, NewUser, RowKind
from coachboard.service.store.originals import make_folder
from coachboard.service.store.rows import of_dated
from coachboard.wire.activities import Length
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import Gender, MetricSource, MetricSport
from coachboard.wire.metrics import MetricType
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from drawn import key_numbers, page_test
from faulty_proxy import faulty, reset
from seeded import activity
from unit.service.importers.fit_files import at, fit_file, records, session
from unit.service.importers.xml_files import gpx, gpx_points, segment
from waiting import wait_until

TODAY = date(2024, 3, 20)


@pytest.fixture
def opened(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_TODAY", TODAY.isoformat())

    def open_page(name, key=squad.ATHLETE_KEY, **params):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        at = page_test(name)
        for param, value in params.items():
            at.query_params[param] = value
        athlete = params.get("athlete", "me")
        for part in ("below", "weeks", "curves", "sessions", "profile"):
            at.session_state[f"athlete.{part}.{athlete}.near"] = True
        at.session_state["calendar.below.near"] = True
        at.run()
        assert not at.exception
        return at

    return open_page


@pytest.fixture
def ride(squad_store):
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(squad.ANA, [ridden.model_copy(update={"max_heart_rate": 188})])


def texts(at):
    kinds = (at.title, at.markdown, at.caption, at.warning, at.error, at.info)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def save(at):
    next(button for button in at.button if button.label == "Save").click()
    return at.run()


def values(store):
    return [(one.type, one.value, one.date, one.sport) for one in store.metrics_of(squad.ANA)]


@pytest.fixture
def line(dashboard_settings, squad_service):
    """The connection between dashboard and service."""
    with faulty(squad_service) as proxy:
        dashboard_settings.setenv("COACHBOARD_BASE_URL", proxy.url)
        dashboard_settings.setenv("COACHBOARD_TIMEOUT_S", "1")
        yield proxy


def offers(at):
    """Whether the page offers a change: a form, or files to drop."""
    return bool(at.number_input or at.get("file_uploader"))


@pytest.mark.parametrize("name", ["values", "imports"])
def test_a_service_that_stops_is_named_and_can_be_tried_again(opened, line, name):
    at = opened(name)
    assert offers(at)
    line.always = reset
    at.run()
    assert "The data service cannot be reached" in texts(at)
    assert not offers(at)

    line.always = None
    at.button(key="shell.again").click().run()
    assert offers(at)
    assert "The data service cannot be reached" not in texts(at)


@pytest.mark.parametrize("name", ["values", "imports"])
def test_an_own_data_api_that_fails_from_the_start_is_not_called_absent(opened, line, name):
    def without_own_data(exchange):
        if b"/own/v1" in exchange.raw:
            reset(exchange)
        else:
            exchange.answer(exchange.ask())

    line.always = without_own_data
    at = opened(name)
    for _ in range(2):
        assert "The data service cannot be reached" in texts(at)
        at.run()

    line.always = None
    at.button(key="shell.again").click().run()
    assert offers(at)


def without(path):
    """The connection of a service whose requests with this path fail."""

    def answer(exchange):
        if path in exchange.raw.split(b"\r\n", 1)[0]:
            reset(exchange)
        else:
            exchange.answer(exchange.ask())

    return answer


def test_a_table_that_cannot_be_read_keeps_the_others_and_can_be_discarded(opened, squad_store):
    """The page ended with the reason, without a button, for as long as the address named the import."""
    job = new_job(squad.ANA, JobKind.IMPORT, JobState.RECEIVING)
    squad_store.add_job(job)
    folder = squad_store.originals.uploads(job.id)
    make_folder(folder)
    (folder / "bad.csv").write_bytes(b",".join([b"x"] * 600))
    (folder / "nights.csv").write_bytes(b"When,HRV\n2024-03-02,61\n")
    at = opened("imports", **{"import": job.id})

    assert "bad.csv: not readable as a table" in texts(at)
    assert [box.label for box in at.selectbox][-2:] == ["Content of When", "Content of HRV"]
    at.button(key="imports.discard").click().run()
    assert squad_store.job(job.id).state is JobState.UNDONE


def test_unreadable_progress_names_the_cause_and_continues_later(opened, line, ride):
    at = opened("values")
    line.always = without(b"/recomputations")
    at.number_input[0].set_value(70.4)
    save(at)
    assert not at.exception
    assert "Progress of the recomputation: The data service cannot be reached" in texts(at)

    line.always = None
    wait_until(lambda: "Saved. All loads are up to date" in texts(at.run()))


def test_proposals_that_cannot_be_read_name_the_cause(opened, line, ride):
    line.always = without(b"/sleeps")
    at = opened("values")
    at.button(key="values.propose").click().run()
    assert not at.exception
    assert "Suggested values: The data service cannot be reached" in texts(at)


def test_a_weight_is_set_changed_and_deleted(opened, squad_store):
    at = opened("values")
    at.number_input[0].set_value(70.4)
    at.date_input[0].set_value(date(2024, 3, 1))
    save(at)
    assert values(squad_store) == [(MetricType.WEIGHT, 70.4, date(2024, 3, 1), MetricSport.GLOBAL)]

    at.selectbox(key="values.pick").select_index(1).run()
    at.number_input[0].set_value(69.9)
    save(at)
    assert [one[1] for one in values(squad_store)] == [69.9]

    at.selectbox(key="values.pick").select_index(1).run()
    at.button(key="values.delete").click().run()
    assert values(squad_store) == []


def test_the_form_says_which_figures_a_value_changes(opened):
    at = opened("values")
    assert (
        "Used for W/kg and, with critical power, to estimate the load of rides that have no power"
        in texts(at)
    )

    at.selectbox(key="values.0.type").select(MetricType.CRITICAL_POWER).run()
    assert "Used for load, bands, laps by intensity and W′ balance" in texts(at)


def test_w_prime_is_entered_in_kilojoules(opened, squad_store):
    at = opened("values")
    at.selectbox(key="values.0.type").select(MetricType.W_PRIME).run()
    at.number_input[0].set_value(18.2)
    save(at)

    assert values(squad_store) == [(MetricType.W_PRIME, 18_200, TODAY, MetricSport.CYCLING)]


def test_critical_speed_is_entered_as_a_pace(opened, squad_store):
    at = opened("values")
    at.selectbox(key="values.0.type").select(MetricType.CRITICAL_SPEED).run()
    assert at.text_input[0].label == "Critical speed (min:s /km)"
    for typed in ("four", "0:01"):
        at.text_input[0].set_value(typed)
        save(at)
        assert "Enter a pace as minutes:seconds" in texts(at)
    at.text_input[0].set_value("4:10")
    save(at)

    assert values(squad_store) == [(MetricType.CRITICAL_SPEED, 4.0, TODAY, MetricSport.RUNNING)]
    assert "4:10 /km" in at.dataframe[0].value["Latest"].tolist()


def test_weight_is_entered_in_the_units_of_the_reader(opened, squad_store):
    opened("settings").button_group(key="settings.system").set_value("imperial").run()
    at = opened("values")
    assert at.number_input[0].label == "Weight (lb)"
    at.number_input[0].set_value(154.3)
    save(at)

    assert [round(one[1], 2) for one in values(squad_store)] == [69.99]


def test_after_a_change_the_page_says_how_many_sessions_were_recomputed(opened, ride):
    at = opened("values")
    at.number_input[0].set_value(70.4)
    save(at)

    wait_until(lambda: "Saved. All loads are up to date (1 session checked)." in texts(at.run()))


def test_a_value_that_was_changed_meanwhile_is_not_overwritten(opened, squad_store):
    squad_store.put_metrics(squad.ANA, [weight(70)])
    at = opened("values")
    at.selectbox(key="values.pick").select_index(1).run()
    squad_store.put_metrics(squad.ANA, [weight(72)])
    at.number_input[0].set_value(60)
    save(at)
    assert "Not saved: this value was changed" in texts(at)
    assert [one[1] for one in values(squad_store)] == [72]

    save(at)
    assert [one[1] for one in values(squad_store)] == [60]


@pytest.mark.parametrize(
    ("gender", "says"),
    [(None, "the mean of the formulas for women and men"), ("female", "the formula for women")],
)
def test_my_values_name_the_formula_of_the_load_from_heart_rate(opened, squad_store, gender, says):
    squad_store.add_user(NewUser(id=squad.ANA, first_name="Ana", gender=gender and Gender(gender)))
    at = opened("values")
    assert "TRIMP" not in texts(at)

    next(box for box in at.selectbox if box.label == "Metric").set_value(MetricType.MAX_HEART_RATE).run()
    assert f"Load from heart rate (TRIMP) uses {says}." in texts(at)


def weight(value):
    return Metric(
        id="mtr_1", type=MetricType.WEIGHT, value=value, unit="kg", source="user", date=TODAY, sport="global"
    )


def test_proposals_name_method_and_interval_and_a_click_takes_one_over(opened, squad_store, ride):
    night = dict.fromkeys(Sleep.model_fields) | {"id": "slp_1", "day": TODAY, "resting_heart_rate": 48}
    squad_store.put_sleeps(squad.ANA, [Sleep(**night)])
    at = opened("values")
    at.button(key="values.propose").click().run()
    assert "Max heart rate: 188 bpm" in texts(at)
    assert "Highest heart rate of 1 session in 12 months" in texts(at)
    assert "Resting heart rate: 48 bpm" in texts(at)

    at.button(key="values.use.0").click().run()

    assert [one[:2] for one in values(squad_store)] == [(MetricType.MAX_HEART_RATE, 188)]


def test_pool_lengths_propose_a_critical_speed_and_the_page_says_that_weight_needs_an_entry(
    opened, squad_store
):
    """Efforts of CS·t + D' with 1.2 m/s and 20 m in lengths of 25 m: the proposal finds both again."""
    rows = []
    for number, seconds in enumerate((120, 180, 300, 480, 720, 1200)):
        start = datetime(2024, 3, 2 + number, 8, tzinfo=UTC)
        speed = 1.2 + 20 / seconds
        ends = [
            start + timedelta(seconds=25 / speed * place) for place in range(round(seconds * speed / 25) + 1)
        ]
        rows.append(swim(f"act_{number}", start, ends, speed))
    squad_store.put_activities(squad.ANA, rows)
    at = opened("values")
    at.button(key="values.propose").click().run()
    shown = texts(at)

    assert re.search(r"Critical speed, swimming: 1:2\d /100 m\*\* \(1:2\d /100 m to 1:2\d /100 m\)", shown)
    assert "best efforts of 2 to 20 min of whole pool lengths from 6 sessions" in shown
    assert "R² 1.000" in shown
    assert "Recordings do not measure weight" in shown


def swim(id_, start, ends, speed):
    empty = dict.fromkeys(Length.model_fields)
    lengths = [
        Length(**empty | {
            "started_at_index": 0, "ended_at_index": 0, "started_at": one, "ended_at": other,
            "duration": (other - one).total_seconds(), "average_speed": speed, "stroke_count": 18,
        })
        for one, other in pairwise(ends)
    ]  # fmt: skip
    return activity(id_, start).model_copy(update={"sport": "swimming", "lengths": tuple(lengths)})


def test_proposals_wait_for_recordings_that_are_not_read_yet(opened, squad_store):
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(squad.ANA, [ridden])
    power = np.concatenate([np.full(400, 300.0), np.full(1_400, 200.0)])
    squad_store.put_streams("act_ride", ActivityStreams({"power": power}, None))
    at = opened("values")
    at.button(key="values.propose").click().run()

    wait_until(lambda: "Critical power, cycling: " in texts(at.run()))


def test_a_click_counts_in_the_run_that_meets_a_recording_to_read(opened, squad_store):
    """The suggestions began to wait for it and repeated the run, without the click on a button below them."""
    at = opened("values")
    at.button(key="values.propose").click().run()
    assert "No hours set." in texts(at)
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(squad.ANA, [ridden])
    power = np.concatenate([np.full(400, 300.0), np.full(1_400, 200.0)])
    squad_store.put_streams("act_ride", ActivityStreams({"power": power}, None))

    time.sleep(LOOK_EVERY_S)  # the next read asks what changed
    next(button for button in at.button if button.label == "Save hours").click().run()

    assert "No hours set." not in texts(at)


def test_a_suggestion_names_a_range_only_where_its_ends_differ(opened, squad_store):
    """Max heart rate was "188 bpm (188 bpm to 188 bpm)"."""
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC)).model_copy(
        update={"max_heart_rate": 188}
    )
    squad_store.put_activities(squad.ANA, [ridden])
    at = opened("values")
    at.button(key="values.propose").click().run()

    assert "**Max heart rate: 188 bpm**\n" in texts(at)


def test_values_from_one_session_are_offered_with_a_caution_and_used_as_estimates(opened, squad_store):
    """Critical power and W′ of one ride had an R² of 1.000, and after "Use" they were "measured"."""
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(squad.ANA, [ridden])
    power = np.concatenate([np.full(400, 300.0), np.full(1_400, 200.0)])
    squad_store.put_streams("act_ride", ActivityStreams({"power": power}, None))
    at = opened("values")
    at.button(key="values.propose").click().run()
    wait_until(lambda: "Critical power, cycling: " in texts(at.run()))

    assert texts(at).count("Unreliable: all best efforts are from 1 session; needs 2.") == 2
    assert "R²" not in texts(at)
    assert at.button(key="values.use.0").label == "Use anyway"
    at.button(key="values.use.0").click().run()
    assert [one.source for one in squad_store.metrics_of(squad.ANA)] == [MetricSource.SERVICE]
    assert "estimate" in at.dataframe[0].value["Source"].tolist()
    for name, address in SOURCES_OF_VALUES.items():
        shown = "\n".join(page_views.lines_of(opened(name, **address)))
        assert "estimate" in shown, name
        assert not re.search(r"Critical power[^.\n]*measured", shown), name


SOURCES_OF_VALUES = {
    "values": {},
    "trends": {"look": "metrics", "from": "2024-01-01", "to": str(TODAY)},
    "athlete": {},
}
"""The pages that say where a critical power comes from."""


def test_a_corrected_name_is_the_title_at_once(opened, ride):
    at = opened("activity", activity="act_ride")
    at.button(key="activity.edit").click().run()
    at.text_input(key="activity.correct.act_ride.name").set_value("Hills with Ben")
    save(at)

    assert at.run().title[0].value == "Hills with Ben"


def test_a_correction_of_a_session_that_changed_meanwhile_writes_nothing_and_keeps_the_form(
    opened, ride, squad_store
):
    at = opened("activity", activity="act_ride")
    at.button(key="activity.edit").click().run()
    (other,) = squad_store.activities_of(squad.ANA, None, None)
    squad_store.put_activities(squad.ANA, [other.model_copy(update={"name": "Theirs"})])
    at.text_input(key="activity.correct.act_ride.name").set_value("Mine")
    save(at)

    assert "its name is now “Theirs”" in texts(at)
    assert at.text_input(key="activity.correct.act_ride.name").value == "Mine"
    assert squad_store.activities_of(squad.ANA, None, None)[0].name == "Theirs"
    save(at)
    assert squad_store.activities_of(squad.ANA, None, None)[0].name == "Mine"


def test_a_repeated_correction_leaves_the_fields_of_the_other_change(opened, ride, squad_store):
    at = opened("activity", activity="act_ride")
    at.button(key="activity.edit").click().run()
    (other,) = squad_store.activities_of(squad.ANA, None, None)
    squad_store.put_activities(squad.ANA, [other.model_copy(update={"name": "Theirs"})])
    at.text_area(key="activity.correct.act_ride.description").set_value("Mine")
    save(at)
    save(at)

    (saved,) = squad_store.activities_of(squad.ANA, None, None)
    assert (saved.name, saved.description) == ("Theirs", "Mine")


@pytest.fixture
def halves(squad_store):
    """Two halves of one ride, imported from two files; gives their ids."""
    files = {"one.fit": half(0), "two.fit": half(1_200)}
    importer = Importer(squad_store, squad.ANA, today=TODAY)
    return [
        importer.import_source(SourceFile(name, lambda data=data: data)).activity_ids[0]
        for name, data in files.items()
    ]


def half(first_s, *, watts=200):
    return fit_file(
        session(start_time=at(first_s), total_elapsed_time=900.0, total_timer_time=900.0),
        *records(900, first_s=first_s, power=watts, distance=lambda place: 8.0 * place),
    )


def sessions_of(store):
    return {row.id: row for row in store.activities_of(squad.ANA, None, None)}


def edited(opened, activity_id):
    at = opened("activity", activity=activity_id)
    return at.button(key="activity.edit").click().run()


def test_two_halves_are_joined_on_the_page(opened, halves, squad_store):
    first, second = halves
    at = edited(opened, first)
    assert at.button(key="activity.join").disabled
    at.selectbox(key=f"activity.join.{first}").select_index(0).run()
    at.button(key="activity.join").click().run()

    assert not at.exception
    assert list(sessions_of(squad_store)) == [first]
    assert sessions_of(squad_store)[first].total_duration == 2_100
    assert "Join" not in [button.label for button in at.button]  # the form is closed

    at = opened("imports")
    at.button(key=f"imports.restore.{second}").click().run()
    assert {row.total_duration for row in sessions_of(squad_store).values()} == {900}


def test_a_joined_session_keeps_the_name_of_its_file(opened, halves, squad_store):
    first = halves[0]
    seen = squad_store.own_activity(squad.ANA, first)
    squad_store.change_activity(seen, sessions_of(squad_store)[first].model_copy(update={"name": "Hills"}))
    at = edited(opened, first)
    at.selectbox(key=f"activity.join.{first}").select_index(0).run()
    at.button(key="activity.join").click().run()

    assert [row.name for row in sessions_of(squad_store).values()] == ["Hills"]


def test_a_session_that_changed_meanwhile_is_not_joined(opened, halves, squad_store):
    first, second = halves
    at = edited(opened, first)
    at.selectbox(key=f"activity.join.{first}").select_index(0).run()
    squad_store.put_activities(
        squad.ANA, [sessions_of(squad_store)[first].model_copy(update={"name": "Theirs"})]
    )
    at.button(key="activity.join").click().run()

    assert "Not joined: the session was changed meanwhile; its name is now “Theirs”" in texts(at)
    assert set(sessions_of(squad_store)) == {first, second}

    at.button(key="activity.join").click().run()
    assert list(sessions_of(squad_store)) == [first]


def test_two_sessions_that_overlap_are_not_joined_and_the_page_says_why(opened, halves, squad_store):
    Importer(squad_store, squad.ANA, today=TODAY).import_source(SourceFile("c.fit", lambda: half(600)))
    at = edited(opened, halves[0])
    at.selectbox(key=f"activity.join.{halves[0]}").select_index(0).run()
    at.button(key="activity.join").click().run()

    assert "Not joined. The two activities cannot be joined: the two recordings overlap in time" in texts(at)
    assert len(sessions_of(squad_store)) == 3


def test_a_session_far_from_others_offers_no_join(opened, halves, squad_store):
    Importer(squad_store, squad.ANA, today=TODAY).import_source(SourceFile("c.fit", lambda: half(180_000)))
    far = next(iter(set(sessions_of(squad_store)) - set(halves)))

    assert "No other session within a day of this one." in texts(edited(opened, far))


@pytest.mark.parametrize("corrections", [{"name": "Hills"}, {}])
def test_a_file_is_replaced_and_the_name_stays(opened, halves, squad_store, corrections):
    seen = squad_store.own_activity(squad.ANA, halves[0])
    named = sessions_of(squad_store)[halves[0]].model_copy(update={"name": "Hills"})
    squad_store.change_activity(seen, named, corrections=corrections)
    at = edited(opened, halves[0])
    assert at.button(key="activity.replace").disabled
    at.file_uploader[0].set_value(("device.fit", half(0, watts=250), "application/octet-stream")).run()
    at.button(key="activity.replace").click().run()

    assert not at.exception
    row = sessions_of(squad_store)[halves[0]]
    assert (row.name, row.average_power) == ("Hills", 250)


def test_a_replacement_that_is_no_recording_or_a_conflict_changes_nothing(opened, halves, squad_store):
    at = edited(opened, halves[0])
    at.file_uploader[0].set_value(("notes.fit", b"no recording", "application/octet-stream")).run()
    at.button(key="activity.replace").click().run()
    assert "File not replaced. notes.fit: neither FIT nor TCX nor GPX." in texts(at)

    other = sessions_of(squad_store)[halves[0]].model_copy(update={"name": "Theirs"})
    squad_store.put_activities(squad.ANA, [other])
    at.file_uploader[0].set_value(("device.fit", half(0, watts=250), "application/octet-stream")).run()
    at.button(key="activity.replace").click().run()

    assert "File not replaced: the session was changed meanwhile" in texts(at)
    assert sessions_of(squad_store)[halves[0]].average_power == 200


def test_the_import_page_names_the_person_whose_data_an_import_becomes(opened):
    """A coach took it for a way to import for an athlete, who has no other athletes."""
    own, coachs = texts(opened("imports")), texts(opened("imports", key=squad.COACH_KEY))
    assert "Imports are added to your own data (**Ana" in own
    assert "not to an athlete's" not in own
    assert "Imports are added to your own data (**Cleo Coach**), not to an athlete's." in coachs


def test_a_deleted_session_can_be_restored(opened, ride, squad_store):
    at = opened("activity", activity="act_ride")
    at.button(key="activity.edit").click().run()
    at.button(key="activity.delete").click().run()
    assert squad_store.activities_of(squad.ANA, None, None) == []

    at = opened("imports")
    at.button(key="imports.restore.act_ride").click().run()

    assert [one.id for one in squad_store.activities_of(squad.ANA, None, None)] == ["act_ride"]


def test_a_coach_cannot_edit_an_athletes_session(opened, ride):
    at = opened("activity", squad.COACH_KEY, athlete=squad.ANA, activity="act_ride")

    assert at.title[0].value
    assert not any(button.key == "activity.edit" for button in at.button)


def test_a_session_without_a_load_names_the_missing_value_and_leads_to_it(opened, squad_store):
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(
        squad.ANA, [ridden.model_copy(update={"volume": None, "average_heart_rate": 140, "rpe": None})]
    )
    at = opened("activity", activity="act_ride")
    assert "set critical power (cycling) or max heart rate and resting heart rate" in texts(at)

    at.button(key="activity.values").click().run()
    assert at.title[0].value == "Values"

    at.button(key="values.back").click().run()
    assert at.title[0].value != "Values"


@pytest.fixture
def bare_ride(squad_store):
    """Imports a ride without power and heart rate, with or without altitude; gives its id."""

    def imported(*, has_altitude=True):
        points = gpx_points(
            range(900), lambda second: f"<ele>{300 + second / 10:.1f}</ele>" if has_altitude else ""
        )
        data = gpx(f"<name>Bare ride</name><type>cycling</type>{segment(points)}")
        importer = Importer(squad_store, squad.ANA, today=TODAY)
        return importer.import_source(SourceFile("a.gpx", lambda: data)).activity_ids[0]

    return imported


def set_value(opened, kind, value):
    """Set a value on Values and wait for the recomputation."""
    at = opened("values")
    at.selectbox(key="values.0.type").select(kind).run()
    at.number_input[0].set_value(value)
    save(at)
    wait_until(lambda: "All loads are up to date" in texts(at.run()))


def test_a_bare_ride_names_weight_and_critical_power_until_they_are_set(opened, bare_ride):
    ride_id = bare_ride()
    lacks = "No load: set {} to estimate one from speed and grade."
    assert lacks.format("weight and critical power (cycling)") in texts(opened("activity", activity=ride_id))

    set_value(opened, MetricType.CRITICAL_POWER, 250.0)
    assert lacks.format("weight") in texts(opened("activity", activity=ride_id))


@pytest.mark.parametrize(("key", "athlete"), [(squad.ATHLETE_KEY, "me"), (squad.COACH_KEY, squad.ANA)])
def test_an_estimated_load_is_named_and_no_power_is_shown(opened, bare_ride, squad_store, key, athlete):
    threshold = {"id": "mtr_2", "type": "critical power", "value": 250, "unit": "W", "sport": "cycling"}
    squad_store.put_metrics(squad.ANA, [weight(71), Metric(**threshold, source="user", date=TODAY)])
    at = opened("activity", key, athlete=athlete, activity=bare_ride())
    head = key_numbers(at, "activity.numbers")

    # 425 W as in test_estimated_load, 15 minutes at a critical power of 250 W
    assert re.search(r"Load\s+7[23]\s+estimated from speed, grade and weight", head)
    assert "Power" not in head
    assert "No load" not in texts(at)


def test_a_bare_ride_without_altitude_is_asked_for_no_value(opened, bare_ride):
    at = opened("activity", activity=bare_ride(has_altitude=False))

    assert at.title[0].value == "Bare ride"
    assert "No load" not in texts(at)


def test_a_load_by_another_method_is_not_called_estimated(opened, squad_store):
    none = dict.fromkeys(("average_power", "normalized_power", "average_heart_rate", "rpe"))
    signals = ({}, {"average_heart_rate": 140}, {"rpe": 5}, {"average_power": 200})
    for day, signal in enumerate(signals, 1):
        ridden = activity(f"act_{day}", datetime(2024, 3, day, 8, tzinfo=UTC))
        squad_store.put_activities(squad.ANA, [ridden.model_copy(update=none | signal)])

    pages = [opened("activity", activity=f"act_{day}") for day in range(1, 5)]
    loads = ["estimated" in key_numbers(at, "activity.numbers") for at in pages]
    assert loads == [True, False, False, False]


def test_an_empty_page_links_to_the_page_that_fills_it(opened):
    for name, look, key, leads_to in [
        ("athlete", None, "own.sessions", "Import"),
        ("athlete", None, "own.values", "Values"),
        ("activity", None, "own.sessions", "Import"),
        ("calendar", None, "own.plans", "Import"),
        ("trends", "load", "own.sessions", "Import"),
        ("trends", "nights", "own.nights", "Import"),
        ("trends", "training", "own.sessions", "Import"),
        ("trends", "metrics", "own.values", "Values"),
    ]:
        at = opened(name, **({"look": look} if look else {}))
        at.button(key=key).click().run()

        assert at.title[0].value == leads_to


def test_an_athlete_page_without_any_session_promises_no_longer_period(opened):
    shown = texts(opened("athlete"))

    assert shown.count("Import recordings to see them here.") == 1
    assert "Choose" not in shown
    assert "No upcoming events." in texts(opened("calendar"))
    assert "appear here with a countdown" not in texts(opened("calendar"))


def test_an_athlete_page_with_nights_only_offers_the_import_and_with_old_sessions_their_day(
    opened, squad_store
):
    night = dict.fromkeys(Sleep.model_fields) | {"id": "slp_1", "day": TODAY, "total_duration": 25_200}
    squad_store.put_sleeps(squad.ANA, [Sleep(**night)])
    assert any(button.key == "own.sessions" for button in opened("athlete").button)

    squad_store.put_activities(squad.ANA, [activity("act_old", datetime(2021, 3, 12, 8, tzinfo=UTC))])
    at = opened("athlete")
    wait_until(lambda: "No session in the last 12 months. The newest" in texts(at.run()))
    assert "No session in the last 12 months. The newest is from 12 March 2021." in texts(at)
    assert "Choose a longer period." not in texts(at)
    assert not any(button.key == "own.sessions" for button in at.button)


def test_sessions_without_a_load_lead_from_the_athlete_page_to_my_values(opened, squad_store):
    ridden = activity("act_ride", datetime(2024, 3, 12, 8, tzinfo=UTC))
    squad_store.put_activities(
        squad.ANA, [ridden.model_copy(update={"volume": None, "average_power": None, "rpe": None})]
    )
    at = opened("athlete")
    assert "No load in the last 12 months: no session has a load." in texts(at)

    at.button(key="own.load").click().run()
    assert at.title[0].value == "Values"


def test_a_coach_without_athletes_is_led_to_the_invitations_and_others_are_promised_none(opened, squad_store):
    squad_store.remove_member(squad.SQUAD, squad.ANA)
    squad_store.remove_member(squad.SQUAD, squad.BEN)
    at = opened("roster", squad.COACH_KEY)
    assert (
        "No athletes in your workspaces yet. Athletes appear here when they accept your invitation."
        in texts(at)
    )
    assert [link.label for link in at.get("page_link")] == ["Invite athletes", "Your own page"]


def test_an_empty_page_of_an_athlete_promises_the_coach_no_import(opened):
    for look in ["load", "nights", "training", "metrics"]:
        at = opened("trends", squad.COACH_KEY, athlete=squad.ANA, look=look)

        assert not any(button.key and button.key.startswith("own.") for button in at.button)
        assert "Import" not in texts(at)


def test_a_weight_of_today_leaves_trends_at_the_newest_sessions_and_nights(opened, squad_store):
    squad_store.put_activities(squad.ANA, [activity("act_old", datetime(2023, 6, 12, 8, tzinfo=UTC))])
    night = dict.fromkeys(Sleep.model_fields) | {"id": "slp_1", "day": date(2022, 3, 1), "average_hrv": 60}
    squad_store.put_sleeps(squad.ANA, [Sleep(**night)])
    squad_store.put_metrics(squad.ANA, [weight(70)])

    assert "Showing the weeks to 12 June 2023" in texts(opened("trends"))
    assert "Showing the weeks to 1 March 2022" in texts(opened("trends", look="nights"))
    at = opened("trends", look="metrics")
    assert "Showing the weeks" not in texts(at)


def report_rows(at):
    """The report's table: name of the file, result, session and its address, row by row."""
    (table,) = (json.loads(e.proto.json) for e in at.get("bidi_component") if "imports.report" in e.proto.id)
    return [
        (file["main"], result["main"], session.get("main"), session.get("href"))
        for file, result, session in (row["cells"] for row in table["rows"])
    ]


def test_the_report_links_each_file_to_its_session_also_if_it_was_there_before(opened, squad_store):
    """32 files were imported, and the report named none of their sessions."""
    day = gpx("<name>Hills</name>" + segment(gpx_points(range(600))))
    again = gpx("<name>Same hills</name>" + segment(gpx_points(range(600))))
    other = gpx("<name>River</name>" + segment(gpx_points(range(600), day=6)))
    files = {"a.gpx": day, "b.gpx": again, "c.gpx": day, "\u202etig.d\u0007.gpx": other, "e.fit": b"nothing"}
    job = running_import(squad_store)
    importer = Importer(squad_store, squad.ANA, today=TODAY, import_id=job.id)
    reports = [importer.import_source(SourceFile(name, lambda d=data: d)) for name, data in files.items()]
    lines = [job_file(report, place) for place, report in enumerate(reports)]
    squad_store.put_progress(job.id, lines, state=JobState.DONE, done=5, total=5)
    hills, river = reports[0].activity_ids[0], reports[3].activity_ids[0]

    rows = {row[0]: row for row in report_rows(opened("imports", **{"import": job.id}))}

    assert rows["a.gpx"][1:3] == ("imported, 1 session", "Hills")
    assert rows["b.gpx"][1:3] == ("same session, already imported, 1 session", "Hills")
    assert rows["c.gpx"][1:3] == ("already imported, 1 session", "Hills")
    assert rows["tig.d.gpx"][1:3] == ("imported, 1 session", "River")  # without the override of the direction
    assert rows["e.fit"] == ("e.fit", "not imported", None, None)
    links = {name: dict(parse_qsl(urlsplit(row[3]).query)) for name, row in rows.items() if row[3]}
    assert [links[name]["activity"] for name in ("a.gpx", "b.gpx", "c.gpx")] == [hills] * 3
    assert links["tig.d.gpx"] == {"athlete": squad.ANA, "activity": river, "day": "2026-05-06"}


def test_a_long_report_has_pages_in_the_address(opened, squad_store):
    job = running_import(squad_store)
    lines = [
        JobFile(f"{n:03}.fit", n, "failed" if n == 449 else "known", {"notes": [], "nights": 0})
        for n in range(450)
    ]
    squad_store.put_progress(job.id, lines, state=JobState.DONE, done=450, total=450)

    at = opened("imports", **{"import": job.id})
    assert [row[0] for row in report_rows(at)[:2]] == ["449.fit", "000.fit"]
    assert "Files 1 to 200 of 450; problems are first." in texts(at)
    assert at.button(key="imports.report.previous").disabled

    at.button(key="imports.report.next").click().run()
    at.button(key="imports.report.next").click().run()
    assert "Files 401 to 450 of 450" in texts(at)
    assert report_rows(at)[-1][0] == "448.fit"
    assert at.button(key="imports.report.next").disabled
    assert at.query_params["files"] in ("3", ["3"])

    beyond = opened("imports", **{"import": job.id, "files": "99"})
    assert "No more files of 450" in texts(beyond)
    beyond.button(key="imports.report.previous").click().run()
    assert "Files 401 to 450 of 450" in texts(beyond)


def test_a_short_report_has_no_pages(opened, squad_store):
    job = running_import(squad_store)
    squad_store.put_progress(
        job.id, [JobFile("a.fit", 0, "known", {"notes": []})], state=JobState.DONE, done=1, total=1
    )

    assert "problems are first" not in texts(opened("imports", **{"import": job.id}))


def running_import(store):
    job = new_job(squad.ANA, JobKind.IMPORT, JobState.RUNNING)
    store.add_job(job)
    return job


def test_the_report_names_a_session_that_was_deleted_since(opened, ride, squad_store):
    job = running_import(squad_store)
    seen = squad_store.own_activity(squad.ANA, "act_ride")
    squad_store.change_activity(seen, sessions_of(squad_store)["act_ride"], deleted_at=datetime.now(UTC))
    line = JobFile("a.fit", 0, "imported", {"activityIds": ["act_ride"], "notes": []})
    squad_store.put_progress(job.id, [line], state=JobState.DONE, done=1, total=1)

    rows = report_rows(opened("imports", **{"import": job.id}))

    assert rows == [("a.fit", "imported, 1 session", "deleted", None)]


def test_a_file_of_several_sessions_links_each(opened, squad_store):
    job = running_import(squad_store)
    starts = [datetime(2024, 3, 1, 6, tzinfo=UTC) + timedelta(hours=n) for n in range(14)]
    rides = [activity(f"act_{n}", start) for n, start in enumerate(starts)]
    squad_store.put_activities(squad.ANA, rides)
    report = {"activityIds": [ride.id for ride in rides], "notes": ["one note"]}
    squad_store.put_progress(
        job.id, [JobFile("list.csv", 0, "imported", report)], state=JobState.DONE, done=1, total=1
    )

    rows = report_rows(opened("imports", **{"import": job.id}))

    assert [row[1] for row in rows] == ["imported, 14 sessions", *["same file"] * 10]
    assert [dict(parse_qsl(urlsplit(row[3]).query)).get("activity") for row in rows] == [
        *(f"act_{n}" for n in range(10)),
        None,
    ]
    assert rows[-1][2] == "4 more"


WORKOUT_STEP = ("WORKOUT_STEP", {"duration_type": "time", "duration_value": 600_000, "intensity": "active"})


@pytest.fixture
def workouts(squad_store):
    """Two planned workouts without a day, imported from files; gives the import's id and theirs."""
    job = new_job(squad.ANA, JobKind.IMPORT, JobState.DONE)
    squad_store.add_job(job)
    importer = Importer(squad_store, squad.ANA, today=TODAY, import_id=job.id)
    reports = []
    for name in ("Hills", "*Sprints*"):
        data = fit_file(("WORKOUT", {"wkt_name": name, "sport": "cycling"}), WORKOUT_STEP, kind="workout")
        reports.append(importer.import_source(SourceFile(f"{name}.fit", lambda data=data: data)))
    files = [job_file(report, place) for place, report in enumerate(reports)]
    squad_store.change_job(job.id, [JobState.DONE], state=JobState.RUNNING)
    squad_store.put_progress(job.id, files, state=JobState.DONE)
    return job.id, [report.prescription_ids[0] for report in reports]


def planned(store, ids):
    bodies = store.imported_prescriptions(squad.ANA)
    rows = {row.id: row for row in (TrainingPrescription.from_wire(orjson.loads(body)) for body in bodies)}
    return [(rows[id_].date, rows[id_].title) for id_ in ids if id_ in rows]


def field(elements, place, ending):
    return [each for each in elements if each.key and each.key.endswith(ending)][place]


def test_the_report_asks_for_the_day_of_each_planned_workout(opened, squad_store, workouts):
    job_id, ids = workouts
    at = opened("imports", **{"import": job_id})
    days = [box for box in at.date_input if box.key.startswith("imports.workout.")]

    assert sorted(box.label.replace("\\", "") for box in days) == ["Day of *Sprints*", "Day of Hills"]
    place = [box.label for box in days].index("Day of Hills")
    days[place].set_value(date(2024, 3, 25)).run()
    field(at.text_input, -1, ".title").set_value("Long hills").run()
    assert planned(squad_store, ids)[0] == (date(2024, 3, 25), "Long hills")

    field(at.button, 0, ".delete").click().run()
    assert planned(squad_store, ids) == [(date(2024, 3, 25), "Long hills")]
    assert not at.error


def test_a_workout_that_changed_meanwhile_is_not_overwritten(opened, squad_store, workouts):
    job_id, ids = workouts
    at = opened("imports", **{"import": job_id})
    box = next(box for box in at.date_input if box.label == "Day of Hills")
    (body,) = [body for body in squad_store.imported_prescriptions(squad.ANA) if ids[0].encode() in body]
    row = TrainingPrescription.from_wire(orjson.loads(body)).model_copy(update={"title": "Theirs"})
    squad_store.replace_row(RowKind.PRESCRIPTIONS, squad.ANA, body, of_dated(squad.ANA, row))
    box.set_value(date(2024, 3, 25)).run()

    assert "Not saved: the workout was changed meanwhile." in texts(at)
    assert planned(squad_store, ids)[0] == (TODAY, "Theirs")
    assert "Day of Theirs" in [box.label for box in at.date_input]


def entry(at, **values):
    """Fill the form for a session without a file, and save it."""
    for name, value in values.items():
        kind = {"day": at.date_input, "time": at.text_input, "name": at.text_input, "note": at.text_area}
        numbers = ("hours", "minutes", "distance")
        found = at.number_input if name in numbers else kind.get(name, at.selectbox)
        found(key=f"imports.by_hand.{name}").set_value(value)
    next(button for button in at.button if button.label == "Save session").click()
    return at.run()


def test_a_session_without_a_file_is_entered_by_hand(opened, squad_store):
    at = opened("imports")
    entry(at, day=date(2024, 3, 18), time="7:30", hours=1, minutes=15.0, distance=12.5, rpe=6, note="*Track*")
    (row,) = squad_store.activities_of(squad.ANA, None, None)

    assert not at.error
    assert (row.started_at_local, row.total_duration, row.distance) == (
        datetime.fromisoformat("2024-03-18T07:30"),
        4_500,
        12_500,
    )
    assert (row.rpe, row.feeling, row.name, row.description) == (6, None, None, "*Track*")
    at = opened("activity", activity=row.id)
    assert "computed from RPE × min" in key_numbers(at, "activity.numbers")


def test_an_entry_that_makes_no_sense_says_what_to_do(opened, squad_store):
    for values, says in [
        ({"time": "quarter past", "hours": 1}, "Start time: enter it as 07:30"),
        ({"time": "25:00", "hours": 1}, "Start time: enter it as 07:30"),
        ({"time": "07:30"}, "Enter a duration or a distance."),
        ({"time": "07:30", "hours": 24, "minutes": 1.0}, "Duration: at most 24 h. Enter each stage"),
    ]:
        at = entry(opened("imports"), **values)

        assert says in texts(at)
        assert not squad_store.activities_of(squad.ANA, None, None)


def test_a_session_that_is_entered_twice_is_refused(opened, squad_store):
    for _ in range(2):
        at = entry(opened("imports"), day=date(2024, 3, 18), time="07:30", hours=1)

    assert "Not saved. You have a session of the same start and duration." in texts(at)
    assert len(squad_store.activities_of(squad.ANA, None, None)) == 1


def test_a_wrong_start_is_corrected_and_returned_to_the_recorded_one(opened, halves, squad_store):
    at = edited(opened, halves[0])
    recorded = sessions_of(squad_store)[halves[0]].started_at
    key = f"activity.correct.{halves[0]}"
    at.date_input(key=f"{key}.day").set_value(date(2024, 3, 10))
    at.text_input(key=f"{key}.time").set_value("06:15:30")
    at.selectbox(key=f"{key}.offset").set_value(60)
    save(at)

    moved = sessions_of(squad_store)[halves[0]]
    assert (moved.started_at_local, moved.utc_offset) == (datetime.fromisoformat("2024-03-10T06:15:30"), 60)
    assert at.query_params["day"] == "2024-03-10"
    at.button(key="activity.edit").click().run()
    at.button(key="activity.recorded_start").click().run()
    assert sessions_of(squad_store)[halves[0]].started_at == recorded


def test_an_edit_of_another_field_leaves_the_start(opened, halves, squad_store):
    before = sessions_of(squad_store)[halves[0]]
    at = edited(opened, halves[0])
    at.text_input(key=f"activity.correct.{halves[0]}.name").set_value("Hills")
    save(at)

    assert sessions_of(squad_store)[halves[0]] == before.model_copy(update={"name": "Hills"})
    assert squad_store.own_activity(squad.ANA, halves[0]).corrections == {"name": "Hills"}


def test_a_session_entered_by_hand_is_edited(opened, squad_store):
    entered_by_hand(squad_store, 3_600)
    at = edited(opened, "act_typed")
    at.number_input(key="activity.correct.act_typed.minutes").set_value(20.0)
    save(at)

    (row,) = squad_store.activities_of(squad.ANA, None, None)
    assert (row.total_duration, row.distance) == (4_800, 10_000)


def test_the_form_of_a_session_takes_values_that_its_fields_do_not_offer_and_keeps_them(opened, squad_store):
    """Another program wrote them: a value outside its field ended the page, and a half RPE was deleted with a new name."""
    entered_by_hand(
        squad_store, 3_599.9, distance=4_999_999.9, rpe=5.5, feeling=3.5, startedAt="1975-03-18 07:30:00+00"
    )
    (before,) = squad_store.activities_of(squad.ANA, None, None)
    at = edited(opened, "act_typed")
    assert not at.exception
    at.text_input(key="activity.correct.act_typed.name").set_value("Hills")
    save(at)

    (after,) = squad_store.activities_of(squad.ANA, None, None)
    assert after == before.model_copy(update={"name": "Hills"})


def entered_by_hand(store, seconds, **more):
    names = ("name", "description", "subSport", "rpe", "feeling")
    entered = dict.fromkeys(names) | {
        "sport": "running",
        "totalDuration": seconds,
        "distance": 10_000,
        BY_HAND: True,
    }
    entered |= {"startedAt": "2024-03-18 07:30:00+00", "utcOffset": 0} | more
    read = by_hand("act_typed", entered, athletes_of(store, squad.ANA))
    assert store.add_activity(squad.ANA, read, entered, lambda _other: False)


def test_a_session_by_hand_of_more_than_a_day_is_refused_and_an_old_one_keeps_its_duration(
    opened, squad_store
):
    entered_by_hand(squad_store, 30 * 3_600)
    at = edited(opened, "act_typed")
    at.number_input(key="activity.correct.act_typed.hours").set_value(31)
    save(at)
    assert "Duration: at most 24 h. Enter each stage" in texts(at)
    at.number_input(key="activity.correct.act_typed.hours").set_value(30)
    at.text_input(key="activity.correct.act_typed.name").set_value("Stage race")
    save(at)

    (row,) = squad_store.activities_of(squad.ANA, None, None)
    assert (row.total_duration, row.name) == (108_000, "Stage race")
