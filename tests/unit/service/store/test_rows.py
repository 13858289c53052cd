"""Rows are kept as the JSON that they are sent as."""

from datetime import UTC, date, datetime, time

import orjson
import pytest

from coachboard.service.store.rows import encode
from coachboard.wire.activities import ProviderLap
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note
from coachboard.wire.users import UserProfile

LAP = ProviderLap(
    started_at=datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC),
    ended_at=datetime(2026, 5, 6, 8, 0, tzinfo=UTC),
    intensity=None,
    lap_trigger="time",
)
NOTE = Note(
    id="not_1", type=NoteType.OTHER, title="Ünïcode 🚴", content=None, date=date(2026, 5, 6), time=time(7, 45)
)
PROFILE = UserProfile.from_wire({
    "id": "usr_1", "firstName": None, "lastName": "Ada", "dateOfBirth": "1990-02-03", "gender": None, "height": 171.0,
    "dataOnboardingStatus": "done", "userMetricReadiness": None,
    "latestMetrics": [{"sport": "global", "type": "weight", "source": None, "value": 61.4}],
})  # fmt: skip


@pytest.mark.parametrize("row", [LAP, NOTE, PROFILE], ids=["lap", "note", "profile"])
def test_a_row_is_written_as_the_wire_has_it(row):
    """Moments in the wire's own shape, days and times of day, nulls kept and what was never given left out."""
    assert orjson.loads(encode(row)) == row.to_wire()
    assert type(row).from_wire(orjson.loads(encode(row))) == row


def test_rows_within_a_row_may_be_of_the_wire_already():
    profile = PROFILE.model_construct(
        **PROFILE.__dict__ | {"latest_metrics": (PROFILE.latest_metrics[0].to_wire(),)}
    )

    assert orjson.loads(encode(profile))["latestMetrics"] == PROFILE.to_wire()["latestMetrics"]


def test_a_value_without_a_wire_format_is_refused():
    with pytest.raises(TypeError):
        encode(NOTE.model_construct(**NOTE.__dict__ | {"title": object()}))
