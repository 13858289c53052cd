"""The commands `coachboard backup` and `coachboard restore`; both work while Coachboard runs.

A backup is one tar archive: a manifest, one dump per database, the original files, and the secrets of the data folder. SQLite is dumped with its own
backup function and PostgreSQL with `pg_dump`; both read one snapshot and stop no writer. The cache is left out.
"""

import errno
import hashlib
import os
import shutil
import sqlite3
import subprocess
import tarfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import click
import orjson
import sqlalchemy as sa

from coachboard import __version__
from coachboard.database import FULL_DISK, is_disk_full
from coachboard.loaders import local_store
from coachboard.plain_text import first_line
from coachboard.service.ids import is_id
from coachboard.service.store import stamps
from coachboard.service.store.engine import NEWEST, address_of, readable
from coachboard.service.store.invitations import SECRET_FILE
from coachboard.service.store.originals import FILE_MODE, file_of, originals_at, replacing
from coachboard.service.store.tables import METADATA, users
from coachboard.service.store.tables import stamps as stamp_table
from coachboard.service.store_option import require_database, store_option
from coachboard.settings import KEYS_FOLDER, Settings

_FORMAT = "coachboard-backup-1"
_MANIFEST = "manifest.json"
_ORIGINALS = "originals"
_SECRETS = "secrets"
_REVISIONS = sa.table("alembic_version", sa.column("version_num"))
_UNREADABLE = (tarfile.TarError, EOFError, OSError, zlib.error, KeyError, ValueError)
_DIGEST_LENGTH = 64


@dataclass(frozen=True)
class _Database:
    """A database of a backup, and its tables; a PostgreSQL database may contain the cache and other programs' tables."""

    address: sa.URL
    tables: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.address.get_backend_name()

    @property
    def file(self) -> Path:
        return file_of(self.address)

    @contextmanager
    def connection(self) -> Iterator[sa.Connection]:
        engine = sa.create_engine(readable(self.address))
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()

    def is_there(self) -> bool:
        if self.kind == "sqlite" and not self.file.is_file():
            return False
        with self.connection() as connection:
            return bool(_rows(connection, self.tables))

    def dump(self, target: Path) -> dict[str, int]:
        """Write a snapshot to that file; returns the number of rows of each table."""
        if self.kind == "sqlite":
            _copy_sqlite(readable(self.address), target)
            with _Database(_sqlite(target), self.tables).connection() as connection:
                connection.exec_driver_sql(
                    "PRAGMA journal_mode = DELETE"
                )  # one file, without a log beside it
                return _rows(connection, self.tables)
        with self.connection() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            # pg_dump reads the snapshot in which this connection counts.
            snapshot = str(connection.execute(sa.select(sa.func.pg_export_snapshot())).scalar_one())
            rows = _rows(connection, self.tables)
            chosen = [f"--table={name}" for name in rows]
            self._run("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={target}", *chosen)
            return rows

    def load(self, dump: Path) -> None:
        """Replace these tables with those of the dump, in one transaction."""
        if self.kind == "sqlite":
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _copy_sqlite(_sqlite(dump), self.file)
        else:
            self._run("pg_restore", "--clean", "--if-exists", "--single-transaction", str(dump))

    def _run(self, program: str, *words: str) -> None:
        if shutil.which(program) is None:
            raise click.ClickException(
                f"{program} is not on the path: install the client of PostgreSQL (Debian: apt install postgresql-client)"
            )
        # The arguments of a process are visible to every user of the machine; its environment is not.
        address = self.address.set(drivername="postgresql")._replace(password=None)
        environment = {
            **os.environ,
            "PGPASSWORD": str(self.address.password or os.environ.get("PGPASSWORD", "")),
        }
        place = f"--dbname={address.render_as_string()}"
        done = subprocess.run(  # noqa: S603 (a program of PostgreSQL)
            [program, "--no-owner", "--no-privileges", place, *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            if "No space left on device" in done.stderr:
                raise OSError(errno.ENOSPC, f"{program}: no space left on device")
            raise click.ClickException(f"{program} failed: {said[0]}")


def _sqlite(file: Path) -> sa.URL:
    return sa.URL.create("sqlite", database=str(file))


def _copy_sqlite(source: sa.URL, target: Path) -> None:
    read = sa.create_engine(source)
    try:
        with closing(read.raw_connection()) as held, closing(sqlite3.connect(target)) as written:
            assert isinstance(held.driver_connection, sqlite3.Connection)
            held.driver_connection.backup(written)
    finally:
        read.dispose()


def _rows(connection: sa.Connection, tables: Iterable[str]) -> dict[str, int]:
    there = set(sa.inspect(connection).get_table_names())
    chosen = [name for name in tables if name in there]
    return {
        name: connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one()
        for name in chosen
    }


def _databases(url: str) -> dict[str, _Database]:
    """The databases of this Coachboard by their names in a backup."""
    return {
        "store": _Database(address_of(url), (*sorted(METADATA.tables), _REVISIONS.name)),
        "dashboard": _Database(
            local_store.beside_cache(Settings().cache_url), tuple(sorted(local_store.METADATA.tables))
        ),
    }


@click.command()
@store_option
@click.argument("file", type=click.Path(path_type=Path))
def backup(url: str, file: Path) -> None:
    """Write the service's data, the dashboard's own data, original files and secrets to one new FILE.

    Works while Coachboard runs, and restores the result into a temporary place before it gets its name.
    """
    if file.exists():
        raise click.ClickException(f"{file} already exists: choose another name")
    if not file.absolute().parent.is_dir():
        raise click.ClickException(f"there is no folder {file.absolute().parent}")
    require_database(url)
    databases = {name: each for name, each in _databases(url).items() if each.is_there()}
    with (
        _naming_full_disk(file),
        TemporaryDirectory(prefix=".coachboard-backup-", dir=file.absolute().parent) as folder,
    ):
        archive = Path(folder) / "archive"
        _write(archive, databases, url)
        with tarfile.open(archive) as tar:
            originals = _verify(tar, _manifest_of(tar), databases, Path(folder))
        archive.chmod(FILE_MODE)
        archive.rename(file)
    click.echo(f"Wrote and verified {file}: {_count(originals)}.", err=True)


@contextmanager
def _naming_full_disk(file: Path) -> Iterator[None]:
    """Say that the backup does not fit; the temporary folder beside it is removed first."""
    try:
        yield
    except Exception as error:
        if not is_disk_full(error):
            raise
        place = file.absolute().parent
        raise click.ClickException(
            f"{FULL_DISK}: {place} has no room for the backup and its trial, and nothing was written; free some space "
            "or name a file on another disk"
        ) from error


def _write(archive: Path, databases: Mapping[str, _Database], url: str) -> None:
    dumps = {name: archive.with_name(name) for name in databases}
    # Databases first: an original file is stored before its row, so each row has its file.
    parts = {name: {"kind": each.kind, "rows": each.dump(dumps[name])} for name, each in databases.items()}
    with databases["store"].connection() as connection:
        schema = connection.execute(sa.select(_REVISIONS.c.version_num)).scalar_one()
    manifest = {
        "format": _FORMAT,
        "coachboard": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "schema": schema,
        "databases": parts,
    }
    written = archive.with_name(_MANIFEST)
    written.write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for path in (written, *dumps.values()):
            tar.add(path, path.name)
            path.unlink()
        folder = originals_at(address_of(url)).folder
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):  # a hidden file is half written
                _add(tar, path, f"{_ORIGINALS}/{path.relative_to(folder).as_posix()}")
        keys = sorted((Settings().data / KEYS_FOLDER).glob("*"))
        for name in (SECRET_FILE, *(f"{KEYS_FOLDER}/{path.name}" for path in keys if is_id(path.name))):
            _add(tar, _secret_at(url, name), f"{_SECRETS}/{name}")


def _secret_at(url: str, name: str) -> Path:
    """The place of a secret of the backup: invitation codes next to the files, keys of `coachboard open` in the data folder."""
    if name == SECRET_FILE:
        return originals_at(address_of(url)).folder.with_name(SECRET_FILE)
    folder, _, user_id = name.partition("/")
    if folder != KEYS_FOLDER or not is_id(user_id):  # an archive of another origin writes nowhere else
        raise click.ClickException(f"the backup is damaged: the file {_SECRETS}/{name}")
    return Settings().data / KEYS_FOLDER / user_id


def _add(tar: tarfile.TarFile, path: Path, name: str) -> None:
    """Add a file, unless its person deleted it since the folder was listed."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        tar.addfile(tar.gettarinfo(arcname=name, fileobj=file), file)


@click.command()
@store_option
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace the people and data that the database has now.")
def restore(url: str, file: Path, *, replace: bool) -> None:
    """Restore FILE, which `coachboard backup` wrote, after a trial in a temporary place."""
    databases = _databases(url)
    with _opened(file) as tar:
        manifest = _manifest_of(tar)
        _require_fit(manifest, databases)
        if not replace and _has_people(databases["store"]):
            raise click.ClickException(
                "the database already has people: restore into another one with --db, or add --replace"
            )
        originals = _verify(tar, manifest, {name: databases[name] for name in manifest["databases"]})
        _restore_originals(tar, originals_at(address_of(url)).folder)
        for member in _members(tar, _SECRETS):
            _extract(tar, member, _secret_at(url, member.name.partition("/")[2]))
        number = _highest_number(databases["store"])
        for name in manifest["databases"]:
            with _extracted(tar, name) as dump:
                databases[name].load(dump)
    _renew_caches(databases["store"], number)
    click.echo(f"Restored {file} of {manifest['created_at']}: {_count(originals)}.", err=True)
    if manifest["schema"] != NEWEST:
        click.echo(f"The data has schema {manifest['schema']}: run `coachboard upgrade`.", err=True)


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    if not file.is_file():
        raise click.ClickException(f"there is no file {file}")
    try:
        tar = tarfile.open(file)  # noqa: SIM115 (closed below)
    except tarfile.TarError as error:
        raise click.ClickException(f"{file} is not a backup of Coachboard") from error
    with tar:
        yield tar


def _manifest_of(tar: tarfile.TarFile) -> dict[str, Any]:
    try:
        first = tar.next()
        content = tar.extractfile(first) if first is not None and first.name == _MANIFEST else None
        manifest = None if content is None else orjson.loads(content.read())
    except _UNREADABLE:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise click.ClickException(f"{tar.name!s} is not a backup of Coachboard")
    return manifest


def _require_fit(manifest: Mapping[str, Any], databases: Mapping[str, _Database]) -> None:
    if manifest["schema"] > NEWEST:
        raise click.ClickException(
            f"the backup has schema {manifest['schema']} of Coachboard {manifest['coachboard']}; this version reads "
            f"schemas up to {NEWEST}: install a newer version"
        )
    for name, part in manifest["databases"].items():
        if part["kind"] != databases[name].kind:
            raise click.ClickException(
                f"the {name} of the backup is from {part['kind']} and the database given is {databases[name].kind}"
            )


def _has_people(store: _Database) -> bool:
    if store.kind == "sqlite" and not store.file.is_file():
        return False
    with store.connection() as connection:
        return _rows(connection, [users.name]).get(users.name, 0) > 0


def _verify(
    tar: tarfile.TarFile,
    manifest: Mapping[str, Any],
    databases: Mapping[str, _Database],
    folder: Path | None = None,
) -> int:
    """Restore each dump into a temporary database in the folder and compare; returns the number of original files."""
    try:
        for name, part in manifest["databases"].items():
            with _extracted(tar, name, folder) as dump:
                _try(name, dump, part["rows"], databases[name])
        originals = _members(tar, _ORIGINALS)
        for member in originals:
            _read_original(tar, member)
    except (*_UNREADABLE, sqlite3.DatabaseError) as error:
        if is_disk_full(error):
            raise
        raise click.ClickException(f"the backup is damaged: {error}") from error
    return len(originals)


def _try(name: str, dump: Path, rows: Mapping[str, int], database: _Database) -> None:
    with ExitStack() as stack:
        try:
            trial = stack.enter_context(_temporary(database, dump.parent))
        except sa.exc.ProgrammingError as error:  # the right is missing
            said = (
                f"{first_line(error)}; to try backups, run: ALTER ROLE {database.address.username} CREATEDB"
            )
            click.echo(f"The {name} was not restored into a temporary database: {said}", err=True)
            return
        trial.load(dump)
        with trial.connection() as connection:
            restored = _rows(connection, trial.tables)
    if restored != rows:
        raise click.ClickException(f"the backup is damaged: the {name} has other rows than it lists")


def _read_original(tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """Read a file to its end; the name of an imported one is the digest of its bytes."""
    content = tar.extractfile(member)
    assert content is not None
    digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type] # a binary file
    name = member.name.rpartition("/")[2]
    if (
        not member.name.startswith(f"{_ORIGINALS}/uploads/")
        and len(name) == _DIGEST_LENGTH
        and name != digest
    ):
        click.echo(
            f"The original {member.name} is damaged; `coachboard import --again` repairs it.", err=True
        )


@contextmanager
def _temporary(database: _Database, folder: Path) -> Iterator[_Database]:
    """An empty database of the same kind, removed afterwards."""
    if database.kind == "sqlite":
        yield _Database(_sqlite(folder / "trial.db"), database.tables)
        return
    name = f"coachboard_trial_{token_hex(6)}"
    engine = sa.create_engine(database.address, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield _Database(database.address.set(database=name), database.tables)
        finally:
            with engine.connect() as connection:
                connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        engine.dispose()


@contextmanager
def _extracted(tar: tarfile.TarFile, name: str, folder: Path | None = None) -> Iterator[Path]:
    """A dump of the archive in a temporary folder, in the given one or that of the system."""
    with TemporaryDirectory(prefix="coachboard-", dir=folder) as temporary:
        path = Path(temporary) / "dump"
        content = tar.extractfile(name)
        assert content is not None
        with content, path.open("wb") as file:
            shutil.copyfileobj(content, file)
        yield path


def _members(tar: tarfile.TarFile, folder: str) -> list[tarfile.TarInfo]:
    return [each for each in tar.getmembers() if each.isfile() and each.name.startswith(f"{folder}/")]


def _restore_originals(tar: tarfile.TarFile, folder: Path) -> None:
    for member in _members(tar, _ORIGINALS):
        path = Path(member.name.partition("/")[2])
        if path.is_absolute() or ".." in path.parts:  # an archive of another origin writes nowhere else
            raise click.ClickException(f"the backup is damaged: the file {member.name}")
        _extract(tar, member, folder / path)


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = tar.extractfile(member)
    assert content is not None
    with content, replacing(target) as file:
        shutil.copyfileobj(content, file)


def _highest_number(store: _Database) -> int:
    """The highest number of a person in the data to be replaced; 0 without data."""
    if store.kind == "sqlite" and not store.file.is_file():
        return 0
    with store.connection() as connection:
        if not sa.inspect(connection).has_table(stamp_table.name):
            return 0
        return connection.scalar(sa.select(sa.func.max(stamp_table.c.number))) or 0


def _renew_caches(store: _Database, number: int) -> None:
    """Count up each person beyond that number: a running process would answer from its cache of the data before."""
    with store.connection() as connection:
        if sa.inspect(connection).has_table(stamp_table.name):
            people = set(connection.scalars(sa.select(users.c.id)))
            stamps.put(connection, people, least=max(number + 1, time.time_ns() // 1_000))
        connection.commit()


def _count(originals: int) -> str:
    return f"all databases and {originals:,} original {'file' if originals == 1 else 'files'}"


COMMANDS: tuple[click.Command, ...] = (backup, restore)
