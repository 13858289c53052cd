"""The table of hooks, and the middleware of those that work with the installed Streamlit."""

import inspect
import threading
from collections.abc import Callable
from pathlib import Path

from starlette.middleware import Middleware
from streamlit import config, runtime
from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette import starlette_routes, starlette_websocket

from coachboard.streamlit_hooks import (
    STATIC,
    Hook,
    browser_sessions,
    component_values,
    entry_source,
    finished_runs,
    html_head,
    stale_fragments,
    theme,
    usable,
)
from coachboard.streamlit_hooks.html_head import HtmlHead


def _has_page_head() -> bool:
    page = (STATIC / "index.html").read_bytes()
    return html_head.BEFORE in page and "BACKEND_BASE_URL" in entry_source()


def _has_theme_names() -> bool:
    return "LIGHT_THEME" in entry_source() and bool(config.get_options_for_section("theme.light"))


def _has_session_methods() -> bool:
    sent = inspect.signature(AppSession._enqueue_forward_msg)  # noqa: SLF001
    asked = inspect.signature(AppSession.request_rerun)
    return list(sent.parameters)[1:] == ["msg"] and list(asked.parameters)[1:] == ["client_state"]


def _has_message_queue() -> bool:
    sent = inspect.signature(Runtime._send_message)  # noqa: SLF001
    return (
        _has_session_methods()
        and list(sent.parameters)[1:] == ["session_info", "msg"]
        and all(hasattr(AppSession, name) for name in ("flush_browser_queue", "on_flushed_messages_sent"))
        and hasattr(WebsocketSessionManager, "get_active_session_info")
        and "_browser_queue" in AppSession.__init__.__code__.co_names
        and "_session_mgr" in Runtime.__init__.__code__.co_names
    )


def _has_component_values() -> bool:
    made = inspect.signature(getattr(bidi_component, "make_bidi_component_presenter", len))
    return (
        list(made.parameters) == ["aggregator_id", "component_id", "allowed_state_keys"]
        and "_new_widget_state" in SessionState.__dataclass_fields__
    )


def _has_expiring_sessions() -> bool:
    manager = inspect.signature(WebsocketSessionManager)
    cache = MemorySessionStorage()._cache  # noqa: SLF001
    return (
        all(hasattr(cache, name) for name in ("expire", "_on_remove"))
        and "session_storage" in manager.parameters
        and hasattr(WebsocketSessionManager, "is_active_session")
        and "_fragment_storage" in AppSession.__init__.__code__.co_names
    )


def _has_socket_and_downloads() -> bool:
    socket = f"/{starlette_websocket._ROUTE_WEBSOCKET_STREAM}"  # noqa: SLF001
    downloads = f"/{starlette_routes.BASE_ROUTE_MEDIA}/"
    found = (socket, downloads) == (browser_sessions.STREAM, browser_sessions.MEDIA)
    return found and "rerun_script" in BackMsg.DESCRIPTOR.fields_by_name


HTML_HEAD = Hook(
    "html_head",
    "a page opens 40 to 90 ms later (a health check under its own address), and phones get the columns of a wide window",
    'script tag `<script type="module"` in index.html, or name BACKEND_BASE_URL',
    _has_page_head,
)
THEME = Hook(
    "theme",
    "a page flashes: it is drawn twice, first in Streamlit's colours and font (0 to 40 ms later)",
    "theme name LIGHT_THEME",
    _has_theme_names,
)
STALE_FRAGMENTS = Hook(
    "stale_fragments",
    "a fragment of a page that the user has left can bring that page back, empty",
    "AppSession.request_rerun(client_state) and AppSession._enqueue_forward_msg(msg)",
    _has_session_methods,
)
LEFT_SESSIONS = Hook(
    "left_sessions",
    "the sessions of closed tabs stay in memory until a full collection, and the last 128 until another tab is closed",
    "MemorySessionStorage._cache with expire() and _on_remove, reached through Runtime._session_mgr._session_storage, or "
    "AppSession._fragment_storage",
    _has_expiring_sessions,
)
BROWSER_SESSIONS = Hook(
    "browser_sessions",
    "a sign-out ends one tab only, and downloads answer 404",
    "socket /_stcore/stream, address /media/ or message BackMsg.rerun_script",
    _has_socket_and_downloads,
)
FINISHED_RUNS = Hook(
    "finished_runs",
    "with 400 people a click waits 0.2 s longer, for the messages of other sessions",
    "AppSession._enqueue_forward_msg(msg), flush_browser_queue() and on_flushed_messages_sent(), or "
    "Runtime._send_message(session_info, msg)",
    _has_message_queue,
)
COMPONENT_VALUES = Hook(
    "component_values",
    "memory grows by 40 MB more a minute, until a full collection, with 60 people on sessions",
    "make_bidi_component_presenter(aggregator_id, component_id, allowed_state_keys) or SessionState._new_widget_state",
    _has_component_values,
)
_OF_REQUESTS = (HTML_HEAD, THEME, STALE_FRAGMENTS, FINISHED_RUNS, COMPONENT_VALUES)
HOOKS = (*_OF_REQUESTS, LEFT_SESSIONS, BROWSER_SESSIONS)


def middleware(*, are_on: bool = True) -> list[Middleware]:
    """Install the hooks that work; the list holds the middleware of those that change replies."""
    usable([BROWSER_SESSIONS])  # only for the log line: nothing turns it off
    works = usable(_OF_REQUESTS, are_on=are_on)
    if STALE_FRAGMENTS.name in works:
        stale_fragments.install()
    if FINISHED_RUNS.name in works:
        finished_runs.install()
    if COMPONENT_VALUES.name in works:
        component_values.install()
    added: list[Middleware] = []
    if HTML_HEAD.name in works:
        themes = theme.take() if THEME.name in works else {}
        added.append(Middleware(HtmlHead, themes=themes))
    return added


def session_dropper(*, are_on: bool = True) -> Callable[[], bool]:
    """A function that drops sessions whose tab was closed two minutes ago, and returns whether it dropped any."""
    return _drop_sessions if are_on and usable([LEFT_SESSIONS]) else lambda: False


def _drop_sessions() -> bool:
    cache = runtime.get_instance()._session_mgr._session_storage._cache  # type: ignore[attr-defined]  # noqa: SLF001
    cache._on_remove = _free_session  # noqa: SLF001 (the next closed tab drops expired sessions, too)
    return bool(cache.expire())


def _free_session(session_id: str, info: SessionInfo) -> None:
    """Free the memory of a session that leaves the storage, unless its tab has come back.

    Its objects refer to each other, and a full collection runs every five minutes: with 50 people, the sessions of 135
    closed tabs waited for it.
    """
    if runtime.get_instance()._session_mgr.is_active_session(session_id):  # noqa: SLF001
        return
    info.session.shutdown()
    info.session.session_state.clear()
    info.session._fragment_storage.clear()  # noqa: SLF001


def has_sessions() -> bool:
    """Whether a tab is connected."""
    return runtime.get_instance().state is RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED


def is_drawing() -> bool:
    """Whether any session runs a page: each run of a script has a thread, by whose name it is found."""
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


def use_config_beside(script: Path) -> None:
    """Let Streamlit find .streamlit beside `script` under uvicorn too; `streamlit run` sets the path itself."""
    if getattr(config, "_main_script_path", "") is None:  # Streamlit has no public setter
        config._main_script_path = str(script)  # noqa: SLF001
