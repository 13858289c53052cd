"""Each hook works with the installed Streamlit; with a Streamlit that changed, the hook is off and the log says so."""

import asyncio
import gc
import time
from dataclasses import dataclass
from types import SimpleNamespace
from weakref import ref

import pytest
from streamlit import runtime
from streamlit.runtime import RuntimeState
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from coachboard.streamlit_hooks import browser_sessions, hooks, usable
from coachboard.streamlit_hooks.hooks import HOOKS, HTML_HEAD, LEFT_SESSIONS, STALE_FRAGMENTS
from waiting import wait_until


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_the_installed_streamlit_passes_the_check_of_each_hook(hook):
    assert usable([hook]) == {hook.name}


def test_a_streamlit_without_the_method_turns_the_hook_off_with_a_log_line(monkeypatch, caplog):
    monkeypatch.delattr(AppSession, "_enqueue_forward_msg")

    assert usable([HTML_HEAD, STALE_FRAGMENTS]) == {"html_head"}
    assert "stale_fragments is off" in caplog.text


def test_a_streamlit_without_a_callback_of_its_cache_leaves_sessions_to_the_collection(monkeypatch, caplog):
    monkeypatch.setattr(MemorySessionStorage, "__init__", lambda self: setattr(self, "_cache", {}))

    assert usable([LEFT_SESSIONS]) == set()
    assert "left_sessions is off" in caplog.text


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


@dataclass
class _OnPage:
    """An object of a page; it refers to its session, as fragments and callbacks do."""

    session: AppSession


@pytest.fixture
def closed_tab(storage):
    """Opens a tab and closes it: the id of its session, and a weak reference to an object of its page."""
    manager = runtime.get_instance()._session_mgr
    callbacks = {"uploaded_file_manager": MemoryUploadedFileManager("/upload"), "script_cache": ScriptCache()}

    def close() -> "tuple[str, ref[_OnPage]]":
        session = AppSession(ScriptData(__file__), message_enqueued_callback=None, user_info={}, **callbacks)
        shown = _OnPage(session)
        session.session_state["shown"] = shown
        session._fragment_storage.register("section", lambda: shown)
        storage.save(SessionInfo(client=None, session=session))
        return session.id, ref(shown)

    async def closing() -> "tuple[str, ref[_OnPage]]":
        return close()

    gc.disable()  # the memory is free without a collection
    yield lambda: asyncio.run(closing())
    gc.enable()
    manager._active_session_info_by_id.clear()


def test_the_session_of_a_closed_tab_is_freed_without_another_one(storage, closed_tab):
    drop = hooks.session_dropper()
    name, shown = closed_tab()
    held = storage.get(name).session  # by Streamlit's loop, until another tab is opened
    assert not drop()
    assert shown() is not None

    wait_until(drop)

    assert shown() is None
    assert held._state is AppSessionState.SHUTDOWN_REQUESTED
    assert not storage._cache._data
    assert not drop()


def test_the_session_of_a_closed_tab_is_freed_when_the_next_tab_closes(closed_tab):
    hooks.session_dropper()()
    _, shown = closed_tab()
    time.sleep(0.06)

    closed_tab()

    assert shown() is None


def test_a_tab_that_comes_back_keeps_its_session(storage, closed_tab):
    hooks.session_dropper()()
    name, shown = closed_tab()

    assert (
        runtime.get_instance()._session_mgr.connect_session(None, None, {}, existing_session_id=name) == name
    )

    assert name not in storage._cache._data
    assert shown() is not None
    assert shown().session.session_state["shown"] is shown()


def test_without_hooks_no_session_is_dropped(storage):
    storage.save(SessionInfo(client=None, session=SimpleNamespace(id="a")))
    time.sleep(0.06)

    assert not hooks.session_dropper(are_on=False)()
    assert storage._cache._data


@pytest.mark.parametrize("state", RuntimeState)
def test_a_connected_tab_counts(storage, state):
    runtime.get_instance().state = state

    assert hooks.has_sessions() == (state is RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED)
