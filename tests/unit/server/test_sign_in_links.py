"""A sign-in link works once, for a short time, for the user who can read the key file."""

from base64 import urlsafe_b64encode
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from coachboard.server.session_keys import SessionKeys
from coachboard.server.sign_in_links import VALID_S, Links, link, owner_key
from coachboard.service.store import NewUser, Store


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


class Computer:
    """A data folder with one person, and the running dashboard over it."""

    def __init__(self, folder):
        self.clock, self.folder = Clock(), folder
        with closing(Store.open(f"sqlite:///{folder / 'coachboard.db'}")) as store:
            self.user_id = store.add_user(NewUser(first_name="Ada"))
            self.key = owner_key(folder, store, self.user_id)
        self.restart()

    def restart(self):
        self.links = Links(self.folder, keys=SessionKeys(), clock=self.clock)

    def token(self, *, key=None):
        made = link(key or self.key, self.user_id, "activity", clock=self.clock)
        return parse_qs(urlsplit(made).query)["token"][0]


@pytest.fixture
def computer(tmp_path):
    return Computer(tmp_path)


def test_a_link_signs_in_once(computer):
    token = computer.token()

    asked, key = computer.links.accept(token)

    assert (asked.user_id, asked.page, key) == (computer.user_id, "activity", computer.key)
    assert computer.links.accept(token) is None


def test_a_link_does_not_contain_the_key(computer):
    assert computer.key.get_secret_value() not in link(computer.key, computer.user_id, "")


def test_a_link_of_another_key_is_rejected(computer):
    assert computer.links.accept(computer.token(key=SecretStr("guessed"))) is None


def test_a_changed_link_is_rejected(computer):
    message, _, signature = computer.token().partition(".")
    other, _, _ = link(computer.key, computer.user_id, "elsewhere").partition("token=")[2].partition(".")

    assert computer.links.accept(f"{other}.{signature}") is None
    assert computer.links.accept(f"{message}.") is None


_NOT_UTF_8 = urlsafe_b64encode(b'{"user_id":"\xff"}').decode()
_DEEP = urlsafe_b64encode(b'{"x":' + b"[" * 40_000).decode()


@pytest.mark.parametrize(
    "token",
    ["", ".", "x", "!!!.???", "e30.e30", "bnVsbA.bnVsbA", "é.é", f"{_NOT_UTF_8}.x", f"{_DEEP}.x"],
)
def test_text_that_is_no_link_is_rejected(computer, token):
    assert computer.links.accept(token) is None


def test_a_link_that_names_another_file_is_rejected(computer):
    (computer.folder / "secret").write_text("secret", encoding="ascii")
    made = link(SecretStr("secret"), "../secret", "", clock=computer.clock)

    assert computer.links.accept(made.partition("token=")[2]) is None


def test_a_link_expires(computer):
    token = computer.token()
    computer.clock.now += VALID_S + 1

    assert computer.links.accept(token) is None


def test_a_link_of_an_earlier_process_is_rejected(computer):
    token = computer.token()
    computer.clock.now += 1
    computer.restart()

    assert computer.links.accept(token) is None
