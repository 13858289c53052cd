"""Mails, sent in the background by SMTP or written to a folder as .eml files."""

import logging
import smtplib
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from email.utils import localtime, make_msgid, parsedate_to_datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from sqlalchemy.exc import SQLAlchemyError

from coachboard.plain_text import first_line
from coachboard.service.store.originals import replacing
from coachboard.service.store.records import QueuedMail
from coachboard.settings import Settings
from coachboard.wire.users import WorkspaceInvitation

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 15.0
_PORTS = {"smtp": 25, "smtps": 465}
_LOOK_EVERY_S = 20.0  # for mails that are due at a time
_REST_S, _LONGEST_REST_S = 5.0, 60.0  # between two attempts while the database fails


def invitation_message(
    invitation: WorkspaceInvitation,
    workspace: str,
    *,
    inviter: str | None = None,
    public_url: str | None = None,
) -> EmailMessage:
    """The mail with the code and, if the dashboard's address is known, a link; it is completed when it is sent.

    The code is in the fragment of the link: browsers send no fragment, so that no log and no other site gets the code.
    """
    message = EmailMessage()
    # A name may contain a line break, which would start another header.
    name, sender = _in_one_line(workspace), _in_one_line(inviter or "")
    link = f"{(public_url or '').rstrip('/')}/invitation#code={invitation.code}"
    how = f"To accept, open this link:\n{link}\n\n" if public_url else ""
    message["Subject"] = as_header(f"Invitation to {name}")
    message["To"] = invitation.email
    message.set_content(
        f"{f'{sender} invites you' if sender else 'You are invited'} to the workspace {name} "
        f"as {invitation.role}.\n\n{how}"
        f"Your invitation code: {invitation.code}\n"
        f"It is valid until {_written(invitation.expires_at)}.\n\n"
        "If you did not expect this invitation, ignore this e-mail. Nothing happens unless the code is used.\n"
    )
    return message


def address_message(address: str, code: str) -> EmailMessage:
    """The mail with the code of an address that a person entered for mails about comments."""
    message = EmailMessage()
    message["Subject"] = "Confirm your address for mails about comments"
    message["To"] = address
    message.set_content(
        f"Your code: {code}\n\nEnter it in the settings of Coachboard, under Mails about comments. It is valid until the end "
        "of tomorrow.\n\nIf you did not ask for it, ignore this e-mail.\n"
    )
    return message


_LONGEST_NAME = 80


def _in_one_line(name: str) -> str:
    return " ".join(name.split())[:_LONGEST_NAME]


def as_header(text: str) -> str:
    """The text for a header that shows it as it is: the library decodes `=?utf-8?q?=0A?=` to a line break, which starts another header."""
    return text.replace("=?", "= ?")


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


class MailQueue(Protocol):
    """The queue of the store: one process takes each mail, and finishes the mail once it is sent."""

    def take_mail(self, now: int) -> QueuedMail | None: ...
    def finish_mail(self, mail_id: str) -> None: ...


class Mailer:
    """Sends mails one after another on its own thread, so that no request waits for a mail server."""

    def __init__(self, *, smtp_url: str | None, sender: str, outbox: Path) -> None:
        self._smtp_url = smtp_url
        self._sender = sender
        self._outbox = outbox
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
        self._closing = threading.Event()
        self._timer: threading.Thread | None = None
        self.fault = None if smtp_url is None else wrong_address(smtp_url)
        """Why mails go to the outbox although a mail server is set, by the last attempt."""

    @property
    def has_server(self) -> bool:
        """Whether mails leave the machine, as far as the last attempt says."""
        return self._smtp_url is not None and self.fault is None

    def look(self) -> None:
        """Find out in the background whether the mail server takes mails: who invites should not be the first to know."""
        if self._smtp_url is not None:
            self._queue.submit(self._look)

    def _look(self) -> None:
        if self.fault is None and self._smtp_url is not None:
            try:
                with _open(self._smtp_url) as server:
                    server.noop()
            except (OSError, smtplib.SMTPException) as error:
                self.fault = _fault(self._smtp_url, error)
                _LOG.warning("%s: %s", _SETTING, _reason(error))
        if self.fault:
            _LOG.warning("%s. Mails are kept in %s until it is corrected.", self.fault, self._outbox)

    def written(self, message: EmailMessage) -> bytes:
        """The whole mail; its id and date stay the same however often it is sent."""
        message["From"] = self._sender
        message["Date"] = localtime()
        message["Message-ID"] = make_msgid(domain=_domain(self._sender))
        return bytes(message)

    def send_queued(self, queue: MailQueue) -> None:
        """Send in the background what waits in the database."""
        self._queue.submit(self._send_all, queue)

    def _send_all(self, queue: MailQueue) -> None:
        """Try until the database answers: the next invitation, which would send this mail too, may be days away."""
        rest_s = _REST_S
        while not self._sent_all(queue) and not self._closing.wait(rest_s):
            rest_s = min(2 * rest_s, _LONGEST_REST_S)

    def _sent_all(self, queue: MailQueue) -> bool:
        """Whether the database answered; a mail that failed for another reason stays in it."""
        try:
            while (mail := queue.take_mail(int(time.time()))) is not None:
                message = message_from_bytes(mail.message, policy=default)
                if self.deliver(message, mail.recipient, mail.id):
                    queue.finish_mail(mail.id)
        except (SQLAlchemyError, OSError) as error:
            _LOG.error("Queued mails could not be sent now: %s", first_line(error))
            return False
        except Exception:  # noqa: BLE001 (the edge of a thread; the mails stay in the database)
            _LOG.exception("Queued mails could not be sent now")
        return True

    def repeat(self, send: Callable[[], None]) -> None:
        """Send what is due, again and again until the mailer closes: no request comes at the time of a daily mail."""
        self._timer = threading.Thread(target=self._repeat, args=(send,), name="mail-timer", daemon=True)
        self._timer.start()

    def _repeat(self, send: Callable[[], None]) -> None:
        has_failed = False
        while not self._closing.wait(_LOOK_EVERY_S):
            try:
                send()
                has_failed = False
            except (SQLAlchemyError, OSError) as error:
                if not has_failed:  # one line for an outage of hours
                    _LOG.error("Due mails could not be sent now: %s", first_line(error))
                has_failed = True
            except Exception:  # noqa: BLE001 (the edge of a thread; the mails stay due)
                _LOG.exception("Due mails could not be sent now")

    def close(self) -> None:
        """Wait until all queued mails are sent; mails that wait for the database stay in it."""
        self._closing.set()
        if self._timer is not None:
            self._timer.join()
        self._queue.shutdown(wait=True)

    def deliver(self, message: EmailMessage, to: str, name: str) -> bool:
        """Whether the mail is with the server or in the outbox."""
        if self._smtp_url is None:
            return self._keep(message, to, name)
        try:
            why = wrong_address(self._smtp_url)
            if why is None:
                send(self._smtp_url, message)
                self.fault = None
                _LOG.info("Mail sent to %s", to)
                return True
        except smtplib.SMTPRecipientsRefused as error:  # the server works; this address does not
            why = _reason(error)
        except (OSError, ValueError, smtplib.SMTPException) as error:
            why, self.fault = _reason(error), _fault(self._smtp_url, error)
        # Log the server's words only, never its password or the code.
        _LOG.error("Mail to %s was not sent (%s); it is kept in the outbox", to, why)
        return self._keep(message, to, name)

    def _keep(self, message: EmailMessage, to: str, name: str) -> bool:
        try:
            path = write(self._outbox, message, name)
        except OSError as error:
            _LOG.error("Mail to %s could not be written: %s", to, error)
            return False
        _LOG.info("Mail to %s written to %s", to, path)
        return True


def mailer_of(settings: Settings) -> Mailer:
    smtp_url = settings.smtp_url.get_secret_value() if settings.smtp_url else None
    return Mailer(smtp_url=smtp_url, sender=settings.mail_from, outbox=settings.outbox)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _domain(sender: str) -> str:
    return Address(addr_spec=sender).domain if "@" in sender and "<" not in sender else "coachboard"


_SETTING = "COACHBOARD_SMTP_URL"


def _fault(url: str, error: Exception) -> str:
    """Why no mail is sent, for a page: the words of the operating system and of the server are in the log."""
    address = urlsplit(url)
    server = f"the mail server {address.hostname}:{address.port or _PORTS[address.scheme]}"
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"{_SETTING}: {server} does not accept the user or the password"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{_SETTING}: the certificate of {server} is not valid"
    if isinstance(error, smtplib.SMTPException | ValueError):
        return f"{_SETTING}: {server} did not take a mail"
    return f"{_SETTING}: {server} does not answer"


def wrong_address(url: str) -> str | None:
    """The fault of the setting, without its text, which contains a password."""
    if not url.strip():
        return f"{_SETTING} is empty"
    try:
        address = urlsplit(url)
        is_right = address.scheme in {"smtp", "smtps"} and bool(address.hostname) and address.port != 0
    except ValueError:  # a port that is no number, as after a password with a slash
        is_right = False
    expected = "smtp://user:password@host:587, with %2F for a / and %40 for an @ in the password"
    return None if is_right else f"{_SETTING} is wrong: expected {expected}"


def send(url: str, message: EmailMessage) -> None:
    """Send by the server at smtp://user:password@host:port (TLS if the server offers it) or smtps://..."""
    with _open(url) as server:
        server.send_message(message)


@contextmanager
def _open(url: str) -> Iterator[smtplib.SMTP]:
    """A connection to the server, signed in."""
    address = urlsplit(url)
    host = address.hostname or "localhost"
    trust = ssl.create_default_context()
    port = address.port or _PORTS[address.scheme]
    if address.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_TIMEOUT_S, context=trust)
    else:
        server = smtplib.SMTP(host, port, timeout=_TIMEOUT_S)
    with server:
        server.ehlo()
        if address.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=trust)
            server.ehlo()
        if address.username:
            server.login(unquote(address.username), unquote(address.password or ""))
        yield server


def write(folder: Path, message: EmailMessage, name: str) -> Path:
    """Write the mail to the folder, readable by its owner alone: it holds a code. A second time under the same name."""
    sent_at = parsedate_to_datetime(message["Date"])
    path = folder / f"{sent_at:%Y%m%dT%H%M%S}-{name}.eml"
    with replacing(path) as file:
        file.write(bytes(message))
    return path
