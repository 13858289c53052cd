"""The command line: its list of commands, the modules that each loads, and one clear line for each fault."""

import re
import socket
import tomllib

import click
import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from coachboard import cli
from coachboard.client.cache import CacheEntry, CacheKey, CacheStore, scope_of
from running import ROOT, free_port


@pytest.fixture
def run():
    return CliRunner().invoke


def test_every_command_of_the_design_is_listed(run):
    listed = run(cli.main, ["--help"]).output

    for name in (
        "demo",
        "open",
        "serve",
        "dashboard",
        "import",
        "users",
        "workspaces",
        "keys",
        "metrics",
        "sync",
        "cache",
    ):
        assert f"  {name} " in listed


@pytest.mark.parametrize("name", sorted(cli._MODULES))
def test_every_listed_command_is_there(run, name):
    outcome = run(cli.main, [name, "--help"])

    assert outcome.exit_code == 0
    assert "Usage" in outcome.output


def test_a_dashboard_without_a_service_names_the_missing_option(run):
    outcome = run(cli.main, ["dashboard"], env={"COACHBOARD_BASE_URL": None})

    assert outcome.exit_code != 0
    assert "--base-url" in outcome.stderr


def test_a_dashboard_over_something_that_is_no_address_fails_with_one_line(run):
    outcome = run(cli.main, ["dashboard", "--base-url", "service.example"])

    assert outcome.exit_code == 1
    assert outcome.stderr.count("\n") == 1
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["--nonsense"], "coachboard"),
        (["nonsense"], "coachboard"),
        (["import"], "coachboard import"),
        (["keys", "nonsense"], "coachboard keys"),
        (["keys", "add"], "coachboard keys add"),
        (["keys", "add", "usr_ana", "--expires", "soon"], "coachboard keys add"),
        (["workspaces", "members", "add", "wke_squad", "usr_ana"], "coachboard workspaces members add"),
        (["serve", "--prot", "8600"], "coachboard serve"),
    ],
)
def test_wrong_arguments_are_reported_in_one_line_with_the_help_command(run, words, command):
    outcome = run(cli.main, words, prog_name="coachboard")

    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("Error: ")
    assert outcome.stderr.endswith(f" (see {command} --help)\n")
    assert outcome.stderr.count("\n") == 1


def test_the_version_alone_is_on_standard_output_and_is_that_of_the_package_and_the_changelog(run):
    outcome = run(cli.main, ["--version"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    released = re.search(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert [outcome.stdout.strip(), project["version"]] == 2 * [released[1]]


def test_a_setting_that_cannot_be_read_is_named_in_one_line(run):
    outcome = run(cli.main, ["users", "list"], env={"COACHBOARD_TODAY": "soon"})

    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("Error: COACHBOARD_TODAY: ")
    assert outcome.stderr.count("\n") == 1


def test_a_database_that_refuses_a_row_is_reported_in_one_line(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = f"sqlite:///file:{tmp_path}/made/store.db?uri=true"
    run(cli.main, ["users", "list", "--db", store])
    assert [path.name for path in tmp_path.iterdir()] == ["made"]

    outcome = run(cli.main, ["users", "add", "--db", f"{store}&mode=ro"])

    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        f"Error: database error: {tmp_path}/made/store.db may not be changed: the file, its folder or the disk is read-only\n"
    )


def test_a_fault_of_the_code_keeps_its_traceback(run, monkeypatch):
    monkeypatch.setattr(cli, "require_free", lambda *_: 1 / 0)

    outcome = run(cli.main, ["dashboard", "--base-url", "http://127.0.0.1:1/api"])

    assert isinstance(outcome.exception, ZeroDivisionError)


@pytest.mark.parametrize(
    "command", [["serve"], ["demo"], ["dashboard", "--base-url", "http://127.0.0.1:1/api"]]
)
def test_a_used_port_is_reported_in_one_line(run, command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = run(
            cli.main,
            [*command, "--port", port],
            env={"COACHBOARD_DATABASE_URL": f"sqlite:///{tmp_path}/x.db"},
        )

    assert outcome.exit_code == 1
    assert outcome.stderr.startswith(f"Error: cannot listen on 127.0.0.1, port {port}: ")
    assert outcome.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("port", ["0", "99999"])
def test_a_port_that_is_none_is_refused(run, port):
    assert run(cli.main, ["demo"], env={"PORT": port}).exit_code == 2


def test_the_demo_over_people_of_ones_own_names_no_keys_that_do_not_work(run, tmp_path, monkeypatch):
    store = f"sqlite:///{tmp_path}/own.db"
    run(cli.main, ["users", "add", "--db", store])
    monkeypatch.setattr(cli, "serve_dashboard", lambda *_: None)

    outcome = run(cli.main, ["demo", "--db", store, "--port", str(free_port())])

    assert outcome.exit_code == 0
    assert "no demo keys" in outcome.stderr
    assert "demo-coach-key" not in outcome.stderr


def test_the_first_start_of_the_demo_starts_processes_and_the_second_none(run, tmp_path, monkeypatch):
    url, port, called = f"sqlite:///{tmp_path}/demo.db", str(free_port()), list[str]()
    monkeypatch.setattr(cli, "serve_dashboard", lambda *_: None)
    monkeypatch.setattr("coachboard_demo.generate.Filling.start", lambda *_: None)
    monkeypatch.setattr("coachboard_demo.share._called", lambda _niceness: called.append("called"))
    monkeypatch.setattr("coachboard_demo.share._CALLED", [])

    run(cli.main, ["demo", "--db", url, "--port", port])
    first = len(called)
    run(cli.main, ["demo", "--db", url, "--port", port])

    assert len(called) == first >= 1


def test_the_cache_of_an_older_squad_is_deleted_and_no_other(run, tmp_path, monkeypatch):
    url, cache = f"sqlite:///{tmp_path}/demo.db", f"sqlite:///{tmp_path}/cache.db"
    port = str(free_port())
    monkeypatch.setenv("COACHBOARD_CACHE_URL", cache)
    monkeypatch.setattr(cli, "serve_dashboard", lambda *_: None)
    monkeypatch.setattr(cli, "_have_processes_at_hand", lambda _url: None)
    monkeypatch.setattr("coachboard_demo.generate.Filling.start", lambda *_: None)
    with monkeypatch.context() as older:
        older.setattr("coachboard_demo.making.version", lambda: "older")
        run(cli.main, ["demo", "--db", url, "--port", port])
    here, elsewhere = (
        scope_of(address, SecretStr("demo-coach-key"))
        for address in (f"http://127.0.0.1:{port}/api", "https://service.example/api")
    )
    kept = CacheStore(cache, max_bytes=2**30)
    for scope in (here, elsewhere):
        kept.put(CacheKey(scope, "streams", "act_1"), {0: CacheEntry.of(b"of then", 1.0)})

    run(cli.main, ["demo", "--db", url, "--port", port])

    assert [content.scope for content in kept.contents()] == [elsewhere]
    kept.close()


def test_the_demo_reports_a_squad_of_another_version_and_its_replacement(run, tmp_path, monkeypatch):
    url, port = f"sqlite:///{tmp_path}/demo.db", str(free_port())
    monkeypatch.setattr(cli, "serve_dashboard", lambda *_: None)
    monkeypatch.setattr(cli, "_have_processes_at_hand", lambda _url: None)
    monkeypatch.setattr("coachboard_demo.generate.Filling.start", lambda *_: None)
    with monkeypatch.context() as older:
        older.setattr("coachboard_demo.making.version", lambda: "older")
        first = run(cli.main, ["demo", "--db", url, "--port", port])

    second = run(cli.main, ["demo", "--db", url, "--port", port])
    third = run(cli.main, ["demo", "--db", url, "--port", port])

    assert "This demo squad comes from another version of Coachboard" in second.stderr
    assert "generated this" not in first.stderr + third.stderr
    assert len(list(tmp_path.glob("demo.db.set-aside-*"))) == 1
    assert "demo-coach-key" in second.stderr


def _commands(command, path=()):
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from _commands(command.get_command(context, name), (*path, name))


def test_every_help_text_is_a_sentence():
    texts = {
        (*path, option.opts[0]): option.help or ""
        for path, command in _commands(cli.main)
        for option in command.params
        if isinstance(option, click.Option)
    }
    texts |= {path: (command.help or "").split("\n\n")[0] for path, command in _commands(cli.main)}

    assert [
        path for path, text in texts.items() if not (text[:1].isupper() and text.rstrip().endswith("."))
    ] == []
