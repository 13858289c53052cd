"""A component without values is read without a new class; Streamlit reads all others."""

import json

import pytest
from streamlit.components.v2.bidi_component import main
from streamlit.components.v2.bidi_component.serialization import deserialize_trigger_list
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from coachboard.streamlit_hooks import component_values, hooks, usable


@pytest.fixture
def present(monkeypatch):
    """Reads a component `table` with these stored values, and the events of the run as JSON."""
    monkeypatch.setattr(main, "make_bidi_component_presenter", make_bidi_component_presenter)
    component_values.install()

    def read(stored, events=None, state=None):
        state = SessionState() if state is None else state  # an empty one counts as false
        state._new_widget_state.set_widget_metadata(
            WidgetMetadata("table__events", deserialize_trigger_list, json.dumps, "json_trigger_value")
        )
        if events is not None:
            sent = WidgetState(id="table__events", json_trigger_value=events)
            state._new_widget_state.set_widget_from_proto(sent)
        read_events = main.make_bidi_component_presenter(
            "table__events", component_id="table", allowed_state_keys={"picked"}
        )
        return read_events(stored, state)

    return read


@pytest.mark.parametrize("events", [None, "null", "[]"])
def test_a_component_without_values_has_the_same_class_at_each_read(present, events):
    """Each class of Streamlit's stayed until a full collection: 40 MB a minute with 60 people on sessions."""
    first, second = present({}), present({}, events)

    assert (first, first.picked, first.get("picked")) == ({}, None, None)
    assert type(first) is type(second)
    assert first is not second


@pytest.mark.parametrize(
    ("stored", "events", "shown"),
    [
        ({}, [{"event": "picked", "value": "usr_1"}], {"picked": "usr_1"}),
        ({"picked": "usr_2"}, [], {"picked": "usr_2"}),
        ({"width": 3}, [{"event": "picked", "value": "usr_1"}], {"picked": "usr_1", "width": 3}),
        (None, [], None),
    ],
)
def test_values_and_events_are_streamlits(present, stored, events, shown):
    assert present(stored, json.dumps(events)) == shown


def test_a_changed_value_reaches_the_session(present):
    state = SessionState()
    present({"picked": "usr_2"}, state=state)["picked"] = "usr_3"

    assert state._new_widget_state["table"] == {"picked": "usr_3"}


def test_a_second_start_wraps_the_function_once(present):
    once = main.make_bidi_component_presenter
    component_values.install()

    assert main.make_bidi_component_presenter is once


def test_the_start_installs_it(monkeypatch):
    monkeypatch.setattr(main, "make_bidi_component_presenter", make_bidi_component_presenter)
    hooks.middleware()

    assert main.make_bidi_component_presenter.__wrapped__ is make_bidi_component_presenter


def test_another_signature_turns_the_hook_off(monkeypatch, caplog):
    monkeypatch.setattr(main, "make_bidi_component_presenter", lambda component_id: None)

    assert usable([hooks.COMPONENT_VALUES]) == set()
    assert "component_values is off" in caplog.text
