"""The messages of a run are sent when it has ended, in their order, and not after those of all other sessions."""

import asyncio
from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.session_manager import SessionClientDisconnectedError

from coachboard.streamlit_hooks import finished_runs

END = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)


def delta(number):
    message = ForwardMsg()
    message.metadata.delta_path.append(number)
    message.delta.new_element.text.body = str(number)
    return message


class Tab:
    """A real session, and the messages that reach its browser."""

    def __init__(self, monkeypatch, *, is_open=True, fails=False):
        parts = {"uploaded_file_manager": MemoryUploadedFileManager("/upload"), "script_cache": ScriptCache()}
        self.session = AppSession(ScriptData(__file__), message_enqueued_callback=None, user_info={}, **parts)
        self.sent, self.disconnected, self._fails = [], 0, fails
        info = SimpleNamespace(session=self.session, client=None)
        found = SimpleNamespace(
            _session_mgr=SimpleNamespace(get_active_session_info=lambda _: info if is_open else None),
            _send_message=lambda _, message: self._send(message),
            disconnect_session=self._disconnect,
        )
        monkeypatch.setattr(runtime, "get_instance", lambda: found)

    def _send(self, message):
        if self._fails:
            raise SessionClientDisconnectedError
        kind = message.WhichOneof("type")
        self.sent.append(message.delta.new_element.text.body if kind == "delta" else kind)

    def _disconnect(self, session_id, *, client):
        self.disconnected += 1

    def write(self, *messages):
        for message in messages:
            self.session._enqueue_forward_msg(message)

    async def loop_turn(self):
        """Streamlit's loop: a turn of the event loop after each message."""
        for message in self.session.flush_browser_queue():
            self._send(message)
            await asyncio.sleep(0)
        self.session.on_flushed_messages_sent()


@pytest.fixture
def tab(monkeypatch):
    for name in ("_enqueue_forward_msg", "flush_browser_queue", "on_flushed_messages_sent"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))  # restored after the test
    finished_runs.install()
    return lambda **how: Tab(monkeypatch, **how)


def run(tab, script, **how):
    async def running():
        opened = tab(**how)
        await script(opened)
        return opened

    return asyncio.run(running())


def test_the_end_of_a_run_sends_its_messages(tab):
    async def script(opened):
        opened.write(delta(1), delta(2))
        await asyncio.sleep(0)
        assert opened.sent == []
        opened.write(END, ForwardMsg(session_status_changed={}))
        await asyncio.sleep(0)

    assert run(tab, script).sent == ["1", "2", "script_finished", "session_status_changed"]


def test_no_message_overtakes_those_that_streamlits_loop_is_sending(tab):
    async def script(opened):
        opened.write(*map(delta, range(3)))
        turn = asyncio.create_task(opened.loop_turn())
        await asyncio.sleep(0)
        assert opened.sent == ["0"]
        opened.write(delta(3), END)
        await turn
        assert opened.sent == ["0", "1", "2", "3", "script_finished"]
        opened.write(delta(4), END)
        await asyncio.sleep(0)

    assert run(tab, script).sent[-2:] == ["4", "script_finished"]


def test_messages_that_streamlits_loop_has_sent_are_not_sent_again(tab):
    async def script(opened):
        opened.write(delta(1), END)
        await opened.loop_turn()
        await asyncio.sleep(0)

    assert run(tab, script).sent == ["1", "script_finished"]


@pytest.mark.parametrize(("count", "is_sent"), [(249, True), (250, False)])
def test_many_messages_are_left_to_the_loop_and_its_turns(tab, count, is_sent):
    """Streamlit closes a connection with 500 messages in its queue."""

    async def script(opened):
        opened.write(*map(delta, range(count)), END)
        await asyncio.sleep(0)
        assert bool(opened.sent) is is_sent
        await opened.loop_turn()

    assert run(tab, script).sent == [*map(str, range(count)), "script_finished"]


def test_messages_of_a_closed_tab_stay_for_its_return(tab):
    async def script(opened):
        opened.write(delta(1), END)
        await asyncio.sleep(0)

    opened = run(tab, script, is_open=False)
    assert opened.sent == []
    assert len(opened.session._browser_queue) == 2


def test_a_run_that_ends_for_the_next_one_leaves_its_messages_to_it(tab):
    async def script(opened):
        opened.write(delta(1), ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN))
        await asyncio.sleep(0)
        assert opened.sent == []
        opened.write(END)
        await asyncio.sleep(0)

    assert run(tab, script).sent == ["1", "script_finished", "script_finished"]


def test_a_tab_that_is_gone_is_disconnected_once(tab):
    async def script(opened):
        opened.write(delta(1), delta(2), END)
        await asyncio.sleep(0)

    assert run(tab, script, fails=True).disconnected == 1


def test_a_session_that_waits_for_delivery_is_settled(tab):
    async def script(opened):
        opened.session.track_settling()
        opened.session._settled.clear()
        opened.session._settle_pending = True
        opened.write(delta(1), END)
        await asyncio.sleep(0)
        assert opened.session.is_settled

    run(tab, script)
