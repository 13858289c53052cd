"""Numbers of one session on all pages that show them: cadence, heart rate, efficiency, decoupling, Compare, bests."""

import re
from collections import Counter
from math import isfinite, isnan, nan

import numpy as np
import pytest

from coachboard.pages.activity import headline, stream_panels
from coachboard.pages.activity.bests import ALL, SEASON, own_bests, span_curves
from coachboard.pages.activity.columns import columns_of
from coachboard.pages.activity.compare import Compared, average_of, difference_text, laid_over
from coachboard.pages.activity.comparison import ComparedBy, Overlay, lay_over
from coachboard.pages.activity.data import load_activity
from coachboard.pages.activity.efficiency import heart_rate_against_output
from coachboard.pages.activity.like_intervals import EFFORTS, like_intervals, more_power_w
from coachboard.pages.activity.recording_quality import usable_summary
from coachboard.pages.activity.selection_summary import headline_ratios, summaries_of_both, summary_of
from coachboard.pages.activity.session_files import gpx, tcx, why_no_gpx, why_no_tcx
from coachboard.pages.activity.session_parts import Part, parts_of
from coachboard.pages.athlete.data import YEAR, CurveKind, curve_kinds, load_athlete, period_curves
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.activities import local_day
from coachboard.wire.enums import LapCharacteristic, Sport
from store_client import StoreClient

pytestmark = pytest.mark.slow

NEWEST = 6
"""Sessions of each athlete."""
WHOLE = slice(None)


@pytest.fixture(scope="module")
def client(demo_store):
    return StoreClient(demo_store, streams=True)


@pytest.fixture(scope="module")
def sessions(client, demo_store, today):
    """The page's data of the newest sessions of each athlete that have a recording."""
    return [data for user in demo_store.users() for data in newest(client, user.id, today)]


def newest(client, user_id, today):
    rows = [row for row in client.list_activities(user_id).value if row.started_at and row.sport]
    pages = [page_of(client, user_id, row, today) for row in rows[:NEWEST]]
    return [data for data in pages if data.streams is not None and len(data.streams)]


def whole_recordings(sessions):
    return [data for data in sessions if data.streams.whole]


def of_sensor(data, name):
    return data.streams.get(name) is not None


def cards_of(data):
    cards = headline.effort_cards(usable_summary(data), METRIC, weight_kg=None)
    return {card.label: card for card in cards}


def written(data):
    """The heart rates in the files of the session, by format."""
    kinds = (
        ("gpx", why_no_gpx, gpx, rb"hr>([0-9]+)<"),
        ("tcx", why_no_tcx, tcx, rb"Bpm>\s*<Value>([0-9]+)<"),
    )
    return {
        kind: [int(text) for text in re.findall(pattern, write(data.activity, data.streams))]
        for kind, why_not, write, pattern in kinds
        if not why_not(data.activity, data.streams)
    }


def test_a_session_has_one_maximum_heart_rate_in_headline_panel_selection_laps_and_files(sessions):
    counted, written_of = Counter(), set()
    for data in whole_recordings(sessions):
        if not of_sensor(data, "heart_rate"):
            continue
        most = stream_panels.trace_of(data.streams, "heart_rate", axis="elapsed").highest
        text = formats.heart_rate(most)
        note = cards_of(data)["Heart rate"].note
        if data.activity.max_heart_rate is not None:
            assert text in note, (data.activity.id, note)
            counted["headline"] += 1
        assert formats.heart_rate(summary_of(data, data.streams, WHOLE).columns["heart_rate"].highest) == text
        for kind in (Part.DEVICE, Part.LAPS):
            parts = parts_of(data, kind)
            ends = [(part.from_s, part.to_s) for part in parts.stretches]
            if ends and covers(data.streams, ends):
                assert formats.heart_rate(parts.table["max_heart_rate_bpm"].max()) == text
                counted[kind] += 1
        if data.user_id not in written_of:  # a file takes a second
            written_of.add(data.user_id)
            for kind, values in written(data).items():
                assert formats.heart_rate(max(values)) == text
                counted[kind] += 1

    assert min(counted[name] for name in ("headline", Part.DEVICE, Part.LAPS)) > 20, counted
    assert min(counted["gpx"], counted["tcx"]) > 10, counted


def covers(streams, ends):
    """Whether the parts have every sample."""
    inside = np.zeros(len(streams), np.bool_)
    for start, end in ends:
        inside[streams.between(start, end)] = True
    return bool(inside.all())


def test_a_session_has_one_cadence_in_headline_panel_selection_laps_and_compare(sessions):
    counted = Counter()
    for data in whole_recordings(sessions):
        if not of_sensor(data, "cadence"):
            continue
        sport = data.activity.sport
        summary = usable_summary(data)
        sent = (
            summary.average_cadence
            if summary.average_running_cadence is None
            else summary.average_running_cadence
        )
        texts = {
            "panel": stream_panels.trace_of(data.streams, "cadence", axis="elapsed").average,
            "selection": summary_of(data, data.streams, WHOLE).columns["cadence"].average,
            "compare": summaries_of_both(data.streams, itself(data), WHOLE)[0].columns["cadence"].average,
        }
        if sent is not None:
            texts["headline"] = sent
        for kind in (Part.DEVICE, Part.LAPS):
            parts = parts_of(data, kind)
            if len(parts.stretches) == 1 and covers(
                data.streams, [(part.from_s, part.to_s) for part in parts.stretches]
            ):
                texts[kind] = parts.table["average_cadence"].iloc[0]
        counted.update(texts)
        assert len({formats.cadence(value, sport) for value in texts.values()}) == 1, (
            data.activity.id,
            texts,
        )

    assert min(counted[name] for name in ("headline", "panel", "selection", "compare", Part.DEVICE)) > 20, (
        counted
    )


def itself(data):
    return Overlay(data.activity, data.streams, ComparedBy.TIME, data.streams.elapsed_s, ())


def test_efficiency_and_decoupling_are_shown_for_each_session_the_same_in_headline_selection_and_analysis(
    sessions,
):
    """Decoupling was withheld for most sessions. Below 90 min, or ridden unevenly, it has a caution on each page."""
    counted = Counter()
    for data in sessions:
        streams, analysis = data.streams, heart_rate_against_output(data)
        selected = summary_of(data, streams, WHOLE)
        ratios = headline_ratios(data, usable_summary(data))
        if analysis is None:
            assert ratios.decoupling is None
            continue
        drifts = [analysis.decoupling, ratios.decoupling, selected.drift]
        texts = {(formats.percent(drift.loss_pct, 1, signed=True), drift.caution) for drift in drifts}
        assert len(texts) == 1, (data.activity.id, texts)
        ((_, caution),) = texts
        both_s = known_s(streams, analysis.column)
        assert isnan(analysis.decoupling.loss_pct) == (both_s < 600), (data.activity.id, both_s)
        assert caution or both_s >= 5_400
        if both_s >= 1_200:
            assert isfinite(ratios.efficiency)
        assert ratios.efficiency == pytest.approx(selected.efficiency, nan_ok=True)
        counted[analysis.column, bool(caution)] += 1

    assert (
        min(counted[column, is_short] for column in ("power", "speed") for is_short in (False, True)) > 5
    ), counted


def known_s(streams, column):
    """Seconds with a heart rate and an output."""
    both = np.isfinite(streams.columns[column]) & (streams.columns["heart_rate"] > 0)
    return float(streams.dt_s[both].sum())


def pairs_of(client, sessions):
    """Each session with the one before it in the list of its athlete and sport, drawn over it."""
    last = {}
    for data in sessions:
        key = data.user_id, data.activity.sport
        if key in last:
            this = last[key]
            overlay = lay_over(client, this, data.activity, alignment=ComparedBy.TIME, axis="elapsed")
            yield this, overlay
        last[key] = data


def number_of(text):
    """The signed number of a difference such as "−12 W" or "+0:08 /km"."""
    sign = -1 if text.startswith("−") else 1
    return sign * float(re.sub(r"[^0-9.:]", "", text.split(" ")[0]).replace(":", ""))


def test_a_difference_in_compare_is_this_session_minus_the_other_in_table_and_panels(client, sessions):
    """It was the other minus this one: a coach reads plus as progress."""
    counted = Counter()
    for this, overlay in pairs_of(client, sessions):
        common = overlay.common(WHOLE)
        both = summaries_of_both(this.streams, overlay, common)
        columns = columns_of(this.streams, this.activity.sport, units=METRIC)
        for name, column in columns.items():
            mine, theirs = (average_of(part, column) for part in both)
            text = difference_text(mine, theirs, column)
            if text == formats.MISSING or number_of(text) == 0:
                continue
            compared = Compared(overlay, "Other", "Mon 2 Mar")
            drawn = laid_over(
                compared, this.streams, column, axis="elapsed", smoothing_s=0.0, window=common, per_unit=1.0, both=both
            )  # fmt: skip
            faster = mine > theirs
            # Of two paces the faster one is the smaller number.
            plus = not faster if column.pace_per_m else faster
            assert text.startswith("+") == plus, (name, text, mine, theirs)
            assert drawn[0].note.startswith(text), (drawn[0].note, text)
            reverse = difference_text(theirs, mine, column)
            assert number_of(reverse) == -number_of(text)
            middle = np.nanmean(drawn[0].difference) if np.isfinite(drawn[0].difference).any() else nan
            if abs(middle) > 1 and abs(mine - theirs) > 0.2 * abs(theirs):
                assert (middle > 0) == plus, (name, text, middle)
                counted["panel"] += 1
            counted["pace" if column.pace_per_m else "other"] += 1

    assert min(counted.values()) > 20, counted


def test_the_same_interval_in_other_sessions_has_all_repetitions_and_one_count_in_mean_trend_and_table(
    client, sessions
):
    """By class alone the failed repetitions were left out: 12 were counted and 8 averaged."""
    counted = Counter()
    for data in sessions:
        others = [row for row in client.list_activities(data.user_id).value if row.id != data.activity.id]
        for lap in data.activity.laps:
            if lap.intensity not in EFFORTS or lap.average_power is None:
                continue
            rows = like_intervals(lap, others, sport=data.activity.sport)
            with_power = rows["average_power_w"].dropna()
            if with_power.empty:
                continue
            assert lap.average_power - more_power_w(lap, rows) == pytest.approx(with_power.mean())
            for session in others:
                found = set(rows.loc[rows["activity_id"] == session.id, "from_index"])
                if found:
                    assert found == repetitions_like(lap, session)
                    counted["sessions"] += 1
                    counted["with failed ones"] += any(
                        other.intensity != lap.intensity
                        for other in session.laps
                        if other.started_at_index in found
                    )

    assert counted["sessions"] > 100, counted
    assert counted["with failed ones"] > 20, counted


def repetitions_like(lap, session):
    """Where the efforts of the length of a lap begin, of any class of effort."""
    return {
        other.started_at_index
        for other in session.laps
        if other.characteristic is not LapCharacteristic.INTRA_RECOVERY
        and other.intensity in EFFORTS
        and abs(other.duration - lap.duration) <= 0.2 * lap.duration
    }


def test_best_efforts_count_what_is_read_and_are_the_same_on_athlete_and_session_page(demo_store, today):
    """40 of 292 sessions were read after 18 minutes, and a session was compared with itself alone."""
    client = StoreClient(demo_store, streams=True)
    compared = 0
    for user in demo_store.users():
        known = load_athlete(client, user.id, today=today, thresholds={}).known
        kind = CurveKind("power", Sport.CYCLING)
        if compared == 2 or kind not in curve_kinds(known):
            continue
        compared += 1
        before = period_curves(client, known, kind, with_year=True).curves[YEAR]
        client.pool.submit(int).result()  # after the reading, which began before
        year = period_curves(client, known, kind, with_year=True).curves[YEAR]
        rides = [row for row in client.list_activities(user.id).value if row.id in year.sources]
        newest_ride, first_ride = (page_of(client, user.id, row, today) for row in (rides[0], rides[-1]))
        spans, of_first = (span_curves(client, data, "power") for data in (newest_ride, first_ride))

        assert (before.used, before.is_enough) == (0, False)
        assert year.used == year.total == len(rides) > 20
        assert set(spans.of[ALL].sources) == set(year.sources)
        assert np.array_equal(spans.of[ALL].best, year.best, equal_nan=True)
        for effort in own_bests(newest_ride, "power"):
            record = spans.record(ALL, effort.duration_s)
            assert record.value >= effort.mean - 1e-6
            assert (record.activity_id == newest_ride.activity.id) == (record.value <= effort.mean + 1e-6)
        assert of_first.is_alone(SEASON)
        assert of_first.record(SEASON, 60) is None

    assert compared == 2


def page_of(client, user_id, row, today):
    return load_activity(client, user_id=user_id, activity_id=row.id, day=local_day(row), today=today)[0]
