"""The squad of another version of the generator is written again; data that users added stay."""

from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import orjson
import pytest

from coachboard.service.ids import id_from_file
from coachboard.service.importers.corrections import BY_HAND
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reread import by_hand
from coachboard.service.planning import batches
from coachboard.service.planning.batches import Author
from coachboard.service.store import (
    DEMO_MAKER,
    ImportedActivity,
    ImportedFile,
    ImportedRows,
    Maker,
    NewUser,
    PendingInvitation,
    RowKind,
    Store,
)
from coachboard.service.store.keys import digest_of
from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import InvitedRole, MetricSource, MetricSport, NoteType, Sport, WorkspaceRole
from coachboard.wire.metrics import MetricType
from coachboard.wire.planning import EntryKind, PlanBatch, PlanOp, PlanOperation, PlanValue
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo import making
from coachboard_demo.generate import generate
from coachboard_demo.people import KEYS, Size, user_id
from demo_database import make_demo

pytestmark = pytest.mark.slow

DAY = date(2026, 5, 6)
LATER = DAY + timedelta(days=9)
SIZE = Size(DAY, athletes=2, years=0.1)
NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)
CLIMBER = user_id("climber")
FILE = "ab" * 32


@pytest.fixture
def store(tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'demo.db'}")) as found:
        yield found


def make_old(store, monkeypatch):
    """A whole squad of a version that is not this one's, with a session that this one would not make."""
    with monkeypatch.context() as older:
        older.setattr(making, "version", lambda: "older")
        make_demo(store, SIZE)
    store.put_activities(CLIMBER, [activity("act_" + "0" * 20)])


def activity(activity_id):
    row = dict.fromkeys(Activity.model_fields)
    rows = dict.fromkeys(("laps", "climbs", "lengths", "provider_laps"), ())
    return Activity.model_construct(
        **{**row, **rows, "id": activity_id, "sport": Sport.CYCLING, "started_at": NOW}
    )


def bodies(store, *people):
    return {(each, kind): store.row_bodies(kind, user_id(each)) for each in people for kind in RowKind}


def test_a_squad_knows_the_version_that_wrote_it(store):
    make_demo(store, SIZE)

    assert store.maker(DEMO_MAKER).version == making.version()
    assert not making.is_to_be_renewed(store)


def test_a_squad_of_another_version_becomes_that_of_this_one(store, tmp_path, monkeypatch):
    make_old(store, monkeypatch)
    assert making.is_to_be_renewed(store)

    make_demo(store, Size(LATER))

    assert not making.is_to_be_renewed(store)
    with closing(Store.open(f"sqlite:///{tmp_path / 'new.db'}")) as new:
        make_demo(new, Size(LATER, athletes=2, years=0.1))
        expected, found = (
            bodies(new, "climber", "sprinter", "coach"),
            bodies(store, "climber", "sprinter", "coach"),
        )
        assert {key: rows for key, rows in found.items() if key[1] is not RowKind.METRICS} == {
            key: rows for key, rows in expected.items() if key[1] is not RowKind.METRICS
        }
        # Measured values stay, also those from before the first day of the new squad.
        assert set(expected["climber", RowKind.METRICS]) < set(found["climber", RowKind.METRICS])


def test_rows_that_people_added_stay(store, monkeypatch):
    make_old(store, monkeypatch)
    plan = store.row_bodies(RowKind.PRESCRIPTIONS, CLIMBER)[0]
    kept = {
        "session": id_from_file("act", CLIMBER, FILE, 0),
        "plan": id_from_file("tpr", CLIMBER, FILE, 0),
        "weight": "mtr_typed",
        "user": store.add_user(NewUser(first_name="Own")),
        "workspace": store.add_workspace("Own squad", "own-squad"),
    }
    store.put_activities(CLIMBER, [activity(kept["session"])])
    store.put_activities(kept["user"], [activity("act_own")])
    row = TrainingPrescription.from_wire(orjson.loads(plan))
    store.put_prescriptions(CLIMBER, [row.model_copy(update={"id": kept["plan"]})])
    store.put_recording(ImportedFile(FILE, CLIMBER, "ride.fit", (kept["session"],), NOW))
    store.put_metrics(CLIMBER, [weight(kept["weight"])])
    store.add_member(kept["workspace"], kept["user"], WorkspaceRole.COACH)
    key = store.add_key(CLIMBER, label="laptop")
    invited = store.invite(invitation(kept["workspace"]))

    make_demo(store, Size(LATER))

    assert kept["session"] in ids_of(store, RowKind.ACTIVITIES)
    assert kept["plan"] in ids_of(store, RowKind.PRESCRIPTIONS)
    assert kept["weight"] in ids_of(store, RowKind.METRICS)
    assert "act_" + "0" * 20 not in ids_of(store, RowKind.ACTIVITIES)
    assert len(store.row_bodies(RowKind.ACTIVITIES, kept["user"])) == 1
    assert store.recording(CLIMBER, FILE) is not None
    assert store.caller(digest_of(key)) is not None
    assert [member.user_id for member in store.members(kept["workspace"])] == [kept["user"]]
    assert store.invite(invitation(kept["workspace"])).code == invited.code


@pytest.mark.parametrize("is_deleted", [False, True])
def test_sessions_entered_by_hand_stay_also_in_the_bin(store, monkeypatch, is_deleted):
    make_old(store, monkeypatch)
    names = ("subSport", "name", "description", "distance", "rpe", "feeling")
    typed = dict.fromkeys(names) | {"sport": "running", "totalDuration": 3_600, BY_HAND: True}
    typed |= {"startedAt": "2026-05-01 07:30:00+00", "utcOffset": 0}
    read = by_hand("act_typed", typed, athletes_of(store, CLIMBER))
    assert store.add_activity(CLIMBER, read, typed, lambda _other: False)
    if is_deleted:
        store.change_activity(store.own_activity(CLIMBER, "act_typed"), read.activity, deleted_at=NOW)

    make_demo(store, Size(LATER))

    assert store.own_activity(CLIMBER, "act_typed").corrections == typed


def test_imported_nights_and_sessions_without_a_file_stay(store, monkeypatch):
    make_old(store, monkeypatch)
    old = Sleep.from_wire(orjson.loads(store.row_bodies(RowKind.SLEEPS, CLIMBER)[0]))
    night = old.model_copy(update={"id": "slp_own"})
    session = ImportedActivity(activity("act_listed"), None, (), None)
    store.put_imported(CLIMBER, ImportedRows(activities=(session,), sleeps=(night,), import_id="imp_1"))

    make_demo(store, Size(LATER))

    assert "slp_own" in ids_of(store, RowKind.SLEEPS)
    assert "act_listed" in ids_of(store, RowKind.ACTIVITIES)


def test_nobody_who_was_removed_and_no_key_that_was_taken_away_comes_back(store, monkeypatch):
    make_old(store, monkeypatch)
    store.remove_user(user_id("sprinter"))
    revoked = next(key for key in store.keys() if key.label == KEYS[2])  # noqa: SIM118 (no mapping)
    store.revoke_key(revoked.id)

    make_demo(store, Size(LATER))

    assert not store.user_exists(user_id("sprinter"))
    assert {key.label for key in store.keys() if not key.revoked_at} == set(KEYS[:2])  # noqa: SIM118 (no mapping)


def test_a_renewal_that_is_stopped_is_begun_again(store, monkeypatch):
    make_old(store, monkeypatch)
    monkeypatch.setattr(making, "sign", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        make_demo(store, Size(LATER))
    monkeypatch.undo()
    assert making.is_to_be_renewed(store)

    make_demo(store, Size(LATER))

    assert making.unwritten(store) is None
    assert not making.is_to_be_renewed(store)


def test_squads_that_the_demo_did_not_make_are_left_alone(store, monkeypatch):
    monkeypatch.setattr(making, "version", lambda: "older")
    generate(store, SIZE)
    monkeypatch.undo()

    assert store.maker(DEMO_MAKER) == Maker(DEMO_MAKER, "older", store.maker(DEMO_MAKER).arguments)
    assert not making.is_to_be_renewed(store)


def test_a_copy_is_left_beside_and_none_where_there_is_no_file(store, tmp_path):
    make_demo(store, SIZE)

    copy = store.copy_beside(NOW)

    assert copy == tmp_path / "demo.db.set-aside-20260506-120000"
    with closing(Store.open(f"sqlite:///{copy}")) as opened:
        assert bodies(opened, "climber") == bodies(store, "climber")
    with closing(Store.open("sqlite://")) as memory:
        assert memory.copy_beside(NOW) is None


def ids_of(store, kind):
    return {orjson.loads(body)["id"] for body in store.row_bodies(kind, CLIMBER)}


def weight(metric_id):
    return Metric.model_construct(
        id=metric_id, type=MetricType.WEIGHT, value=52.5, unit=None, source=MetricSource.USER, date=DAY,
        sport=MetricSport.GLOBAL,
    )  # fmt: skip


def invitation(workspace_id):
    return PendingInvitation(
        workspace_id,
        "new@example.test",
        "new@example.test",
        InvitedRole.ATHLETE,
        NOW,
        NOW + timedelta(days=7),
    )


def test_entries_that_people_planned_stay(store, monkeypatch):
    make_old(store, monkeypatch)
    value = PlanValue(date=DAY, title="Own", type=NoteType.OTHER)
    operation = PlanOperation(op=PlanOp.CREATE, kind=EntryKind.NOTE, user_id=CLIMBER, value=value)
    author = Author(user_id("coach"), DAY, NOW.timestamp())
    reply = batches.run(store, author, PlanBatch(operations=(operation,)), idempotency_key=None)
    (entry,) = orjson.loads(reply)["entries"]

    make_demo(store, Size(LATER))

    assert entry["id"] in ids_of(store, RowKind.NOTES)
    assert "Week of the climbs" in "".join(body.decode() for body in store.row_bodies(RowKind.NOTES, CLIMBER))
