"""The commands write results to standard output and messages to standard error."""

import re
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta

import httpx
import pytest
from click.testing import CliRunner

from coachboard.service import commands
from coachboard.service.commands import COMMANDS
from coachboard.service.store import NewUser, Store
from coachboard.service.store.keys import digest_of
from coachboard_demo.making import begin_demo
from coachboard_demo.people import KEYS, Size
from databases import connected
from waiting import wait_until

GROUPS = {command.name: command for command in COMMANDS}


@pytest.fixture
def run(store_url):
    """Run one command on the store; gives its result."""

    def invoke(name, *arguments):
        words = [*arguments]
        place = {"workspaces": 2 if words[:1] == ["members"] else 1}.get(name, 1)
        return CliRunner().invoke(GROUPS[name], [*words[:place], "--db", store_url, *words[place:]])

    return invoke


@pytest.fixture
def said(run):
    """Run one command that must succeed; gives its standard output."""

    def invoke(*words):
        result = run(*words)
        assert result.exit_code == 0, result.output
        return result.stdout.strip()

    return invoke


def test_standard_output_has_ids_and_keys_only(said):
    user_id = said(
        "users", "add", "--first-name", "Ana", "--gender", "female", "--date-of-birth", "1990-05-17"
    )
    workspace_id = said("workspaces", "add", "The squad", "squad")
    key = said("keys", "add", user_id, "--label", "laptop")

    assert re.fullmatch(r"usr_[0-9a-f]{20}", user_id)
    assert re.fullmatch(r"wke_[0-9a-f]{20}", workspace_id)
    assert re.fullmatch(r"cbk_[\w-]{43}", key)


def test_added_users_workspaces_and_keys_are_listed_and_removed(said):
    user_id = said("users", "add", "--first-name", "Ana\tMaria", "--id", "usr_ana", "--height", "171.5")
    workspace_id = said("workspaces", "add", "The squad", "squad")
    said("workspaces", "members", "add", workspace_id, user_id, "--role", "coach")
    said("keys", "add", user_id)
    (key_id, owner, *_rest) = said("keys", "list", "--user", user_id).split("\t")

    assert said("users", "list") == "usr_ana\tAna Maria"
    assert said("workspaces", "list") == f"{workspace_id}\tsquad\tThe squad"
    assert said("workspaces", "members", "list", workspace_id) == "usr_ana\tcoach"
    assert owner == user_id
    assert said("keys", "revoke", key_id) == ""
    assert said("workspaces", "members", "remove", workspace_id, user_id) == ""
    assert said("workspaces", "remove", workspace_id) == ""
    assert said("users", "remove", user_id) == ""
    assert said("users", "list") == said("workspaces", "list") == said("keys", "list") == ""


def test_revoking_a_key_lists_the_keys_that_it_made(said, run, store_url):
    user_id = said("users", "add")
    key = said("keys", "add", user_id, "--label", "laptop")
    with closing(Store.open(store_url)) as store:
        maker = store.caller(digest_of(key))
        made = store.caller(digest_of(store.add_key_of(maker, label="watch")))
    rows = [line.split("\t") for line in said("keys", "list").splitlines()]
    assert {row[0]: row[6] if len(row) > 6 else "" for row in rows} == {
        maker.key_id: "",
        made.key_id: maker.key_id,
    }

    assert run("keys", "revoke", maker.key_id).stderr == (
        f"Revoked {maker.key_id}.\nRevoked {made.key_id} (watch), which it made.\n"
    )
    assert all(line.split("\t")[4] for line in said("keys", "list").splitlines())


def test_a_key_is_good_until_the_end_of_a_day_or_for_so_many_days(said):
    user_id, before = said("users", "add"), datetime.now(UTC).replace(microsecond=0)
    for asked in ("2099-12-31", "30"):
        said("keys", "add", user_id, "--label", asked, "--expires", asked)
    rows = [line.split("\t") for line in said("keys", "list").splitlines()]
    ends = {row[2]: datetime.fromisoformat(row[5]) for row in rows}

    assert ends["2099-12-31"] == datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert before <= ends["30"] - timedelta(days=30) <= datetime.now(UTC)


@pytest.mark.parametrize("asked", ["9999-12-31", "99999", "36526", "2150-01-01"])
def test_a_key_for_more_than_a_hundred_years_is_refused_with_the_latest_date(run, said, asked):
    refused = run("keys", "add", said("users", "add"), "--expires", asked)

    assert refused.exit_code != 0
    assert refused.stdout == ""
    assert f"{asked} is too late: use " in refused.stderr
    assert said("keys", "list") == ""


def test_a_key_takes_the_day_that_the_refusal_of_a_later_one_names(run, said):
    user_id = said("users", "add")
    refusal = run("keys", "add", user_id, "--expires", "9999-12-31").stderr
    named = re.search(r"use (\S+)", refusal)

    assert named
    said("keys", "add", user_id, "--expires", named[1])
    assert said("keys", "list").split("\t")[5].startswith(named[1])


@pytest.mark.parametrize(
    "words",
    [
        ("users", "remove", "usr_nobody"),
        ("keys", "add", "usr_ana", "--expires", "2020-01-31"),
        ("keys", "add", "usr_ana", "--expires", "0"),
        ("keys", "add", "usr_ana", "--expires", "soon"),
        ("users", "add", "--date-of-birth", "17.5.1990"),
        ("users", "add", "--height", "0"),
        ("keys", "add", "usr_nobody"),
        ("keys", "revoke", "key_nothing"),
        ("workspaces", "remove", "wke_nowhere"),
        ("workspaces", "members", "list", "wke_nowhere"),
        ("workspaces", "members", "add", "wke_nowhere", "usr_nobody", "--role", "coach"),
        ("workspaces", "members", "remove", "wke_nowhere", "usr_nobody"),
    ],
)
def test_a_failure_is_one_clear_line_and_a_code(run, words):
    result = run(*words)
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]

    assert result.exit_code != 0
    assert result.stdout == ""
    assert len(line) > 15


def test_an_existing_user_or_workspace_is_not_added_again(run, said):
    said("users", "add", "--id", "usr_ana")
    said("workspaces", "add", "Squad", "squad")

    assert "already" in run("users", "add", "--id", "usr_ana").stderr
    assert "already" in run("workspaces", "add", "Another squad", "squad").stderr


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sqlite:////proc/nowhere/store.db", " /proc/nowhere/store.db: [Errno 2] No such file or directory"),
        ("sqlite:////proc", " /proc: unable to open database file; check that it is a file"),
        ("mysql://127.0.0.1/x", ": "),
        ("", ": the address is empty; check COACHBOARD_DATABASE_URL or --db"),
        ("postgresql://me:secret@127.0.0.1:1/x", ": "),
        ("nonsense://me:secret@127.0.0.1/x", ": "),
    ],
)
def test_a_database_that_cannot_be_opened_is_reported_with_its_path(url, says):
    result = CliRunner().invoke(GROUPS["users"], ["add", "--db", url])

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: cannot open the database{says}")
    assert ("name another one with --db" in result.stderr) == ("/proc" in says)
    assert "COACHBOARD_DATABASE_URL" in result.stderr
    assert "secret" not in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_rejection_by_the_database_is_reported(run, said, monkeypatch):
    """Between the look and the leap another process may have removed the user."""
    run("users", "add")
    monkeypatch.setattr(commands, "person_of", lambda _store, text: text)

    assert "rejected" in run("keys", "add", "usr_gone").stderr


def test_serve_answers_and_logs_no_key(tmp_path, free_port):
    url = f"sqlite:///{tmp_path}/store.db"
    store = Store.open(url)
    key = store.add_key(store.add_user(NewUser(first_name="Ana")), label="tests")
    store.close()
    with _served(url, free_port, tmp_path) as address:
        replies = [
            httpx.get(address, headers={"Authorization": f"Bearer {text}"}).status_code
            for text in (key, "secret-but-wrong")
        ]
        # Where some look for a key by habit; it is refused there and must not be written down.
        replies += [httpx.get(address, params={name: key}).status_code for name in ("api_key", "token")]

    log = (tmp_path / "log").read_text()
    assert replies == [200, 401, 401, 401]
    assert "GET /api/users/me" in log
    assert (tmp_path / "out").read_text() == ""
    assert key not in log
    assert "secret-but-wrong" not in log


def test_serve_continues_an_interrupted_demo_squad(tmp_path, free_port):
    url = f"sqlite:///{tmp_path}/store.db"
    store = Store.open(url)
    begin_demo(store, Size(date(2026, 5, 6), athletes=1, years=0.1))
    store.close()
    with _served(url, free_port, tmp_path) as address:
        headers = {"Authorization": f"Bearer {KEYS[1]}"}
        found = httpx.get(f"{address}/activities", headers=headers, timeout=60)

    assert len(found.json()) > 20


@contextmanager
def _served(url, port, folder):
    """The service in a process of its own, as people start it; the address of one's own profile."""
    program = "from coachboard.service.commands import serve; serve()"
    command = [sys.executable, "-c", program, "--db", url, "--port", str(port)]
    with (folder / "log").open("w") as errors, (folder / "out").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        try:
            address = f"http://127.0.0.1:{port}/api/users/me"
            wait_until(lambda: _answers(address), at_most_s=30)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def _answers(address):
    try:
        return httpx.get(address).status_code == 401
    except httpx.TransportError:
        time.sleep(0.05)
        return False


def test_a_database_of_a_newer_version_is_one_clear_line(run, store_url):
    store = Store.open(store_url)
    with connected(store_url) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'of_the_future'")
    store.close()

    result = run("users", "list")

    assert result.exit_code == 1
    assert "cannot open the database: its schema is of another" in result.output
    assert "Traceback" not in result.output
