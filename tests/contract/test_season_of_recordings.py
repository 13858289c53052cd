"""A season of real recordings: import, service, client and loaders against plain sums over the same files."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

import pytest

import squad
import training
from coachboard.client import Client
from coachboard.execution.adherence import Adherence, match_sessions, summarize
from coachboard.formulas.session.mean_maximal import DURATIONS, highest_of
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.done_and_planned import plans_of, sessions_of
from coachboard.loaders.power_curves import curve_of
from coachboard.pages.trends.data import load_trends
from coachboard.pages.trends.zones import zone_times
from coachboard.service.api.app import create_app
from coachboard.service.importers.archive import find_sources
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.importing import Importer
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSport, Sport
from coachboard.wire.metrics import MetricType, MetricUnit
from serving import served

pytestmark = [pytest.mark.recordings, pytest.mark.slow]

START, END = date(2017, 1, 1), date(2026, 5, 31)
METRICS = (
    (MetricType.CRITICAL_POWER, 250, MetricUnit.W, MetricSport.CYCLING),
    (MetricType.CRITICAL_POWER, 330, MetricUnit.W, MetricSport.RUNNING),
    (MetricType.CRITICAL_SPEED, 4, MetricUnit.M_PER_S, MetricSport.RUNNING),
    (MetricType.MAX_HEART_RATE, 190, MetricUnit.BPM, MetricSport.GLOBAL),
    (MetricType.RESTING_HEART_RATE, 50, MetricUnit.BPM, MetricSport.GLOBAL),
)
RECORDS = ("o01", "o02", "o03", "o04", "o06", "o08")
"""Rides of which an independent computation knows the mean-maximal curve."""


@dataclass(frozen=True)
class Season:
    """The client of a served store that holds the recordings, and the sessions by file."""

    client: Client
    activities: tuple[Activity, ...]
    ids: dict[str, str]


@pytest.fixture(scope="module")
def season(recordings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("season")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    store.put_metrics(squad.ANA, [metric(number, *given) for number, given in enumerate(METRICS)])
    importer = Importer(store, squad.ANA, today=END)
    reports = [importer.import_source(source) for source in find_sources([recordings], ImportLimits())]
    ids = {
        report.name.rpartition("/")[2][:3]: report.activity_ids[0]
        for report in reports
        if report.activity_ids
    }
    others = [one for one in store.activities_of(squad.ANA, None, None) if one.id != ids["o06"]]
    store.put_prescriptions(squad.ANA, plans_for(others))
    app = create_app(store, settings=Settings(outbox=folder / "outbox"))
    with (
        served(app) as address,
        Client(address, squad.ATHLETE_KEY, cache_url=f"sqlite:///{folder / 'c.db'}") as client,
    ):
        yield Season(client, client.list_activities("me").value, ids)
    store.close()


def metric(number, kind, value, unit, sport):
    return Metric(id=f"mtr_{number}", type=kind, value=value, unit=unit, source=None, date=START, sport=sport)


def day_of(activity):
    return (activity.started_at_local or activity.started_at).date()


def volumes_of(season):
    volumes = defaultdict(float)
    for one in season.activities:
        volumes[day_of(one)] += load_of_summary(one) if one.volume is None else one.volume
    return volumes


def load_of_summary(one):
    """The load of a session without a volume: of a run by pace (o24), of a swim by heart rate (o17, o18)."""
    hours = (one.moving_duration or one.effective_duration) / 3600
    if one.sport is Sport.RUNNING:
        return 100 * hours * (one.average_speed / 4) ** 2
    if one.average_heart_rate is None:
        return 0
    return 100 * hours * impulse(one.average_heart_rate) / impulse(0.89 * 190)


def impulse(bpm):
    """Banister's for women."""
    reserve = (bpm - 50) / (190 - 50)
    return reserve * 0.86 * math.exp(1.67 * reserve)


def plans_for(activities):
    """Of three sessions one is planned for its day, one for the day before, one not at all; one plan is missed."""
    for number, one in enumerate(sorted(activities, key=lambda one: one.id)):
        if number % 3 < 2:
            day = day_of(one) - timedelta(days=number % 3)
            yield training.prescription(
                f"{number}", day, sport=one.sport or Sport.GENERIC, activity_id=one.id
            )
    yield training.prescription("missed", date(2018, 1, 1), sport=Sport.SAILING)


def test_all_files_are_sessions_or_planned_workouts(season):
    assert len(season.ids) == 25
    assert len(season.activities) == 32  # two multisport days of five legs; one ride comes as FIT and as GPX


def test_fitness_fatigue_and_form_are_those_of_a_loop_over_the_days(season):
    """The means start on the day of the first session, from the mean load of its first four weeks."""
    volumes = volumes_of(season)
    found = load_trends(season.client, "me", start=START, end=END, today=END).load
    days = [START + timedelta(days=number) for number in range((END - START).days + 1)]
    first = next(day for day in days if volumes[day])
    fitness = fatigue = sum(volumes[first + timedelta(days=number)] for number in range(28)) / 28

    assert found.volume.tolist() == pytest.approx([volumes[day] for day in days])
    assert found.frame[: (first - START).days].isna().all(axis=None)
    for day, row in zip(days, found.frame.to_numpy(), strict=True):
        if day >= first:
            assert row.tolist() == pytest.approx([fitness, fatigue, fitness - fatigue], abs=1e-9)
            fitness += (volumes[day] - fitness) * (1 - math.exp(-1 / 42))
            fatigue += (volumes[day] - fatigue) * (1 - math.exp(-1 / 7))
    assert found.volume.sum() > 2_000


def test_time_in_bands_is_the_sum_over_the_laps(season):
    seconds = defaultdict(float)
    for one in season.activities:
        for lap in one.to_wire()["laps"] if START <= day_of(one) <= END else ():
            seconds[lap["intensity"]] += lap["duration"]
    found = zone_times(load_trends(season.client, "me", start=START, end=END, today=END)).band_s

    assert {str(band): total for band, total in found.items()} == pytest.approx(dict(seconds))
    assert sum(seconds.values()) > 15 * 3600


def test_records_are_the_best_of_the_independent_curves(season, recordings):
    oracles = json.loads((recordings / "oracles.json").read_text())["files"]
    curves = [
        oracle["numpy"]["mean_max_clock_grid"] for name, oracle in oracles.items() if name[:3] in RECORDS
    ]
    read = [season.client.get_streams(season.ids[name]).value for name in RECORDS]
    best = highest_of([curve_of(SessionStreams.from_streams(streams), "power") for streams in read])

    for seconds in (5, 30, 60, 300, 1200, 3600):
        expected = max(curve.get(str(seconds)) or 0 for curve in curves)
        assert best[DURATIONS.index(seconds)] == pytest.approx(expected, abs=0.1), seconds


def test_adherence_counts_the_plans_one_by_one(season):
    done = sessions_of(season.client.list_activities("me"), None)
    planned = plans_of(season.client.list_prescriptions("me", START - timedelta(days=9999), END), ())
    matches = match_sessions(planned, done, excuses=[], today=END)
    found = summarize(matches).counts
    moved = {match.planned.id: match.days_moved for match in matches if match.planned and match.done}

    assert len(done) == 32
    # o06 brings the workout that it followed; 31 others are planned by threes.
    assert (found[Adherence.ON_TIME], found[Adherence.MOVED], found[Adherence.UNPLANNED]) == (11 + 1, 10, 10)
    # o22 and o23 are workouts, imported for today.
    assert (found[Adherence.AHEAD], found[Adherence.MISSED], found[Adherence.EXCUSED]) == (2, 1, 0)
    assert [moved[f"tpr_{number}"] for number in range(31) if number % 3 < 2] == [0, 1] * 10 + [0]
