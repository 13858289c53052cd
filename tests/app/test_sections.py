"""A section of a page runs again only if its data, the user's choices, the theme or the key have changed."""

import gc
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest

from coachboard.streamlit_hooks import section_replay
from coachboard.views.frame import sections, state, theme

LARGE = 20_000
"""Characters of a text that Streamlit sends to a browser once."""


def _app():  # noqa: C901, PLR0915 (one script for all cases)
    from datetime import date  # noqa: PLC0415 (the source of a page of its own)
    from functools import partial  # noqa: PLC0415
    from types import SimpleNamespace  # noqa: PLC0415

    import streamlit as st  # noqa: PLC0415

    from coachboard.client import TimedOut  # noqa: PLC0415
    from coachboard.client.kept import noted  # noqa: PLC0415
    from coachboard.views.frame import notices, state  # noqa: PLC0415
    from coachboard.views.frame.sections import draw_unless_same, section  # noqa: PLC0415

    asked = st.session_state
    page = SimpleNamespace(
        fingerprint=asked.get("key", "a"),
        today=date(2026, 6, 17),
        zone=asked.get("zone"),
        preferences=asked.get("preferences"),
        people_results=(SimpleNamespace(identity=asked.get("people", 1)),),
    )

    def draw(page, record):  # noqa: C901 (one script for all cases)
        asked["runs"].append(record)
        st.text(
            f"{record} {state.get('choice')} {st.selectbox('Axis', asked.get('options', ['time', 'distance']), key='axis')}"
        )
        st.text("x" * 20_000)
        for extra in asked.get("extras", ()):
            if extra == "fragment":
                st.fragment(lambda: st.text("inner"))()
            elif extra == "form":
                with st.form("form"):
                    st.form_submit_button("Save")
            elif extra == "parameter":
                state.set_param("at", str(len(asked["runs"])))
            elif extra == "outside":
                asked["place"].text("outside")
            elif extra == "callback":
                st.button("Save", key="save", on_click=lambda: asked["runs"].append("saved"))
            elif extra == "unfinished":
                state.note_unfinished()
            elif extra == "request":
                noted(lambda: ("users", SimpleNamespace(is_stale=False, error=None, fresh_until=0.0)))
            elif extra == "progress":
                state.note_unfinished(15.0)
            elif extra == "error":
                notices.say(TimedOut("GET", "/users"))
            elif extra == "fault":
                raise ValueError("no such row")

    state.enter(asked.get("page", "Activity"))
    asked["place"] = st.empty()
    if asked.get("is_shown", True):
        if asked.get("moves"):
            st.text("above")
        record = asked.get("record", "ride")
        if asked.get("shows_ages"):
            st.fragment(
                lambda: draw_unless_same(
                    page, partial(draw, page, record), (record,), has_timer=asked.get("has_timer", False)
                )
            )()
        else:
            section(draw)(page, record)


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setattr(section_replay, "_is_on", True)
    page = AppTest.from_function(_app)
    page.session_state["runs"] = []
    return page


def _runs(app: AppTest, **changed: object) -> int:
    """How often the section runs in a rerun with these values of the session."""
    before = len(app.session_state["runs"])
    for name, value in changed.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception or "fault" in (app.session_state["extras"] or ())
    return len(app.session_state["runs"]) - before


def test_a_rerun_sends_an_unchanged_section_without_running_it(app):
    assert _runs(app) == 1
    assert _runs(app) == 0
    assert _runs(app) == 0
    assert app.text[0].value == "ride None time"
    assert app.selectbox(key="axis").value == "time"


def test_without_the_hook_each_rerun_runs_the_section(app, monkeypatch):
    monkeypatch.setattr(section_replay, "_is_on", False)

    assert [_runs(app), _runs(app)] == [1, 1]


@pytest.mark.parametrize(
    "changed", [{"record": "run"}, {"choice": "power"}, {"key": "b"}, {"people": 2}], ids=str
)
def test_a_change_of_something_that_the_section_reads_runs_it_once(app, changed):
    _runs(app)

    assert _runs(app, **changed) == 1
    assert _runs(app) == 0


def test_a_value_that_the_section_does_not_read_does_not_run_it(app):
    _runs(app)

    assert _runs(app, another=1) == 0


def test_a_widget_of_the_section_runs_it_and_keeps_its_value(app):
    _runs(app)
    app.selectbox(key="axis").select("distance").run()

    assert len(app.session_state["runs"]) == 2
    assert _runs(app) == 0
    assert app.selectbox(key="axis").value == "distance"
    assert app.session_state["axis"] == "distance"
    assert app.text[0].value == "ride None distance"


def test_a_parameter_of_the_address_runs_the_section(app):
    _runs(app)
    app.query_params["view"] = "week"

    assert _runs(app) == 1


@pytest.mark.parametrize("question", ["is_dark", "is_phone"])
def test_another_theme_or_width_runs_the_section(app, monkeypatch, question):
    _runs(app)
    monkeypatch.setattr(theme, question, lambda: True)

    assert _runs(app) == 1
    assert _runs(app) == 0


@pytest.mark.parametrize(
    ("shows_ages", "extras", "lasts_s"),
    [(False, ("request",), 300), (True, (), 300), (False, ("progress",), 15), (True, ("progress",), 15)],
)
def test_a_section_with_requests_runs_again_after_minutes_and_one_with_a_progress_after_seconds(
    app, monkeypatch, shows_ages, extras, lasts_s
):
    now = 100.0
    monkeypatch.setattr(sections.time, "monotonic", lambda: now)
    _runs(app, shows_ages=shows_ages, extras=extras)

    now += lasts_s - 1
    assert _runs(app) == 0
    now += 1
    assert _runs(app) == 1


def test_a_section_without_requests_does_not_run_again_by_itself(app, monkeypatch):
    now = 100.0
    monkeypatch.setattr(sections.time, "monotonic", lambda: now)
    _runs(app)

    now += 86_400
    assert _runs(app) == 0


@pytest.mark.parametrize(
    "extra", ["fragment", "form", "parameter", "outside", "unfinished", "error", "fault"]
)
def test_a_section_with_a_state_of_its_own_or_a_fault_runs_each_time(app, extra):
    app.session_state["extras"] = (extra,)

    assert [_runs(app), _runs(app), _runs(app)] == [1, 1, 1]


def test_a_section_that_moved_on_the_page_runs(app):
    _runs(app)

    assert _runs(app, moves=True) == 1
    assert _runs(app) == 0


def test_a_section_that_was_hidden_for_a_run_appears_again(app):
    _runs(app)
    assert _runs(app, is_shown=False) == 0
    assert not app.text

    _runs(app, is_shown=True)
    assert app.text[0].value == "ride None time"


def test_another_page_deletes_the_sections_of_the_page_before(app):
    _runs(app)

    assert _runs(app, page="Trends") == 1


def test_a_rerun_of_the_section_alone_always_runs_it(app, monkeypatch):
    """A click in it or a timer renews it: it may show how far a background task is."""
    _runs(app)
    monkeypatch.setattr(section_replay, "is_whole_page", lambda: False)

    assert [_runs(app), _runs(app)] == [1, 1]


@pytest.fixture
def other(app):
    """Another session, which has the page open, too."""
    page = AppTest.from_function(_app)
    page.session_state["runs"] = []
    assert (_runs(app), _runs(page)) == (1, 1)
    return page


def test_a_section_that_another_session_of_the_key_has_run_is_sent_without_a_run(app, other):
    assert _runs(app, record="run") == 1
    assert _runs(other, record="run") == 0
    assert other.text[0].value == "run None time"
    assert other.selectbox(key="axis").value == "time"
    other.selectbox(key="axis").select("distance").run()
    assert other.text[0].value == "run None distance"
    assert _runs(app) == 0
    assert app.text[0].value == "run None time"


@pytest.mark.parametrize(
    "differs",
    [
        {"key": "b"},
        {"choice": "power"},
        {"people": 2},
        {"moves": True},
        {"zone": "Asia/Kolkata"},
        {"preferences": "imperial"},
    ],
    ids=str,
)
def test_a_section_of_a_session_with_another_key_or_choice_runs(app, other, differs):
    _runs(other, **differs)

    assert _runs(app, record="run") == 1
    assert _runs(other, record="run") == 1


def test_a_section_whose_button_has_a_callback_of_its_session_runs(app, other):
    """The callback of the other session would write to that session."""
    for page in (app, other):
        assert _runs(page, extras=("callback",), record="swim") == 1
    assert _runs(app, record="run") == 1
    assert _runs(other, record="run") == 1
    other.button(key="save").click().run()

    assert "saved" in other.session_state["runs"]
    assert "saved" not in app.session_state["runs"]


def test_a_first_visit_runs_the_section_which_registers_its_widgets(app):
    _runs(app)
    page = AppTest.from_function(_app)
    page.session_state["runs"] = []

    assert _runs(page) == 1


def test_a_section_is_shared_until_its_last_session_ends(app, other):
    _runs(app, record="run")
    del app.session_state[state.SECTIONS]
    gc.collect()

    assert _runs(other, record="run") == 1


def test_a_choice_that_another_session_was_offered_first_can_be_made(app, other):
    options = ["time", "distance", "heart rate"]
    assert _runs(app, options=options, record="run") == 1
    assert _runs(other, options=options, record="run") == 0
    other.selectbox(key="axis").select("heart rate").run()

    assert other.text[0].value == "run None heart rate"


def test_a_section_that_a_timer_has_drawn_stays_in_its_session(app, other, monkeypatch):
    """Its page is that of the last full run: ages would count from that moment."""
    with monkeypatch.context() as patch:
        patch.setattr(section_replay, "is_whole_page", lambda: False)
        assert _runs(app, record="run") == 1

    assert _runs(other, record="run") == 1


def _widget(argument):
    return WidgetMetadata("w", str, str, "string_value", callback=print, callback_args=(argument,))


@pytest.mark.parametrize(
    ("changed", "may_replace"),
    [
        ({}, True),
        ({"widgets": {"w": _widget(2)}}, False),
        ({"widgets": {"w": _widget(np.arange(2))}}, False),
        ({"widgets": {"w": None}}, False),
        ({"widgets": {}}, False),
        ({"keys": frozenset("k")}, False),
        ({"fragment": "g"}, False),
        ({"place": (1,)}, False),
        ({"files": {"[0]": section_replay._File("a.csv", None)}}, False),
    ],
)
def test_a_section_replaces_one_with_the_same_widgets_and_no_download(changed, may_replace):
    own = section_replay.SentSection((0,), "f", (), {"w": _widget(1)}, frozenset(), {})

    assert own._replace(**changed).replaces(own) == may_replace
    assert own.replaces(own._replace(**changed)) == may_replace


def test_a_timer_runs_no_section_that_is_the_same(app, monkeypatch):
    """While rows are renewed, each session has a timer, which built the table again."""
    _runs(app, shows_ages=True, has_timer=True)
    monkeypatch.setattr(section_replay, "is_whole_page", lambda: False)

    assert _runs(app) == 0
    assert _runs(app, choice="power") == 1
    assert _runs(app) == 0
    assert _runs(app, record="run") == 1


def test_sessions_with_one_key_share_a_large_message_and_other_keys_do_not():
    def sent(owner: str, text: str) -> section_replay._Sent:
        message = ForwardMsg(hash="h")
        message.delta.new_element.text.body = text
        message.metadata.cacheable = len(text) >= LARGE
        return section_replay._kept(message, owner)

    first = sent("a", "x" * LARGE)

    assert sent("a", "x" * LARGE) is first
    assert sent("b", "x" * LARGE) is not first
    assert sent("a", "x") is not sent("a", "x")


@pytest.fixture
def files(monkeypatch):
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(section_replay, "_manager", lambda: files)
    return files


def test_a_download_stays_while_its_section_is_sent_again(files):
    """Streamlit deletes the files of elements that a run of the page does not draw."""
    ctx = SimpleNamespace(session_id="dontcare")  # Streamlit's name outside of a session
    name = files.add_deferred(lambda: b"1", "text/csv", "[0, 1]")
    wanted = section_replay._files_of(ctx)
    files.clear_session_refs("dontcare")

    assert {at: file.name for at, file in wanted.items()} == {"[0, 1]": name}
    assert section_replay._restored(ctx, wanted)
    files.remove_orphaned_files()
    assert files.execute_deferred(name)


def test_a_download_that_the_run_of_another_session_deleted_is_registered_again(files):
    ctx = SimpleNamespace(session_id="dontcare")
    name = files.add_deferred(lambda: b"1", "text/csv", "[0, 1]", element_id="export")
    wanted = section_replay._files_of(ctx)
    files.clear_session_refs("dontcare")
    files.remove_orphaned_files()

    assert section_replay._restored(ctx, wanted)
    files.remove_orphaned_files()
    assert files.execute_deferred(name)
    files.remove_deferred("[0, 9]", element_id="export")  # the button moves or is disabled
    assert section_replay._files_of(ctx) == {}


def test_a_section_whose_stored_file_is_gone_is_not_sent_again(files):
    ctx = SimpleNamespace(session_id="dontcare")
    files.add(b"1", "image/png", "[0, 1]")
    wanted = section_replay._files_of(ctx)

    assert section_replay._restored(ctx, wanted)
    files.clear_session_refs("dontcare")
    files.remove_orphaned_files()
    assert not section_replay._restored(ctx, wanted)
    assert section_replay._files_of(ctx) == {}
