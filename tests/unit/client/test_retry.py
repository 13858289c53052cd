"""Which requests are repeated and how often: longest if the request never left this machine and nothing is cached."""

import pytest

from coachboard.client.errors import NotFound, TimedOut, UnexpectedStatus, Unreachable
from coachboard.client.retry import ATTEMPTS, JITTER_S, PATIENT_ATTEMPTS, repeated

REFUSED = Unreachable("GET", "/users", may_have_arrived=False)
RESET = Unreachable("GET", "/users")


def attempts(error, unsent_attempts=ATTEMPTS):
    made = []

    def send():
        made.append(error)
        raise error

    with pytest.raises(type(error)):
        repeated(send, lambda _: None, unsent_attempts=unsent_attempts)
    return len(made)


def test_a_patient_request_to_an_unreachable_service_has_more_attempts():
    assert attempts(REFUSED, PATIENT_ATTEMPTS) == PATIENT_ATTEMPTS > ATTEMPTS
    assert attempts(REFUSED) == ATTEMPTS


@pytest.mark.parametrize(
    "error", [RESET, TimedOut("GET", "/users"), UnexpectedStatus("GET", "/x", status=503)]
)
def test_a_request_that_the_service_may_count_has_no_more_attempts_if_patient(error):
    """Its limit of thirty a minute for a user would be used up by what fails."""
    assert attempts(error, PATIENT_ATTEMPTS) == ATTEMPTS


@pytest.mark.parametrize("error", [NotFound("GET", "/x", status=404), Unreachable("POST", "/x")])
def test_an_answer_and_an_invitation_under_way_are_final(error):
    assert attempts(error, PATIENT_ATTEMPTS) == 1


def test_the_pauses_grow_to_two_seconds_and_a_restart_of_five_seconds_fits():
    pauses = []

    with pytest.raises(Unreachable):
        repeated(_refuse, pauses.append, unsent_attempts=PATIENT_ATTEMPTS)

    assert [round(pause - JITTER_S / 2) for pause in pauses[-2:]] == [2, 2]
    assert pauses[0] < 0.5
    assert 5 < sum(pauses) < 7


def _refuse():
    raise REFUSED
