"""Values, hours and time zone of an athlete, set by their coach: each names who set it; nobody else may."""

from datetime import date, timedelta

import orjson
import pytest

import squad
from coachboard.service.store.plans import SettingKind
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType
from drawn import page_test

TODAY = date(2024, 3, 20)


@pytest.fixture
def opened(dashboard_settings):
    """Opens Values of Ana with a key, as the browser of its owner does."""
    dashboard_settings.setenv("COACHBOARD_TODAY", TODAY.isoformat())

    def open_page(key=squad.COACH_KEY, athlete=squad.ANA):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        at = page_test("values")
        at.query_params["athlete"] = athlete
        at.run()
        assert not at.exception
        return at

    return open_page


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception


def table(at, place=0):
    return at.dataframe[place].value.to_dict("records")


def test_a_coach_sets_corrects_and_deletes_a_value_of_an_athlete(opened, squad_store):
    at = opened()
    assert at.title[0].value == "Values of Ana Li"
    at.selectbox(key="values.0.type").select(MetricType.CRITICAL_POWER).run()
    at.number_input[0].set_value(251)
    press(at, "Save")
    (metric,) = squad_store.metrics_of(squad.ANA)
    assert (metric.type, metric.value, metric.date, metric.sport) == (
        MetricType.CRITICAL_POWER, 251, TODAY, MetricSport.CYCLING,
    )  # fmt: skip
    assert [(row["Latest"], row["Set by"]) for row in table(at)] == [("251 W", "Cleo Coach")]

    own = opened(squad.ATHLETE_KEY)
    assert own.title[0].value == "Values"
    own.selectbox(key="values.pick").select_index(1).run()
    own.number_input[0].set_value(255)
    press(own, "Save")
    assert [(row["Latest"], row["Set by"]) for row in table(opened())] == [("255 W", "Ana Li")]

    at = opened()
    at.selectbox(key="values.pick").select_index(1).run()
    press(at, "Delete")
    assert squad_store.metrics_of(squad.ANA) == []


def test_the_threshold_heart_rate_is_set_here_and_is_no_metric(opened, squad_store):
    at = opened()
    at.selectbox(key="values.0.type").select("threshold heart rate").run()
    assert at.number_input[0].label == "Threshold heart rate (bpm)"
    at.number_input[0].set_value(172)
    press(at, "Save")
    assert [(row["Metric"], row["Latest"]) for row in table(at)] == [("Threshold heart rate", "172 bpm")]
    assert squad_store.metrics_of(squad.ANA) == []


def test_hours_and_exceptions_are_set_by_weekday_and_deleted(opened):
    at = opened()
    assert "No hours set." in "\n".join(each.value for each in (*at.info, *at.markdown, *at.caption))
    hours = [box for box in at.number_input if box.label.endswith("(h)")]
    assert [box.label for box in hours][:2] == ["Monday (h)", "Tuesday (h)"]
    hours[0].set_value(1.5)
    hours[5].set_value(4.0)
    next(box for box in at.multiselect if box.label == "Saturday: sports").set_value(["cycling"])
    press(at, "Save hours")
    (row,) = table(at)
    assert (row["Mon"], row["Sat"], row["Sun"], row["Until"], row["Set by"]) == (
        "1h30", "4h00 Cycling", "–", "", "Cleo Coach",
    )  # fmt: skip

    again = [box.value for box in at.number_input if box.label.endswith("(h)")]
    assert again == [1.5, 0, 0, 0, 0, 4.0, 0]  # new hours begin with the last ones

    at.selectbox(key="hours.pick").select("exception").run()
    assert {box.value for box in at.number_input if box.label.endswith("(h)")} == {0}
    next(box for box in at.date_input if box.label == "Until").set_value(date(2024, 3, 19))
    press(at, "Save hours")
    assert "endDate: must be from 2024-03-20 on" in at.error[0].value.replace("\\", "")

    at = opened()
    at.selectbox(key="hours.pick").select_index(2).run()
    press(at, "Delete hours")
    assert not [frame for frame in at.dataframe if "Until" in frame.value]


def test_the_time_zone_of_an_athlete_is_set_here(opened, squad_store):
    at = opened()
    at.selectbox(key=f"values.zone.{squad.ANA}").select("Europe/Oslo").run()
    assert not at.exception
    with squad_store.reading_plans() as plans:
        assert plans.time_zone_of(squad.ANA) == "Europe/Oslo"


def test_the_target_of_a_week_is_set_changed_and_deleted_by_the_coach_alone(dashboard_settings, squad_store):
    def dialog(key):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        at = page_test("calendar")
        at.query_params.update({"athlete": squad.ANA, "target": "2024-03-18"})
        at.run()
        assert not at.exception
        return at

    def targets():
        with squad_store.reading_plans() as plans:
            return [orjson.loads(row.body) for row in plans.settings(SettingKind.TARGET, squad.ANA)]

    dashboard_settings.setenv("COACHBOARD_TODAY", TODAY.isoformat())
    at = dialog(squad.COACH_KEY)
    press(at, "Save target")
    assert "Enter a load, hours or a phase" in at.error[0].value
    at.number_input[0].set_value(420)
    next(box for box in at.selectbox if box.label == "Phase").set_value("build")
    press(at, "Save target")
    (target,) = targets()
    assert (target["monday"], target["load"], target["phase"]) == ("2024-03-18", 420, "build")

    assert "Save target" not in [button.label for button in dialog(squad.ATHLETE_KEY).button]
    press(dialog(squad.COACH_KEY), "Delete target")
    assert targets() == []


def test_the_form_opens_for_a_value_that_it_would_not_accept(opened, squad_store):
    """Of another program: a value from a day to come, and values that no athlete has."""
    values = {
        "mtr_later": (TODAY + timedelta(days=30), 70),
        "mtr_heavy": (TODAY, 900),
        "mtr_light": (TODAY, 1),
    }
    squad_store.put_metrics(
        squad.ANA,
        [
            Metric(id=id_, type="weight", value=value, unit="kg", sport="global", source="user", date=day)
            for id_, (day, value) in values.items()
        ],
    )
    at = opened()
    picked = at.selectbox(key="values.pick")
    for place in range(1, len(picked.options)):
        at.selectbox(key="values.pick").select_index(place).run()
        assert not at.exception

    assert len(picked.options) == 4
