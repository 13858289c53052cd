"""`coachboard open` adds the person of this computer at its first start and opens their data."""

from contextlib import closing
from datetime import date

import click
import pytest

from coachboard.server.open_command import person_id
from coachboard.service.store import NewUser, Store


@pytest.fixture
def store(tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'coachboard.db'}")) as opened:
        yield opened


def names(store):
    return [(user.first_name, user.last_name) for user in store.users()]


def test_the_first_start_adds_the_person(store):
    made = person_id(store, "Ada Maria Okafor")

    assert names(store) == [("Ada", "Maria Okafor")]
    assert person_id(store, None) == person_id(store, "ada maria okafor") == made


def test_without_a_name_the_person_has_the_name_of_the_user_account(store, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ada")

    person_id(store, None)

    assert names(store) == [("Ada", None)]


def test_a_name_given_later_renames_the_one_person_and_keeps_the_rest(store):
    store.add_user(NewUser(id="usr_ada", first_name="Root", date_of_birth=date(1990, 5, 17)))

    assert person_id(store, "Ada Okafor") == "usr_ada"
    assert names(store) == [("Ada", "Okafor")]
    assert store.users()[0].date_of_birth == date(1990, 5, 17)


@pytest.mark.parametrize("name", [None, "Cy"])
def test_several_people_are_named_for_a_choice(store, name):
    for first in ("Ada", "Ben"):
        store.add_user(NewUser(first_name=first))

    with pytest.raises(click.ClickException, match="choose one with --name: Ada, Ben"):
        person_id(store, name)
