"""An import stores each session once and whole, and continues after a broken file."""

from datetime import UTC, date, datetime

import orjson
import pytest
import zstandard

from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.errors import FileTooLarge
from coachboard.service.importers.importing import Importer, ImportOutcome
from coachboard.service.importers.same_session import is_same_session
from coachboard.service.planning import batches
from coachboard.service.planning.batches import Author
from coachboard.service.planning.entries import etag_of
from coachboard.service.store import NewUser, RowKind, Store
from coachboard.wire.body import Metric
from coachboard.wire.enums import Gender, MetricSport
from coachboard.wire.metrics import MetricType, MetricUnit
from coachboard.wire.planning import EntryKind, PlanBatch, PlanOp, PlanOperation, PlanValue
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from unit.service.importers.fit_files import START, activity, fit_file, records, session
from unit.service.importers.xml_files import gpx, gpx_points, segment

TODAY = date(2026, 6, 1)
RIDE = fit_file(
    *records(600, power=260, position_lat=548_000_000, position_long=95_000_000),
    session(total_elapsed_time=600.0, total_timer_time=600.0),
    activity(offset_s=7200),
)
WORKOUT = fit_file(
    ("WORKOUT", {"wkt_name": "Steady"}),
    ("WORKOUT_STEP", {"message_index": 0, "duration_type": "time", "duration_value": 600_000}),
    kind="workout",
)


@pytest.fixture
def store(store):
    store.add_user(NewUser(id="usr_a", gender=Gender.FEMALE))
    store.add_user(NewUser(id="usr_b"))
    return store


def importer_for(store, user_id="usr_a"):
    return Importer(store, user_id, today=TODAY)


def source(data, name="folder/ride.fit"):
    return SourceFile(name, lambda: data)


def metric(kind, value, unit):
    return Metric(
        id=f"mtr_{kind}",
        type=kind,
        value=value,
        unit=unit,
        source=None,
        date=date(2026, 1, 1),
        sport=MetricSport.CYCLING,
    )


def stored_streams(store, activity_id):
    body = store.streams(activity_id).body
    return ActivityStreams.from_json(zstandard.ZstdDecompressor().decompress(body))


def stored_prescriptions(store):
    bodies = store.row_bodies(RowKind.PRESCRIPTIONS, "usr_a")
    return [TrainingPrescription.from_wire(orjson.loads(body)) for body in bodies]


def only_activity(store, user_id="usr_a"):
    (row,) = store.activities_of(user_id, None, None)
    return row


def test_a_ride_is_stored_with_its_streams(store):
    report = importer_for(store).import_source(source(RIDE))
    row = only_activity(store)
    kept = store.streams(row.id)

    assert (report.outcome, report.activity_ids, report.notes) == (ImportOutcome.IMPORTED, (row.id,), ())
    assert row.started_at_local == datetime.fromisoformat("2026-05-04 08:00")
    assert kept is not None
    assert kept.body is not None


def test_the_same_file_twice_is_one_activity(store):
    first = importer_for(store).import_source(source(RIDE))
    second = importer_for(store).import_source(source(RIDE, "elsewhere/copy.fit"))

    assert second.outcome is ImportOutcome.KNOWN
    assert second.activity_ids == first.activity_ids
    assert second.notes == ("already imported as ride.fit",)
    assert len(store.activities_of("usr_a", None, None)) == 1


def test_a_deleted_activity_can_be_imported_again_and_other_files_stay_known(store):
    first = importer_for(store).import_source(source(RIDE))
    other = importer_for(store, "usr_b").import_source(source(RIDE))
    store.delete_activities("usr_a", first.activity_ids)
    again = importer_for(store).import_source(source(RIDE))

    assert (again.outcome, again.activity_ids) == (ImportOutcome.IMPORTED, first.activity_ids)
    assert only_activity(store).id == first.activity_ids[0]
    assert stored_streams(store, first.activity_ids[0])
    assert importer_for(store, "usr_b").import_source(source(RIDE)).outcome is ImportOutcome.KNOWN
    assert only_activity(store, "usr_b").id == other.activity_ids[0]


def test_an_import_that_was_broken_off_is_done_again_under_the_same_ids(store, monkeypatch):
    first = importer_for(store).import_source(source(RIDE))
    # The digest is written last, so this is what a run leaves that was broken off before.
    monkeypatch.setattr(Store, "recording", lambda *_: None)
    second = importer_for(store).import_source(source(RIDE))

    assert second.activity_ids == first.activity_ids
    assert len(store.activities_of("usr_a", None, None)) == 1


def test_two_athletes_with_the_same_file_have_an_activity_each(store):
    first, second = (importer_for(store, user).import_source(source(RIDE)) for user in ("usr_a", "usr_b"))

    assert first.activity_ids != second.activity_ids
    assert only_activity(store, "usr_b").id == second.activity_ids[0]


def test_the_same_ride_in_another_format_is_recognised(store):
    track = gpx(segment(gpx_points(range(601))))
    fit = importer_for(store).import_source(source(RIDE))
    other = importer_for(store).import_source(source(track, "ride.gpx"))
    again = importer_for(store).import_source(source(track, "ride.gpx"))

    assert other.outcome is ImportOutcome.SAME_SESSION
    assert other.activity_ids == fit.activity_ids
    (row,) = store.activities_of("usr_a", None, None)
    start = f"{row.started_at_local or row.started_at:%Y-%m-%d %H:%M}"
    assert other.notes == (f"same start and duration as the session of {start}, which was kept",)
    assert again.outcome is ImportOutcome.KNOWN
    assert only_activity(store).id == fit.activity_ids[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"total_elapsed_time": 900.0},
        {"start_time": START.replace(minute=5)},
        {"sport": "running", "sub_sport": "generic"},
    ],
    ids=["longer", "later", "another sport"],
)
def test_another_ride_at_that_time_is_another_ride(store, fields):
    importer_for(store).import_source(source(RIDE))
    other = fit_file(session(**{"total_elapsed_time": 600.0, **fields}))
    report = importer_for(store).import_source(source(other))

    assert report.outcome is ImportOutcome.IMPORTED
    assert len(store.activities_of("usr_a", None, None)) == 2


def test_a_broken_file_ends_in_a_report(store):
    def too_large():
        raise FileTooLarge("larger than 64 MB")

    importer = importer_for(store)

    assert importer.import_source(source(b"rubbish")).outcome is ImportOutcome.FAILED
    assert importer.import_source(SourceFile("bomb.zip", too_large)).notes == ("larger than 64 MB",)
    assert importer.import_source(source(b"")).notes == ("the file is empty",)


def test_the_report_names_the_damage_of_a_saved_file(store):
    report = importer_for(store).import_source(source(RIDE[:2000]))

    assert report.outcome is ImportOutcome.IMPORTED
    assert "damaged" in report.notes[0]


def test_metrics_of_the_athlete_give_w_balance_laps_and_load(store):
    store.put_metrics(
        "usr_a",
        [
            metric(MetricType.CRITICAL_POWER, 250, MetricUnit.W),
            metric(MetricType.W_PRIME, 20, MetricUnit.KJ),
        ],
    )
    importer_for(store).import_source(source(RIDE))
    row = only_activity(store)

    assert row.laps
    assert row.volume == pytest.approx(600 * (260 / 250) ** 2 / 36, rel=0.01)
    assert row.training_stimulus == "threshold"
    # 10 W above critical power for 600 s.
    assert stored_streams(store, row.id).columns["wPrimeBalance"][-1] == pytest.approx(14_000)


def test_without_metrics_there_is_neither_w_balance_nor_a_classified_lap(store):
    importer_for(store).import_source(source(RIDE))
    row = only_activity(store)

    assert "wPrimeBalance" not in stored_streams(store, row.id).columns
    assert (row.laps, row.volume, row.intensity, row.training_stimulus) == ((), None, None, None)


def test_legs_of_a_multisport_file_share_a_group(store):
    data = fit_file(
        session(sport="cycling", total_elapsed_time=300.0),
        session(sport="running", start_time=START.replace(minute=5), total_elapsed_time=300.0),
        *records(600, heart_rate=140),
    )
    importer_for(store).import_source(source(data))
    run, ride = store.activities_of("usr_a", None, None)

    assert run.group_id == ride.group_id
    assert run.group_id is not None
    assert only_group(store, RIDE) is None


def only_group(store, data):
    report = importer_for(store, "usr_b").import_source(source(data))
    (row,) = store.activities_of("usr_b", None, None)
    assert row.id in report.activity_ids
    return row.group_id


def test_a_workout_is_planned_on_its_scheduled_day_else_today(store):
    scheduled = fit_file(
        ("WORKOUT_STEP", {"message_index": 0, "duration_type": "open"}),
        ("SCHEDULE", {"scheduled_time": datetime(2026, 7, 1, tzinfo=UTC)}),
        kind="workout",
    )
    importer = importer_for(store)
    report = importer.import_source(source(WORKOUT))
    importer.import_source(source(scheduled))

    later, sooner = stored_prescriptions(store)
    assert [sooner.date, later.date] == [TODAY, date(2026, 7, 1)]
    assert report.prescription_ids == (sooner.id,)
    assert sooner.activity_id is None


def test_a_workout_that_a_person_changed_stays_when_its_file_is_read_again(store):
    """The text that a coach typed stayed beside the steps of the file, and the description was lost."""
    (edited_id,) = importer_for(store).import_source(source(WORKOUT)).prescription_ids
    with store.reading_plans() as plans:
        etag = etag_of(plans.find(edited_id))
    change = PlanOperation(
        op=PlanOp.UPDATE,
        kind=EntryKind.WORKOUT,
        user_id="usr_a",
        id=edited_id,
        if_match=etag,
        value=PlanValue(text="- 20m 200w", description="Stay seated"),
    )
    batches.run(store, Author("usr_a", TODAY, 1e9), PlanBatch(operations=(change,)), idempotency_key=None)
    before = stored_prescriptions(store)
    report = Importer(store, "usr_a", today=TODAY, is_again=True).import_source(source(WORKOUT))

    assert (before[0].description, before[0].duration) == ("Stay seated", 1200)
    assert stored_prescriptions(store) == before
    assert (report.outcome, report.prescription_ids) == (ImportOutcome.KNOWN, ())
    assert report.notes == ("the planned workout “Steady” was changed since and stays as it is",)


def test_a_workout_that_nobody_changed_is_read_again(store):
    first = importer_for(store).import_source(source(WORKOUT))
    again = Importer(store, "usr_a", today=TODAY, is_again=True).import_source(source(WORKOUT))

    assert (again.outcome, again.prescription_ids) == (ImportOutcome.IMPORTED, first.prescription_ids)


def test_the_workout_in_an_activitys_file_is_paired_with_it(store):
    data = fit_file(
        session(total_elapsed_time=60.0),
        activity(offset_s=7200),
        ("WORKOUT_STEP", {"message_index": 0, "duration_type": "open"}),
        *records(60, power=200),
    )
    importer = importer_for(store)
    report = importer.import_source(source(data))
    importer.import_source(source(data[:-2] + b"\0\0"))

    (planned,) = stored_prescriptions(store)
    assert (planned.activity_id,) == report.activity_ids
    assert planned.date == date(2026, 5, 4)


def test_activities_without_a_start_are_not_the_same_session(store):
    importer_for(store).import_source(source(RIDE))
    row = only_activity(store)

    assert is_same_session(row, row)
    assert not is_same_session(row, row.model_copy(update={"started_at": None}))
