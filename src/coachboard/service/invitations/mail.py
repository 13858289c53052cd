"""Invitation mails, sent in the background by SMTP or written to a folder as .eml files."""

import logging
import secrets
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from pathlib import Path
from urllib.parse import unquote, urlsplit

from coachboard.models.invitations import WorkspaceInvitation

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 15.0


def invitation_message(invitation: WorkspaceInvitation, workspace: str) -> EmailMessage:
    """The mail that carries the code; sender, date and id are added when it is sent."""
    message = EmailMessage()
    # A name may hold anything; a line break would start a header of its own.
    name = " ".join(workspace.split())
    message["Subject"] = f"Invitation to {name}"
    message["To"] = invitation.email
    message.set_content(
        f"You are invited to the workspace {name} as {invitation.role}.\n\n"
        f"Your invitation code: {invitation.code}\n"
        f"It is valid until {_written(invitation.expires_at)}.\n\n"
        "If you did not expect this invitation, ignore this e-mail. Nothing happens unless the code is used.\n"
    )
    return message


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


class Mailer:
    """Sends mails one after another on a thread of its own, so that no request waits for a mail server."""

    def __init__(self, *, smtp_url: str | None, sender: str, outbox: Path) -> None:
        self._smtp_url = smtp_url
        self._sender = sender
        self._outbox = outbox
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")

    def send_later(self, message: EmailMessage, *, to: str) -> None:
        """Queue a mail; whatever becomes of it stands in the log."""
        message["From"] = self._sender
        message["Date"] = localtime()
        message["Message-ID"] = make_msgid(domain=_domain(self._sender))
        self._queue.submit(self._deliver, message, to)

    def close(self) -> None:
        """Wait until what is queued has been sent."""
        self._queue.shutdown(wait=True)

    def _deliver(self, message: EmailMessage, to: str) -> None:
        try:
            if self._smtp_url is not None:
                send(self._smtp_url, message)
                _LOG.info("Invitation mail sent to %s", to)
                return
        except (OSError, ValueError, smtplib.SMTPException) as error:
            # The server's words only: neither its password nor the code belongs into a log.
            _LOG.error(
                "Invitation mail to %s was not sent (%s); it is kept in the outbox", to, _reason(error)
            )
        self._keep(message, to)

    def _keep(self, message: EmailMessage, to: str) -> None:
        try:
            path = write(self._outbox, message)
        except OSError as error:
            _LOG.error("Invitation mail to %s could not be written: %s", to, error)
        else:
            _LOG.info("Invitation mail to %s written to %s", to, path)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _domain(sender: str) -> str:
    return Address(addr_spec=sender).domain if "@" in sender and "<" not in sender else "coachboard"


def send(url: str, message: EmailMessage) -> None:
    """Send by the server at smtp://user:password@host:port (TLS where it offers it) or smtps://..."""
    address = urlsplit(url)
    host = address.hostname or "localhost"
    trust = ssl.create_default_context()
    if address.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, address.port or 465, timeout=_TIMEOUT_S, context=trust)
    else:
        server = smtplib.SMTP(host, address.port or 25, timeout=_TIMEOUT_S)
    with server:
        server.ehlo()
        if address.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=trust)
            server.ehlo()
        if address.username:
            server.login(unquote(address.username), unquote(address.password or ""))
        server.send_message(message)


def write(folder: Path, message: EmailMessage) -> Path:
    """Write the mail to the folder under a name of its own, readable by its owner alone: it holds a code."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{localtime():%Y%m%dT%H%M%S}-{secrets.token_hex(4)}.eml"
    path.touch(mode=0o600)
    path.write_bytes(bytes(message))
    return path
