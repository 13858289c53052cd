"""The progress line of a sync fits its terminal and sends no control characters."""

import pytest

from coachboard.client.commands import ProgressBar, fitted, printable
from coachboard.client.concurrency import Waiting
from coachboard.client.sync import SyncProgress

FIGURES = "127 of 9181, 0:42 left"


@pytest.mark.parametrize("columns", [10, 24, 33, 40, 79, 200])
def test_the_line_fits_and_the_figures_come_first(columns):
    line = fitted(FIGURES, 0.5, "Ann-Katrin van der Westerhuizen: training prescriptions", columns)

    assert len(line) <= columns
    assert FIGURES[: min(columns, len(FIGURES))] in line


def test_a_wide_terminal_shows_the_bar_and_all_that_is_done():
    assert (
        fitted(FIGURES, 0.5, "Ann Other: sleeps", 100)
        == f"[{'#' * 15}{' ' * 15}] {FIGURES}  Ann Other: sleeps"
    )


def test_letters_of_two_columns_count_as_two():
    assert fitted("1 of 2", 0.0, "山田太郎", 13) == "1 of 2  山田"


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

    drawn = capsys.readouterr().err.split("\r")
    assert drawn[1].endswith("3 of 9, 0:20 left  Ann: notes")
    assert drawn[2].rstrip().endswith("3 of 9, 0:20 left  waiting 0:12 for the request limit")
    assert drawn[3].rstrip() == f"[{'#' * 7}{' ' * 9}] 4 of 9, 0:10 left  Ann: events"
    assert len(drawn[3].rstrip("\n")) >= len(drawn[2])


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
