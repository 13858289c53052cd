"""Opaque ids with the document's prefix for each kind ("Conventions")."""

import re
import secrets

_ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}", re.ASCII)


def new_id(prefix: str) -> str:
    """An id such as `act_5f0c...` of 80 random bits, for `usr`, `act`, `tpr`, `not`, `evt`, `mtr`, `slp`, `wke`."""
    return f"{prefix}_{secrets.token_hex(10)}"


def is_id(text: str) -> bool:
    """Whether the text could be an id at all; PostgreSQL refuses to look up some that could not."""
    return _ID.fullmatch(text) is not None
