"""Opaque ids with the interface's prefix for each kind ("Conventions"); a new id of a person's row names the person."""

import hashlib
import re
import secrets

_ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}", re.ASCII)
_PERSON = re.compile(r"usr_([A-Za-z0-9_\-]{1,55})", re.ASCII)
_ROUTED = re.compile(r"[a-z]{3}_([A-Za-z0-9_\-]{1,55})-[0-9a-f]{20}", re.ASCII)


def new_id(prefix: str, user_id: str = "") -> str:
    """An id such as `act_5f0c...` of 80 random bits, for `usr`, `act`, `tpr`, `not`, `evt`, `mtr`, `slp`, `wke`.

    With a person it names them, as in `act_<the person's id after its prefix>-5f0c...`: see `person_in`.
    """
    person = _PERSON.fullmatch(user_id)
    route = "" if person is None else f"{person[1]}-"
    return f"{prefix}_{route}{secrets.token_hex(10)}"


def person_in(row_id: str) -> str | None:
    """The person whom an id names, who has the row if the service made the id; None for an id that names none."""
    routed = _ROUTED.fullmatch(row_id)
    return None if routed is None else f"usr_{routed[1]}"


def id_from_file(prefix: str, user_id: str, digest: str, place: int) -> str:
    """The id of an object from a person's file: the same for the same file, so that a second attempt replaces the first."""
    text = f"{user_id}/{digest}/{prefix}/{place}"
    return f"{prefix}_{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def is_id(text: str) -> bool:
    """Whether the text can be an id; PostgreSQL rejects queries for some texts."""
    return _ID.fullmatch(text) is not None
