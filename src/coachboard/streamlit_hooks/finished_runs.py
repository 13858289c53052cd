"""Send the messages of a run as soon as the run has ended.

Streamlit sends the messages of all sessions in one loop, with a turn of the event loop after each message. With 400 people
the messages of a run of 11 ms waited 218 ms (p95) for that loop. All functions run in the event loop's thread.
"""

import asyncio
from functools import wraps
from typing import Any
from weakref import WeakSet

from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionClientDisconnectedError

_MOST_MESSAGES = 250
"""Half of Streamlit's queue to a browser, which closes the connection when it is full."""

_in_loop: WeakSet[AppSession] = WeakSet()
"""Sessions of which Streamlit's loop is sending messages: later messages must not overtake them."""
_ended: WeakSet[AppSession] = WeakSet()
"""Sessions with a run that has ended and whose messages are still to be sent."""


def install() -> None:
    """Wrap the three methods of Streamlit's session through which its messages pass."""
    if not hasattr(AppSession.flush_browser_queue, "__wrapped__"):
        AppSession._enqueue_forward_msg = _noting_ends(AppSession._enqueue_forward_msg)  # type: ignore[method-assign]  # noqa: SLF001
        AppSession.flush_browser_queue = _taking(AppSession.flush_browser_queue)  # type: ignore[method-assign]
        AppSession.on_flushed_messages_sent = _sent(AppSession.on_flushed_messages_sent)  # type: ignore[method-assign]


def _noting_ends(enqueue_forward_msg: Any) -> Any:
    @wraps(enqueue_forward_msg)
    def enqueue(session: AppSession, msg: ForwardMsg) -> None:
        enqueue_forward_msg(session, msg)
        # A run that ends for the next one leaves its messages, which that run may replace.
        is_end = msg.WhichOneof("type") == "script_finished"
        if is_end and msg.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            _ended.add(session)
            # Soon: the message that no script is running follows in the same turn of the event loop.
            asyncio.get_running_loop().call_soon(_send, session)

    return enqueue


def _taking(flush_browser_queue: Any) -> Any:
    @wraps(flush_browser_queue)
    def take(session: AppSession) -> list[ForwardMsg]:
        messages: list[ForwardMsg] = flush_browser_queue(session)
        if messages:
            _in_loop.add(session)
        return messages

    return take


def _sent(on_flushed_messages_sent: Any) -> Any:
    @wraps(on_flushed_messages_sent)
    def sent(session: AppSession) -> None:
        on_flushed_messages_sent(session)
        _in_loop.discard(session)
        _send(session)

    return sent


def _send(session: AppSession) -> None:
    if session in _in_loop or session not in _ended:
        return
    _ended.discard(session)
    manager = runtime.get_instance()
    info = manager._session_mgr.get_active_session_info(session.id)  # noqa: SLF001
    if info is None or len(session._browser_queue) > _MOST_MESSAGES:  # noqa: SLF001
        return  # Streamlit keeps the messages of a closed tab, and its loop sends many messages in turns
    try:
        for message in session._browser_queue.flush():  # noqa: SLF001
            manager._send_message(info, message)  # noqa: SLF001
    except SessionClientDisconnectedError:
        manager.disconnect_session(session.id, client=info.client)
    session.on_flushed_messages_sent()
