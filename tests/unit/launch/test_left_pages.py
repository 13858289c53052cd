"""What a left page's fragment still reports is not passed on; everything else is, and in its order."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from coachboard.launch.left_pages import LeftPages


def asked(page, *, fragment="", name=""):
    """What a browser sends for a run of a page, or of a fragment of it."""
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.page_name = name
    message.rerun_script.fragment_id = fragment
    return message.SerializeToString()


def begun(page):
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    return message.SerializeToString()


def moved(page):
    message = ForwardMsg()
    message.navigation.page_script_hash = page
    return message.SerializeToString()


def drawn():
    message = ForwardMsg()
    message.delta.new_element.markdown.body = "a line"
    return message.SerializeToString()


@pytest.fixture
def passed_on():
    """What reaches the server of what a browser says; to a frame in `answers` it sends what stands there."""

    def reach(*said, answers=None):
        frames, reached = iter(said), []

        async def from_browser():
            frame = next(frames, None)
            return (
                {"type": "websocket.receive", "bytes": frame} if frame else {"type": "websocket.disconnect"}
            )

        async def to_browser(message):
            assert message["type"] == "websocket.send"

        async def server(_scope, receive, send):
            while (message := await receive())["type"] == "websocket.receive":
                reached.append(message["bytes"])
                for answer in (answers or {}).get(message["bytes"], ()):
                    await send({"type": "websocket.send", "bytes": answer})

        scope = {"type": "websocket", "path": "/_stcore/stream"}
        asyncio.run(LeftPages(server)(scope, from_browser, to_browser))
        return reached

    return reach


def test_a_fragment_of_the_page_shown_is_passed_on(passed_on):
    said = asked("one"), asked("one", fragment="a"), asked("one", fragment="b")

    assert passed_on(*said) == [*said]


def test_a_fragment_of_a_page_that_was_left_is_not(passed_on):
    said = asked("one"), asked("two"), asked("one", fragment="a"), asked("two", fragment="b")

    assert passed_on(*said) == [said[0], said[1], said[3]]


def test_a_page_that_the_reader_comes_back_to_speaks_again(passed_on):
    said = asked("one"), asked("two"), asked("one"), asked("one", fragment="a")

    assert passed_on(*said) == [*said]


@pytest.mark.parametrize("sent", [begun, moved])
def test_the_page_is_the_one_that_the_server_last_sent(passed_on, sent):
    """It answers an address with the page that stands there, and may lead on to another."""
    first, of_other, of_shown = (
        asked("", name="athlete"),
        asked("two", fragment="a"),
        asked("one", fragment="b"),
    )

    assert passed_on(first, of_other, of_shown, answers={first: [drawn(), sent("one"), drawn()]}) == [
        first,
        of_shown,
    ]


def test_a_server_that_leads_back_is_followed(passed_on):
    said = asked("one"), asked("two"), asked("one", fragment="a")

    assert passed_on(*said, answers={said[1]: [begun("two"), begun("one")]}) == [*said]


def test_before_a_page_is_known_everything_is_passed_on(passed_on):
    said = asked("one", fragment="a"), b"\xff\xff", BackMsg(app_heartbeat=True).SerializeToString()

    assert passed_on(*said) == [*said]
