"""Reading the reply to an invitation, of which the interface shows no names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from coachboard.client.errors import UnreadableResponse
from coachboard.client.http import Request
from coachboard.client.reading import read_json


@dataclass(frozen=True, slots=True)
class Invitation:
    """A pending invitation; `raw` holds all that the service said of it."""

    code: str
    expires_at: datetime | None
    email: str | None
    role: str | None
    raw: Mapping[str, Any]


# spec: not shown: the names. These are tried in order, then any name that contains the word.
_CODE_NAMES = ("code", "invitationCode", "inviteCode", "token")
_EXPIRY_NAMES = ("expiresAt", "expiry", "expires", "expirationDate", "validUntil")


def read_invitation(request: Request, body: bytes) -> Invitation:
    """The invitation; raises `UnreadableResponse` where there is no code in the reply."""
    payload = read_json(request, body)
    fields = payload if isinstance(payload, dict) else {}
    code = _text(fields, _CODE_NAMES, "code")
    if code is None:
        raise UnreadableResponse(
            request.method, request.target, status=200, place="code", text="no invitation code in the reply"
        )
    expiry = _text(fields, _EXPIRY_NAMES, "expir")
    return Invitation(
        code, _moment(expiry), _text(fields, ("email",), "mail"), _text(fields, ("role",), "role"), fields
    )


def _text(fields: Mapping[str, Any], names: tuple[str, ...], word: str) -> str | None:
    candidates = [name for name in names if name in fields]
    candidates += [name for name in fields if word in name.lower()]
    return next((fields[name] for name in candidates if isinstance(fields[name], str) and fields[name]), None)


def _moment(text: str | None) -> datetime | None:
    """A moment in UTC from any ISO 8601 text; the interface's own shape ends in +00."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
