"""The ledger of sent invitations, because the service cannot list pending ones.

A row is inserted before its request, so that a double click, a rerun or a reload finds it and sends nothing.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

import pandas as pd
from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from coachboard.database import writing
from coachboard.loaders.local_store import LEDGER, StoreUnreachable, asked
from coachboard.wire.base import plausible_instant


class SendOutcome(StrEnum):
    """The outcome of a sending."""

    SENDING = "sending"
    CREATED = "created"
    EXTENDED = "extended"
    UNCLEAR = "unclear"  # no answer: it may have arrived
    FAILED = "failed"  # the service answered with an error
    UNSENT = "not sent"  # stopped before its turn


@dataclass(frozen=True, slots=True)
class Entry:
    """An address invited by one press of the button."""

    token: str
    sent_at: datetime
    sent_by: str
    workspace_id: str
    workspace_name: str
    email: str
    role: str
    with_mail: bool
    outcome: SendOutcome = SendOutcome.SENDING
    code: str | None = None
    expires_at: datetime | None = None
    extensions: int = 0
    says: str | None = None


COLUMNS = (
    "sent_at",
    "sent_by",
    "workspace_name",
    "email",
    "role",
    "with_mail",
    "outcome",
    "code",
    "expires_at",
    "extensions",
    "says",
)


class Ledger:
    """The rows of one key; never reads or changes rows of other keys."""

    def __init__(self, engine: Engine, owner: str) -> None:
        self._engine = engine
        self._owner = owner

    def claim(self, entry: Entry) -> bool:
        """Insert the entry with its token; False if the token exists, and then nothing may be sent.

        Raises `StoreUnreachable`: an entry that cannot be inserted is not sent either.
        """
        values = {**_values(entry), "owner": self._owner, "token": entry.token}
        try:
            with asked(), writing(self._engine).begin() as connection:
                connection.execute(LEDGER.insert().values(values))
        except IntegrityError:
            return False
        return True

    def settle(self, entry: Entry) -> Entry:
        """Write down what came of it; in memory where the disk is full, because the request has been sent."""
        try:
            self._write(entry)
        except StoreUnreachable:
            self.remember(entry)
        return entry

    def remember(self, entry: Entry) -> None:
        """Keep an outcome in this process, until it can be written."""
        _UNSAVED[self._owner, entry.token] = entry

    def _write(self, entry: Entry) -> None:
        with asked(), writing(self._engine).begin() as connection:
            updated = connection.execute(
                update(LEDGER)
                .where(LEDGER.c.owner == self._owner, LEDGER.c.token == entry.token)
                .values(_values(entry))
            )
            if not updated.rowcount:  # the disk was full before it was claimed
                values = {**_values(entry), "owner": self._owner, "token": entry.token}
                connection.execute(LEDGER.insert().values(values))
        _UNSAVED.pop((self._owner, entry.token), None)

    def _unsaved(self) -> dict[str, Entry]:
        """By token; each is written now where that is possible again."""
        own = {token: entry for (owner, token), entry in list(_UNSAVED.items()) if owner == self._owner}
        with suppress(StoreUnreachable):
            for entry in own.values():
                self._write(entry)
        return own

    def entries(self) -> tuple[Entry, ...]:
        """The last 1,000 entries of this key, newest first; raises `StoreUnreachable`."""
        statement = (
            select(LEDGER)
            .where(LEDGER.c.owner == self._owner)
            .order_by(LEDGER.c.sent_at.desc(), LEDGER.c.token)
            .limit(1_000)
        )
        with asked(), self._engine.connect() as connection:
            return tuple(_entry(row._asdict()) for row in connection.execute(statement))

    def entries_with_unsaved(self) -> tuple[Entry, ...]:
        """The same; an outcome that could not be written replaces its row, and is all there is without the store."""
        unsaved = self._unsaved()
        try:
            entries = self.entries()
        except StoreUnreachable:
            if not unsaved:
                raise
            entries = ()
        written = {entry.token: entry for entry in entries}
        return tuple({**written, **unsaved}.values())

    def entries_of(self, press: str) -> tuple[Entry, ...]:
        """The invitations that one press of the button sent, in the order of the addresses."""
        own = [entry for entry in self.entries_with_unsaved() if entry.token.partition(":")[0] == press]
        return tuple(sorted(own, key=lambda entry: entry.token))

    def latest(self, workspace_id: str, email: str) -> Entry | None:
        """The newest entry with a code for an address, in any case of letters, in a workspace; None without one."""
        statement = (
            select(LEDGER)
            .where(
                LEDGER.c.owner == self._owner,
                LEDGER.c.workspace_id == workspace_id,
                func.lower(LEDGER.c.email) == email.lower(),
                LEDGER.c.code.is_not(None),
            )
            .order_by(LEDGER.c.sent_at.desc())
            .limit(1)
        )
        with asked(), self._engine.connect() as connection:
            row = connection.execute(statement).one_or_none()
        return _entry(row._asdict()) if row else None

    def may_have_arrived(self, workspace_id: str, email: str, *, before: str) -> bool:
        """Whether an earlier press for an address got no answer, which may have created the invitation."""
        statement = select(func.count()).where(
            LEDGER.c.owner == self._owner,
            LEDGER.c.workspace_id == workspace_id,
            func.lower(LEDGER.c.email) == email.lower(),
            LEDGER.c.token != before,
            LEDGER.c.outcome.in_([SendOutcome.UNCLEAR, SendOutcome.SENDING]),
        )
        with asked(), self._engine.connect() as connection:
            return bool(connection.scalar(statement))

    def clear(self) -> None:
        with asked(), writing(self._engine).begin() as connection:
            connection.execute(delete(LEDGER).where(LEDGER.c.owner == self._owner))


_UNSAVED: dict[tuple[str, str], Entry] = {}
"""Outcomes by owner and token that the full disk did not take."""


def as_frame(entries: tuple[Entry, ...]) -> pd.DataFrame:
    """The entries as a table for screen and export, without tokens."""
    return pd.DataFrame(
        [{name: getattr(entry, name) for name in COLUMNS} for entry in entries], columns=COLUMNS
    )


def _values(entry: Entry) -> dict[str, object]:
    return {
        "sent_at": _stored(entry.sent_at),
        "sent_by": entry.sent_by,
        "workspace_id": entry.workspace_id,
        "workspace_name": entry.workspace_name,
        "email": entry.email,
        "role": entry.role,
        "with_mail": entry.with_mail,
        "outcome": str(entry.outcome),
        "code": entry.code,
        "expires_at": _stored(entry.expires_at),
        "extensions": entry.extensions,
        "says": entry.says,
    }


def _entry(row: dict[str, object]) -> Entry:
    fields = {name: value for name, value in row.items() if name != "owner"}
    entry = Entry(**fields)  # type: ignore[arg-type] # the table has the columns of the record
    return replace(
        entry,
        outcome=SendOutcome(entry.outcome),
        sent_at=entry.sent_at.replace(tzinfo=UTC),
        expires_at=plausible_instant(entry.expires_at),
    )


def _stored(moment: datetime | None) -> datetime | None:
    # SQLite stores no zones; all times in the table are UTC.
    return moment.astimezone(UTC).replace(tzinfo=None) if moment else None
