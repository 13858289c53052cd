"""Addresses as they are typed, and sending each once whatever happens on the way."""

from datetime import UTC, datetime, timedelta

import pytest

from coachboard.client.errors import BadRequest, RateLimited, TimedOut, Unauthorized, Unreachable
from coachboard.loaders.local_store import open_store
from coachboard.pages.workspaces.invite import Batch, invite, read_addresses
from coachboard.pages.workspaces.ledger import Ledger, SendOutcome
from coachboard.ui.frame.page import inviting_workspaces
from coachboard.wire.enums import DataOnboardingStatus, InvitedRole, WorkspaceRole
from coachboard.wire.users import UserProfile, WorkspaceInvitation, WorkspaceMembership

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SQUAD = WorkspaceMembership(id="wke_1", name="Squad", slug="squad", role=WorkspaceRole.COACH)


class Service:
    """Answers as the interface says: a pending address keeps its code and gains two days."""

    def __init__(self, *failures):
        self.asked = []
        self.pending = {}
        self.failures = list(failures)

    def create_invitation(self, workspace_id, request):
        self.asked.append(request.email)
        if self.failures and (failure := self.failures.pop(0)):
            raise failure
        code, expires = self.pending.get(request.email.lower(), (f"code{len(self.pending)}", NOW))
        self.pending[request.email.lower()] = (code, expires + timedelta(days=2))
        return WorkspaceInvitation(
            id="inv_1",
            workspace_id=workspace_id,
            email=request.email,
            role=request.role,
            code=code,
            expires_at=self.pending[request.email.lower()][1],
        )


@pytest.fixture
def ledger(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    yield Ledger(engine, "one")
    engine.dispose()


def batch(*addresses, press="press"):
    return Batch(press, SQUAD, addresses, InvitedRole.ATHLETE, with_mail=False, sent_by="Cleo")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a@example.org", ("a@example.org",)),
        ("a@example.org, b@example.org;c@example.org\nd@example.org", tuple("abcd")),
        ("Ana Li <a@example.org>, b@example.org", tuple("ab")),
        ("a@example.org A@EXAMPLE.ORG", ("a@example.org",)),
        ("a@müller.example", ("a@müller.example",)),
        # As copied from a page that keeps addresses from becoming links.
        ("a@\u2060example.org", ("a@example.org",)),
        # Odd, but an address by RFC 5321; exports keep it from being a formula.
        ("=cmd|x@example.org", ("=cmd|x@example.org",)),
        ("", ()),
    ],
)
def test_addresses_are_read_as_people_paste_them(typed, expected):
    full = tuple(name if "@" in name else f"{name}@example.org" for name in expected)

    assert read_addresses(typed).valid == full


@pytest.mark.parametrize(
    "typed",
    ["ana", "ana@", "@example.org", "a@b", "a@@example.org"],
)
def test_an_invalid_address_is_named_with_the_reason(typed):
    addresses = read_addresses(f"ok@example.org {typed}")

    assert addresses.faults[0].says
    assert not addresses.can_be_sent


def test_more_than_fifty_at_once_are_not_sent():
    assert not read_addresses(" ".join(f"a{n}@example.org" for n in range(51))).can_be_sent


def test_each_address_gets_its_code(ledger):
    entries = invite(Service(), ledger, batch("a@example.org", "b@example.org"), now=NOW)

    assert [(entry.email, entry.outcome, entry.code) for entry in entries] == [
        ("a@example.org", SendOutcome.CREATED, "code0"),
        ("b@example.org", SendOutcome.CREATED, "code1"),
    ]


def test_the_same_press_again_sends_nothing(ledger):
    service = Service()
    invite(service, ledger, batch("a@example.org"), now=NOW)

    again = invite(service, ledger, batch("a@example.org"), now=NOW)

    assert service.asked == ["a@example.org"]
    assert [entry.code for entry in again] == ["code0"]


def test_a_pending_address_is_reported_as_extended(ledger):
    service = Service()
    invite(service, ledger, batch("a@example.org"), now=NOW)

    (entry,) = invite(service, ledger, batch("A@example.org", press="later"), now=NOW + timedelta(hours=1))

    assert (entry.outcome, entry.code, entry.extensions) == (SendOutcome.EXTENDED, "code0", 1)


def test_two_windows_that_send_at_once_agree_on_who_was_first(ledger):
    """The other window's answer arrives while this one waits for its own."""
    service = Service()

    class Slow(Service):
        def create_invitation(self, workspace_id, request):
            invite(service, ledger, batch("a@example.org", press="other"), now=NOW)
            return service.create_invitation(workspace_id, request)

    (entry,) = invite(Slow(), ledger, batch("a@example.org"), now=NOW)

    assert (entry.outcome, entry.code, entry.extensions) == (SendOutcome.EXTENDED, "code0", 1)


def test_the_repeat_of_an_unclear_sending_says_whose_code_it_may_be(ledger):
    service = Service(TimedOut("POST", "/workspaces/wke_1/invitations"))
    invite(service, ledger, batch("a@example.org"), now=NOW)

    (entry,) = invite(service, ledger, batch("A@example.org", press="later"), now=NOW)
    (again,) = invite(service, ledger, batch("a@example.org", press="last"), now=NOW)

    assert entry.outcome is SendOutcome.CREATED
    assert "got no answer" in entry.says
    assert (again.outcome, again.says) == (SendOutcome.EXTENDED, None)


def test_a_lost_connection_may_have_arrived_and_the_rest_is_not_sent(ledger):
    service = Service(TimedOut("POST", "/workspaces/wke_1/invitations"))

    entries = invite(service, ledger, batch("a@example.org", "b@example.org"), now=NOW)

    assert [entry.outcome for entry in entries] == [SendOutcome.UNCLEAR, SendOutcome.UNSENT]
    assert service.asked == ["a@example.org"]


def test_a_request_that_never_left_was_not_sent_and_refused_by_nobody(ledger):
    refused = Unreachable("POST", "/", text="[Errno 111] Connection refused", may_have_arrived=False)

    (entry,) = invite(Service(refused), ledger, batch("a@example.org"), now=NOW)

    assert entry.outcome is SendOutcome.UNSENT
    assert entry.says == "Could not reach the service"


def test_a_rejected_address_does_not_hold_the_next_up(ledger):
    service = Service(BadRequest("POST", "/", status=400, text="no such domain", may_have_arrived=False))

    entries = invite(service, ledger, batch("a@example.org", "b@example.org"), now=NOW)

    assert [entry.outcome for entry in entries] == [SendOutcome.FAILED, SendOutcome.CREATED]
    assert "no such domain" in entries[0].says


def test_a_used_up_limit_stops_the_rest(ledger):
    service = Service(RateLimited("POST", "/", retry_after_s=20, may_have_arrived=False))

    entries = invite(service, ledger, batch("a@example.org", "b@example.org"), now=NOW)

    assert [entry.outcome for entry in entries] == [SendOutcome.FAILED, SendOutcome.UNSENT]


def test_a_refused_key_is_raised(ledger):
    with pytest.raises(Unauthorized):
        invite(
            Service(Unauthorized("POST", "/", may_have_arrived=False)),
            ledger,
            batch("a@example.org"),
            now=NOW,
        )


def test_only_coaches_and_admins_invite():
    roles = {
        role: WorkspaceMembership(id=f"wke_{role}", name="W", slug="w", role=role) for role in WorkspaceRole
    }
    profile = UserProfile(
        id="usr_1",
        first_name=None,
        last_name=None,
        date_of_birth=None,
        gender=None,
        height=None,
        data_onboarding_status=DataOnboardingStatus.DONE,
        user_metric_readiness=None,
        latest_metrics=(),
        workspaces=tuple(roles.values()),
    )

    assert {membership.role for membership in inviting_workspaces(profile)} == {
        WorkspaceRole.COACH,
        WorkspaceRole.ADMIN,
    }
