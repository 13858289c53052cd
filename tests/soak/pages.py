"""Every page under hostile rows and faulty replies, with an empty and a full cache, and its recovery."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import faulty_proxy
import hostile_rows
import page_views
import plain_rows
from coachboard.ui.frame import connection
from plain_service import plain_app
from serving import served
from soak.table import Row

ALL_PAGES = (*page_views.PAGES, *page_views.OWN_DATA_PAGES)


def _error(text: str) -> bytes:
    return json.dumps({"code": text[:100], "error": text}).encode()


REPLIES: dict[str, faulty_proxy.Fault] = {
    "403": faulty_proxy.says(403, b'{"code":"forbidden","error":"No."}'),
    "503": faulty_proxy.says(503, b"<h1>busy</h1>", ("content-type", "text/html")),
    "503 with Retry-After": faulty_proxy.says(503, b"{}", faulty_proxy.JSON, ("retry-after", "1")),
    "500 with a hostile text": faulty_proxy.says(500, _error(hostile_rows.HOSTILE_TEXT)),
    "400 with 50 MB of text": faulty_proxy.says(400, _error("x" * hostile_rows.LONG_TEXT_BYTES)),
    "204": faulty_proxy.says(204),
    "a TLS record": lambda exchange: exchange.connection.sendall(b"\x15\x03\x01\x00\x02\x02\x46"),
    "half a reply": faulty_proxy.cut,
    "reset": faulty_proxy.reset,
    "no JSON": faulty_proxy.changed(lambda body: body[1:]),
}


def rows() -> Iterator[Row]:
    """Hostile rows: each kind on each page, with an empty cache, with sound rows in it, and with sound rows again."""
    app = plain_app(plain_rows.plain())
    with served(app) as address:
        for kind, change in hostile_rows.KINDS.items():

            def switch(*, is_faulty: bool, change: Callable[[Any], None] = change) -> None:
                app.state.rows = plain_rows.plain()
                if is_faulty:
                    change(app.state.rows)

            yield _row(f"rows: {kind}", address, switch, ALL_PAGES)


def replies(kinds: Collection[str] = tuple(REPLIES), on: Collection[str] = ALL_PAGES) -> Iterator[Row]:
    """Faulty replies: each kind on each page, with an empty and a full cache, and each page when the service is sound."""
    with served(plain_app(plain_rows.plain())) as address, faulty_proxy.faulty(address) as proxy:
        for kind in kinds:

            def switch(*, is_faulty: bool, fault: faulty_proxy.Fault = REPLIES[kind]) -> None:
                proxy.always = fault if is_faulty else None

            yield _row(f"replies: {kind}", proxy.url, switch, on)


STEPS = (
    ("empty cache", True),
    ("after the fault", False),
    ("full cache", True),
    ("after the second fault", False),
)


def _row(name: str, address: str, switch: Callable[..., None], on: Collection[str]) -> Row:
    started, failures, views = time.monotonic(), [], 0
    for page in on:
        with dashboard(address):
            for step, is_faulty in STEPS:
                switch(is_faulty=is_faulty)
                views += 1
                failures += _failures(page, step)
    return Row(name, views, tuple(failures), f"{time.monotonic() - started:.0f} s")


def _failures(page: str, step: str) -> list[str]:
    try:
        lines = page_views.view(page)
    except (AssertionError, RuntimeError) as error:  # a fault, or a page that took more than a minute
        return [f"{page}, {step}: {str(error)[:80]}"]
    return [f"{page}, {step}: {line[:80]}" for line in lines if "went wrong" in line]


@contextmanager
def dashboard(address: str, *, key: str = "key-of-the-soak", folder: Path | None = None) -> Iterator[None]:
    """The environment of pages over that service, with empty stores in the folder, else in one of their own."""
    with tempfile.TemporaryDirectory() as empty:
        env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
        env |= {
            "COACHBOARD_BASE_URL": address,
            "COACHBOARD_CACHE_URL": f"sqlite:///{folder or empty}/cache.db",
            "COACHBOARD_API_KEY": key,
            "COACHBOARD_TODAY": plain_rows.TODAY.isoformat(),
        }
        with mock.patch.dict(os.environ, env, clear=True):
            yield
            connection.close_all()
