"""Sessions read again after a new threshold: from the kept file, else from the streams."""

from datetime import date

import pytest
import sqlalchemy as sa

from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.errors import BrokenRecording
from coachboard.service.importers.importing import Importer, athletes_of
from coachboard.service.importers.reread import is_current, read_again, recompute
from coachboard.service.store.tables import activities
from coachboard.service.values import new_metric
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType
from databases import connected
from unit.service.importers.fit_files import fit_file, records, session

RIDE = fit_file(session(total_elapsed_time=900.0), *records(900, power=lambda place: 190 + place % 20))


def imported(store):
    importer = Importer(store, "usr_a", today=date(2026, 6, 1))
    return importer.import_source(SourceFile("a.fit", lambda: RIDE)).activity_ids[0]


def put_threshold(store, watts):
    metric = new_metric(
        MetricType.CRITICAL_POWER, watts, day=date(2026, 1, 1), sport=MetricSport.CYCLING, id_="mtr_1"
    )
    store.put_metrics("usr_a", [metric])


def volume(store):
    return store.activities_of("usr_a", None, None)[0].volume


def forget_file(store):
    """As a session that was imported before files were kept."""
    with connected(store.url) as connection:
        connection.execute(sa.update(activities).values(parts=None, athlete=None))


def test_the_load_from_the_streams_is_that_from_the_file(store):
    activity_id = imported(store)
    put_threshold(store, 250)
    recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    from_file = volume(store)
    forget_file(store)
    put_threshold(store, 200)
    recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    higher = volume(store)
    put_threshold(store, 250)
    recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))

    assert from_file > 0
    assert higher > from_file
    assert volume(store) == from_file


def test_a_session_is_current_until_a_reference_changes(store):
    activity_id = imported(store)
    before = is_current(store.own_activity("usr_a", activity_id), athletes_of(store, "usr_a"))
    put_threshold(store, 250)
    after = is_current(store.own_activity("usr_a", activity_id), athletes_of(store, "usr_a"))

    assert (before, after) == (True, False)


@pytest.mark.parametrize("body", [b"", b"other"])
def test_a_kept_file_that_is_damaged_changes_no_session(store, body):
    activity_id = imported(store)
    before = store.own_activity("usr_a", activity_id)
    digest, _place = before.parts[0]
    path = store.originals.path("usr_a", digest)
    whole = path.read_bytes()
    path.write_bytes(body or whole[: len(whole) // 2])

    with pytest.raises(BrokenRecording, match="damaged: restore it"):
        recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    assert store.own_activity("usr_a", activity_id) == before
    store.originals.put("usr_a", digest, whole)
    assert store.originals.read("usr_a", digest) == whole


def test_a_missing_original_file_is_reported(store):
    activity_id = imported(store)
    digest, _place = store.own_activity("usr_a", activity_id).parts[0]
    store.originals.remove("usr_a", digest)

    with pytest.raises(BrokenRecording, match="missing"):
        recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))


def put_weight(store, kg):
    store.put_metrics(
        "usr_a",
        [new_metric(MetricType.WEIGHT, kg, day=date(2026, 1, 1), sport=MetricSport.GLOBAL, id_="mtr_2")],
    )


def climb_ride():
    """20 minutes at 12 km/h up 6 %, which is one climb."""
    columns = {
        "power": lambda place: 240 + place % 20,
        "speed": 3.333,
        "distance": lambda place: 3.333 * place,
        "altitude": lambda place: 100 + 0.2 * place,
        "heart_rate": 150,
    }
    return fit_file(session(total_elapsed_time=1200.0), *records(1200, **columns))


def body_of(store, activity_id):
    return store.own_activity("usr_a", activity_id).body


def test_a_weight_changes_the_power_per_kilo_of_climbs_without_reading_the_file(store):
    put_weight(store, 70)
    put_threshold(store, 250)
    importer = Importer(store, "usr_a", today=date(2026, 6, 1))
    (activity_id,) = importer.import_source(SourceFile("a.fit", climb_ride)).activity_ids
    before = store.activities_of("usr_a", None, None)[0]
    put_weight(store, 63)
    recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    without_file, seen = body_of(store, activity_id), store.own_activity("usr_a", activity_id)
    (climb,) = store.activities_of("usr_a", None, None)[0].climbs

    assert climb.average_power_per_kilo == pytest.approx(
        before.climbs[0].average_power_per_kilo * 70 / 63, 0.01
    )
    assert is_current(seen, athletes_of(store, "usr_a"))
    assert store.streams(activity_id) is not None
    store.put_read_again(seen, read_again(store, seen, athletes_of(store, "usr_a")))
    assert body_of(store, activity_id) == without_file

    store.originals.remove("usr_a", seen.parts[0][0])
    put_weight(store, 80)
    assert recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    put_threshold(store, 200)
    with pytest.raises(BrokenRecording, match="missing"):
        recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
