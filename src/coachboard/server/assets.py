"""Scripts that are too large to send with each page: a browser fetches them once and caches them for a year."""

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOLDER = "/assets"
_KEPT = "public, max-age=31536000, immutable"
_FILES: dict[str, Path] = {}


@cache
def address_of(file: Path) -> str:
    """The path of the file; it contains the content's hash, so that browsers fetch a changed file."""
    digest = sha256(file.read_bytes()).hexdigest()[:12]
    name = f"{digest}-{file.name}"
    _FILES[name] = file
    return f"{_FOLDER}/{name}"


def routes() -> list[Route]:
    """The routes of these files."""
    return [Route(_FOLDER + "/{name}", _send)]


def _send(request: Request) -> Response:
    file = _FILES.get(request.path_params["name"])
    if file is None:
        return Response("There is no such file.", status_code=404, media_type="text/plain")
    headers = {"Cache-Control": _KEPT, "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.read_bytes(), media_type="text/javascript", headers=headers)
    return Response(
        _compressed(file), media_type="text/javascript", headers={**headers, "Content-Encoding": "gzip"}
    )


@cache
def _compressed(file: Path) -> bytes:
    # Once per process: compressing it for each browser would cost 50 ms.
    return gzip.compress(file.read_bytes(), 6)
