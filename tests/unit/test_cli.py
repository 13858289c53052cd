"""The command line: what it lists, what it loads, and one clear line where it fails."""

import pytest
from click.testing import CliRunner

from coachboard import cli


@pytest.fixture
def run():
    return CliRunner().invoke


def test_every_command_of_the_design_is_listed(run):
    listed = run(cli.main, ["--help"]).output

    for name in ("demo", "serve", "dashboard", "import", "users", "workspaces", "keys", "sync", "cache"):
        assert f"  {name} " in listed


@pytest.mark.parametrize("name", sorted(cli._MODULES))
def test_every_listed_command_is_there(run, name):
    outcome = run(cli.main, [name, "--help"])

    assert outcome.exit_code == 0
    assert "Usage" in outcome.output


def test_a_dashboard_without_a_service_says_what_is_missing(run):
    outcome = run(cli.main, ["dashboard"], env={"COACHBOARD_BASE_URL": None})

    assert outcome.exit_code != 0
    assert "--base-url" in outcome.stderr


def test_a_dashboard_over_something_that_is_no_address_fails_with_one_line(run):
    outcome = run(cli.main, ["dashboard", "--base-url", "service.example"])

    assert outcome.exit_code == 1
    assert outcome.stderr.count("\n") == 1
    assert outcome.stdout == ""


def test_the_version_alone_is_on_standard_output(run):
    outcome = run(cli.main, ["--version"])

    assert outcome.stdout.strip() == "0.1.0"
