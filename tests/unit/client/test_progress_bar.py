"""The progress of a sync is one line of a terminal, or lines of a log, without control characters of names."""

import pytest

from coachboard.client.commands import ProgressBar, printable
from coachboard.client.sync import SyncProgress
from coachboard.client.waiting import Waiting


def test_a_name_steers_no_terminal():
    assert printable("Eve\x1b[2J\r\nx\u202e") == "Eve [2J  x "


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    return ProgressBar()


def test_a_wait_is_shown_on_the_same_line(terminal, capsys):
    terminal.show(SyncProgress(3, 9, 20.0, "Ann: notes"))
    terminal.wait(Waiting(12.0, "the service's request limit"))
    terminal.show(SyncProgress(4, 9, 10.0, "Ann: events"))
    terminal.end()

    _, *drawn = capsys.readouterr().err.removesuffix("\n").split("\r")
    assert drawn == [
        f"3 of 9, 0:20 left  [{'#' * 6:<20}]  Ann: notes",
        f"3 of 9, 0:20 left  [{'#' * 6:<20}]  waiting 0:12 for the service's request limit",
        f"4 of 9, 0:10 left  [{'#' * 8:<20}]  Ann: events",
    ]


def test_an_answer_that_comes_at_once_is_not_waited_for(terminal, capsys):
    terminal.wait(Waiting(None, "the service", seconds_so_far=0.5))
    assert not capsys.readouterr().err

    terminal.wait(Waiting(None, "the service", seconds_so_far=3.0))
    assert "waiting for the service" in capsys.readouterr().err


def test_elsewhere_each_tenth_of_the_way_is_a_line(capsys):
    bar = ProgressBar()
    for done in range(101):
        bar.show(SyncProgress(done, 100, 100.0 - done, "x"))
        bar.wait(Waiting(12.0, "the service's request limit"))
    bar.end()

    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"{done} of 100, {(100 - done) // 60}:{(100 - done) % 60:02} left" for done in range(0, 101, 10)
    ]


def test_no_time_is_left_only_when_all_is_done(capsys):
    bar = ProgressBar()
    bar.show(SyncProgress(1, 9, 0.2, "x"))
    bar.show(SyncProgress(9, 9, 0.0, ""))

    assert capsys.readouterr().err.splitlines() == ["1 of 9, 0:01 left", "9 of 9, 0:00 left"]
