"""Every kind of error has its own words and a next step, and shows no markup or secret of the service."""

from datetime import UTC, date, datetime

import pytest
from streamlit.testing.v1 import AppTest

import training
from coachboard.client import errors
from coachboard.client.errors import RateLimited, RowProblem, ServiceError, TimedOut
from coachboard.client.result import Result
from coachboard.ui.frame import notices


def kinds(root=ServiceError):
    return [root, *(deeper for kind in root.__subclasses__() for deeper in kinds(kind))]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_every_error_has_a_sentence_and_a_next_step(kind):
    found = notices.saying(kind("GET", "/users"))

    assert all(text.endswith(".") for text in (found.happened, found.next_step, found.with_button or "."))


def test_no_kind_but_the_root_falls_back_to_general_words():
    assert {kind for kind in kinds() if notices.saying(kind("GET", "/")) is notices._GENERAL} == {
        ServiceError
    }


def test_a_limit_says_how_long_to_wait():
    assert "23 s" in notices.sentence(RateLimited("GET", "/users", retry_after_s=23))


def test_text_of_the_service_is_no_markup():
    said = notices.reply_words(
        errors.UnexpectedStatus("GET", "/", status=500, text="![x](https://t.example)")
    )

    assert "](" not in said


def test_texts_of_the_client_are_not_quoted_as_the_services():
    ours = errors.UnreadableResponse("GET", "/", status=200, text="expected an array")
    theirs = errors.BadRequest("GET", "/", status=400, code="bad_request", text="No such day.")

    assert notices.reply_words(ours) == " Cause: expected an array."
    assert "The data service said: “No such day\\.”" in notices.reply_words(theirs)


def test_a_cause_ends_with_one_full_stop():
    cut = errors.UnreadableResponse("GET", "/", status=200, text="expected an array.")

    assert notices.reply_words(cut) == " Cause: expected an array."


def test_an_address_that_does_not_answer_has_the_name_of_its_setting(monkeypatch):
    monkeypatch.setenv("COACHBOARD_BASE_URL", "http://127.0.0.1:1/api")
    lost = errors.Unreachable("GET", "/", text="Connection refused")

    assert (
        notices.reply_words(lost).replace("\\", "").replace("\u2060", "")
        == " It does not answer at http://127.0.0.1:1/api (setting COACHBOARD_BASE_URL)."
    )


def test_the_operating_systems_words_are_left_out():
    refused = errors.Unreachable("GET", "/", text="[Errno 111] Connection refused")

    assert notices.reply_words(refused) == ""


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("OperationalError: database or disk is full", "the disk is full"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("disk I/O error", "the disk cannot be read or written"),
        ("OperationalError: attempt to write a readonly database", "the file may not be changed"),
        ("PermissionError: [Errno 13] Permission denied: '/data'", "Coachboard has no right to the file"),
        ("OSError: [Errno 30] Read-only file system: '/data'", "the file may not be changed"),
        ("database is locked", "another program holds the file"),
        ("OtherVersion: another version of Coachboard is using this file", "another version of Coachboard uses the file"),
        ("no such column: dashboard_visits.since", "its tables belong to another version of Coachboard"),
        ("no such table: dashboard_visits", "its tables are missing"),
        ("unable to open database file", "the file cannot be opened"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/proc/x'", "the folder does not exist"),
        ("NotADirectoryError: [Errno 20] Not a directory: '/data/file'", "the folder's path is a file"),
        ("FileExistsError: [Errno 17] File exists: '/data/file'", "the folder's path is a file"),
        ("file is not a database", "the file is damaged"),
        ("database disk image is malformed", "the file is damaged"),
        (
            'connection to server at "127.0.0.1", port 1 failed: FATAL:  password authentication failed for user "me"',
            "the database server refused the password",
        ),
        (
            'connection failed: connection to server at "::1", port 5432 failed: FATAL:  database "club" does not exist',
            "the database or the user does not exist on the server",
        ),
        ("could not translate host name", "the server's name is unknown"),
        ("FATAL:  the database system is starting up", "the database server is starting"),
        ("FATAL:  the database system is shutting down", "the database server is shutting down"),
        ("connection is bad: Connection refused", "the database server does not answer"),
        ("connection timeout expired", "the database server does not answer"),
        ("TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out", "the database is busy"),
        ("a new kind of fault", "not known here; the server's log has the error"),
    ],
)  # fmt: skip
def test_a_database_that_fails_is_explained_without_the_drivers_words(words, cause):
    assert notices.database_cause(words) == cause


def test_a_timeout_is_distinguished_from_no_reply():
    assert notices.saying(TimedOut("GET", "/")) != notices.saying(errors.Unreachable("GET", "/"))


def problem_captions():
    from coachboard.ui.frame import notices  # noqa: PLC0415 # run by Streamlit as a script of its own
    from unit.ui.test_notices import RESULT  # noqa: PLC0415

    notices.say_problems(RESULT)


RESULT = Result(
    (training.activity("Kept", date(2026, 2, 1)),) * 237,
    datetime(2026, 3, 1, tzinfo=UTC),
    problems=(
        *(
            RowProblem(f"activities[act_{n}].id", "![x](https://t.example)", is_set_aside=True)
            for n in range(3)
        ),
        RowProblem("activities[act_9].newField", "unknown field, ignored", is_set_aside=False),
    ),
)


def test_unreadable_rows_are_counted_with_their_places():
    (caption,) = AppTest.from_function(problem_captions).run().caption

    assert "3 of 237" not in caption.value
    assert "3 of 240 activities could not be read." in caption.value
    assert "1 unknown field or value ignored." in caption.value
    assert "act\\_2" in caption.help
    assert "](" not in caption.help


def test_a_service_that_is_unavailable_did_not_fail_with_an_internal_error():
    busy, broken = (errors.UnexpectedStatus("GET", "/", status=status) for status in (503, 500))

    assert notices.saying(busy).happened == "The data service is not available at the moment."
    assert "internal error" in notices.saying(broken).happened


def error_with_retry():
    from coachboard.client.errors import Unreachable  # noqa: PLC0415 # AppTest takes the source alone
    from coachboard.ui.frame import notices  # noqa: PLC0415

    notices.say(Unreachable("GET", "/users"), has_retry=True)
    notices.say(Unreachable("GET", "/users"))


def test_above_a_button_the_text_names_the_button():
    """The roster asked to reload the page next to a button "Try again"."""
    with_button, without = (one.value for one in AppTest.from_function(error_with_retry).run().warning)

    assert "then try again." in with_button
    assert "eload the page" not in with_button
    assert "then reload the page." in without


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_no_error_asks_for_a_reload_above_a_button(kind):
    assert "eload" not in notices.next_step_of(kind("GET", "/users"), has_retry=True)
