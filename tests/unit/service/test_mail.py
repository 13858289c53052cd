"""Invitation mails, against a real SMTP server and an outbox folder."""

import logging
import sqlite3
import ssl
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from ipaddress import ip_address

import pytest
import sqlalchemy as sa
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from coachboard.service.invitations import mail
from coachboard.service.invitations.mail import Mailer, invitation_message
from coachboard.service.store import Store
from coachboard.service.store.records import QueuedMail
from coachboard.wire.enums import InvitedRole
from coachboard.wire.users import WorkspaceInvitation
from waiting import wait_until

PASSWORD = "p@ss/word"


class Inbox:
    """Keeps what arrives; refuses addresses that start with "full"."""

    def __init__(self):
        self.messages = []

    async def handle_DATA(self, _server, _session, envelope):  # noqa: N802 (aiosmtpd's name)
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 kept"

    async def handle_RCPT(self, _server, _session, envelope, address, _options):  # noqa: N802
        if address.startswith("full"):
            return "550 mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 OK"


def authenticate(_server, _session, _envelope, _mechanism, given):
    return AuthResult(success=given.password == PASSWORD.encode(), handled=False)


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def server(inbox, free_port):
    controller = Controller(
        inbox,
        port=free_port,
        hostname="127.0.0.1",
        auth_require_tls=False,
        authenticator=authenticate,
    )
    controller.start()
    yield f"127.0.0.1:{free_port}"
    controller.stop()


@pytest.fixture
def send(tmp_path):
    """Send one invitation by that address and wait until it is done with."""

    def deliver(smtp_url, *, email="new@example.org", outbox=tmp_path / "outbox", sender="coach@example.org"):
        mailer = Mailer(smtp_url=smtp_url, sender=sender, outbox=outbox)
        message = invitation_message(invitation(email), "Squad\r\nBcc: all@example.org")
        mailer.send_queued(FailingQueue(mailer.written(message), 0, to=email))
        mailer.close()
        return [message_from_bytes(path.read_bytes(), policy=policy.default) for path in outbox.glob("*.eml")]

    return deliver


def invitation(email):
    return WorkspaceInvitation(
        id="inv_1",
        workspace_id="wke_1",
        email=email,
        role=InvitedRole.ATHLETE,
        code="the-code",
        expires_at=datetime(2026, 3, 20, 6, tzinfo=UTC),
    )


def test_a_mail_carries_the_code_to_the_invitee_alone(send, server, inbox):
    """A line break in a workspace's name starts no header of its own."""
    assert send(f"smtp://{server}") == []
    (mail,) = inbox.messages

    assert (mail["To"], mail["From"], mail["Bcc"]) == ("new@example.org", "coach@example.org", None)
    assert mail["Subject"] == "Invitation to Squad Bcc: all@example.org"
    assert "the-code" in mail.get_content()
    assert "2026-03-20 06:00 UTC" in mail.get_content()
    assert mail["Message-ID"].endswith("@example.org>")


def test_an_encoded_line_break_in_a_name_starts_no_header():
    """The mail library decodes such a word in a header, also in the name of a workspace."""
    message = invitation_message(invitation("new@example.org"), "=?utf-8?q?Club=0D=0ABcc:all=40example.org?=")
    mail = message_from_bytes(bytes(message), policy=policy.default)

    assert mail.keys() == message.keys()
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Invitation to = ?utf-8?q?Club=0D=0ABcc:all=40example.org?="


def test_a_link_has_the_code_in_its_fragment_which_browsers_send_to_no_server():
    message = invitation_message(
        invitation("new@example.org"), "Squad", inviter="Eva\r\nBcc: x", public_url="https://club.example/"
    )

    assert "https://club.example/invitation#code=the-code\n" in message.get_content()
    assert "Eva Bcc: x invites you to the workspace Squad as athlete." in message.get_content()
    assert message["Bcc"] is None


def test_the_name_and_password_of_the_address_are_used(send, server, inbox):
    send(f"smtp://coach:p%40ss%2Fword@{server}")

    assert len(inbox.messages) == 1


def test_a_wrong_password_is_logged_without_it_and_the_mail_is_kept(send, server, inbox, caplog):
    (kept,) = send(f"smtp://coach:wrongsecret@{server}")

    assert inbox.messages == []
    assert "the-code" in kept.get_content()
    assert "was not sent" in caplog.text
    assert "wrongsecret" not in caplog.text
    assert "the-code" not in caplog.text


@pytest.mark.parametrize("url", ["smtp://127.0.0.1:1", "smtps://127.0.0.1:1", "smtp://127.0.0.1:port"])
def test_a_server_that_cannot_be_reached_loses_no_mail(send, url, caplog):
    (kept,) = send(url)

    assert kept["To"] == "new@example.org"
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_refused_address_loses_no_mail(send, server, caplog):
    assert len(send(f"smtp://{server}", email="full@example.org")) == 1
    assert "mailbox full" in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mail.example:587",
        "smtp://",
        "https://mail.example",
        "smtp://coach:p/word@mail.example",
        "smtp://x:0",
    ],
)
def test_a_wrong_address_of_the_server_is_named_without_its_password(send, url, caplog, tmp_path):
    """An address without a scheme was read as this machine, and a password with a slash was in the log."""
    mailer = Mailer(smtp_url=url, sender="a@example.org", outbox=tmp_path)
    mailer.look()
    mailer.close()
    send(url)

    assert mailer.fault.startswith("COACHBOARD_SMTP_URL is ")
    assert [record.message.startswith("COACHBOARD_SMTP_URL is ") for record in caplog.records] == [
        True,
        False,
    ]
    assert "COACHBOARD_SMTP_URL is " in caplog.records[1].message
    assert "word" not in caplog.text.replace("user:password", "").replace("the password", "")


def test_the_server_is_tried_at_the_start_and_a_mail_that_arrives_ends_the_fault(
    server, inbox, tmp_path, caplog
):
    def looked(url):
        mailer = Mailer(smtp_url=url, sender="a@example.org", outbox=tmp_path)
        mailer.look()
        mailer.close()
        return mailer.fault

    assert looked(None) is None
    assert looked(f"smtp://coach:p%40ss%2Fword@{server}") is None
    assert "COACHBOARD_SMTP_URL" not in caplog.text
    assert looked("smtp://127.0.0.1:1") == "COACHBOARD_SMTP_URL: the mail server 127.0.0.1:1 does not answer"
    assert "Connection refused" in caplog.text
    assert (
        looked(f"smtp://coach:wrongsecret@{server}")
        == f"COACHBOARD_SMTP_URL: the mail server {server} does not accept the user or the password"
    )
    assert "wrongsecret" not in caplog.text
    own = [record.message for record in caplog.records if record.name.startswith("coachboard")]
    assert [message.startswith("COACHBOARD_SMTP_URL: ") for message in own] == [True] * 4
    assert inbox.messages == []

    mailer = Mailer(smtp_url=f"smtp://{server}", sender="a@example.org", outbox=tmp_path)
    mailer.fault = "COACHBOARD_SMTP_URL: the mail server did not take a mail"
    mailer.send_queued(FailingQueue(mailer.written(invitation_message(invitation("b@example.org"), "S")), 0))
    mailer.close()
    assert mailer.fault is None


def test_a_refused_address_is_no_fault_of_the_setting_and_a_lost_server_is(server, tmp_path):
    for url, email, named in (
        (f"smtp://{server}", "full@example.org", False),
        ("smtp://127.0.0.1:1", "b@example.org", True),
    ):
        mailer = Mailer(smtp_url=url, sender="a@example.org", outbox=tmp_path)
        message = mailer.written(invitation_message(invitation(email), "S"))
        mailer.send_queued(FailingQueue(message, 0, to=email))
        mailer.close()
        assert (mailer.fault is not None) == named
        assert not named or mailer.fault.endswith("the mail server 127.0.0.1:1 does not answer")


@pytest.fixture
def certificate(tmp_path):
    """A certificate for 127.0.0.1 that nobody knows, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail of tests")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "mail.pem"
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(built.public_bytes(serialization.Encoding.PEM) + pem)
    return path


@pytest.fixture
def tls_server(inbox, free_port, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    controller = Controller(
        inbox, port=free_port, hostname="127.0.0.1", tls_context=context, require_starttls=True
    )
    controller.start()
    yield f"127.0.0.1:{free_port}"
    controller.stop()


def test_tls_is_used_where_the_server_offers_it(send, tls_server, inbox, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    send(f"smtp://{tls_server}")

    assert len(inbox.messages) == 1


def test_a_server_with_an_unknown_certificate_gets_no_code(send, tls_server, inbox, caplog):
    assert len(send(f"smtp://{tls_server}")) == 1
    assert inbox.messages == []
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


def test_without_a_server_mails_are_written_to_the_outbox(send, caplog):
    caplog.set_level(logging.INFO)
    (kept,) = send(None, sender="Coachboard <coach@example.org>")

    assert kept["From"] == "Coachboard <coach@example.org>"
    assert "written to" in caplog.text


def test_mails_are_readable_by_their_owner_alone(send, tmp_path):
    send(None)
    (path,) = (tmp_path / "outbox").iterdir()

    assert path.stat().st_mode & 0o777 == 0o600


def test_an_outbox_that_cannot_be_written_is_logged(send, tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    send(None, outbox=tmp_path / "file" / "outbox")

    assert "could not be written" in caplog.text


class FailingQueue:
    """A store whose database fails a number of times."""

    def __init__(self, message, failures, to="b@example.org"):
        self.mails, self.failures = [QueuedMail("mail_1", to, message)], failures
        self.waiting = list(self.mails)

    def take_mail(self, _now):
        if self.failures:
            self.failures -= 1
            raise sa.exc.OperationalError("UPDATE", {}, sqlite3.OperationalError("no server"))
        return self.waiting.pop() if self.waiting else None

    def finish_mail(self, _mail_id):
        self.mails = []


def test_queued_mails_are_sent_once_the_database_answers_again(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(mail, "_REST_S", 0.01)
    mailer = Mailer(smtp_url=None, sender="a@example.org", outbox=tmp_path)
    queue = FailingQueue(mailer.written(invitation_message(invitation("b@example.org"), "Club")), 3)
    mailer.send_queued(queue)
    wait_until(lambda: not queue.mails)
    mailer.close()

    assert len(list(tmp_path.glob("*.eml"))) == 1
    assert caplog.text.count("Queued mails could not be sent now: no server") == 3


def test_a_mailer_that_waits_for_the_database_closes_at_once(tmp_path):
    mailer = Mailer(smtp_url=None, sender="a@example.org", outbox=tmp_path)
    queue = FailingQueue(b"", 1_000)
    mailer.send_queued(queue)
    wait_until(lambda: queue.failures < 1_000)
    started = time.monotonic()
    mailer.close()

    assert time.monotonic() - started < 4


def test_a_slow_mail_server_gets_no_second_mail_of_another_process(tmp_path):
    """One process held all mails for a minute, and a mail may take two."""
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        for number in range(2):
            store.queue_mail(f"{number}@example.org", b"mail")
        first, later = store.take_mail(1_000), store.take_mail(1_000 + 9 * 15)

        assert {first.recipient, later.recipient} == {"0@example.org", "1@example.org"}
        assert store.take_mail(1_000 + 9 * 15) is None
        store.finish_mail(later.id)
        assert store.take_mail(1_000 + 3_600) == first  # its process was killed
