"""The table of hooks: each use of a private part of Streamlit, with its reason, start-up check and switch.

A hook whose check fails, or that COACHBOARD_STREAMLIT_HOOKS_OFF names, is left out with one log line; the dashboard works
without any of them. `browser_sessions` protects sign-out and downloads: only the setting turns it off.
"""

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import streamlit
from streamlit import config

from coachboard.streamlit_hooks import browser_sessions, html_head, part

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.app_session import AppSession


_log = logging.getLogger(__name__)
STATIC = Path(streamlit.__file__).parent / "static"
_ALL = "all"


class Hook(NamedTuple):
    """One use of Streamlit's private parts."""

    name: str
    reason: str  # the effect without the hook
    relies_on: str  # the private part; a change of it breaks the hook
    check: Callable[[], bool]


def _has_page_head() -> bool:
    page = (STATIC / "index.html").read_bytes()
    script = page.decode().split('src="./static/js/', 1)[1].split('"', 1)[0]
    first = (STATIC / "static" / "js" / script).read_text(encoding="utf-8")
    return html_head.BEFORE in page and "BACKEND_BASE_URL" in first


def _has_session_methods() -> bool:
    session = part(_SESSION)
    sent, asked = inspect.signature(session._enqueue_forward_msg), inspect.signature(session.request_rerun)  # noqa: SLF001
    return list(sent.parameters)[1:] == ["msg"] and list(asked.parameters)[1:] == ["client_state"]


def _has_socket_and_downloads() -> bool:
    routes = "streamlit.web.server.starlette"
    socket = f"/{part(f'{routes}.starlette_websocket:_ROUTE_WEBSOCKET_STREAM')}"
    downloads = f"/{part(f'{routes}.starlette_routes:BASE_ROUTE_MEDIA')}/"
    are_same = (socket, downloads) == (browser_sessions.STREAM, browser_sessions.MEDIA)
    return are_same and "rerun_script" in part(
        "streamlit.proto.BackMsg_pb2:BackMsg.DESCRIPTOR.fields_by_name"
    )


def _has_open_sessions() -> bool:
    asked = inspect.signature(part("streamlit.runtime:Runtime.is_active_session"))
    return list(asked.parameters)[1:] == ["session_id"] and callable(part(_CONTEXT))


def _has_theme_entry() -> bool:
    scripts = (STATIC / "static" / "js").glob("*.js")
    return any(b"stActiveTheme-" in script.read_bytes() for script in scripts)


def _has_config_folder() -> bool:
    return hasattr(config, "_main_script_path")


_SESSION = "streamlit.runtime.app_session:AppSession"
_CONTEXT = "streamlit.runtime.scriptrunner:get_script_run_ctx"
HTML_HEAD = Hook(
    "html_head",
    "a page opens 40 to 90 ms later (a health check under its own address), and phones get the columns of a wide window",
    'script tag `<script type="module"` in index.html, or name BACKEND_BASE_URL',
    _has_page_head,
)
STALE_FRAGMENTS = Hook(
    "stale_fragments",
    "a fragment of a page that the user has left can bring that page back, empty",
    "AppSession.request_rerun(client_state) and AppSession._enqueue_forward_msg(msg)",
    _has_session_methods,
)
BROWSER_SESSIONS = Hook(
    "browser_sessions",
    "a sign-out ends one tab only, and downloads answer 404",
    "socket /_stcore/stream, address /media/ or message BackMsg.rerun_script",
    _has_socket_and_downloads,
)
OPEN_TABS = Hook(
    "open_tabs",
    "the client of a closed tab stays open until another tab is closed",
    "Runtime.is_active_session(session_id)",
    _has_open_sessions,
)
THEME_ENTRY = Hook(
    "theme_entry",
    "Settings has no choice of the theme, which follows the system",
    "entry stActiveTheme-PATH-v2 of localStorage",
    _has_theme_entry,
)
CONFIG_FOLDER = Hook(
    "config_folder",
    "uvicorn finds .streamlit/config.toml only if it starts in its folder",
    "config._main_script_path",
    _has_config_folder,
)
HOOKS = (HTML_HEAD, STALE_FRAGMENTS, BROWSER_SESSIONS, OPEN_TABS, THEME_ENTRY, CONFIG_FOLDER)

_on = frozenset(hook.name for hook in HOOKS)


def start(*, off: str = "") -> None:
    """Check each hook and install those that work; `off` holds names, comma-separated, or `all`."""
    global _on  # noqa: PLW0603 (decided once, at start-up)
    names = {name.strip() for name in off.split(",") if name.strip()}
    all_names = [_ALL, *(hook.name for hook in HOOKS)]
    for name in sorted(names.difference(all_names)):
        _log.warning("COACHBOARD_STREAMLIT_HOOKS_OFF: no hook %s; there are %s", name, ", ".join(all_names))
    _on = frozenset(hook.name for hook in HOOKS if not _is_off(hook, names) and _stays(hook))
    if is_on(STALE_FRAGMENTS):
        drop_stale_fragments(part(_SESSION))


def is_on(hook: Hook) -> bool:
    """Whether the hook works with the installed Streamlit and no setting turned it off."""
    return hook.name in _on


def _is_off(hook: Hook, names: set[str]) -> bool:
    is_off = not names.isdisjoint({_ALL, hook.name})
    if is_off:
        without = "a sign-out ends one tab only, and anybody with its address can read a download"
        reason = without if hook is BROWSER_SESSIONS else hook.reason
        _log.warning("%s is off by COACHBOARD_STREAMLIT_HOOKS_OFF (%s)", hook.name, reason)
    return is_off


def _stays(hook: Hook) -> bool:
    try:
        works = hook.check()
    except (AttributeError, ImportError, LookupError, OSError, TypeError, ValueError):
        works = False
    if not works:
        version = streamlit.__version__
        _log.warning(
            "Streamlit %s has no %s: %s is off (%s)", version, hook.relies_on, hook.name, hook.reason
        )
    return works or hook is BROWSER_SESSIONS  # without it, downloads would be open: it closes them instead


def use_config_beside(script: Path) -> None:
    """Let Streamlit find .streamlit beside `script` under uvicorn too; `streamlit run` sets the path itself."""
    if is_on(CONFIG_FOLDER) and config._main_script_path is None:  # noqa: SLF001
        config._main_script_path = str(script)  # noqa: SLF001


def own_tab() -> Callable[[], bool]:
    """A function that answers whether the tab of the running script is connected; for use at any time, in any thread."""
    context = part(_CONTEXT)() if is_on(OPEN_TABS) else None
    if context is None:
        return lambda: True
    runtime, session_id = part("streamlit.runtime:get_instance")(), context.session_id
    return lambda: bool(runtime.is_active_session(session_id))


def theme_entry() -> str | None:
    """The entry of localStorage that holds the chosen theme of the page at PATH; None if this Streamlit has another one."""
    return "stActiveTheme-PATH-v2" if is_on(THEME_ENTRY) else None


_NAME_A_PAGE = ("new_session", "navigation")
_pages: "WeakKeyDictionary[AppSession, str]" = WeakKeyDictionary()
"""The current page of each browser session: the last page that the browser asked for or was sent."""


def drop_stale_fragments(session: Any) -> None:
    """Wrap the two methods of Streamlit's session class through which requests and messages to the browser pass.

    Streamlit may rerun a fragment of a page that the user has left: the rerun was sent before the browser had the new
    page. Streamlit then runs the new page first and the old page after it, empty. It happens when a lazy section comes
    into view, or a `run_every` ticks, at the moment of a step back.
    """
    if not hasattr(session.request_rerun, "__wrapped__"):
        session.request_rerun = _dropping(session.request_rerun)
        session._enqueue_forward_msg = _noting(session._enqueue_forward_msg)  # noqa: SLF001


def _dropping(request_rerun: Any) -> Any:
    @wraps(request_rerun)
    def request(session: "AppSession", client_state: "ClientState | None") -> None:
        if client_state is None or not _is_stale(session, client_state):
            request_rerun(session, client_state)

    return request


def _is_stale(session: "AppSession", client_state: "ClientState") -> bool:
    page, current = client_state.page_script_hash, _pages.get(session, "")
    if client_state.fragment_id:
        return bool(page and current and page != current)
    # A first request names its page by address; the messages to the browser name the page.
    _pages[session] = page or current
    return False


def _noting(enqueue_forward_msg: Any) -> Any:
    @wraps(enqueue_forward_msg)
    def enqueue(session: "AppSession", msg: "ForwardMsg") -> None:
        # Streamlit starts a deep link as the default page; st.navigation then names the page of the address.
        # A script can lead on to another page with st.switch_page, without a request of the browser.
        kind = msg.WhichOneof("type")
        if kind in _NAME_A_PAGE:
            _pages[session] = getattr(msg, kind).page_script_hash
        enqueue_forward_msg(session, msg)

    return enqueue
