"""The table of hooks, and the middleware of those that work with the installed Streamlit."""

import inspect
from collections.abc import Callable
from pathlib import Path

from starlette.middleware import Middleware
from streamlit import config, runtime
from streamlit.runtime import RuntimeState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from coachboard.streamlit_hooks import (
    SCRIPTS,
    STATIC,
    Hook,
    entry_source,
    html_head,
    page_scripts,
    stale_fragments,
    theme,
    usable,
)
from coachboard.streamlit_hooks.html_head import HtmlHead
from coachboard.streamlit_hooks.preload_headers import PreloadHeaders


def _has_page_head() -> bool:
    page = (STATIC / "index.html").read_bytes()
    return html_head.BEFORE in page and "BACKEND_BASE_URL" in entry_source()


def _has_theme_names() -> bool:
    return "LIGHT_THEME" in entry_source() and bool(config.get_options_for_section("theme.light"))


def _has_element_scripts() -> bool:
    elements = {name for names in page_scripts.ELEMENTS.values() for name in names}
    return all(any(SCRIPTS.glob(f"{name}.*.js")) for name in elements)


def _has_session_methods() -> bool:
    sent = inspect.signature(AppSession._enqueue_forward_msg)  # noqa: SLF001
    asked = inspect.signature(AppSession.request_rerun)
    return list(sent.parameters)[1:] == ["msg"] and list(asked.parameters)[1:] == ["client_state"]


def _has_expiring_sessions() -> bool:
    manager = inspect.signature(WebsocketSessionManager)
    return callable(MemorySessionStorage()._cache.expire) and "session_storage" in manager.parameters  # type: ignore[attr-defined]  # noqa: SLF001


HTML_HEAD = Hook(
    "html_head",
    "a page waits 100 ms for a health check under its own address, and phones get the columns of a wide window",
    'script tag `<script type="module"` in index.html, or name BACKEND_BASE_URL',
    _has_page_head,
)
THEME = Hook(
    "theme",
    "a page is drawn twice, first in Streamlit's colours: 100 of 790 ms",
    "theme name LIGHT_THEME",
    _has_theme_names,
)
PRELOAD_HEADERS = Hook(
    "preload_headers",
    "a first visit loads the scripts of a page one after the other",
    "script files named after elements",
    _has_element_scripts,
)
STALE_FRAGMENTS = Hook(
    "stale_fragments",
    "a fragment of a page that the user has left can bring that page back, empty",
    "AppSession.request_rerun(client_state) and AppSession._enqueue_forward_msg(msg)",
    _has_session_methods,
)
LEFT_SESSIONS = Hook(
    "left_sessions",
    "the sessions of the last tabs that were closed stay in memory until another tab is closed, at most 128",
    "MemorySessionStorage._cache with expire(), reached through Runtime._session_mgr._session_storage",
    _has_expiring_sessions,
)
_OF_REQUESTS = (HTML_HEAD, THEME, PRELOAD_HEADERS, STALE_FRAGMENTS)
HOOKS = (*_OF_REQUESTS, LEFT_SESSIONS)


def middleware(*, chart_script: str, are_on: bool = True) -> list[Middleware]:
    """Install the hooks that work; the list holds the middleware of those that change replies."""
    works = usable(_OF_REQUESTS, are_on=are_on)
    if STALE_FRAGMENTS.name in works:
        stale_fragments.install()
    added: list[Middleware] = []
    if PRELOAD_HEADERS.name in works:
        added.append(
            Middleware(PreloadHeaders, by_page=page_scripts.scripts_by_page(chart_script=chart_script))
        )
    if HTML_HEAD.name in works:
        themes = theme.take() if THEME.name in works else {}
        added.append(Middleware(HtmlHead, themes=themes))
    return added


def session_dropper(*, are_on: bool = True) -> Callable[[], bool]:
    """A function that drops sessions whose tab was closed two minutes ago; whether there were any."""
    return _drop_sessions if are_on and usable([LEFT_SESSIONS]) else lambda: False


def _drop_sessions() -> bool:
    cache = runtime.get_instance()._session_mgr._session_storage._cache  # type: ignore[attr-defined]  # noqa: SLF001
    expired = [info.session for _, info in cache.expire()]
    for session in expired:
        session.shutdown()
        session.session_state.clear()  # Streamlit's loop holds the last session until another tab is opened
    return bool(expired)


def has_sessions() -> bool:
    """Whether a tab is connected."""
    return runtime.get_instance().state is RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED


def use_config_beside(script: Path) -> None:
    """Let Streamlit find .streamlit beside `script` under uvicorn too; `streamlit run` sets the path itself."""
    if getattr(config, "_main_script_path", "") is None:  # Streamlit has no public setter
        config._main_script_path = str(script)  # noqa: SLF001
