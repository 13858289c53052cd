"""Every value and every field of the document occurs in the default squad, null and not null."""

import enum
from collections import Counter
from types import NoneType
from typing import get_args

import orjson
import pytest

from coachboard.service.store import RowKind
from coachboard.wire import enums, metrics
from coachboard.wire.activities import Activity
from coachboard.wire.base import Wire
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import StructureIntensity, TrainingPrescription
from coachboard.wire.streams import STREAM_COLUMNS, ActivityStreams
from coachboard.wire.users import UserProfile
from coachboard_demo.people import user_id
from coachboard_demo.streams import make_streams

pytestmark = pytest.mark.slow

MODELS = {
    RowKind.ACTIVITIES: Activity,
    RowKind.PRESCRIPTIONS: TrainingPrescription,
    RowKind.NOTES: Note,
    RowKind.EVENTS: Event,
    RowKind.METRICS: Metric,
    RowKind.SLEEPS: Sleep,
}
INVITATIONS_ALONE = {enums.InvitedRole}  # roles that only a request carries


class Census:
    """Counts the fields and values of a payload."""

    def __init__(self):
        self.null, self.given, self.values, self.models = Counter(), Counter(), Counter(), set()

    def take(self, thing):
        if isinstance(thing, Wire):
            self.models.add(type(thing))
            for name in type(thing).model_fields:
                value = getattr(thing, name)
                (self.null if value is None else self.given)[type(thing), name] += 1
                self.take(value)
        elif isinstance(thing, tuple):
            for each in thing:
                self.take(each)
        elif isinstance(thing, enum.Enum):
            self.values[thing] += 1


@pytest.fixture(scope="module")
def census(demo_store):
    counted = Census()
    for user in demo_store.users():
        counted.take(UserProfile.from_wire(orjson.loads(demo_store.profile(user.id, is_own=True))))
        for kind, model in MODELS.items():
            for body in demo_store.row_bodies(kind, user.id):
                counted.take(model.from_wire(orjson.loads(body)))
    return counted


def test_every_value_of_every_enumeration_occurs(census):
    lists = [
        each
        for module in (enums, metrics)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, enum.StrEnum)
    ]
    wanted = {
        value
        for each in lists
        if each is not enum.StrEnum and each not in INVITATIONS_ALONE
        for value in each
    }

    assert not [repr(value) for value in wanted - set(census.values)]


def test_every_field_occurs_and_is_null_once_where_it_may_be(census):
    never_given, never_null = [], []
    for model in census.models:
        for name, field in model.model_fields.items():
            if not census.given[model, name]:
                never_given.append(f"{model.__name__}.{name}")
            # Absent and null are two things: workspaces is left out, never null.
            may_be_null = NoneType in get_args(field.annotation) and name != "workspaces"
            if may_be_null and not census.null[model, name]:
                never_null.append(f"{model.__name__}.{name}")

    assert never_given == []
    assert never_null == []


def test_a_step_without_speed_terms_leaves_the_optional_fields_out(demo_store):
    bodies = demo_store.row_bodies(RowKind.PRESCRIPTIONS, user_id("climber"))
    steps = [
        step for body in bodies for step in orjson.loads(body)["structure"] or () if step["type"] == "step"
    ]

    assert steps
    assert all("fromSpeed" not in step["intensity"] for step in steps)
    assert "from_speed" in StructureIntensity.model_fields


def test_every_stream_column_occurs_with_every_kind_of_gap(demo_store):
    columns, words, has_infinity = set(), False, False
    for key in ("climber", "marathoner", "rare"):
        for body in demo_store.row_bodies(RowKind.ACTIVITIES, user_id(key))[:40]:
            found = demo_store.streams(orjson.loads(body)["id"])
            if found.recipe is None:
                continue
            text = make_streams(found.recipe.recipe).to_json()
            columns |= set(ActivityStreams.from_json(text).columns)
            words = words or b'"NaN"' in text
            has_infinity = has_infinity or b'"Infinity"' in text

    assert columns == set(STREAM_COLUMNS)
    assert words
    assert has_infinity
