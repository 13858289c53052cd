"""Which requests are repeated and how often: longest if the request never left this machine and nothing is cached."""

import pytest
import stamina

from coachboard.client.errors import NotFound, TimedOut, UnexpectedStatus, Unreachable
from coachboard.client.transport.retry import ATTEMPTS, PATIENT_ATTEMPTS, repeated

REFUSED = Unreachable("GET", "/users", may_have_arrived=False)
RESET = Unreachable("GET", "/users")


@pytest.fixture(autouse=True)
def _no_backoff():
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def attempts(error, **patience):
    made = []

    def send():
        made.append(error)
        raise error

    with pytest.raises(type(error)):
        repeated(send, **patience)
    return len(made)


def test_a_patient_request_to_an_unreachable_service_has_more_attempts():
    assert attempts(REFUSED, is_patient=True) == PATIENT_ATTEMPTS > ATTEMPTS
    assert attempts(REFUSED) == ATTEMPTS


@pytest.mark.parametrize(
    "error", [RESET, TimedOut("GET", "/users"), UnexpectedStatus("GET", "/x", status=503)]
)
def test_a_request_that_the_service_may_count_has_no_more_attempts_if_patient(error):
    """Its limit of thirty a minute for a user would be used up by what fails."""
    assert attempts(error, is_patient=True) == ATTEMPTS


@pytest.mark.parametrize("error", [NotFound("GET", "/x", status=404), Unreachable("POST", "/x")])
def test_an_answer_and_an_invitation_under_way_are_final(error):
    assert attempts(error, is_patient=True) == 1
