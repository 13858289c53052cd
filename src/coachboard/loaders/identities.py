"""API keys of users who sign in with OpenID Connect, encrypted at rest.

The table holds a digest of the identity and an encrypted key; both need the secret of the settings.
"""

import base64
import hashlib
import hmac
from contextlib import suppress

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr
from sqlalchemy import Engine, delete, insert, select

from coachboard.loaders.local_store import IDENTITY_KEYS, StoreUnreachable, asked


class Identities:
    """Encrypted keys by identity (issuer and subject)."""

    def __init__(self, engine: Engine, secret: SecretStr) -> None:
        self._engine = engine
        self._secret = secret.get_secret_value().encode()
        self._fernet = Fernet(base64.urlsafe_b64encode(self._derived("seal")))

    def key_of(self, issuer: str, subject: str) -> SecretStr | None:
        """The identity's key; None without one, if another secret encrypted it, or if the store is down."""
        sealed = None
        with suppress(StoreUnreachable), asked(), self._engine.connect() as connection:
            sealed = connection.scalar(
                select(IDENTITY_KEYS.c.sealed_key).where(
                    IDENTITY_KEYS.c.identity == self._identity(issuer, subject)
                )
            )
        if sealed is None:
            return None
        try:
            return SecretStr(self._fernet.decrypt(bytes(sealed)).decode())
        except InvalidToken:
            return None

    def keep(self, issuer: str, subject: str, key: SecretStr) -> None:
        """Store the identity's key; replaces the former one."""
        identity = self._identity(issuer, subject)
        sealed = self._fernet.encrypt(key.get_secret_value().encode())
        with self._engine.begin() as connection:
            connection.execute(delete(IDENTITY_KEYS).where(IDENTITY_KEYS.c.identity == identity))
            connection.execute(insert(IDENTITY_KEYS).values(identity=identity, sealed_key=sealed))

    def forget(self, issuer: str, subject: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                delete(IDENTITY_KEYS).where(IDENTITY_KEYS.c.identity == self._identity(issuer, subject))
            )

    def _identity(self, issuer: str, subject: str) -> str:
        return hmac.new(
            self._derived("identity"), f"{issuer}\0{subject}".encode(), hashlib.sha256
        ).hexdigest()

    def _derived(self, purpose: str) -> bytes:
        """A derived key for each purpose; the secret is long and random, so that no key stretching is needed."""
        return hmac.new(self._secret, f"coachboard {purpose}".encode(), hashlib.sha256).digest()
