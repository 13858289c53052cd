"""The activity page of ordinary and of unusual sessions."""

import json
import re
from datetime import timedelta

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import rides
import seeded
import squad
from coachboard.models.body import Metric
from coachboard.models.enums import (
    DataOnboardingStatus,
    MetricSource,
    MetricSport,
    MetricType,
    Sport,
    StrokeType,
    WorkspaceRole,
)
from coachboard.models.streams import ActivityStreams
from coachboard.service.store import NewUser
from coachboard.views.activity.pool import _pool_words
from coachboard.views.frame import navigation, state, theme
from drawn import key_numbers

MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "views" / "frame" / "main.py"
PAGE = navigation.PAGES_FOLDER / "activity.py"
DAY = rides.START.date()


@pytest.fixture
def signed_in(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", (DAY + timedelta(days=3)).isoformat())


def texts(at):
    kinds = (at.title, at.header, at.subheader, at.markdown, at.caption, at.warning, at.error)
    numbers = [key_numbers(at, key) for key in ("activity.numbers", "activity.card.numbers")]
    # Escaping is for the renderer; the text on screen has no backslashes.
    return "\n".join([element.value for kind in kinds for element in kind] + numbers).replace("\\", "")


def opened(*, near=True, **params):
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()
    at.switch_page(str(PAGE))
    at.query_params.update({"athlete": squad.ANA} | params)
    # A test has no window to scroll: what lies below it is drawn at once.
    for part in ("parts", "look"):
        if near:
            at.session_state[f"activity.{part}.{params.get('activity')}.near"] = True
    at.run()
    assert not at.exception
    return at


def put(store, activity, streams=None):
    store.put_activities(squad.ANA, [activity])
    if streams is not None:
        store.put_streams(activity.id, streams)


def charts(at):
    found = at.get("bidi_component")
    return [
        component.proto.id for component in found if component.proto.component_name == "coachboard_figure"
    ]


def figure_of(at, name):
    """All that the figure of that name was sent with."""
    return "".join(str(e.proto) for e in at.get("bidi_component") if f"activity.{name}." in e.proto.id)


def test_without_a_session_all_are_offered(squad_store, signed_in):
    put(squad_store, rides.activity())
    at = opened()

    (table,) = (e.proto for e in at.get("bidi_component") if "activity.history" in e.proto.id)
    assert "activity?athlete=usr_ana&activity=act_1&day=2026-03-" in str(table)


def test_without_any_session_the_page_names_the_next_step(signed_in):
    at = opened()

    assert "No session yet. Sessions appear when the data service receives a recording." in texts(at)


def test_a_ride_shows_its_numbers_panels_and_laps(squad_store, signed_in):
    laps = (rides.lap(0, 299), rides.lap(299, 599, power=200))
    put(
        squad_store,
        rides.activity(
            moving_duration=598,
            distance=6000,
            volume=41.2,
            intensity=63,
            rpe=7,
            laps=laps,
            provider_laps=(rides.provider_lap(0, 300),),
        ),
        rides.streams(),
    )
    at = opened(activity="act_1")
    shown = texts(at)

    for expected in (
        "Ride",
        "9:58",
        "6.00 km",
        "Load 41 score of the data service",
        "Intensity score 63 of 100 scale of the data service",
        "7 of 10",
        "UTC+1:00",
        "Laps: found by the data service, by intensity. Device laps: as the device recorded them.",
    ):
        assert expected in shown
    assert [
        name for name in ("streams", "bars", "route") if not any(f"activity.{name}." in c for c in charts(at))
    ] == []
    assert len(at.dataframe[0].value) == 2


def test_the_headline_has_the_intensity_factor_variability_and_decoupling(squad_store, signed_in):
    metric = Metric(
        id="mtr_1", type=MetricType.CRITICAL_POWER, value=250, unit=None, source=MetricSource.USER,
        date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
    )  # fmt: skip
    squad_store.put_metrics(squad.ANA, [metric])
    drifting = rides.beats(6000) + np.repeat([0.0, 10.0], 3000)
    put(
        squad_store,
        rides.activity(total_duration=6000, normalized_power=240, average_power=200),
        rides.streams(6000, heartRate=drifting),
    )
    shown = key_numbers(opened(activity="act_1"), "activity.numbers")

    assert "Intensity factor 0.96 of critical power" in shown
    assert "Variability index 1.20" in shown
    assert "Decoupling +6.7 %" in shown  # 1 - 140 / 150
    assert "means little" not in shown


@pytest.mark.parametrize(("seconds", "has_efficiency"), [(3000, True), (900, False)])
def test_decoupling_and_efficiency_of_a_short_ride_are_the_same_in_headline_and_selection(
    squad_store, signed_in, seconds, has_efficiency
):
    """Decoupling was withheld below 90 min, as in most sessions, and the headline had no efficiency factor."""
    drifting = rides.beats(seconds) + np.repeat([0.0, 10.0], seconds // 2)
    put(
        squad_store,
        rides.activity(
            total_duration=seconds, normalized_power=261, average_power=250, average_heart_rate=145
        ),
        rides.streams(seconds, heartRate=drifting),
    )
    at = opened(activity="act_1", sel=f"0-{seconds}")
    headline, selected = key_numbers(at, "activity.numbers"), key_numbers(at, "activity.card.numbers")

    for shown in (headline, selected):
        assert "Decoupling +6.7 %" in shown
        assert ("Efficiency factor 1.80 W/beat" in shown) == has_efficiency  # 261 / 145
    assert f"means little: {seconds // 60} min, below 90 min" in headline
    assert f"Decoupling: means little: {seconds // 60} min, below 90 min." in texts(at)


def test_the_headline_leaves_out_the_ratios_that_are_unknown(squad_store, signed_in):
    put(squad_store, rides.activity(normalized_power=240), rides.streams())
    shown = key_numbers(opened(activity="act_1"), "activity.numbers")

    assert "Normalized power 240 W" in shown
    assert [name for name in ("Intensity factor", "Variability", "Decoupling") if name in shown] == [
        "Decoupling"
    ]


@pytest.mark.parametrize(("feeling", "is_low"), [(1, True), (2, True), (3, False), (5, False)])
def test_only_a_low_feeling_is_in_colour(squad_store, signed_in, feeling, is_low):
    put(squad_store, rides.activity(feeling=feeling, rpe=1), rides.streams())
    (numbers,) = [
        json.loads(e.proto.json)
        for e in opened(activity="act_1").get("bidi_component")
        if "activity.numbers" in e.proto.id
    ]

    assert [one["label"] for one in numbers if one["isLow"]] == ["Feeling"] * is_low


def test_speed_is_over_the_moving_time_that_is_beside_it(squad_store, signed_in):
    moving = {"moving_duration": 500, "total_duration": 600, "distance": 5000, "average_speed": 8.3}
    put(squad_store, rides.activity(**moving), rides.streams(speed=np.repeat([10.0, 0.0], [500, 100])))
    at = opened(activity="act_1", sel="450-550")
    shown = texts(at)

    assert "Moving time 8:20" in shown
    assert "Speed 36.0 km/h" in shown
    assert "0:50 moving" in shown
    assert any("Distance over moving time" in (caption.help or "") for caption in at.caption)


@pytest.mark.parametrize(
    ("sport", "bands", "streams", "says"),
    [
        (Sport.CYCLING, "classified", rides.streams(), "Speed over moving time."),
        (Sport.RUNNING, "device", rides.streams(power=None), "Pace over moving time."),
        (Sport.CYCLING, "climbs", rides.streams(), "Speed over duration."),
        (Sport.CYCLING, "classified", None, ""),
    ],
)
def test_a_table_of_parts_names_the_time_of_its_speeds(squad_store, signed_in, sport, bands, streams, says):
    parts = {
        "classified": {"laps": (rides.lap(0, 299, average_speed=8.0),)},
        "device": {"provider_laps": (rides.provider_lap(0, 300),)},
        "climbs": {"climbs": (rides.climb(0, 240),)},
    }
    put(squad_store, rides.activity(sport=sport, **parts[bands]), streams)
    (caption,) = [
        one.value for one in opened(activity="act_1", bands=bands).caption if "files have more" in one.value
    ]

    assert caption.endswith(f"{says} The CSV and Parquet files have more columns, in metric units.".lstrip())
    assert (" over " in caption) is bool(says)


def test_a_selection_in_the_address_opens_its_card(squad_store, signed_in):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())
    at = opened(activity="act_1", sel="0-300")
    shown = texts(at)

    assert "Selection, 0:00 to 5:00" in shown
    assert "Normalized power 250 W" in shown
    assert "Same interval in other sessions" in shown


def test_like_intervals_of_other_sessions_are_listed(squad_store, signed_in):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())
    before = rides.START - timedelta(days=7)
    put(
        squad_store,
        rides.activity("act_2", start=before, name="Older", laps=(rides.lap(0, 310, power=240, at=before),)),
    )
    at = opened(activity="act_1", sel="0-300")

    assert "10 W vs their mean" in texts(at)
    helps = [(said.help or "").replace("\\", "") for said in at.caption]
    assert any("262 − (250 + 254) / 2 = 10 W" in text for text in helps)
    assert any("Older" in list(frame.value.get("Session", [])) for frame in at.dataframe)


def test_a_lap_without_power_is_not_compared(squad_store, signed_in):
    """It read "–, -240 W vs their mean"."""
    put(squad_store, rides.activity(laps=(rides.lap(0, 300, power=None),)), rides.streams())
    before = rides.START - timedelta(days=7)
    laps = (rides.lap(0, 310, power=240, at=before),)
    put(squad_store, rides.activity("act_2", start=before, name="Older", laps=laps))
    shown = texts(opened(activity="act_1", sel="0-300"))

    assert "1 other lap" in shown
    assert "vs their mean" not in shown


@pytest.mark.parametrize("sel", ["9-5", "abc", "900-1200", "-5-10", "5-5"])
def test_a_selection_that_is_none_is_ignored(squad_store, signed_in, sel):
    put(squad_store, rides.activity(), rides.streams())

    assert "Selection," not in texts(opened(activity="act_1", sel=sel))


def test_a_selection_lasts_from_its_from_to_its_to_also_where_that_is_a_pause(squad_store, signed_in):
    whole = rides.streams()
    kept = (np.arange(600) < 300) | (np.arange(600) >= 400)
    paused = {name: values[kept] for name, values in whole.columns.items()}
    put(squad_store, rides.activity(), ActivityStreams(paused, whole.timestamps[kept]))

    shown = texts(opened(activity="act_1", sel="240-390"))
    assert "Selection, 4:00 to 6:30 · 2:30 ·" in shown
    assert "1:00 moving" in shown


def test_zooming_limits_the_panels_and_can_be_undone(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())
    at = opened(activity="act_1", sel="60-120", zoom="60-120")

    assert "Zoomed to 1:00–2:00." in texts(at)
    at.button(key="activity.zoom_out").click().run()
    assert "Zoomed to" not in texts(at)


def test_a_session_without_streams_says_so_and_keeps_its_summary(squad_store, signed_in):
    put(squad_store, rides.activity(distance=6000))
    shown = texts(opened(activity="act_1"))

    assert "no second-by-second recording" in shown
    assert "6.00 km" in shown


@pytest.mark.parametrize("streams", [None, rides.streams()])
def test_a_row_promises_to_select_where_there_is_a_record(squad_store, signed_in, streams):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), streams)

    assert ("Select a row to mark it" in texts(opened(activity="act_1"))) is (streams is not None)


def test_without_a_record_the_plan_is_shown_at_once(squad_store, signed_in):
    put(squad_store, rides.activity())
    at = opened(activity="act_1", near=False)

    assert "No workout was planned for that day" in texts(at)


@pytest.mark.parametrize("day", [{}, {"day": DAY.isoformat()}])
@pytest.mark.parametrize("activity_id", ["act_2", "act_nowhere", "<b>"])
def test_a_session_that_the_athlete_does_not_have_is_named_and_no_other_one_is_shown(
    squad_store, signed_in, monkeypatch, activity_id, day
):
    """Another person's, an unknown one, and ids that are none: the page showed the reader's own session of the day."""
    monkeypatch.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    put(squad_store, rides.activity())
    squad_store.put_activities(squad.BEN, [rides.activity("act_2", name="Long run")])
    at = opened(athlete="me", activity=activity_id, **day)
    again = at.run()

    assert at.title[0].value == "Activity"
    assert "This session was not found, or your key cannot read it. All sessions of Ana Li:" in texts(again)
    assert "1 session." in texts(again)
    assert "".join(at.query_params["activity"]) == activity_id


def test_a_link_with_another_athlete_offers_that_athletes_sessions(squad_store, signed_in):
    put(squad_store, rides.activity())
    squad_store.put_activities(squad.BEN, [rides.activity("act_2", name="Long run")])
    at = opened(athlete=squad.BEN, activity="act_1", day=DAY.isoformat())

    assert "All sessions of Ben" in texts(at)
    at.query_params["activity"] = "act_2"
    assert at.run().title[0].value == "Long run"
    assert "not found" not in texts(at)


def test_a_rerun_keeps_the_loaded_session_until_another_one_or_another_page_opens(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())
    put(squad_store, rides.activity("act_2", name="Long run"))
    at = opened(activity="act_1")
    loaded = [
        at.run().session_state[state.LOADED] for _ in range(4)
    ]  # the first runs write what they fetched

    assert loaded[-1] is loaded[-2]
    at.query_params["activity"] = "act_2"
    assert at.run().title[0].value == "Long run"
    assert (
        state.LOADED not in at.switch_page(str(navigation.PAGES_FOLDER / "settings.py")).run().session_state
    )


def test_the_sessions_of_one_key_share_their_loaded_data(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())
    first = opened(activity="act_1")
    loaded = [first.run().session_state[state.LOADED] for _ in range(4)][-1]

    assert opened(activity="act_1").session_state[state.LOADED] is loaded


def test_a_link_to_a_lost_session_of_an_athlete_without_sessions_shows_no_other(squad_store, signed_in):
    put(squad_store, rides.activity())
    shown = texts(opened(athlete=squad.BEN, activity="act_1", day=DAY.isoformat()))

    assert "This session was not found" in shown
    assert "No session yet" in shown


def test_a_record_without_a_sample_is_shown_and_offers_no_controls(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams(0))

    assert "The recording of this session is empty" in texts(opened(activity="act_1"))


def test_bands_are_offered_where_there_is_more_than_one_way(squad_store, signed_in):
    """One device lap is the whole session: its band looked like recovery."""
    whole, halves = (
        tuple(rides.provider_lap(*ends) for ends in spans) for spans in (((0, 600),), ((0, 300), (300, 600)))
    )
    put(squad_store, rides.activity(), rides.streams())
    put(squad_store, rides.activity("act_2", laps=(rides.lap(0, 300),)), rides.streams())
    put(squad_store, rides.activity("act_3", provider_laps=whole), rides.streams())
    put(squad_store, rides.activity("act_4", provider_laps=halves), rides.streams())

    offered = [
        [e.proto for e in opened(activity=one).get("bidi_component") if "activity.view" in e.proto.id]
        for one in ("act_1", "act_2", "act_3", "act_4")
    ]
    assert ["bands" in str(bar) for (bar,) in offered] == [False, True, False, True]


def test_a_sport_in_miles_has_all_its_numbers_in_them(squad_store, signed_in):
    put(squad_store, rides.activity(elevation_gain=1_000, elevation_loss=1_000, average_speed=8.0))
    settings = AppTest.from_file(str(MAIN), default_timeout=30).run()
    settings.switch_page(str(navigation.PAGES_FOLDER / "settings.py")).run()
    settings.selectbox(key="settings.system.cycling").set_value("imperial").run()
    shown = key_numbers(opened(activity="act_1"), "activity.numbers")

    assert "mph" in shown
    assert shown.count("3,281") == 2
    assert "km" not in shown


AXES = ["distance", *(pytest.param(axis, marks=pytest.mark.slow) for axis in ("elapsed", "moving"))]
"""Each page of a session takes 0.5 s: the two clocks run with the slow tests."""

ODD = {
    "two samples": rides.streams(2),
    "one sample": rides.streams(1),
    "no sample": rides.streams(0),
    "no power": rides.streams(power=None),
    "indoor": rides.streams(positionLat=None, positionLong=None, altitude=None),
    "all null": rides.streams(
        **{name: np.full(600, np.nan) for name in ("power", "speed", "heartRate", "distance")}
    ),
    "infinity": rides.streams(power=np.where(np.arange(600) % 7, 250.0, np.inf), speed=np.full(600, -np.inf)),
    "position missing throughout": rides.streams(
        positionLat=np.full(600, np.nan), positionLong=np.full(600, np.nan)
    ),
    "no time stamps": ActivityStreams(dict(rides.streams().columns)),
    "stamps all missing": ActivityStreams(
        dict(rides.streams().columns), np.full(600, np.datetime64("NaT", "ms"))
    ),
    "14 hours": rides.streams(50_400),
    "no column at all": ActivityStreams({}),
}


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("odd", ODD)
def test_odd_records_are_drawn_without_fault(squad_store, signed_in, odd, axis):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), ODD[odd])
    shown = texts(opened(activity="act_1", axis=axis, sel="0-120", smooth="30"))

    for word in ("None", "nan", "inf", "Traceback"):
        assert f" {word}" not in shown


@pytest.mark.parametrize("look", ["plan", "power", "bands", "balance", "sensors", "quality"])
def test_every_analysis_opens(squad_store, signed_in, look):
    metric = Metric(
        id="mtr_1", type=MetricType.CRITICAL_POWER, value=260, unit=None, source=MetricSource.USER,
        date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
    )  # fmt: skip
    squad_store.put_metrics(squad.ANA, [metric])
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())

    assert "Analysis" in texts(opened(activity="act_1", look=look))


@pytest.mark.parametrize(
    ("look", "formula"), [("sensors", "**Mean by effort:**"), ("power", "**Decoupling:**")]
)
def test_a_chart_opens_to_its_formula(squad_store, signed_in, look, formula):
    power = np.repeat([150.0, 250.0], 300)
    put(squad_store, rides.activity(), rides.streams(power=power, coreTemperature=power / 100 + 36))
    at = opened(activity="act_1", look=look)

    assert any(formula in (caption.help or "") for caption in at.caption)


@pytest.mark.parametrize(("look", "term"), [("sensors", "**Fluid loss:**"), ("plan", "**Compliance:**")])
def test_the_terms_of_an_analysis_are_behind_a_help_icon(squad_store, signed_in, look, term):
    put(squad_store, rides.activity(), rides.streams(fluidLoss=np.linspace(0, 500, 600)))
    plan = seeded.prescription("trp_1", rides.START.date()).model_copy(update={"activity_id": "act_1"})
    squad_store.put_prescriptions(squad.ANA, [plan])
    at = opened(activity="act_1", look=look)

    assert any(term in (caption.help or "") for caption in at.caption)


def tables_of(link, *keys):
    """The tables of a session's page after clicks on "Table" of the charts of these keys."""
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()
    at.switch_page(str(PAGE))
    at.query_params.update({"athlete": squad.ANA, "activity": "act_1"} | link)
    for part in ("parts", "look"):
        at.session_state[f"activity.{part}.act_1.near"] = True
    for key in keys:
        at.session_state[f"activity.{key}.table"] = True
    at.run()
    assert not at.exception
    return [frame.value for frame in at.dataframe]


IN_MILES = {
    ("cycling", "power"): {
        "streams.act_1": {"Elapsed time, s": 60, "Power, W": 150, "Heart rate, bpm": 139, "Speed, mph": 22.37, "Altitude, ft": 347.8},
        "curve.act_1": {"Duration, s": 480, "This session, W": 212.5, "Last 90 days, W": 212.5},
        "heart.act_1": {"Minute": 10, "Power, W": 250, "Heart rate, bpm": 140},
    },
    ("running", "power"): {
        "streams.act_1": {"Elapsed time, s": 60, "Power, W": 150, "Heart rate, bpm": 139, "Pace, s /mi": 160.9, "Altitude, ft": 347.8},
        "gap.act_1": {"Mile": 4, "Actual pace, s /mi": 160.9, "Grade-adjusted pace, s /mi": 152.5, "Grade, %": 1.0},
    },
    ("cycling", "bands"): {
        "bands.act_1.power": {"Zone": "Neuromuscular", "Time, s": 0},
        "distribution.act_1.power": {"From, W": 250, "To, W": 260, "Time, s": 300},
    },
    ("cycling", "balance"): {"balance.act_1": {"Elapsed time, s": 60, "Coachboard (differential model), kJ": 20}},
    ("cycling", "sensors"): {
        "sensor.act_1.core_temperature": {"Elapsed time, s": 71, "Core temperature, °F": 100.4},
        "effort.act_1.core_temperature": {"Power, W": 175, "Core temperature, °F": 100.4},
    },
}  # fmt: skip
"""By sport and analysis: a row of each table, by the key of its chart."""


@pytest.mark.parametrize(("sport", "look"), IN_MILES)
def test_the_table_of_a_chart_has_the_readers_units(squad_store, signed_in, sport, look):
    """The tables had the names and units of the service: elapsed_s, speed in m/s, joules, heart_rate_bpm."""
    metrics = [
        Metric(
            id=f"mtr_{kind}", type=kind, value=value, unit=None, source=MetricSource.USER,
            date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
        )
        for kind, value in ((MetricType.CRITICAL_POWER, 240), (MetricType.W_PRIME, 20))
    ]  # fmt: skip
    squad_store.put_metrics(squad.ANA, metrics)
    session = rides.activity(sport=Sport(sport), laps=(rides.lap(0, 300),))
    put(
        squad_store,
        session,
        rides.streams(power=np.repeat([150.0, 250.0], 300), coreTemperature=np.full(600, 38.0)),
    )
    settings = AppTest.from_file(str(MAIN), default_timeout=30).run()
    settings.switch_page(str(navigation.PAGES_FOLDER / "settings.py")).run()
    settings.button_group(key="settings.system").set_value("imperial").run()
    expected = IN_MILES[sport, look]
    rows = [row for table in tables_of({"look": look}, *expected) for row in table.to_dict("records")]

    assert [row for row in expected.values() if row not in rows] == []


def test_the_computed_balance_is_named_as_the_differential_model(squad_store, signed_in):
    metrics = [
        Metric(
            id=f"mtr_{kind}", type=kind, value=value, unit=None, source=MetricSource.USER,
            date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
        )
        for kind, value in ((MetricType.CRITICAL_POWER, 240), (MetricType.W_PRIME, 20))
    ]  # fmt: skip
    squad_store.put_metrics(squad.ANA, metrics)
    put(squad_store, rides.activity(), rides.streams())
    figure = figure_of(opened(activity="act_1", look="balance"), "balance")

    assert "Coachboard (differential model)" in figure
    assert "Coachboard line: differential model, critical power 240 W" in figure


def test_the_quality_names_the_excluded_time_of_each_number(squad_store, signed_in):
    power = np.full(600, 250.0)
    power[100:130] = np.nan
    put(squad_store, rides.activity(), rides.streams(power=power))
    at = opened(activity="act_1", look="quality")
    table = next(f.value.set_index("Metric") for f in at.dataframe if "Counted as 0" in f.value)

    assert table.loc["Average and maximum power", "Excluded"] == "0:30"
    assert table.loc["Work, prior work", "Counted as 0"] == "0:30"


def test_the_quality_names_columns_without_a_panel_as_the_catalogue_does(squad_store, signed_in):
    put(
        squad_store,
        rides.activity(),
        rides.streams(positionLat=np.linspace(47, 48, 600), wPrimeBalance=np.full(600, np.nan)),
    )
    at = opened(activity="act_1", look="quality")
    found = next(f.value for f in at.dataframe if "Found" in f.value)

    assert "Latitude" in set(found["Column"])
    assert "Recorded but empty: W′ balance." in texts(at)


def test_a_dead_power_meter_is_named_with_the_signal_in_its_place(squad_store, signed_in):
    session = rides.activity(average_power=0, max_power=0, work=0, sport=Sport.RUNNING)
    put(squad_store, session, rides.streams(power=np.zeros(600), heartRate=np.full(600, 72.0)))
    shown = texts(opened(activity="act_1", look="quality"))

    assert "Power is not used: it reads 0 for 10:00 of 10:00." in shown
    assert "Heart rate is not used: it reads 72 bpm for 9:59 of 10:00." in shown
    assert "Best efforts and bands use speed." in shown
    assert "Power 0 W" not in shown


def test_cadence_and_maximum_heart_rate_are_the_same_wherever_the_page_shows_them(squad_store, signed_in):
    """One page had a cadence of 86 and 74, with and without stops, and a maximum heart rate of 164 and 163."""
    cadence = np.where(np.arange(600) < 500, 86.0, 0.0)
    rate = np.where(np.arange(600) == 300, 163.0, np.minimum(rides.beats(600), 160.0))
    lap = rides.lap(0, 600, average_cadence=72, max_heart_rate=164, max_power=251)
    put(
        squad_store,
        rides.activity(
            laps=(lap,), average_cadence=74, average_heart_rate=140, max_heart_rate=164, average_power=250
        ),
        rides.streams(cadence=cadence, heartRate=rate),
    )
    at = opened(activity="act_1", sel="0-600", cols="heart_rate,cadence")
    headline, laps = key_numbers(at, "activity.numbers"), at.dataframe[0].value
    selected = next(table.value for table in at.table if "Max" in table.value)

    assert "Cadence 86 rpm" in headline
    assert "max 163 bpm" in headline
    assert laps["Cadence, rpm"].tolist() == ["86"] or laps["Cadence, rpm"].tolist() == [86]
    assert (selected.loc["Cadence", "Average"], selected.loc["Heart rate", "Max"]) == ("86 rpm", "163 bpm")
    assert "average 86, max 86" in figure_of(at, "streams")
    assert "max 163" in figure_of(at, "streams")
    assert not re.search(r"\b(164|74|72)\b", headline + laps.to_string() + selected.to_string())


def test_on_a_phone_a_table_shows_the_key_columns_until_the_switch_is_on(squad_store, signed_in, monkeypatch):
    monkeypatch.setattr(theme, "is_phone", lambda: True)
    put(squad_store, rides.activity(laps=(rides.lap(0, 299, average_cadence=90),)), rides.streams())
    at = opened(activity="act_1")
    few = list(at.dataframe[0].value)
    at.toggle(key="activity.table.classified.all").set_value(True).run()

    assert few == ["#", "Intensity", "Duration", "Power, W", "Speed, km/h"]
    assert "Cadence, rpm" in at.dataframe[0].value


def test_best_efforts_on_a_phone_show_the_share_of_the_last_90_days(squad_store, signed_in, monkeypatch):
    monkeypatch.setattr(theme, "is_phone", lambda: True)
    put(squad_store, rides.activity(average_power=250.0), rides.streams())
    at = opened(activity="act_1", look="power")

    (bests,) = (one.value for one in at.dataframe if "% of last 90 days" in one.value)
    assert list(bests) == ["Duration", "Power", "% of last 90 days"]


def test_markup_in_untrusted_text_is_shown_as_text(squad_store, signed_in):
    bad = "![x](https://tracker.example/p.png) <b>b</b> $x$ :red[r]"
    laps = (rides.provider_lap(0, 100, intensity=bad, lap_trigger=bad),)
    put(
        squad_store,
        rides.activity(name=bad, description=bad, summary=bad, provider_laps=laps),
        rides.streams(),
    )
    at = opened(activity="act_1", bands="device")
    rendered = [element.value for kind in (at.title, at.header, at.markdown, at.caption) for element in kind]

    assert not any("![x]" in text or "<b>" in text for text in rendered)
    assert f"Description of the session: “{bad.replace('//', chr(0x2060) + '//')}”" in texts(at)


def test_a_pool_swim_shows_lengths_and_its_pool(squad_store, signed_in):
    lengths = tuple(rides.length(at, at + 20, stroke=StrokeType.FREESTYLE) for at in range(0, 200, 20))
    activity = rides.activity(sport=Sport.SWIMMING, lengths=lengths, average_cadence=30)
    put(squad_store, activity, rides.streams(positionLat=None))
    shown = texts(opened(activity="act_1"))

    assert "10 lengths swum. Pool length 25 m, estimated from speed and time per length." in shown
    # 30 a minute at 1:17 /100 m seemed half of the truth: a watch counts one arm.
    assert "Cadence 30 strokes/min as the device counts" in shown
    assert "strokes as the device counts them" in shown


def test_rests_of_a_pool_swim_are_distinguished_from_its_lengths(squad_store, signed_in):
    swum = tuple(rides.length(at, at + 20, stroke=StrokeType.FREESTYLE) for at in range(0, 200, 40))
    rests = tuple(rides.length(at, at + 20, speed=None, strokes=None) for at in range(20, 200, 40))
    lengths = tuple(sorted(swum + rests, key=lambda length: length.started_at_index))
    put(squad_store, rides.activity(sport=Sport.SWIMMING, lengths=lengths), rides.streams(power=None))
    at = opened(activity="act_1")

    assert "5 lengths swum, 5 rests (1:40 total)" in texts(at)
    assert any("Lengths (5)" in str(group.proto) for group in at.get("button_group"))


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({}, "critical power is unknown"),
        ({"power": None}, "there is no power recording to detect them"),
    ],
)
def test_why_there_are_no_laps_by_intensity_is_shown(squad_store, signed_in, columns, reason):
    put(squad_store, rides.activity(), rides.streams(**columns))

    assert f"No laps by intensity: the data service sent none, and {reason}" in texts(
        opened(activity="act_1")
    )


def test_between_legs_nobody_looks_for_laps_by_intensity(squad_store, signed_in):
    put(squad_store, rides.activity(sport=Sport.TRANSITION), rides.streams(power=None))

    assert "No laps by intensity" not in texts(opened(activity="act_1"))


def test_a_column_of_a_single_value_is_named_so_and_not_shown_first(squad_store, signed_in):
    rate = np.full(600, np.nan)
    rate[5] = 95
    put(squad_store, rides.activity(), rides.streams(heartRate=rate, cadence=np.full(600, 80.0)))
    usual, asked = opened(activity="act_1"), opened(activity="act_1", cols="heart_rate")

    assert set(usual.session_state["activity.cols"]) == {"power", "speed", "altitude", "cadence"}
    assert "one value, 95 bpm" in figure_of(asked, "streams")


def test_the_legs_of_one_day_are_side_by_side(squad_store, signed_in):
    for number, sport in enumerate((Sport.SWIMMING, Sport.TRANSITION, Sport.CYCLING)):
        start = rides.START + timedelta(hours=number)
        put(squad_store, rides.activity(f"act_{number}", start=start, sport=sport, group_id="grp_1"))
    shown = texts(opened(activity="act_2"))

    assert "Legs" in shown
    assert "2 legs and 1 transition" in shown


def test_a_history_still_being_imported_explains_missing_streams(squad_store, signed_in):
    newcomer = squad_store.add_user(
        NewUser(first_name="Nele", last_name="New", data_onboarding_status=DataOnboardingStatus.ONGOING)
    )
    squad_store.add_member(squad.SQUAD, newcomer, WorkspaceRole.ATHLETE)
    squad_store.put_activities(newcomer, [rides.activity()])

    assert "still being imported" in texts(opened(activity="act_1", athlete=newcomer))


def test_a_year_of_like_intervals_on_demand(squad_store, signed_in):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())
    before = rides.START - timedelta(days=200)
    laps = (rides.lap(0, 310, power=240, at=before),)
    put(squad_store, rides.activity("act_2", start=before, name="Long ago", laps=laps))
    at = opened(activity="act_1", sel="0-300")
    assert not any("Long ago" in list(frame.value.get("Session", [])) for frame in at.dataframe)
    at.button(key="activity.like.year.ask").click().run()

    assert any("Long ago" in list(frame.value.get("Session", [])) for frame in at.dataframe)
    assert "within 12 months" in texts(at)


@pytest.mark.parametrize("at_s", ["60", "599", "9999", "x"])
def test_a_marked_moment_is_named_by_the_route(squad_store, signed_in, at_s):
    put(squad_store, rides.activity(), rides.streams())
    shown = texts(opened(activity="act_1", at=at_s))

    assert ("Cross = position at" in shown) == (at_s in {"60", "599"})


def test_a_typed_moment_is_marked_and_an_empty_one_unmarked(squad_store, signed_in):
    """The route's click by keyboard; a time beyond the end is the end, what is no time changes nothing."""
    put(squad_store, rides.activity(), rides.streams())
    at = opened(activity="act_1")
    marks = []
    for typed in ("1:00", "soon", "2:00:00", ""):
        at.text_input(key="activity.at").set_value(typed).run()
        marks.append(re.findall(r"Cross = position at ([\d:]+)", texts(at)))

    assert marks == [["1:00"], ["1:00"], ["9:59"], []]


def test_a_way_leads_back_to_the_athlete_and_to_the_day(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())
    links = {link.proto.label: link.proto.query_string for link in opened(activity="act_1").get("page_link")}

    assert f"athlete={squad.ANA}" in links["Athlete page"]
    assert f"on={DAY}" in links["Day in calendar"]


def test_sections_below_the_window_load_when_the_reader_scrolls(squad_store, signed_in):
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()
    at.switch_page(str(PAGE))
    at.query_params.update({"athlete": squad.ANA, "activity": "act_1"})
    at.run()

    assert [name for name in charts(at) if "activity.streams." not in name] == []


def compared(squad_store, **params):
    """The page of act_1 with act_2, 20 W and 5 bpm higher, of the week before laid over it."""
    laps = (rides.lap(0, 299), rides.lap(300, 599))
    before = rides.START - timedelta(days=7)
    put(squad_store, rides.activity(laps=laps), rides.streams())
    put(
        squad_store,
        rides.activity("act_2", start=before, name="Older <b>one</b>", laps=laps),
        rides.streams(power=np.full(600, 270.0), heartRate=rides.beats(mean=145.0), at=before),
    )
    return opened(activity="act_1", **{"with": "act_2"} | params)


@pytest.mark.parametrize("align", [None, "time", "distance", "lap", "moon"])
@pytest.mark.parametrize("axis", AXES)
def test_a_second_session_is_held_against_this_one(squad_store, signed_in, align, axis):
    at = compared(squad_store, axis=axis, **{"align": align} if align else {})
    table = at.table[0].value

    assert "Compared with Tue 24 Feb, Older <b>one</b>" in texts(at)
    assert table.loc["Power"].tolist() == ["250 W", "270 W", "−20 W"]
    assert table.loc["Heart rate", "vs Tue 24 Feb"] == "−5 bpm"
    assert "vs Tue 24 Feb = this session minus that one" in texts(at)
    assert "this minus other" in figure_of(at, "streams")
    assert "20 W on average" in figure_of(at, "streams")
    assert "+20 W on average" not in figure_of(at, "streams")


def test_lap_by_lap_the_pairs_are_listed(squad_store, signed_in):
    at = compared(squad_store, align="lap")
    laps = next(frame.value for frame in at.dataframe if "Other laps" in frame.value)

    assert laps["Other laps"].tolist() == ["1", "2"]
    assert laps["Power vs other, W"].tolist() == ["−20", "−20"]


def test_the_selected_part_alone_is_compared(squad_store, signed_in):
    table = compared(squad_store, sel="0-100").table[0].value

    assert table.loc["Elapsed time"].tolist() == ["1:40", "1:40", "0:00"]


@pytest.mark.parametrize(
    ("metres", "words"),
    [(25, "25 m"), (50, "50 m"), (24.98, "24.98 m"), (22.86, "25 yd (22.86 m)"), (33.33, "33.33 m")],
)
def test_a_pool_has_one_length_in_its_own_unit(metres, words):
    assert _pool_words(metres) == words


def test_panel_and_table_name_the_same_difference_of_speed(squad_store, signed_in):
    """The other ride has a stop of a minute: its panel averaged the stop, the table left it out."""
    before = rides.START - timedelta(days=7)
    put(squad_store, rides.activity(), rides.streams(speed=np.full(600, 8.0), distance=None))
    speeds = np.where(np.arange(600) < 540, 10.0, 0.0)
    put(
        squad_store,
        rides.activity("act_2", start=before),
        rides.streams(speed=speeds, distance=None, at=before),
    )
    at = opened(activity="act_1", **{"with": "act_2"})

    assert at.table[0].value.loc["Speed", "vs Tue 24 Feb"] == "−7.2 km/h"
    assert re.search(r"[^+]7\.2 km\W+u002fh on average", figure_of(at, "streams"))


def test_another_session_is_chosen_from_a_year_and_taken_away_again(squad_store, signed_in):
    compared(squad_store)
    at = opened(activity="act_1")
    at.session_state["activity.compare"] = True
    at.run()
    assert "Compared with" not in texts(at)

    at.selectbox(key="activity.with").set_value("act_2").run()
    assert "Compared with" in texts(at)
    at.selectbox(key="activity.with").set_value(None).run()
    assert "Compared with" not in texts(at)


def test_the_same_workout_is_offered_first(squad_store, signed_in):
    """Of three earlier rides the newest did another workout, the next the same plan, the oldest has the same name."""
    starts = [rides.START - timedelta(days=days) for days in (3, 7, 14)]
    names = ["Else", "Group ride", "Hill 5"]
    for n, (start, name) in enumerate(zip(starts, names, strict=True), 2):
        put(squad_store, rides.activity(f"act_{n}", start=start, name=name))
    put(squad_store, rides.activity(name="Hill 5"), rides.streams())
    plans = [
        seeded.prescription(f"trp_{of}", start.date()).model_copy(update={"activity_id": of, "title": "5 x 4 min"})
        for of, start in (("act_1", rides.START), ("act_3", starts[1]))
    ]  # fmt: skip
    squad_store.put_prescriptions(squad.ANA, plans)
    at = opened(activity="act_1")
    assert any("**Score of the work steps:**" in (said.help or "") for said in at.markdown)
    at.session_state["activity.compare"] = True
    at.run()

    assert at.selectbox(key="activity.with").options == [
        "Same workout: Tue 24 Feb, Group ride", "Same name: 17 Feb, Hill 5", "Sat 28 Feb, Else",
    ]  # fmt: skip


@pytest.mark.parametrize("other", ["act_9", "act_3", "act_4"])
def test_a_session_that_cannot_be_laid_over_leaves_the_page_as_it_is(squad_store, signed_in, other):
    """Unknown, without streams, of another sport."""
    before = rides.START - timedelta(days=3)
    put(squad_store, rides.activity("act_3", start=before))
    put(squad_store, rides.activity("act_4", start=before, sport=Sport.RUNNING), rides.streams(at=before))
    at = compared(squad_store, **{"with": other})

    assert "Compared with" not in texts(at)
    assert any("activity.streams." in chart for chart in charts(at))


def test_without_a_speed_the_panel_shows_the_derived_one_and_says_so(squad_store, signed_in):
    put(squad_store, rides.activity(distance=6000, moving_duration=600), rides.streams(speed=None))
    at = opened(activity="act_1")

    assert "derived from distance" in figure_of(at, "streams")
    assert "Speed 36.0 km/h derived from distance" in texts(at)


def test_without_a_distance_the_session_has_a_derived_one_and_says_so(squad_store, signed_in):
    put(squad_store, rides.activity(average_speed=10, moving_duration=600), rides.streams(distance=None))
    at = opened(activity="act_1", axis="distance")

    assert "Distance 6.00 km derived from speed" in texts(at)
    assert "Distance is derived from speed." in texts(at) + figure_of(at, "streams")


def test_a_heart_rate_of_zero_was_not_measured(squad_store, signed_in):
    laps = (rides.lap(0, 300, average_heart_rate=0, max_heart_rate=0),)
    put(squad_store, rides.activity(average_heart_rate=0, max_heart_rate=0, laps=laps), rides.streams())
    at = opened(activity="act_1")

    assert "Heart rate" not in key_numbers(at, "activity.numbers")
    assert "HR, bpm" not in at.dataframe[0].value


@pytest.mark.parametrize("is_enough", [False, True])
def test_records_appear_with_half_of_the_sessions(squad_store, signed_in, is_enough):
    """The session alone is 1 of 3 and claims nothing; with an earlier one, 2 of 3, both are compared."""
    before = rides.START - timedelta(days=100)
    streams = rides.streams(power=np.full(600, 300.0), at=before) if is_enough else None
    put(squad_store, rides.activity("act_2", start=before, average_power=300), streams)
    put(squad_store, rides.activity("act_3", start=before - timedelta(days=100), average_power=250))
    put(squad_store, rides.activity(average_power=250), rides.streams())
    if is_enough:
        opened(activity="act_2", look="power")  # the visit caches the recording

    found = bests_of(opened(activity="act_1", look="power", curve="year"))

    if not is_enough:
        assert not [head for head in found if head.startswith(("Best,", "%"))]
        return
    assert found["% of last 12 months"].tolist()[-1] == "83 %"
    assert (
        found["Best, 12 months"].tolist()[-1] == found["Best, all time"].tolist()[-1] == "300 W, 23 Nov 2025"
    )


def test_a_run_with_power_shows_its_paces_too(squad_store, signed_in):
    put(squad_store, rides.activity(sport=Sport.RUNNING), rides.streams(speed=np.full(600, 4.0)))

    power = opened(activity="act_1", look="power")
    pace = opened(activity="act_1", look="power", best="speed")

    assert "Power" in bests_of(power)
    assert set(bests_of(pace)["Pace"]) == {"4:10 /km"}
    assert any("grade-adjusted-pace" in name for name in charts(pace))


def test_heart_rate_of_a_run_is_set_against_pace_as_its_axis_says(squad_store, signed_in):
    """The head said "Heart rate vs grade-adjusted speed" above the axis "Pace, /km"."""
    put(squad_store, rides.activity(sport=Sport.RUNNING), rides.streams(power=None, speed=np.full(600, 4.0)))
    at = opened(activity="act_1", look="power")

    assert "Heart rate vs grade-adjusted pace" in [head.value for head in at.subheader]


def bests_of(at):
    return next(frame.value for frame in at.dataframe if "Start" in frame.value and "Duration" in frame.value)


def test_the_colours_of_device_laps_and_the_line_of_critical_power_are_named(
    squad_store, signed_in, monkeypatch
):
    """A phone has no legend above the panels, and only classified laps had a sentence."""
    metric = Metric(
        id="mtr_1", type=MetricType.CRITICAL_POWER, value=250, unit=None, source=MetricSource.USER,
        date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
    )  # fmt: skip
    monkeypatch.setattr(theme, "is_phone", lambda: True)
    squad_store.put_metrics(squad.ANA, [metric])
    halves = (rides.provider_lap(0, 300), rides.provider_lap(300, 600))
    put(squad_store, rides.activity(provider_laps=halves), rides.streams())
    laps = opened(activity="act_1", bands="device")
    shown = texts(laps)
    assert "Device laps: as the device recorded them" not in shown  # no other kind to tell them from

    assert "Colours at the top: intensity of the laps" in shown
    assert "dashed: critical power 250 W" in figure_of(laps, "bars")
    assert "computed from the recording, not taken from the device." in shown
    assert "Colours at the top" not in texts(opened(activity="act_1", bands="none"))


def test_a_running_total_has_no_average(squad_store, signed_in):
    """Fluid loss counts up from the start: "average 310" said nothing."""
    put(
        squad_store,
        rides.activity(),
        rides.streams(fluidLoss=np.linspace(0, 600, 600), cadence=np.full(600, 90.0)),
    )
    at = opened(activity="act_1", cols="fluid_loss,cadence", sel="0-500")
    averages = {row.name: row.iloc[0] for table in at.table for _, row in table.value.iterrows()}

    assert averages["Fluid loss"] == "–"
    assert averages["Cadence"] == "90 rpm"
    assert "Dashed lines: averages including stops (cadence: moving time only)." in texts(at)
    assert "max 600" in figure_of(at, "streams")
    assert "average 3" not in figure_of(at, "streams")
