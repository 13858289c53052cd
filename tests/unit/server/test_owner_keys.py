"""Keys of the people who use this computer's store: one per person, readable by the user account alone."""

import stat
from contextlib import closing

import pytest

from coachboard.server.sign_in_links import owner_key, read_key
from coachboard.service.store import NewUser, Store
from coachboard.service.store.keys import digest_of


@pytest.fixture
def store(tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'coachboard.db'}")) as opened:
        opened.add_user(NewUser(id="usr_ada", first_name="Ada"))
        yield opened


def test_the_store_accepts_the_key_and_a_second_start_finds_it(store, tmp_path):
    key = owner_key(tmp_path, store, "usr_ada")

    assert store.caller(digest_of(key.get_secret_value())).user_id == "usr_ada"
    assert owner_key(tmp_path, store, "usr_ada") == key == read_key(tmp_path, "usr_ada")
    assert len(store.keys()) == 1


def test_only_the_user_account_can_read_the_file(store, tmp_path):
    owner_key(tmp_path, store, "usr_ada")
    folder = tmp_path / "keys"

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "usr_ada").stat().st_mode) == 0o600


def test_a_revoked_key_is_replaced(store, tmp_path):
    key = owner_key(tmp_path, store, "usr_ada")
    store.revoke_key(store.keys()[0].id)

    replaced = owner_key(tmp_path, store, "usr_ada")

    assert replaced != key
    assert store.caller(digest_of(replaced.get_secret_value())) is not None


def test_no_file_outside_the_folder_is_read(tmp_path):
    (tmp_path / "keys").mkdir()
    (tmp_path / "other").write_text("secret", encoding="ascii")

    assert read_key(tmp_path, "../other") is None
