"""API keys of users who sign in with OpenID Connect, encrypted at rest.

The table holds a digest of the identity and an encrypted key; both need the secret of the settings. A row of an email
address holds its person and, until the first identity with this verified address signs in, the key for that identity.
"""

import base64
import hashlib
import hmac
import json
from contextlib import suppress

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr
from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from coachboard.database import writing
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
        """Store the identity's key; replaces the former one. Raises `StoreUnreachable`."""
        identity = self._identity(issuer, subject)
        sealed = self._fernet.encrypt(key.get_secret_value().encode())
        change = update(IDENTITY_KEYS).where(IDENTITY_KEYS.c.identity == identity).values(sealed_key=sealed)
        with asked():
            with writing(self._engine).begin() as connection:
                if connection.execute(change).rowcount:
                    return
            try:
                with writing(self._engine).begin() as connection:
                    connection.execute(insert(IDENTITY_KEYS).values(identity=identity, sealed_key=sealed))
            except IntegrityError:  # another tab was faster; the last key stays
                with writing(self._engine).begin() as connection:
                    connection.execute(change)

    def offer(self, email: str, user_id: str, key: SecretStr) -> bool:
        """Let the first identity with this verified address have the key; False if the address belongs to another person.

        An address of two people is not offered to anybody any more: nobody can tell which of them signs in.
        """
        address = self._address(email)
        with writing(self._engine).begin() as connection:
            offered = self._offered(connection, address)
            is_other = offered is not None and offered[1] != [user_id]
            owners = sorted({*offered[1], user_id}) if offered else [user_id]
            new = self._sealed_offer(owners, None if is_other else key)
            connection.execute(delete(IDENTITY_KEYS).where(IDENTITY_KEYS.c.identity == address))
            connection.execute(insert(IDENTITY_KEYS).values(identity=address, sealed_key=new))
        return not is_other

    def withdraw(self, email: str) -> bool:
        """Forget the address and its people; whether there were any."""
        with writing(self._engine).begin() as connection:
            address = IDENTITY_KEYS.c.identity == self._address(email)
            return connection.execute(delete(IDENTITY_KEYS).where(address)).rowcount > 0

    def bind(self, issuer: str, subject: str, email: str) -> SecretStr | None:
        """Give the key that is offered to this verified address to this identity, once; None if there is none.

        An identity that has a key keeps it, and of two identities with one address the first gets the key.
        """
        address = self._address(email)
        with suppress(StoreUnreachable, IntegrityError), asked(), writing(self._engine).begin() as connection:
            offered = self._offered(connection, address)
            sealed, owners, key = offered or (b"", [], None)
            if key is None:
                return None
            is_same = (IDENTITY_KEYS.c.identity == address) & (IDENTITY_KEYS.c.sealed_key == sealed)
            use = update(IDENTITY_KEYS).where(is_same).values(sealed_key=self._sealed_offer(owners, None))
            if connection.execute(use).rowcount == 0:
                return None
            mine = self._fernet.encrypt(key.get_secret_value().encode())
            identity = self._identity(issuer, subject)
            connection.execute(insert(IDENTITY_KEYS).values(identity=identity, sealed_key=mine))
            return key
        return None

    def _offered(
        self, connection: Connection, address: str
    ) -> tuple[bytes, list[str], SecretStr | None] | None:
        """The row of an address, its people, and the key; None without a row that this secret opens."""
        chosen = select(IDENTITY_KEYS.c.sealed_key).where(IDENTITY_KEYS.c.identity == address)
        sealed = connection.scalar(chosen)
        if sealed is None:
            return None
        try:
            offer = json.loads(self._fernet.decrypt(bytes(sealed)))
        except InvalidToken:
            return None
        key = offer["key"]
        return bytes(sealed), offer["people"], None if key is None else SecretStr(key)

    def _sealed_offer(self, people: list[str], key: SecretStr | None) -> bytes:
        offer = {"people": people, "key": None if key is None else key.get_secret_value()}
        return self._fernet.encrypt(json.dumps(offer).encode())

    def forget(self, issuer: str, subject: str) -> None:
        """Delete the identity's key; raises `StoreUnreachable`."""
        with asked(), writing(self._engine).begin() as connection:
            connection.execute(
                delete(IDENTITY_KEYS).where(IDENTITY_KEYS.c.identity == self._identity(issuer, subject))
            )

    def _identity(self, issuer: str, subject: str) -> str:
        return hmac.new(
            self._derived("identity"), f"{issuer}\0{subject}".encode(), hashlib.sha256
        ).hexdigest()

    def _address(self, email: str) -> str:
        # `casefold` and `lower` map different letters to one outside ASCII: a stranger's address would equal another.
        plain = email.strip()
        return hmac.new(
            self._derived("email"), (plain.lower() if plain.isascii() else plain).encode(), hashlib.sha256
        ).hexdigest()

    def _derived(self, purpose: str) -> bytes:
        """A derived key for each purpose; the secret is long and random, so that no key stretching is needed."""
        return hmac.new(self._secret, f"coachboard {purpose}".encode(), hashlib.sha256).digest()
