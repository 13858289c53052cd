"""Keys of browser sessions are found by the name in the cookie and deleted with the session."""

from pydantic import SecretStr

from coachboard.server.session_keys import IDLE_S, TICKET_S, SessionKeys

KEY = SecretStr("secret-key")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_key_is_found_by_its_name():
    vault = SessionKeys()
    name, _ = vault.keep(KEY)

    assert vault.key_of(name) == KEY
    assert vault.key_of("another") is None
    assert vault.key_of(None) is None


def test_a_ticket_gives_the_name_once():
    vault = SessionKeys()
    name, ticket = vault.keep(KEY)

    assert [vault.redeem(ticket), vault.redeem(ticket)] == [name, None]


def test_a_late_ticket_gives_nothing():
    clock = Clock()
    vault = SessionKeys(clock)
    _, ticket = vault.keep(KEY)
    clock.now = TICKET_S + 1

    assert vault.redeem(ticket) is None


def test_signing_out_deletes_the_key():
    vault = SessionKeys()
    name, ticket = vault.keep(KEY)

    vault.forget(name)

    assert vault.key_of(name) is None
    assert vault.redeem(ticket) is None


def test_a_key_is_deleted_after_half_a_day_without_use():
    clock = Clock()
    vault = SessionKeys(clock)
    name, _ = vault.keep(KEY)
    clock.now = IDLE_S - 1
    assert vault.key_of(name) == KEY

    clock.now = 2 * IDLE_S
    assert vault.key_of(name) is None


def test_names_contain_no_part_of_the_key():
    name, ticket = SessionKeys().keep(KEY)

    assert "secret" not in name + ticket
    assert len(name) >= 40
