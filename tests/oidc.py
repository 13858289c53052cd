"""A small OpenID Connect provider for tests: every user is signed in as the subject of its constructor."""

import time
from urllib.parse import parse_qs, urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

CLIENT_ID, CLIENT_SECRET = "coachboard", "coachboard-client-secret"


class Provider:
    """Discovery, authorisation, token and keys; `subject` is who signs in next."""

    def __init__(self) -> None:
        self.subject = "ana"
        self.claims: dict[str, object] = {}  # more of the token, such as `email_verified`
        self.issuer = ""
        self._key = RSAKey.generate_key(2048, {"kid": "test", "alg": "RS256", "use": "sig"})
        self._nonces: dict[str, str | None] = {}

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configuration),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )

    async def _configuration(self, _request: Request):
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def _authorize(self, request: Request):
        asked = request.query_params
        code = f"code-{self.subject}-{len(self._nonces)}"
        self._nonces[code] = asked.get("nonce")
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}")

    async def _token(self, request: Request):
        code = parse_qs((await request.body()).decode())["code"][0]
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": code.split("-")[1],
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 600,
            "email": f"{code.split('-')[1]}@example.org",
            "name": code.split("-")[1],
            **self.claims,
        }
        if nonce := self._nonces.pop(code):
            claims["nonce"] = nonce
        token = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)
        return JSONResponse(
            {"access_token": "opaque", "token_type": "Bearer", "expires_in": 600, "id_token": token}
        )

    async def _keys(self, _request: Request):
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})
