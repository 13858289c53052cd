"""The bearer key of a request ("Authentication")."""

from coachboard.service.api.errors import KeyRefused

_MOST_CHARACTERS = 500


def bearer_key(values: list[bytes]) -> str:
    """The key of the only Authorization header; raises `Unauthorized` for no header, several, or another scheme."""
    if len(values) != 1:
        raise KeyRefused("Send one API key as a bearer token: Authorization: Bearer <API_KEY>.")
    scheme, _, key = values[0].decode("latin-1").strip().partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key or " " in key or len(key) > _MOST_CHARACTERS:
        raise KeyRefused("Send the API key as a bearer token: Authorization: Bearer <API_KEY>.")
    return key
