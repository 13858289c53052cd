"""The ledger of invitations sent from here, because the service cannot list what is pending.

Each row is claimed before its request goes out, so that a double click, a rerun or a refresh finds it taken.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

import pandas as pd
from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from coachboard.loaders.local_store import LEDGER, asked


class Outcome(StrEnum):
    """What came of a sending."""

    SENDING = "sending"
    CREATED = "created"
    EXTENDED = "extended"
    UNCLEAR = "unclear"  # it may have arrived
    FAILED = "failed"  # the service answered with an error
    UNSENT = "not sent"  # stopped before its turn


@dataclass(frozen=True, slots=True)
class Entry:
    """One address invited by one press of the button."""

    token: str
    sent_at: datetime
    sent_by: str
    workspace_id: str
    workspace_name: str
    email: str
    role: str
    with_mail: bool
    outcome: Outcome = Outcome.SENDING
    code: str | None = None
    expires_at: datetime | None = None
    extensions: int = 0
    says: str | None = None

    @property
    def has_code(self) -> bool:
        return self.code is not None


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
    """The rows of one key; no other key's are ever read or changed through it."""

    def __init__(self, engine: Engine, owner: str) -> None:
        self._engine = engine
        self._owner = owner

    def claim(self, entry: Entry) -> bool:
        """Take the entry's token; False where it was taken before, and then nothing may be sent.

        Raises `StoreUnreachable`: what cannot be claimed is not sent either.
        """
        values = {**_values(entry), "owner": self._owner, "token": entry.token}
        try:
            with asked(), self._engine.begin() as connection:
                connection.execute(LEDGER.insert().values(values))
        except IntegrityError:
            return False
        return True

    def settle(self, entry: Entry) -> Entry:
        """Write down what came of it."""
        with self._engine.begin() as connection:
            connection.execute(
                update(LEDGER)
                .where(LEDGER.c.owner == self._owner, LEDGER.c.token == entry.token)
                .values(_values(entry))
            )
        return entry

    def entries(self, limit: int = 1_000) -> tuple[Entry, ...]:
        """All of this key, newest first; raises `StoreUnreachable`."""
        statement = (
            select(LEDGER)
            .where(LEDGER.c.owner == self._owner)
            .order_by(LEDGER.c.sent_at.desc(), LEDGER.c.token)
            .limit(limit)
        )
        with asked(), self._engine.connect() as connection:
            return tuple(_entry(row._asdict()) for row in connection.execute(statement))

    def entries_of(self, press: str) -> tuple[Entry, ...]:
        """What one press of the button sent, in the order of the addresses."""
        own = [entry for entry in self.entries() if entry.token.partition(":")[0] == press]
        return tuple(sorted(own, key=lambda entry: entry.token))

    def latest(self, workspace_id: str, email: str) -> Entry | None:
        """The last entry with a code for an address in a workspace; case does not matter."""
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
        with self._engine.connect() as connection:
            row = connection.execute(statement).one_or_none()
        return _entry(row._asdict()) if row else None

    def may_have_arrived(self, workspace_id: str, email: str, *, before: str) -> bool:
        """Whether an earlier press for an address got no answer, which may have made the invitation all the same."""
        statement = select(func.count()).where(
            LEDGER.c.owner == self._owner,
            LEDGER.c.workspace_id == workspace_id,
            func.lower(LEDGER.c.email) == email.lower(),
            LEDGER.c.token != before,
            LEDGER.c.outcome.in_([Outcome.UNCLEAR, Outcome.SENDING]),
        )
        with self._engine.connect() as connection:
            return bool(connection.scalar(statement))

    def clear(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(LEDGER).where(LEDGER.c.owner == self._owner))


def as_frame(entries: tuple[Entry, ...]) -> pd.DataFrame:
    """The entries as a table, for the screen and for export; tokens stay inside."""
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
        outcome=Outcome(entry.outcome),
        sent_at=entry.sent_at.replace(tzinfo=UTC),
        expires_at=entry.expires_at.replace(tzinfo=UTC) if entry.expires_at else None,
    )


def _stored(moment: datetime | None) -> datetime | None:
    # SQLite keeps no zones; everything in the table is UTC.
    return moment.astimezone(UTC).replace(tzinfo=None) if moment else None
