"""Every kind of error has words of its own and a next step, and none shows what the service should not say."""

import pytest

from coachboard.client import errors
from coachboard.client.errors import RateLimited, ServiceError, TimedOut
from coachboard.views import notices


def kinds(root=ServiceError):
    return [root, *(deeper for kind in root.__subclasses__() for deeper in kinds(kind))]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_every_error_has_a_sentence_and_a_next_step(kind):
    happened, next_step = notices.saying(kind("GET", "/users"))

    assert happened.endswith(".")
    assert next_step.endswith(".")


def test_no_kind_but_the_root_falls_back_to_general_words():
    assert {kind for kind in kinds() if notices.saying(kind("GET", "/")) is notices._GENERAL} == {
        ServiceError
    }


def test_a_limit_says_how_long_to_wait():
    assert "23 s" in notices.sentence(RateLimited("GET", "/users", retry_after_s=23))


def test_what_the_service_said_is_text():
    said = notices._reply(errors.UnexpectedStatus("GET", "/", status=500, text="![x](https://t.example)"))

    assert "](" not in said


def test_a_timeout_is_told_apart_from_no_reply():
    assert notices.saying(TimedOut("GET", "/")) != notices.saying(errors.Unreachable("GET", "/"))
