"""Drop reruns of fragments of a page that the user has left.

Streamlit may rerun a fragment of a page that the user has left: the rerun was sent before the browser had the new
page. Streamlit then runs the new page first and the old page after it, empty. It happens when a lazy section comes into
view, or a `run_every` ticks, at the moment of a step back.
"""

from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.app_session import AppSession

_NAME_A_PAGE = ("new_session", "navigation")
_pages: "WeakKeyDictionary[AppSession, str]" = WeakKeyDictionary()
"""The current page of each browser session: the last page that the browser asked for or was sent."""


def install(session: Any) -> None:
    """Wrap the two methods of Streamlit's session class through which requests and messages to the browser pass."""
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
