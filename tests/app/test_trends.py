"""Metrics and sleep trends with much, little and no data."""

import re
from datetime import UTC, datetime, time, timedelta

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import rides
import squad
import training
from coachboard.service.store import NewNote
from coachboard.ui.frame import navigation
from coachboard.wire.enums import LapIntensity, NoteType, Sport
from coachboard.wire.plans import Note
from unit.formulas.test_main_sleep import nap
from unit.formulas.test_nights import night
from waiting import wait_until

PAGE = navigation.PAGES_FOLDER / "trends.py"


@pytest.fixture
def trends(dashboard_settings, squad_store):
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())

    def open_trends(athlete=squad.ANA, *, tables=(), **params):
        at = AppTest.from_file(str(PAGE), default_timeout=30)
        for chart in tables:
            at.session_state[f"trends.{chart}.table"] = True
        for name, value in {"athlete": athlete, **params}.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return open_trends


def read(at):
    """The words as they read on the screen, without the escapes that keep them text."""
    shown = "\n".join(element.value for kind in (at.markdown, at.caption, at.subheader) for element in kind)
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", shown)


def test_too_few_nights_say_how_many_there_are(trends):
    assert "normal range needs 14 nights, has 8" in read(trends())


def test_sleep_is_shown_with_its_debt_and_need(trends):
    assert "over the last 14 nights (9 recorded); sleep debt 4h30 at a need of 8 h" in read(trends())


def put_nights(store, *, naps=False, **changes):
    days = [training.TODAY - timedelta(days=n) for n in range(28)]
    rows = [night(day, id=f"slp_{day}", **changes) for day in days]
    rows += [nap(day, id=f"slp_nap_{day}") for day in days[:3]] if naps else []
    store.put_sleeps(squad.ANA, rows)


def test_a_nap_leaves_the_night_alone_and_counts_toward_the_debt(trends, squad_store):
    put_nights(squad_store, naps=True)

    assert "7h30 per night over the last 14 nights; sleep debt 5h45" in read(trends())
    assert "Naps on 3 days, 25 min on average" in read(trends())


def test_nights_without_a_time_in_bed_have_no_efficiency(trends, squad_store):
    put_nights(squad_store, in_bed_duration=None)
    (stages,) = (one for one in trends(look="nights").caption if one.value.startswith("Sleep stages"))

    assert "mean sleep 7h30 in the days shown" in stages.value
    assert "fficiency" not in stages.value


def test_nights_without_phases_are_shown_by_their_total(trends, squad_store):
    put_nights(squad_store, light_duration=0, rem_duration=0, deep_duration=0)
    shown = read(trends(look="nights"))

    assert "7h30 per night" in shown
    assert "Sleep per night, no sleep stages recorded" in shown


def test_a_zero_is_shown_as_not_recorded(trends, squad_store):
    put_nights(squad_store, average_hrv=0, resting_heart_rate=0)
    shown = read(trends())

    assert "**HRV:** not recorded" in shown
    assert "**Resting heart rate:** not recorded" in shown


def test_weight_is_shown_with_its_change(trends):
    assert "61.0 kg on Tue 10 Mar, −1.5 kg in 4 weeks" in read(trends())


def test_in_imperial_no_number_stays_behind(trends):
    settings = AppTest.from_file(str(navigation.PAGES_FOLDER / "settings.py"), default_timeout=30).run()
    settings.button_group(key="settings.system").set_value("imperial").run()
    metrics = trends(look="metrics")
    table = next(frame.value for frame in metrics.dataframe if "Per kg" in frame.value)
    shown = read(metrics) + table.drop(columns="Per kg").to_string()
    sent = [
        one.proto for one in metrics.get("bidi_component") if one.proto.component_name == "coachboard_figure"
    ]
    spec = " ".join(str(proto) for proto in sent)

    assert "134.5 lb on Tue 10 Mar, −3.3 lb in 4 weeks" in shown
    assert not re.search(r"\d (kg|km|m/s|°C)\b", shown)
    assert ", lb" in spec
    assert not re.search(r", kg\b|\} (kg|m/s)\b", spec)


def test_metrics_show_unit_source_and_change(trends):
    at = trends(look="metrics")
    table = next(frame.value for frame in at.dataframe if "Per kg" in frame.value)
    rows = table.set_index("Metric")

    assert "Per kg: divided by the weight of that day" in read(at)
    assert "4-week change" in table

    assert rows.loc["Critical power, cycling", ["Latest", "Per kg"]].tolist() == ["250 W", "4.00 W/kg"]
    assert rows.loc["Critical power, cycling", "Source"] == "estimate"
    assert rows.loc["W′, cycling", "Latest"] == "20.0 kJ"


def test_tables_of_charts_have_no_none_no_hyphen_and_the_date_of_the_other_tables(trends, squad_store):
    """Form read "-12.3" in a table, days 2026-03-10, and nights without a value None."""
    days = [training.TODAY - timedelta(days=n) for n in range(40)]
    squad_store.put_activities(squad.ANA, [training.activity(f"d{day}", day, volume=90) for day in days])
    put_nights(squad_store, resting_heart_rate=50)
    shown = {}
    for look, chart in (("load", "load_and_body"), ("nights", "resting")):
        at = trends(look=look, tables=(chart,))
        (table,) = at.dataframe
        styled = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas()
        shown[chart] = styled.astype(str).to_numpy().ravel().tolist()
        assert table.proto.placeholder == "–"

    cells = shown["load_and_body"] + shown["resting"]
    assert {"None", "nan", "NaT"}.isdisjoint(cells)
    assert not [cell for cell in cells if cell.startswith("-") or re.match(r"\d{4}-\d", cell)]
    assert "Thu 12 Mar 2026" in shown["load_and_body"]
    assert [cell for cell in cells if cell.startswith("−")]
    assert "–" in shown["resting"]
    metrics = next(frame.value for frame in trends(look="metrics").dataframe if "Per kg" in frame.value)
    assert "Tue 10 Mar 2026" in metrics["Date"].tolist()


def test_no_relation_is_claimed_without_enough_pairs(trends):
    table = next(frame.value for frame in trends(look="relations").dataframe if "Result" in frame.value)

    assert set(table["Correlation"]) == {"–"}
    assert all(reading.startswith("needs 20 pairs") for reading in table["Result"])


def drawn(at):
    return [
        one.proto.id for one in at.get("bidi_component") if one.proto.component_name == "coachboard_figure"
    ]


def put_season(store):
    """Sixty days: an hour of riding each, RPE the higher the shorter the night."""
    days = [training.TODAY - timedelta(days=n) for n in range(60)]
    hours = [6 + n % 5 / 2 for n in range(60)]
    laps = tuple(
        rides.lap(at, at + 600, intensity=band)
        for at, band in ((0, LapIntensity.AEROBIC), (600, LapIntensity.VO2MAX))
    )
    store.put_activities(
        squad.ANA,
        [
            training.activity(f"d{n}", day, rpe=10 - hours[n] // 1, laps=laps)
            for n, day in enumerate(days)
        ],
    )  # fmt: skip
    asleep = [round(h * 3600) for h in hours]
    store.put_sleeps(
        squad.ANA,
        [
            night(day, id=f"slp_{day}", light_duration=s, rem_duration=0, deep_duration=0, total_duration=s, in_bed_duration=s)
            for day, s in zip(days, asleep, strict=True)
        ],
    )  # fmt: skip


def test_each_known_correlation_has_its_plot(trends, squad_store):
    put_season(squad_store)
    at = trends(look="relations", tables=["relation.sleep-duration.RPE"])
    table = next(frame.value for frame in at.dataframe if "Result" in frame.value)
    known = table[table["Correlation"] != "–"]

    plots = [name for name in drawn(at) if "trends.relation." in name]
    assert len(plots) == len(known) > 0
    assert set(table["Night"]) == {"Sleep duration", "HRV vs 60-day mean"}
    assert ["Sleep duration (h)", "RPE (10 = hardest)"] in [list(frame.value) for frame in at.dataframe]
    assert any("sleep-duration.RPE" in name for name in plots)
    assert "Sleep duration and RPE of the next day: clear, negative." in read(at)


def test_the_ratio_and_the_zones_are_trends_with_their_formulas(trends, squad_store):
    put_season(squad_store)
    at = trends(look="training")

    assert {name.split("-")[-1] for name in drawn(at)} >= {"trends.ratio", "trends.zones"}
    said = next(one for one in at.caption if "chronic ratio" in one.value)
    assert "on the last day" in said.value
    assert "Gabbett" in said.help
    zones = next(one for one in at.caption if one.value.startswith("Time in intensity zones per week"))
    assert "Treff" in zones.help
    shown = read(at)
    assert "(2 or more is monotonous)" in shown
    assert "moderate = tempo and threshold (70–105 %)" in shown


def test_social_jet_lag_says_which_days_count_as_free(trends, squad_store):
    put_season(squad_store)
    line = next(one for one in trends(look="nights").markdown if one.value.startswith("**Social jet lag"))

    assert "A weekend night ends on Saturday or Sunday." in line.value
    assert "Wittmann" in line.help


def test_fields_the_document_leaves_open_are_shown_as_reported(trends):
    (caption,) = (one for one in trends(look="nights").caption if one.value.startswith("Implausible"))

    assert "Assumed: durations in seconds, HRV as rMSSD in ms, temperatures in °C." in caption.help
    assert "Total duration is the time asleep in 9 of 9 nights" in caption.help


def test_nobody_home_reads_why_it_is_empty(trends):
    for look, why in (
        ("load", "No sessions or nights"),
        ("nights", "No nights in this range"),
        ("metrics", "No metrics yet"),
        ("training", "No session"),
        ("relations", "needs 20 pairs"),
    ):
        text = read(trends(squad.BEN, look=look))
        assert "not recorded" in text
        assert why in text


def test_a_range_before_all_data_is_empty_and_no_fault(trends):
    assert "No sessions or nights" in read(trends(**{"from": "2020-01-01", "to": "2020-02-01"}))


def test_an_edited_address_falls_back_to_valid_values(trends):
    for bad in [
        {"from": "x"},
        {"metrics": "nonsense", "look": "metrics"},
        {"to": "2026-13-01"},
        {"look": "up"},
    ]:
        assert "Weight" in read(trends(**bad))


def test_every_key_number_shows_its_window_and_formula_on_demand(trends):
    texts = {element.value.partition(":")[0].strip("*"): element for element in trends().markdown}

    for what in ("HRV", "Resting heart rate", "Sleep", "Weight"):
        assert texts[what].help.startswith("**Window:**")
    assert "need − sleep" in texts["Sleep"].help


def test_the_need_of_sleep_comes_from_the_address_and_moves_the_debt(trends):
    at = trends(look="nights", need="450")

    assert at.number_input(key="trends.need").value == 7.5
    assert "(dashed line: sleep need of 7.5 h; time awake does not count), efficiency " in read(at)
    assert "at a need of 7.5 h." in read(at)  # in the sentence above too

    at.number_input(key="trends.need").set_value(9.0).run()
    assert "at a need of 9 h." in read(at)
    assert at.query_params["need"] == "540"


def test_power_per_kilo_can_be_shown_over_time(trends):
    at = trends(look="metrics", metrics="critical power cycling per kilo", layout="together")

    assert at.button_group(key="trends.metrics").value == ["critical power cycling per kilo"]
    assert "Critical power per kg, cycling: change since the first value" in read(at)


def test_days_that_no_field_takes_open_the_page_all_the_same(trends):
    for days in [
        {"from": "0001-01-01", "to": "9999-12-31"},
        {"from": "9999-12-31", "to": "9999-12-31"},
        {"from": "2026-03-01", "to": "0001-01-01"},
    ]:
        at = trends(**days)

        assert all(field.min <= field.value <= field.max for field in at.date_input)


def test_the_address_says_the_days_that_are_shown(trends):
    """Ten years back and up to today; a day that none is goes, and the two ends change places."""
    for asked, shown in [
        (("0001-01-01", "9999-12-31"), ("2016-03-12", "2026-03-12")),
        (("9999-12-31", "9999-12-31"), ("2026-03-12", "2026-03-12")),
        (("2026-03-10", "2026-02-01"), ("2026-02-01", "2026-03-10")),
        (("2026-02-30", "2026-03-10"), (None, "2026-03-10")),
        (("x", "20260310"), (None, None)),
    ]:
        at = trends(**dict(zip(("from", "to"), asked, strict=True)))
        fields = {field.label: field.value.isoformat() for field in at.date_input}

        assert tuple(at.query_params.get(name) for name in ("from", "to")) == shown
        assert [
            fields[label] for label, day in zip(("From", "To"), shown, strict=True) if day and fields
        ] == [day for day in shown if day and fields]
        assert ("Days out of range" in read(at)) == (asked[1] == "9999-12-31")


def test_the_shaded_days_are_shown_once_with_their_titles_on_demand(trends, squad_store):
    cold = Note(
        id="not_9", type=NoteType.MEDICAL, title="<b>Cold</b>", content=None, date=training.TODAY, time=None
    )
    squad_store.put_notes(squad.ANA, [NewNote(note=cold, creator_id=squad.ANA, hidden_until=None)])

    for look in ("load", "nights", "metrics", "training"):
        legends = [one for one in trends(look=look).caption if one.value.startswith("Shaded days:")]
        assert len(legends) == 1
        assert "1 illness (red)" in legends[0].value
        assert "\\<b\\>Cold" in legends[0].help


def test_the_load_names_the_mean_and_the_range_of_both_recovery_values(trends, squad_store):
    put_nights(squad_store)

    assert "HRV and resting heart rate (line: 7-day mean, band: normal range); sleep per night." in read(
        trends(look="load")
    )


def test_the_climbs_of_runs_are_repeated_climbs_as_those_of_rides(trends, squad_store):
    """Rides alone had some. The background measures those of runs, which the interface does not have."""
    for days_ago, speed_mps in ((4, 2.4), (11, 2.0)):
        start = datetime.combine(training.TODAY - timedelta(days=days_ago), time(9), UTC)
        distance = np.arange(1200) * speed_mps
        altitude = np.interp(distance, [400, 1400], [300, 400])
        run = rides.activity(
            f"act_hill_{days_ago}", start=start, sport=Sport.RUNNING, name="Hill run", distance=float(distance[-1]),
            total_duration=1200, moving_duration=1200, elevation_gain=100.0,
            start_latitude=46.0, start_longitude=7.0,
        )  # fmt: skip
        squad_store.put_activities(squad.ANA, [run])
        streams = rides.streams(
            1200, at=start, power=None, speed=np.full(1200, speed_mps), distance=distance, altitude=altitude
        )
        squad_store.put_streams(run.id, streams)
    wait_until(lambda: "Every ascent" in read(trends(look="training")))
    at = trends(look="training")
    (ascents,) = (frame.value for frame in at.dataframe if list(frame.value)[:3] == ["Climb", "Date", "VAM"])

    assert "still to be read" not in read(at)
    assert all(name.endswith(", on foot") for name in ascents["Climb"])
    vams = [int(re.sub(r"\D", "", vam)) for vam in ascents["VAM"]]
    assert vams == pytest.approx([864, 720], rel=0.05)  # 100 m over 1 km at 2.4 and 2.0 m/s
