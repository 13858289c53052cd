"""Each hook works with the installed Streamlit; with a Streamlit that changed, the hook is off and the log says so."""

import time
from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest
from streamlit import runtime
from streamlit.runtime import RuntimeState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from coachboard.streamlit_hooks import browser_sessions, hooks, usable
from coachboard.streamlit_hooks.hooks import HOOKS, HTML_HEAD, STALE_FRAGMENTS
from waiting import wait_until


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_the_installed_streamlit_has_what_each_hook_relies_on(hook):
    assert usable([hook]) == {hook.name}


def test_a_streamlit_without_the_method_turns_the_hook_off_with_a_log_line(monkeypatch, caplog):
    monkeypatch.delattr(AppSession, "_enqueue_forward_msg")

    assert usable([HTML_HEAD, STALE_FRAGMENTS]) == {"html_head"}
    assert "stale_fragments is off" in caplog.text


@pytest.mark.parametrize("part", ["STREAM", "MEDIA"])
def test_a_renamed_address_of_streamlit_is_logged_at_start_up(part, monkeypatch, caplog):
    monkeypatch.setattr(browser_sessions, part, "/renamed")

    hooks.middleware(are_on=False)

    assert "browser_sessions is off (a sign-out ends one tab only, and downloads answer 404)" in caplog.text


def test_the_setting_turns_all_hooks_off(caplog):
    assert hooks.middleware(are_on=False) == []
    assert "COACHBOARD_STREAMLIT_HOOKS" in caplog.text


@pytest.fixture
def storage(monkeypatch):
    """The sessions of closed tabs, in a runtime with Streamlit's own parts."""
    storage = MemorySessionStorage(ttl_seconds=0.05)
    manager = WebsocketSessionManager(storage, None, None, None)
    found = SimpleNamespace(_session_mgr=manager, state=RuntimeState.NO_SESSIONS_CONNECTED)
    monkeypatch.setattr(runtime, "get_instance", lambda: found)
    return storage


def test_the_session_of_a_closed_tab_is_dropped_without_another_one(storage):
    session = create_autospec(AppSession, instance=True, id="a", session_state=SessionState())
    session.session_state["shown"] = "all of a page"
    storage.save(SessionInfo(client=None, session=session))
    drop = hooks.session_dropper()
    assert not drop()
    wait_until(drop)

    assert not storage._cache._data
    assert not session.session_state.filtered_state
    session.shutdown.assert_called_once_with()
    assert not drop()


def test_without_hooks_no_session_is_dropped(storage):
    storage.save(SessionInfo(client=None, session=SimpleNamespace(id="a")))
    time.sleep(0.06)

    assert not hooks.session_dropper(are_on=False)()
    assert storage._cache._data


@pytest.mark.parametrize("state", RuntimeState)
def test_a_connected_tab_counts(storage, state):
    runtime.get_instance().state = state

    assert hooks.has_sessions() == (state is RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED)
