"""The activity page of ordinary and of unusual sessions."""

import json
import re
from datetime import timedelta

import numpy as np
import pytest

import rides
import seeded
import squad
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.service.store import NewUser
from coachboard.ui.frame import navigation, state, theme
from coachboard.wire.activities import ProviderLap
from coachboard.wire.body import Metric
from coachboard.wire.enums import (
    DataOnboardingStatus,
    LapIntensity,
    MetricSource,
    MetricSport,
    Sport,
    StrokeType,
    WorkspaceRole,
)
from coachboard.wire.metrics import MetricType
from coachboard.wire.streams import ActivityStreams
from drawn import key_numbers, page_test
from waiting import wait_until

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
    at = page_test("activity")
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
        "Load 41 by the data service",
        "Intensity score 63 of 100 by the data service",
        "7 of 10",
        "UTC+1:00",
        "Laps: found by the data service, by intensity. Device laps: as the device recorded them.",
    ):
        assert expected in shown
    assert [
        name for name in ("streams", "bars", "route") if not any(f"activity.{name}." in c for c in charts(at))
    ] == []
    assert len(at.dataframe[0].value) == 2


@pytest.mark.parametrize(
    ("activity_id", "first"), [("act_1", "Compliance 60 % Δ off by 40 %"), (None, "Moving time")]
)
def test_the_headline_begins_with_the_compliance_of_a_paired_session(
    squad_store, signed_in, activity_id, first
):
    """The section that explains it is below panels, laps and route; a likely match is no pair."""
    put(squad_store, rides.activity(moving_duration=600, total_duration=600), rides.streams())
    plan = seeded.prescription("trp_1", DAY).model_copy(
        update={"sport": Sport.CYCLING, "duration": 1000, "structure": None, "activity_id": activity_id}
    )
    squad_store.put_prescriptions(squad.ANA, [plan])
    at = opened(activity="act_1", look="plan")

    assert key_numbers(at, "activity.numbers").startswith(first)
    assert ("Likely match" in texts(at)) == (activity_id is None)


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
    assert headline.endswith(f"means little: {seconds // 60} min")  # the whole sentence was cut off
    assert f"Decoupling: means little: {seconds // 60} min, below 90 min." in texts(at)


def test_the_headline_leaves_out_the_ratios_that_are_unknown(squad_store, signed_in):
    put(squad_store, rides.activity(normalized_power=240), rides.streams())
    shown = key_numbers(opened(activity="act_1"), "activity.numbers")

    assert "Normalized power 240 W" in shown
    assert [name for name in ("Intensity factor", "Variability", "Decoupling") if name in shown] == [
        "Decoupling"
    ]


def test_only_a_low_feeling_is_in_colour(squad_store, signed_in):
    for feeling in (1, 2, 3, 5):
        put(squad_store, rides.activity(f"act_{feeling}", feeling=feeling, rpe=1))
    for feeling in (1, 2, 3, 5):
        at = opened(activity=f"act_{feeling}")
        (numbers,) = [
            json.loads(e.proto.json) for e in at.get("bidi_component") if "activity.numbers" in e.proto.id
        ]

        assert [number["label"] for number in numbers if number["isLow"]] == ["Feeling"] * (feeling <= 2)


def test_speed_is_over_the_moving_time_that_is_beside_it(squad_store, signed_in):
    moving = {"moving_duration": 500, "total_duration": 600, "distance": 5000, "average_speed": 8.3}
    put(squad_store, rides.activity(**moving), rides.streams(speed=np.repeat([10.0, 0.0], [500, 100])))
    at = opened(activity="act_1", sel="450-550")
    shown = texts(at)

    assert "Moving time 8:20" in shown
    assert "Speed 36.0 km/h" in shown
    assert "0:50 moving" in shown
    assert any("Distance over moving time" in (caption.help or "") for caption in at.caption)


def test_a_table_of_parts_names_the_time_of_its_speeds(squad_store, signed_in):
    classified = {"laps": (rides.lap(0, 299, average_speed=8.0),)}
    device = {"provider_laps": (rides.provider_lap(0, 300),)}
    climbs = {"climbs": (rides.climb(0, 240),)}
    cases = (
        (Sport.CYCLING, "classified", classified, rides.streams(), "Speed over moving time."),
        (Sport.RUNNING, "device", device, rides.streams(power=None), "Pace over moving time."),
        (Sport.CYCLING, "climbs", climbs, rides.streams(), "Speed over duration."),
        (Sport.CYCLING, "classified", classified, None, ""),
    )
    for number, (sport, _, parts, streams, _) in enumerate(cases):
        put(squad_store, rides.activity(f"act_{number}", sport=sport, **parts), streams)
    for number, (_, bands, _, _, expected) in enumerate(cases):
        at = opened(activity=f"act_{number}", bands=bands)
        (caption,) = [element.value for element in at.caption if "files have more" in element.value]

        files = "The CSV and Parquet files have more columns, in metric units."
        assert caption.endswith(f"{expected} {files}".lstrip())
        assert (" over " in caption) is bool(expected)


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


def test_the_pace_zones_of_the_settings_are_those_of_a_run(squad_store, signed_in):
    critical = Metric(
        id="mtr_1", type=MetricType.CRITICAL_SPEED, value=3.0, unit=None, source=MetricSource.USER,
        date=DAY - timedelta(days=5), sport=MetricSport.RUNNING,
    )  # fmt: skip
    squad_store.put_metrics(squad.ANA, [critical])
    speed = np.full(600, 3.05)
    put(
        squad_store, rides.activity(sport=Sport.RUNNING),
        rides.streams(power=None, heartRate=None, altitude=None, speed=speed, distance=np.cumsum(speed)),
    )  # fmt: skip
    before = opened(activity="act_1", look="bands", sel="0-300")
    settings = page_test("settings").run()
    settings.selectbox(key="settings.pace_zones").set_value("friel").run()
    after = opened(activity="act_1", look="bands", sel="0-300")

    assert "limits 84/95/102/115/130 % of critical speed" in texts(before)
    assert "Friel, seven zones of pace; limits 78/88/94/100/103/111 % of critical speed" in texts(after)
    assert [list(at.table[-1].value.index) for at in (before, after)] == [["Threshold"], ["Zone 5a"]]


def test_a_run_in_hills_has_its_grade_adjusted_pace_and_its_climbs(squad_store, signed_in):
    distance = np.arange(900) * 3.0
    altitude = np.interp(distance, [0, 600, 1400, 2700], [0, 0, 80, 80])
    streams = rides.streams(900, power=None, speed=np.full(900, 3.0), distance=distance, altitude=altitude)
    laps = tuple(rides.provider_lap(at, at + 300) for at in (0, 300, 600))
    put(squad_store, rides.activity(
        sport=Sport.RUNNING, total_duration=900, moving_duration=900, distance=2700.0, provider_laps=laps,
    ), streams)  # fmt: skip
    at = opened(activity="act_1", sel="200-466", cols=f"speed,{ADJUSTED_SPEED}", best=ADJUSTED_SPEED)
    shown = texts(at)
    tables = [frame.value for frame in at.dataframe]
    climbs = opened(activity="act_1", part="climbs").dataframe[0].value

    assert "Pace 5:33 /km" in shown
    assert re.search(r"Grade-adjusted pace 4:\d\d /km Minetti 2002", shown)
    assert re.search(r"Selection, .* 5:33 /km · 3:\d\d /km grade-adjusted", shown)
    assert "Grade-adjusted pace: on flat ground at the same energy cost (Minetti 2002)." in shown
    assert "GAP /km" in tables[0]
    assert "GAP = grade-adjusted pace" in shown
    assert "Grade-adjusted pace" in tables[-1]  # best efforts
    assert {"Gain, m", "Grade, %", "VAM, m/h", "GAP /km"} <= set(climbs)
    assert climbs["Gain, m"].round().tolist() == [80]


def test_all_like_intervals_are_counted_averaged_and_listed_whatever_their_class(squad_store, signed_in):
    """The page counted 12, averaged 8 and left out those that had failed."""
    four = tuple(rides.lap(400 * n, 400 * n + 300) for n in range(4))
    put(squad_store, rides.activity(laps=four), rides.streams(1600))
    for number, powers in enumerate(((250, 250, 230, 210), (250, 240, 220, 190)), start=2):
        before = rides.START - timedelta(days=7 * number)
        laps = tuple(
            rides.lap(
                400 * n, 400 * n + 300, power=power, at=before,
                intensity=LapIntensity.THRESHOLD if power >= 225 else LapIntensity.TEMPO,
            )
            for n, power in enumerate(powers)
        )  # fmt: skip
        put(squad_store, rides.activity(f"act_{number}", start=before, name="Older", laps=laps))
    at = opened(activity="act_1", sel="0-300")
    (listed,) = (frame.value for frame in at.dataframe if "Session" in frame.value)

    assert "8 laps in 2 other sessions: 5:00 ± 20 %" in texts(at)
    assert "250 W, +20 W vs their mean" in texts(at)
    assert len(listed) == 8


def put_run(store, activity_id, days_ago, speed_mps):
    """15 min: 5 min easy, 5 min at that speed uphill, 5 min easy; laps set by hand."""
    start = rides.START - timedelta(days=days_ago)
    speed = np.repeat([2.5, speed_mps, 2.5], 300)
    distance = np.cumsum(speed)
    laps = tuple(
        ProviderLap(started_at=start + timedelta(seconds=at), ended_at=start + timedelta(seconds=at + 300),
                    intensity=None, lap_trigger="manual")
        for at in (0, 300, 600)
    )  # fmt: skip
    run = rides.activity(
        activity_id, start=start, sport=Sport.RUNNING, name="Tempo", total_duration=900, moving_duration=900,
        distance=float(distance[-1]), provider_laps=laps,
    )  # fmt: skip
    rise = np.interp(np.arange(900), [300, 600], [0, 40])
    put(store, run, rides.streams(900, at=start, power=None, speed=speed, distance=distance, altitude=rise))


def test_the_same_interval_of_other_runs_is_compared_by_grade_adjusted_pace(squad_store, signed_in):
    """It was for rides alone. The slow run is another interval; laps of other runs are measured in the background."""
    for activity_id, days_ago, speed_mps in (("act_1", 0, 3.8), ("act_2", 7, 3.6), ("act_3", 14, 2.6)):
        put_run(squad_store, activity_id, days_ago, speed_mps)
    wait_until(lambda: "still to be read" not in texts(opened(activity="act_1", sel="300-600")))
    at = opened(activity="act_1", sel="300-600")
    (listed,) = (frame.value for frame in at.dataframe if "Session" in frame.value)

    assert "1 lap in 1 other session: 5:00 ± 20 %, pace ± 15 %, within 90 days" in texts(at)
    assert re.search(r"3:\d\d /km, 0:1\d /km faster than their mean speed", texts(at))
    assert list(listed) == ["Day", "Session", "Duration", "GAP /km", "HR, bpm"]
    assert listed["Session"].tolist() == ["Tempo"]


def test_the_same_repetition_of_other_swims_is_compared_by_pace(squad_store, signed_in):
    def put_swim(activity_id, days_ago, seconds):
        start = rides.START - timedelta(days=days_ago)
        lengths, at = [], 0
        for _ in range(4):
            for _ in range(4):
                length = rides.length(at, at + seconds, stroke="freestyle", speed=25 / seconds)
                lengths.append(moved(length, start))
                at += seconds
            at += 20  # at the wall
        swim = rides.activity(
            activity_id, start=start, sport=Sport.SWIMMING, name="Hundreds", distance=400.0,
            total_duration=at, moving_duration=16 * seconds, lengths=tuple(lengths),
        )  # fmt: skip
        put(
            squad_store,
            swim,
            rides.streams(at, at=start, power=None, speed=np.full(at, 1.2), distance=np.arange(at) * 1.2),
        )

    put_swim("act_1", 0, 20)
    put_swim("act_2", 7, 21)
    put_swim("act_3", 14, 30)
    at = opened(activity="act_1", sel="100-180")

    assert "4 laps in 1 other session: 100 m, pace ± 15 %, within 90 days" in texts(at)
    assert "1:20 /100 m, 0:04 /100 m faster than their mean speed" in texts(at)


def moved(length, start):
    shift = start - rides.START
    return length.model_copy(
        update={"started_at": length.started_at + shift, "ended_at": length.ended_at + shift}
    )


def test_a_lap_without_power_is_not_compared(squad_store, signed_in):
    """It read "–, -240 W vs their mean"."""
    put(squad_store, rides.activity(laps=(rides.lap(0, 300, power=None),)), rides.streams())
    before = rides.START - timedelta(days=7)
    laps = (rides.lap(0, 310, power=240, at=before),)
    put(squad_store, rides.activity("act_2", start=before, name="Older", laps=laps))
    shown = texts(opened(activity="act_1", sel="0-300"))

    assert "1 lap in 1 other session" in shown
    assert "vs their mean" not in shown


def test_a_selection_that_is_none_is_ignored(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())

    for sel in ("9-5", "abc", "900-1200", "-5-10", "5-5"):
        assert "Selection," not in texts(opened(activity="act_1", sel=sel)), sel


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


def test_a_row_promises_to_select_where_there_is_a_record(squad_store, signed_in):
    for activity_id, streams in (("act_1", None), ("act_2", rides.streams())):
        put(squad_store, rides.activity(activity_id, laps=(rides.lap(0, 300),)), streams)

    assert "Select a row to mark it" not in texts(opened(activity="act_1"))
    assert "Select a row to mark it" in texts(opened(activity="act_2"))


def test_without_a_record_the_plan_is_shown_at_once(squad_store, signed_in):
    put(squad_store, rides.activity())
    at = opened(activity="act_1", near=False)

    assert "No workout of that day to compare with" in texts(at)


def test_a_session_that_the_athlete_does_not_have_is_named_and_no_other_one_is_shown(
    squad_store, signed_in, monkeypatch
):
    """Another person's, an unknown one, and ids that are none: the page showed the reader's own session of the day."""
    monkeypatch.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    put(squad_store, rides.activity())
    squad_store.put_activities(squad.BEN, [rides.activity("act_2", name="Long run")])
    for activity_id in ("act_2", "act_nowhere", "<b>"):
        for day in ({}, {"day": DAY.isoformat()}):
            at = opened(athlete="me", activity=activity_id, **day)
            shown = texts(at.run())

            assert at.title[0].value == "Activity"
            assert "This session was not found, or your key cannot read it. All sessions of Ana Li:" in shown
            assert "1 session." in shown
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
    settings = page_test("settings").run()
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
def test_odd_records_are_drawn_without_fault(squad_store, signed_in, axis):
    for number, streams in enumerate(ODD.values()):
        put(squad_store, rides.activity(f"act_{number}", laps=(rides.lap(0, 300),)), streams)
    for number, odd in enumerate(ODD):
        at = opened(activity=f"act_{number}", axis=axis, sel="0-120", smooth="30")
        assert not re.search(" (None|nan|inf|Traceback)", texts(at)), odd


def test_every_analysis_opens(squad_store, signed_in):
    metric = Metric(
        id="mtr_1", type=MetricType.CRITICAL_POWER, value=260, unit=None, source=MetricSource.USER,
        date=DAY - timedelta(days=5), sport=MetricSport.CYCLING,
    )  # fmt: skip
    squad_store.put_metrics(squad.ANA, [metric])
    put(squad_store, rides.activity(laps=(rides.lap(0, 300),)), rides.streams())

    for look in ("plan", "power", "bands", "balance", "sensors", "quality"):
        assert "Analysis" in texts(opened(activity="act_1", look=look)), look


def test_formulas_and_terms_of_an_analysis_are_behind_a_help_icon(squad_store, signed_in):
    power = np.repeat([150.0, 250.0], 300)
    columns = {"coreTemperature": power / 100 + 36, "fluidLoss": np.linspace(0, 500, 600)}
    put(squad_store, rides.activity(), rides.streams(power=power, **columns))
    plan = seeded.prescription("trp_1", rides.START.date()).model_copy(update={"activity_id": "act_1"})
    squad_store.put_prescriptions(squad.ANA, [plan])

    for look, terms in (
        ("sensors", {"**Mean by effort:**", "**Fluid loss:**"}),
        ("power", {"**Decoupling:**"}),
        ("plan", {"**Compliance:**"}),
    ):
        helps = "".join(caption.help or "" for caption in opened(activity="act_1", look=look).caption)
        assert {term for term in terms if term in helps} == terms


def test_a_person_chooses_the_workout_of_a_session(squad_store, signed_in):
    """A likely match is unpaired, another workout of the next day is paired, and both stay so on the page."""
    put(squad_store, rides.activity(), rides.streams())
    likely, other = (
        seeded.prescription(key, day).model_copy(update={"title": title, "sport": Sport.CYCLING})
        for key, day, title in (("trp_1", DAY, "Likely *ride*"), ("trp_2", DAY + timedelta(days=1), "Other"))
    )
    squad_store.put_prescriptions(squad.ANA, [likely, other])
    at = opened(activity="act_1", look="plan")
    assert "Likely match: Likely *ride*" in texts(at)

    for choice, shown in (
        ("", "No workout of that day to compare with."),
        ("trp_2", "Plan: **Other**"),
        ("trp_1", "Plan: **Likely"),
    ):
        at.button("activity.pair").click().run()
        (chosen,) = (box for box in at.selectbox if box.label == "Planned workout of this session")
        chosen.select(choice)
        next(button for button in at.button if button.label == "Save").click()
        at.run()
        assert not at.exception
        assert shown in texts(at)
        assert "Likely match" not in texts(at)


def tables_of(link, *keys):
    """The tables of a session's page after clicks on "Table" of the charts of these keys."""
    at = page_test("activity")
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
    settings = page_test("settings").run()
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
    before = rides.START - timedelta(days=10)
    put(squad_store, rides.activity("act_2", start=before, average_power=240.0), rides.streams(at=before))
    put(squad_store, rides.activity(average_power=250.0), rides.streams())
    opened(activity="act_2", look="power")  # the visit caches the recording to compare with
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
    assert "Stroke rate 30 strokes/min as the device counts" in shown
    assert "strokes as the device counts them" in shown


@pytest.mark.parametrize(("pool_m", "distance", "pool"), [(25, "100 m", "25 m"), (22.86, "100 yd", "25 yd")])
def test_a_swim_of_48_repetitions_has_a_row_and_a_pace_for_each(
    squad_store, signed_in, pool_m, distance, pool
):
    """48 x 100 in 100 s with 15 s at the wall, the last ten in 104 s."""
    starts = [115 * rep + 25 * n for rep in range(48) for n in range(4)]
    times = [26 if rep >= 38 else 25 for rep in range(48) for _ in range(4)]
    lengths = tuple(
        rides.length(start, start + time, stroke=StrokeType.FREESTYLE, speed=pool_m / time, strokes=9)
        for start, time in zip(starts, times, strict=True)
    )
    seconds = 48 * 115
    swim = rides.activity(
        sport=Sport.SWIMMING, lengths=lengths, total_duration=seconds, distance=192 * pool_m
    )
    put(
        squad_store,
        swim,
        rides.streams(seconds, power=None, altitude=None, positionLat=None, positionLong=None),
    )
    at = opened(activity="act_1")
    table = at.dataframe[0].value

    assert f"Pool length {pool}, estimated" in texts(at)
    assert re.search(rf"Sets, pace /100 m: 48 × {distance} in 1:[45]\d \(.*\), rest 0:15\.", texts(at))
    assert len(table) == 48
    assert table[f"Distance, {distance[4:]}"].round().tolist() == [100] * 48
    assert [str(pace) for pace in table["Pace /100 m"][[0, 47]]] == {
        "25 m": ["00:01:40", "00:01:44"], "25 yd": ["00:01:49", "00:01:54"],
    }[pool]  # fmt: skip
    assert [str(rest) for rest in table["Rest after"][:2]] == ["00:00:15", "00:00:15"]
    assert {"Strokes per length", "SWOLF"} <= set(table)
    # The lengths have no cadence: 9 strokes in 25 or 26 s.
    (rate,) = (name for name in table if name.startswith("Stroke rate"))
    assert table[rate].round(1).tolist() == [21.6] * 38 + [20.8] * 10


def test_rests_of_a_pool_swim_are_distinguished_from_its_lengths(squad_store, signed_in):
    swum = tuple(rides.length(at, at + 20, stroke=StrokeType.FREESTYLE) for at in range(0, 200, 40))
    rests = tuple(rides.length(at, at + 20, speed=None, strokes=None) for at in range(20, 200, 40))
    lengths = tuple(sorted(swum + rests, key=lambda length: length.started_at_index))
    put(squad_store, rides.activity(sport=Sport.SWIMMING, lengths=lengths), rides.streams(power=None))
    at = opened(activity="act_1")

    assert "5 lengths swum, 5 rests (1:40 total)" in texts(at)
    assert any("Lengths (5)" in str(group.proto) for group in at.get("button_group"))


def test_why_there_are_no_laps_by_intensity_is_shown_for_rides_alone(squad_store, signed_in):
    """The interface has them for rides alone: each run said that it had none."""
    put(squad_store, rides.activity("act_1"), rides.streams())
    put(squad_store, rides.activity("act_2"), rides.streams(power=None))
    for sport in (Sport.TRANSITION, Sport.RUNNING):
        put(squad_store, rides.activity(f"act_{sport}", sport=sport), rides.streams(power=None))
    without = "No laps by intensity"

    unknown = f"{without}: the data service sent none, and critical power is unknown"
    assert unknown in texts(opened(activity="act_1"))
    bare = f"{without}: the data service sent none, and there is no power recording to detect them"
    assert bare in texts(opened(activity="act_2"))
    assert without not in texts(opened(activity=f"act_{Sport.TRANSITION}"))
    assert without not in texts(opened(activity=f"act_{Sport.RUNNING}"))


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


def test_a_marked_moment_is_named_by_the_route(squad_store, signed_in):
    put(squad_store, rides.activity(), rides.streams())
    moments = ("60", "599", "9999", "x")

    assert [s for s in moments if "Cross = position at" in texts(opened(activity="act_1", at=s))] == [
        "60",
        "599",
    ]


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
    at = page_test("activity")
    at.query_params.update({"athlete": squad.ANA, "activity": "act_1"})
    at.run()

    assert [name for name in charts(at) if "activity.streams." not in name] == []


def put_compared(squad_store):
    """Put act_1, and act_2 of the week before, 20 W and 5 bpm higher."""
    laps = (rides.lap(0, 299), rides.lap(300, 599))
    before = rides.START - timedelta(days=7)
    put(squad_store, rides.activity(laps=laps), rides.streams())
    put(
        squad_store,
        rides.activity("act_2", start=before, name="Older <b>one</b>", laps=laps),
        rides.streams(power=np.full(600, 270.0), heartRate=rides.beats(mean=145.0), at=before),
    )


def compared(squad_store, **params):
    """The page of act_1 with act_2 laid over it."""
    put_compared(squad_store)
    return opened(activity="act_1", **{"with": "act_2"} | params)


@pytest.mark.parametrize("axis", AXES)
def test_a_second_session_is_held_against_this_one(squad_store, signed_in, axis):
    put_compared(squad_store)
    for align in ({}, *({"align": way} for way in ("time", "distance", "lap", "moon"))):
        at = opened(activity="act_1", axis=axis, **{"with": "act_2"} | align)
        table, shown, figure = at.table[0].value, texts(at), figure_of(at, "streams")

        assert "Compared with Tue 24 Feb, Older <b>one</b>" in shown, align
        assert table.loc["Power"].tolist() == ["250 W", "270 W", "−20 W"], align
        assert table.loc["Heart rate", "vs Tue 24 Feb"] == "−5 bpm", align
        assert "vs Tue 24 Feb = this session minus that one" in shown, align
        assert "this minus other" in figure, align
        assert "20 W on average" in figure, align
        assert "+20 W on average" not in figure, align


def test_lap_by_lap_the_pairs_are_listed(squad_store, signed_in):
    at = compared(squad_store, align="lap")
    laps = next(frame.value for frame in at.dataframe if "Other laps" in frame.value)

    assert laps["Other laps"].tolist() == ["1", "2"]
    assert laps["Power vs other, W"].tolist() == ["−20", "−20"]


def test_the_selected_part_alone_is_compared(squad_store, signed_in):
    table = compared(squad_store, sel="0-100").table[0].value

    assert table.loc["Elapsed time"].tolist() == ["1:40", "1:40", "0:00"]


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


def test_a_session_that_cannot_be_laid_over_leaves_the_page_as_it_is(squad_store, signed_in):
    """Unknown, without streams, of another sport."""
    before = rides.START - timedelta(days=3)
    put(squad_store, rides.activity("act_3", start=before))
    put(squad_store, rides.activity("act_4", start=before, sport=Sport.RUNNING), rides.streams(at=before))
    put_compared(squad_store)
    for other in ("act_9", "act_3", "act_4"):
        at = opened(activity="act_1", **{"with": other})

        assert "Compared with" not in texts(at), other
        assert any("activity.streams." in chart for chart in charts(at)), other


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
