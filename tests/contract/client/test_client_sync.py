"""`coachboard sync` caches everything within the budget and fetches nothing twice."""

import fcntl
import os
import pty
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
from contextlib import closing
from datetime import date

import pytest
from click.testing import CliRunner

import faulty_proxy as faults
import seeded
from coachboard.client import Unauthorized, Unreachable
from coachboard.client.commands import COMMANDS, cache_command, sync_command
from coachboard.client.database import VERSION
from coachboard.client.pacing import Policy

LISTS = 6 * 3  # the coach and two athletes
PROFILES = 2  # the coach's own is read before the first step
STEPS = LISTS + PROFILES
_HEARS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""Tests that a shell runs in the background hand a deaf ear for it down to their processes."""


@pytest.fixture
def environment(proxy, cache_url, tmp_path):
    return {
        "COACHBOARD_DATA": str(tmp_path / "data"),  # the user's folder may have wide permissions to report
        "COACHBOARD_BASE_URL": proxy.url,
        "COACHBOARD_API_KEY": seeded.COACH_KEY,
        "COACHBOARD_CACHE_URL": cache_url,
        "COACHBOARD_TODAY": str(seeded.TODAY),
    }


def run(command, environment, *arguments, **options):
    return CliRunner().invoke(command, arguments, env=environment, **options)


def test_a_sync_brings_every_list_of_every_athlete_and_the_streams(client, proxy, clock):
    progress = []
    outcome = client.sync(with_streams=True).run(progress.append)
    assert not outcome.failures
    proxy.always = faults.reset
    proxy.requests.clear()

    assert len(client.list_activities(seeded.ATHLETE).value) == 5
    assert client.get_streams(seeded.RIDE).value == seeded.streams()
    assert not [request for request in proxy.requests if "sleeps" in request]
    assert (progress[0].done, progress[0].total) == (0, STEPS)
    assert progress[-1].seconds_left == 0


@pytest.fixture
def in_terminal(environment):
    """Runs the command as a person would see it, in a terminal of so many columns; gives process and its screen."""
    ours, theirs = pty.openpty()

    def begin(columns):
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        return subprocess.Popen(
            [sys.executable, "-c", f"{_HEARS_INTERRUPTS}; from coachboard.cli import main; main()", "sync"],
            env=os.environ | environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        ), lambda: os.read(ours, 65_536).decode()

    yield begin
    os.close(ours)
    os.close(theirs)


def test_the_bar_stays_on_one_line_of_the_terminal(in_terminal):
    process, screen = in_terminal(30)
    assert process.wait(60) == 0

    _, *drawn = screen().split("\r\n")[0].split("\r")
    assert len(drawn) >= STEPS
    assert all(line.startswith("\x1b[?7l") and line.endswith("\x1b[?7h") for line in drawn)  # none wraps
    assert f"{STEPS} of {STEPS}, 0:00 left" in drawn[-1]


@pytest.mark.slow
def test_a_sync_that_the_user_interrupts_names_the_cached_data(in_terminal, proxy):
    proxy.faults.extend([None] * 8 + [faults.held])
    process, screen = in_terminal(80)
    seen = ""
    while "4 of 20" not in seen:
        seen += screen()
    process.send_signal(signal.SIGINT)

    assert process.wait(60) == 130
    assert "Stopped at 4 of 20. Fetched data is kept; run the command again to continue." in screen()


def test_an_interrupted_sync_continues_at_its_place(client, proxy):
    proxy.faults.extend([None] * 12 + [faults.says(403)] * 10)
    with pytest.raises(Exception, match="403"):
        client.sync(date(2026, 1, 1)).run()
    proxy.faults.clear()
    proxy.requests.clear()
    outcome = client.sync(date(2026, 1, 1)).run()

    assert 0 < outcome.fetched < STEPS
    assert client.sync(date(2026, 1, 1)).run().fetched == 0


def test_a_profile_that_cannot_be_read_is_one_failure_and_not_the_end(client, proxy):
    client.list_users()
    client.get_user()
    proxy.faults.append(faults.says(403))

    outcome = client.sync(date(2026, 3, 1)).run()

    assert [error.status for error in outcome.failures] == [403]
    assert outcome.fetched == STEPS - 1


def test_a_sync_leaves_half_of_the_requests_of_a_minute_to_pages(client, monkeypatch):
    """Three hundred profiles in the background would otherwise go before what a person waits for."""
    policies = []
    take = client._rate_limit.take
    monkeypatch.setattr(
        client._rate_limit, "take", lambda user_id, policy: policies.append(policy) or take(user_id, policy)
    )

    client.sync(date(2026, 3, 1)).run()

    who = [Policy.INTERACTIVE] * 2  # the profile of the reader, and the athletes
    assert sorted(policies, key=str) == sorted([*who, *[Policy.BACKGROUND] * STEPS], key=str)


def test_one_step_that_had_to_wait_does_not_make_the_rest_seem_long(client):
    sync = client.sync()

    assert sync._seconds_left(10, [11.0, 0.1, 0.1]) == pytest.approx(1.0)
    assert sync._seconds_left(10, []) is None


def test_a_sync_without_the_service_ends_with_its_error(client, proxy):
    proxy.always = faults.reset

    with pytest.raises(Unreachable):
        client.sync().run()


def test_a_sync_ends_at_once_when_the_key_is_refused(client, proxy):
    client.list_users()
    client.get_user()
    proxy.always = faults.says(401, b'{"code":"unauthorized","error":"No."}')

    with pytest.raises(Unauthorized):
        client.sync().run()


def test_the_command_syncs_and_a_second_time_has_nothing_to_do(environment):
    first = run(sync_command, environment, "--since", "2026-03-01", "--streams")
    second = run(sync_command, environment, "--since", "2026-03-01", "--streams")

    assert first.exit_code == second.exit_code == 0
    assert first.stdout == ""
    assert "requests made" in first.stderr
    assert seeded.COACH_KEY not in first.output


def test_the_command_asks_for_a_key_that_is_not_set(environment, monkeypatch):
    del environment["COACHBOARD_API_KEY"]
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)

    result = run(sync_command, environment, "--since", "2026-03-01", input="no-such-key\n")

    assert result.exit_code == 1
    assert "does not accept the API key" in result.stderr
    assert "no-such-key" not in result.output


def test_without_a_terminal_and_a_key_the_command_says_which_setting_is_missing(environment):
    del environment["COACHBOARD_API_KEY"]

    result = run(sync_command, environment, input="a-key-that-would-be-shown\n")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: no API key: set COACHBOARD_API_KEY\n"


def test_an_address_without_its_path_is_pointed_out(environment, proxy):
    root = environment["COACHBOARD_BASE_URL"].removesuffix("/api")
    proxy.always = faults.says(200, b"<!doctype html>", ("content-type", "text/html"))

    wrong = run(sync_command, environment, "--base-url", root + "/")
    right = run(sync_command, environment)

    assert wrong.stderr.endswith(f"check the address: Coachboard's own service is at {root}/api\n")
    assert "Coachboard's own service is at" not in right.stderr


def test_the_command_needs_a_service(environment):
    del environment["COACHBOARD_BASE_URL"]

    result = run(sync_command, environment)

    assert (result.exit_code, result.stderr) == (
        1,
        "Error: no service address: set COACHBOARD_BASE_URL or use --base-url\n",
    )


def test_the_cache_is_shown_and_cleared(environment):
    run(sync_command, environment, "--since", "2026-03-01")

    shown = run(cache_command, environment, "show")
    cleared = run(cache_command, environment, "clear", "--yes")

    assert "activities" in shown.stdout
    assert cleared.exit_code == 0
    assert run(cache_command, environment, "show").stdout == ""
    assert {command.name for command in COMMANDS} == {"sync", "cache"}


def test_the_cache_is_named_by_its_address_and_the_question_goes_to_standard_error(environment):
    run(sync_command, environment, "--since", "2026-03-01")

    shown = run(cache_command, environment, "show")
    declined = run(cache_command, environment, "clear", input="n\n")

    assert shown.stderr.startswith(f"{environment['COACHBOARD_CACHE_URL']}: ")
    assert (declined.exit_code, declined.stdout) == (1, "")
    assert "Delete all cached data" in declined.stderr
    assert "activities" in run(cache_command, environment, "show").stdout


@pytest.mark.parametrize("arguments", [["show"], ["clear", "--yes"]])
def test_looking_at_a_cache_that_is_not_there_makes_none(tmp_path, arguments):
    path = tmp_path / "nothing" / "cache.db"

    result = run(cache_command, {"COACHBOARD_CACHE_URL": f"sqlite:///{path}"}, *arguments)

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"There is no cache yet: {path}. The dashboard and `coachboard sync` fill it.\n"
    assert not path.parent.exists()


def _text(path):
    path.write_text("private notes\n" * 100)


def _other_database(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE mine (x)")
        database.execute("PRAGMA user_version = 3")  # as a cache has it, by chance


def _other_version(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE coachboard_cache_1_lists (x)")
        database.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize("arguments", [["show"], ["clear", "--yes"]])
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_text, "file is not a database"),
        (_other_database, "contains other tables: mine"),
        (_other_version, f"of version 1, not {VERSION}"),
    ],
)
def test_looking_at_a_file_that_is_no_cache_says_so_and_leaves_it_alone(tmp_path, arguments, make, says):
    path = tmp_path / "cache.db"
    make(path)
    before = path.read_bytes()

    result = run(cache_command, {"COACHBOARD_CACHE_URL": f"sqlite:///{path}"}, *arguments)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {path} is not a cache of this version ({says}); nothing changed\n"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
