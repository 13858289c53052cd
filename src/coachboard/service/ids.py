"""Opaque ids with the interface's prefix for each kind ("Conventions")."""

import hashlib
import re
import secrets

_ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}", re.ASCII)


def new_id(prefix: str) -> str:
    """An id such as `act_5f0c...` of 80 random bits, for `usr`, `act`, `tpr`, `not`, `evt`, `mtr`, `slp`, `wke`."""
    return f"{prefix}_{secrets.token_hex(10)}"


def id_from_file(prefix: str, user_id: str, digest: str, place: int) -> str:
    """The id of an object from a person's file: the same for the same file, so that a second attempt replaces the first."""
    text = f"{user_id}/{digest}/{prefix}/{place}"
    return f"{prefix}_{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def is_id(text: str) -> bool:
    """Whether the text can be an id; PostgreSQL rejects queries for some texts."""
    return _ID.fullmatch(text) is not None
