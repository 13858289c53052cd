"""Invitations on the command line: list, revoke, redeem, and the people of a CSV file."""

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from click.testing import CliRunner

import seeded
from coachboard.service.invitations.commands import invitations
from coachboard.service.store import PendingInvitation
from coachboard.service.store.keys import digest_of

NOW = datetime.now(UTC)


@pytest.fixture
def squad(store, store_url, tmp_path, monkeypatch):
    """A store with a squad; mails go to the folder `outbox`."""
    seeded.seed(store)
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    monkeypatch.setenv("COACHBOARD_PUBLIC_URL", "https://club.example")
    return store


@pytest.fixture
def run(squad, store_url):
    def invoke(name, *words, stdin=None):
        return CliRunner().invoke(invitations, [name, "--db", store_url, *map(str, words)], input=stdin)

    return invoke


@pytest.fixture
def code(squad):
    return invited(squad, "eva@example.org").code


def invited(store, email, *, days=7):
    asked = PendingInvitation(
        seeded.SQUAD, email, email, "athlete", NOW, NOW + timedelta(days=days), seeded.COACH
    )
    return store.invite(asked)


def mails(tmp_path):
    found = [
        message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in (tmp_path / "outbox").glob("*.eml")
    ]
    return {mail["To"]: mail.get_content() for mail in found}


def test_the_list_has_states_and_no_code(run, squad, code):
    late = invited(squad, "late@example.org", days=-1)
    used = invited(squad, "used@example.org")
    squad.join_by_invitation(used.code, seeded.STRANGER, NOW)
    result = run("list")

    rows = {row.split("\t")[2]: row.split("\t") for row in result.stdout.splitlines()}
    assert {email: row[4] for email, row in rows.items()} == {
        "eva@example.org": "pending",
        "late@example.org": "expired",
        "used@example.org": "used",
    }
    assert rows["eva@example.org"][1::5] == [seeded.SQUAD, "Carla Coach"]
    assert run("list", "--workspace", seeded.CLUB).stdout == ""
    assert all(secret not in result.output for secret in (code, late.code, used.code))


def test_a_revoked_invitation_is_invalid(run, squad, code):
    (row,) = run("list").stdout.splitlines()
    invitation_id = row.split("\t")[0]

    assert run("revoke", invitation_id).exit_code == 0
    assert squad.invitation(code, NOW) is None
    assert run("revoke", invitation_id).stderr == f"Error: no such unused invitation: {invitation_id}\n"


def test_a_new_person_redeems_and_gets_id_and_key(run, squad, code):
    result = run("redeem", "--first-name", "Eva", "--date-of-birth", "1999-12-31", stdin=f"{code}\n")
    user_id, key = result.stdout.strip().split("\t")

    caller = squad.caller(digest_of(key))
    assert caller is not None
    assert caller.user_id == user_id
    assert squad.role_in(seeded.SQUAD, user_id) == "athlete"
    again = run("redeem", "--first-name", "Eva", stdin=f"{code}\n")
    assert (again.exit_code, again.stderr) == (1, "Error: this invitation has been used\n")


def test_an_existing_person_redeems(run, squad, code):
    assert run("redeem", "--user", "Stran Ger", stdin=code).exit_code == 0
    assert squad.role_in(seeded.SQUAD, seeded.STRANGER) == "athlete"


@pytest.mark.parametrize(
    ("words", "stdin", "fault"),
    [
        ([], "x", "give --first-name"),
        (["--first-name", "Eva"], "x", "code is not valid"),
        (["--first-name", "Eva"], "", "code is not valid"),
    ],
)
def test_a_wrong_code_is_one_line(run, words, stdin, fault):
    result = run("redeem", *words, stdin=stdin)

    assert result.exit_code != 0
    assert fault in result.stderr


def test_a_member_keeps_the_role(run, squad, code):
    assert "is already coach of wke_squad" in run("redeem", "--user", seeded.COACH, stdin=code).stderr
    assert squad.invitation(code, NOW).state == "pending"


def test_a_file_is_checked_first_and_then_sent(run, squad, code, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(
        "\ufeffName;Email;Role\nEva;EVA@example.org;\nBen;ben@example.org;Coach\n", encoding="utf-8"
    )
    words = (file, "--workspace", seeded.SQUAD, "--by", "Carla Coach")
    tried = run("enrol", *words, "--dry-run")

    assert tried.stdout.splitlines() == [
        "EVA@example.org\tathlete\twould be extended",
        "ben@example.org\tcoach\twould be invited",
    ]
    assert tried.stderr == "Dry run: 2 invitations, nothing sent.\n"
    assert mails(tmp_path) == {}
    assert len(squad.invitations(None, NOW)) == 1

    done = run("enrol", *words)
    assert done.stdout.splitlines() == [
        "EVA@example.org\tathlete\textended",
        "ben@example.org\tcoach\tinvited",
    ]
    sent = mails(tmp_path)
    assert set(sent) == {"eva@example.org", "ben@example.org"}
    assert f"https://club.example/invitation#code={code}" in sent["eva@example.org"]
    assert "Carla Coach invites you to the workspace Squad as coach." in sent["ben@example.org"]
    assert code not in done.output


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name\nEva\n", "no column 'email' in the first line"),
        ("email\n", "no person in it"),
        ("email\neva@example.org\nnobody\n", "line 3: 'nobody' is not a valid address"),
        ("email\neva@example.org\nEVA@example.org\n", "line 3: EVA@example.org is there twice"),
        ("email,role\neva@example.org,admin\n", "line 2: role 'admin': expected athlete or coach"),
        ("email\n" + "\n".join(f"p{place}@example.org" for place in range(2_001)), "more than 2,000 people"),
    ],
)
def test_a_wrong_row_sends_nothing(run, squad, tmp_path, text, fault):
    file = tmp_path / "people.csv"
    file.write_text(text)
    result = run("enrol", file, "--workspace", seeded.SQUAD)

    assert (result.exit_code, result.stdout) == (1, "")
    assert fault in result.stderr
    assert squad.invitations(None, NOW) == []
    assert mails(tmp_path) == {}


def test_a_file_that_is_no_text_is_refused(run, tmp_path):
    file = tmp_path / "people.csv"
    file.write_bytes(b"email\nj\xf6rg@example.org\n")

    assert "save it as CSV UTF-8" in run("enrol", file, "--workspace", seeded.SQUAD).stderr
