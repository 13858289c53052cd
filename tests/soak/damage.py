"""Six kinds of damage to each of the four stores: the program rebuilds derived data and names the next step for lost data."""

import contextlib
import hashlib
import logging
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import httpx
from click.testing import CliRunner

import page_views
import plain_rows
import seeded
from coachboard.cli import main
from coachboard.client.database import ENTRIES
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import connection
from plain_service import plain_app
from serving import served
from soak import pages
from soak.table import Row

Damage = Callable[[Path], None]


def _garbage(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def _half(path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: len(body) // 2])


def _flipped(path: Path) -> None:
    """Every second page of the file but the first is something else."""
    body = bytearray(path.read_bytes())
    for start in range(4096, len(body), 8192):
        body[start : start + 4096] = os.urandom(len(body[start : start + 4096]))
    path.write_bytes(body)


def _empty(path: Path) -> None:
    """An empty file that was not made a moment ago."""
    path.write_bytes(b"")
    os.utime(path, (0, 0))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "a file of the user").touch()


FILES: dict[str, Damage] = {
    "garbage": _garbage,
    "half a file": _half,
    "flipped pages": _flipped,
    "an empty file": _empty,
    "a folder in its place": _folder,
}
"""Damage to any file; each store has a kind of its own besides."""


def _sql(*statements: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            for statement in statements:
                database.execute(statement)
            database.commit()

    return damage


_OTHER_TYPES = (
    f"UPDATE {ENTRIES.name} SET body = 'no JSON' WHERE rowid % 3 = 0",
    f"UPDATE {ENTRIES.name} SET fetched_at = 'never' WHERE month = 0",
)
CACHE = FILES | {
    "rows of other types": _sql(*_OTHER_TYPES),
    "another version": _sql("PRAGMA user_version = 1"),
}
DASHBOARD = FILES | {
    "rows of other types": _sql(
        "INSERT OR REPLACE INTO dashboard_preferences SELECT owner, 'no JSON' FROM dashboard_preferences",
        "UPDATE dashboard_visits SET seen_at = 'never'",
    ),
    "another version": _sql(
        "DROP TABLE dashboard_preferences", "CREATE TABLE dashboard_preferences (name TEXT)"
    ),
}
SERVICE = FILES | {
    "rows of other types": _sql(
        "UPDATE activities SET body = 'no JSON' WHERE id = 'act_ride'",
        "UPDATE activities SET body = CAST('no JSON' AS BLOB) WHERE id = 'act_early'",
        "UPDATE users SET body = 'no JSON' WHERE id = 'usr_ben'",
        "UPDATE sleeps SET day = 'no day'",
    ),
    "another version": _sql("UPDATE alembic_version SET version_num = '9999'"),
}
ORIGINALS = FILES | {"another recording": lambda path: path.write_bytes(b"\x0e" * 100)}


def rows() -> Iterator[Row]:
    for store, kinds in (
        ("the client's cache", CACHE),
        ("dashboard.db", DASHBOARD),
        ("the service's database", SERVICE),
        ("originals", ORIGINALS),
    ):
        for kind in kinds:
            yield row(store, kind)


def row(store: str, kind: str) -> Row:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, _logged() as log:
        failures = _CHECKS[store](kind, Path(folder), log)
    failures += [f"traceback: {record.getMessage()[:80]}" for record in log if record.exc_info]
    figures = f"{len(log)} log lines, {time.monotonic() - started:.0f} s"
    return Row(f"{store}: {kind}", 1, tuple(failures), figures)


@contextlib.contextmanager
def _logged() -> Iterator[list[logging.LogRecord]]:
    found: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = found.append  # type: ignore[method-assign] # a list of records
    logger = logging.getLogger("coachboard")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


_PAGES = ("roster", "athlete", "settings")


def _of_pages(kind: str, folder: Path, log: list[logging.LogRecord], name: str, damage: Damage) -> list[str]:
    """Pages as before the damage, from the first view on, and a message of what was put aside."""
    failures = []
    with served(plain_app(plain_rows.plain())) as address:
        for page in _PAGES:
            own = folder / page
            own.mkdir()
            with pages.dashboard(address, folder=own):
                sound = page_views.view(page)
                connection.close_all()
                _checkpoint(own / name)
                log.clear()
                damage(own / name)
                damaged = (own / name).read_bytes() if (own / name).is_file() else b""
                try:
                    seen = [page_views.view(page) for _ in range(2)]
                except (AssertionError, RuntimeError) as error:
                    failures.append(f"{page}: {str(error)[:100]}")
                    continue
                failures += _unreported(kind, own, name, damaged, log, seen)
                failures += [f"{page}: {said}" for said in _differences(sound, seen[-1])[:2]]
    return failures


_ABOUT_STORES = ("No saved copy", "Dashboard database", "Saved copy replaced", "put aside")


def _differences(sound: list[str], seen: list[str]) -> list[str]:
    lost, more = set(sound) - set(seen), set(seen) - set(sound)
    return [f"lost {line[:80]}" for line in sorted(lost)] + [
        f"more {line[:80]}" for line in sorted(more) if not any(words in line for words in _ABOUT_STORES)
    ]


def _unreported(
    kind: str, folder: Path, name: str, damaged: bytes, log: list[logging.LogRecord], seen: list[list[str]]
) -> list[str]:
    if kind in {"an empty file", "rows of other types"}:  # no data of a file to keep; rows that are left out
        return []
    if kind == "another version" and name == "cache.db":  # after each upgrade: no damage to report
        return []
    failures = [] if log else ["nothing in the log"]
    if not any(words in line for line in seen[0] for words in _ABOUT_STORES):
        failures.append("nothing on the page")
    aside = [path for path in folder.glob(f"{name}.set-aside-*") if not path.name.endswith(("-wal", "-shm"))]
    if kind == "a folder in its place":
        is_left = (folder / name / "a file of the user").exists()
        return failures + ([] if is_left else ["the folder is gone"])
    if kind == "another version":  # the file is sound: another version of Coachboard may need it
        return failures
    # A file with a sound head is changed by its opening, before a damaged page is read.
    is_kept = any(path.read_bytes() == damaged for path in aside) or (aside and kind == "flipped pages")
    failures += [] if is_kept else ["not put aside as it was"]
    return failures


def _checkpoint(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _of_cache(kind: str, folder: Path, log: list[logging.LogRecord]) -> list[str]:
    return _of_pages(kind, folder, log, "cache.db", CACHE[kind])


def _of_dashboard(kind: str, folder: Path, log: list[logging.LogRecord]) -> list[str]:
    return _of_pages(kind, folder, log, "dashboard.db", DASHBOARD[kind])


_COMMANDS = (
    ("users", "list"),
    ("keys", "list"),
    ("activities", "list", "--user", seeded.ATHLETE),
    ("users", "add", "--first-name", "New"),
    ("serve", "--port", "8739"),
)


def _of_service(kind: str, folder: Path, log: list[logging.LogRecord]) -> list[str]:
    """Commands end with one line that says what to do and change nothing; requests get a reply, the log one line."""
    path = folder / "service.db"
    url = f"sqlite:///{path}"
    with closing(Store.open(url)) as store:
        seeded.seed(store)
    _checkpoint(path)
    SERVICE[kind](path)
    before = path.read_bytes() if path.is_file() else b""
    failures = []
    if kind == "rows of other types":
        return _requests(path, log)
    for words in (*_COMMANDS, ("open",)):
        env = {"COACHBOARD_DATA": str(folder), "COACHBOARD_DATABASE_URL": url}
        given = list(words) if words[0] == "open" else [*words, "--db", url]
        given = [*given, "--port", "8739", "--no-browser"] if words[0] == "open" else given
        with (
            mock.patch("uvicorn.run", _served),
            mock.patch("coachboard.server.open_command.serve_dashboard", _served),
        ):
            result = CliRunner().invoke(main, given, env=env)
        failures += [f"{' '.join(words)}: {said}" for said in _wrong(result)]
    after = path.read_bytes() if path.is_file() else b""
    failures += [] if after == before else ["the file has changed"]
    return failures


def _served(*_args, **_named) -> None:
    raise AssertionError("serves a damaged database")


def _wrong(result) -> list[str]:
    lines = result.stderr.strip().splitlines()
    is_plain = result.exit_code == 1 and len(lines) == 1 and "Traceback" not in result.stderr
    if not is_plain:
        return [
            f"exit {result.exit_code}, {len(lines)} lines: {lines[-1:]}, {type(result.exception).__name__}"
        ]
    advice = ("restore it from a backup", "newer version of Coachboard", "check that it is a file")
    return [] if any(words in lines[0] for words in advice) else [f"says not what to do: {lines[0]}"]


def _requests(path: Path, log: list[logging.LogRecord]) -> list[str]:
    failures = []
    with closing(Store.open(f"sqlite:///{path}")) as store:
        app = create_app(store, settings=Settings(outbox=path.parent / "outbox"))
        headers = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
        with served(app) as address, httpx.Client(base_url=address, headers=headers, timeout=30) as client:
            for target in (
                "/users",
                "/users/me",
                f"/users/{seeded.ATHLETE}",
                f"/users/{seeded.OTHER_ATHLETE}",
                f"/users/{seeded.ATHLETE}/activities",
                f"/users/{seeded.ATHLETE}/sleeps?from=2026-03-01",
            ):
                reply = client.get(target)
                try:
                    reply.json()
                except ValueError:
                    failures.append(f"{target}: {reply.status_code} without JSON")
        app.state.mailer.close()
        app.state.worker.close()
        app.state.intervals.close()
    return failures


def _of_originals(kind: str, folder: Path, log: list[logging.LogRecord]) -> list[str]:
    from soak import import_kills as imports  # noqa: PLC0415

    files, data = imports.files_in(folder / "files"), folder / "data"
    imports.make_store(data)
    assert imports.import_all(data, files).exit_code == 0
    sound = imports.content(data)
    with closing(imports.store_of(data)) as store:
        digest = store.recordings_of(imports.PERSON)[0].digest
        (row_,) = store.activities_of_file(imports.PERSON, digest)
        path = store.originals.path(imports.PERSON, digest)
        ORIGINALS[kind](path)
        failures = _reported(store, row_.id, data)
    failures += (
        [] if imports.content(data)["activities"] == sound["activities"] else ["a session has changed"]
    )
    again = CliRunner().invoke(main, ["import", str(files), "--again", "--db", imports.url_of(data)])
    failures += [] if again.exit_code == 0 else [f"import --again: {again.stderr.splitlines()[-1]}"]
    is_repaired = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
    failures += [] if is_repaired else ["not repaired by import --again"]
    return failures


def _reported(store: Store, activity_id: str, data: Path) -> list[str]:
    from soak import import_kills as imports  # noqa: PLC0415

    app = create_app(store, settings=Settings(data=data, outbox=data / "outbox"))
    headers = {"Authorization": f"Bearer {imports.KEY}"}
    with served(app) as address, httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        one = f"/own/v1/activities/{activity_id}"
        reply = client.get(f"{one}/file")
        said = reply.json().get("error", "") if reply.status_code >= 400 else "sent as it is"
        failures = (
            [] if "damaged" in said or "cannot be read" in said else [f"download: {reply.status_code} {said}"]
        )
        seen = client.get(one)
        changed = client.patch(one, json={"sport": "running"}, headers={"If-Match": seen.headers["etag"]})
        failures += (
            [] if changed.status_code == 200 else [f"correction: {changed.status_code} {changed.text[:80]}"]
        )
        back = client.patch(
            one, json={"sport": "cycling"}, headers={"If-Match": changed.headers.get("etag", "")}
        )
        failures += [] if back.status_code == 200 else [f"correction: {back.status_code} {back.text[:80]}"]
    app.state.mailer.close()
    app.state.worker.close()
    app.state.intervals.close()
    return failures


_CHECKS = {
    "the client's cache": _of_cache,
    "dashboard.db": _of_dashboard,
    "the service's database": _of_service,
    "originals": _of_originals,
}
