"""Streamlit reruns no fragment of a page that the user has left, and every other fragment."""

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from coachboard.streamlit_hooks import hooks


def started(page):
    """Streamlit's message that a run of the page begins."""
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    return message


def navigated(page):
    """Streamlit's message that st.navigation sends: the page of the address."""
    message = ForwardMsg()
    message.navigation.page_script_hash = page
    return message


class Session:
    """A session that records the reruns that reach it, with the methods of Streamlit's that the hook wraps."""

    def __init__(self):
        self.reruns, self.sent = [], []

    def request_rerun(self, client_state):
        self.reruns.append(client_state)

    def _enqueue_forward_msg(self, msg):
        self.sent.append(msg)

    def send(self, msg):
        self._enqueue_forward_msg(msg)


hooks.drop_stale_fragments(Session)


@pytest.fixture
def session():
    return Session()


def asked(session, page, fragment=""):
    """Whether the request reached the session."""
    before = len(session.reruns)
    session.request_rerun(ClientState(page_script_hash=page, fragment_id=fragment))
    return len(session.reruns) > before


def test_fragments_of_the_page_shown_run(session):
    assert [asked(session, "one"), asked(session, "one", "a"), asked(session, "one", "b")] == [True] * 3


def test_a_fragment_of_a_page_that_the_user_left_does_not_run(session):
    asked(session, "one")
    asked(session, "two")

    assert not asked(session, "one", "a")
    assert asked(session, "two", "b")


def test_a_page_that_the_user_returns_to_runs_its_fragments(session):
    for page in ("one", "two", "one"):
        asked(session, page)

    assert asked(session, "one", "a")


def test_the_page_that_streamlit_starts_is_the_page_shown(session):
    """An address has no hash; and a script can lead on to another page, and back."""
    asked(session, "")
    session.send(started("one"))
    assert asked(session, "one", "a")
    assert not asked(session, "two", "a")

    session.send(started("two"))
    assert asked(session, "two", "a")


def test_fragments_of_a_deep_link_run(session):
    """Streamlit starts the default page before st.navigation has resolved the address: no drag selected anything."""
    asked(session, "")
    session.send(started("default"))
    session.send(navigated("of the link"))

    assert asked(session, "of the link", "a")
    assert [message.WhichOneof("type") for message in session.sent] == ["new_session", "navigation"]


def test_before_a_page_is_known_every_fragment_runs(session):
    assert asked(session, "one", "a")
    session.request_rerun(None)
    assert session.reruns[-1] is None
