"""All replies to an invitation: the page names the outcome of each address; none is lost or sent twice."""

import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path

import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

import faulty_proxy
import squad
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import connection, navigation
from faulty_proxy import Exchange, Fault, says
from hostile_rows import HOSTILE_TEXT
from serving import served
from soak.pages import dashboard
from soak.table import Row

ADDRESSES = ("one@example.org", "two@example.org", "three@example.org")
_PAGE = str(navigation.PAGES_FOLDER / "workspaces.py")
_MAIL_S = 20
_WITH_CODE = {"invited", "already pending, extended by two days", "created", "extended"}
_WITHOUT = {"rejected", "not sent", "failed"}
_OPEN = {"may have arrived", "unclear"}
"""The outcomes of an address on the page, above the list of invitations and in it."""
_LIMIT = "429"
_BUSY = b'{"code":"busy","error":"Busy."}'


def _acted(fault: Fault) -> Fault:
    """The service acts, and the reply is another one."""

    def late(exchange: Exchange) -> None:
        exchange.ask()
        fault(exchange)

    return late


def _refusal(text: str) -> Fault:
    return says(400, json.dumps({"code": "bad_request", "error": text}).encode())


def _tls_record(exchange: Exchange) -> None:
    exchange.connection.sendall(b"\x15\x03\x01\x00\x02\x02\x46")


REPLIES: dict[str, Fault] = {
    **{
        str(status): says(status, _BUSY) for status in (204, 302, 400, 401, 403, 404, 409, 500, 502, 503, 504)
    },
    **{
        f"{status} after it acted": _acted(says(status, _BUSY))
        for status in (204, 302, 409, 500, 502, 503, 504)
    },
    "503 with Retry-After": says(503, _BUSY, faulty_proxy.JSON, ("retry-after", "1")),
    _LIMIT: faulty_proxy.limited("900"),
    "a hostile error text": _refusal(HOSTILE_TEXT),
    "an error text of 5 MB": _refusal("x" * 5_000_000),
    "cut before it arrived": faulty_proxy.reset,
    "cut after it arrived": faulty_proxy.reset_after_arrival,
    "half a reply": faulty_proxy.cut,
    "no JSON": faulty_proxy.changed(lambda body: body[1:]),
    "an empty reply": faulty_proxy.changed(lambda _body: b""),
    "a reply without a code": faulty_proxy.changed(lambda _body: b"{}"),
    "a list": faulty_proxy.changed(lambda _body: b"[]"),
    "an expiry in the year 9999": faulty_proxy.changed(lambda body: re.sub(rb"20\d\d-", b"9999-", body)),
    "hostile texts": faulty_proxy.changed(lambda body: _with_texts(body, HOSTILE_TEXT)),
    "a text of 5 MB": faulty_proxy.changed(lambda body: _with_texts(body, "x" * 5_000_000)),
    "bad UTF-8": faulty_proxy.changed(lambda body: body.replace(b"two@", b"\xff\xfe@")),
    "a TLS record": _tls_record,
    "a TLS record after it acted": _acted(_tls_record),
}
"""Faults of the proxy for the second of three addresses."""


def _with_texts(body: bytes, text: str) -> bytes:
    return json.dumps({**json.loads(body), "email": text, "workspaceId": text}).encode()


def invitations(kinds: Sequence[str] = tuple(REPLIES)) -> Iterator[Row]:
    """Three addresses at once, the reply to the second one faulty; then the same three with a sound service."""
    for kind in kinds:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            failures = tuple(_failures(Path(folder), kind))
        yield Row(f"invitation: {kind}", 2 * len(ADDRESSES), failures, f"{time.monotonic() - started:.0f} s")


def _failures(folder: Path, kind: str) -> Iterator[str]:
    posts: list[str] = []

    def of_the_second(exchange: Exchange) -> None:
        if exchange.raw.startswith(b"POST"):
            posts.append(json.loads(exchange.body)["email"])
            if posts[-1] == ADDRESSES[1]:
                REPLIES[kind](exchange)
                return
        exchange.answer(exchange.ask())

    with _service(folder) as address, faulty_proxy.faulty(address) as proxy:
        with dashboard(proxy.url, key=squad.COACH_KEY):
            proxy.always = of_the_second
            shown = _outcomes(_sent())
            pending = _pending(folder)
            yield from (f"{email}: {n} requests" for email, n in Counter(posts).items() if n > 1)
            yield from _untrue(shown, pending)
            if kind == _LIMIT:
                return  # for a quarter of an hour
            proxy.always = None
            again = _outcomes(_sent())
        yield from (
            f"{email}: {again.get(email)} the second time"
            for email in ADDRESSES
            if again.get(email) not in _WITH_CODE
        )
        now_pending = _pending(folder)
        yield from (f"{email}: not pending" for email in ADDRESSES if email not in now_pending)
        yield from (
            f"{email}: another code" for email, digest in pending.items() if now_pending.get(email) != digest
        )
        arrived = Counter([*pending, *ADDRESSES])  # each request that arrives asks for one mail
        mails = _mails(folder, arrived)
        yield from (
            f"{email}: {mails[email]} mails of {n}" for email, n in arrived.items() if mails[email] != n
        )


def _untrue(shown: dict[str, str], pending: dict[str, str]) -> Iterator[str]:
    """Yield each address whose outcome on the page is wrong or missing."""
    for email in ADDRESSES:
        outcome = shown.get(email, "nothing")
        is_there = email in pending
        if outcome not in (_OPEN | _WITH_CODE if is_there else _OPEN | _WITHOUT):
            yield f"{email}: the page says {outcome}, {'pending' if is_there else 'not pending'}"


@contextmanager
def _service(folder: Path) -> Iterator[str]:
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    app = create_app(store, settings=Settings(outbox=folder / "outbox"))
    try:
        with served(app) as address:
            yield address
    finally:
        app.state.mailer.close()
        app.state.worker.close()
        app.state.intervals.close()
        store.close()


def _sent() -> AppTest:
    at = AppTest.from_file(_PAGE, default_timeout=60).run()
    at.checkbox(key="workspaces.mail").check()
    at.text_input(key="workspaces.addresses").set_value(", ".join(ADDRESSES)).run()
    return at.button(key="workspaces.send").click().run()


def _outcomes(at: AppTest) -> dict[str, str]:
    """Read the outcome of each address from the page; after a refused key, sign in again first."""
    assert not at.exception, at.exception[0].value
    texts = [element.value.replace("\\", "").replace("\u2060", "") for element in at.markdown]
    found = {line[1]: line[2] for text in texts if (line := re.match(r"\*\*(.+?)\*\* · :\S+: (.*)", text))}
    if not found:
        connection.close_all()
        at = AppTest.from_file(_PAGE, default_timeout=60).run()
        ledger = at.dataframe[-1].value  # below the people of the workspace
        found = dict(zip(ledger["Address"], ledger["Outcome"], strict=True))
    return found


def _pending(folder: Path) -> dict[str, str]:
    """The digests of the codes in the service's database, by address."""
    engine = sa.create_engine(f"sqlite:///{folder / 'service.db'}")
    with engine.connect() as database:
        rows = database.execute(sa.text("SELECT email, digest FROM invitations")).all()
    engine.dispose()
    return {row.email: row.digest for row in rows}


def _mails(folder: Path, wanted: Counter[str]) -> Counter[str]:
    """The mails in the outbox, once those that are wanted are there or a time has passed."""
    end = time.monotonic() + _MAIL_S
    while True:
        files = (folder / "outbox").glob("*.eml")
        found = Counter(str(message_from_bytes(file.read_bytes())["To"]) for file in files)
        if not wanted - found or time.monotonic() > end:
            return found
        time.sleep(0.05)
