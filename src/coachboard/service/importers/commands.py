"""The command `coachboard import`."""

from datetime import UTC, datetime
from pathlib import Path

import click

from coachboard.plurals import count
from coachboard.service.importers.archive import find_sources
from coachboard.service.importers.errors import Limits
from coachboard.service.importers.importing import FileReport, Importer, Outcome
from coachboard.service.store_option import opened, store_option
from coachboard.settings import Settings

_SAYS = {
    Outcome.IMPORTED: "imported",
    Outcome.KNOWN: "already imported",
    Outcome.SAME_SESSION: "already imported",
    Outcome.FAILED: "not imported",
}


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--user", "user_id", required=True, help="Id of the athlete who made the recordings.")
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day for planned workouts whose file has no date. Default: today.",
)
@store_option
def import_recordings(paths: tuple[Path, ...], user_id: str, day: datetime | None, url: str) -> None:
    """Import recordings: FIT, TCX and GPX files (also .gz), folders and zip archives.

    Prints one activity id per line; the result for each file goes to standard error.
    """
    settings = Settings()
    with opened(url) as store:
        if not store.user_exists(user_id):
            raise click.ClickException(f"no such user: {user_id}")
        today = day.date() if day else settings.today or datetime.now(UTC).astimezone().date()
        _import_all(Importer(store, user_id, today=today), paths)


def _import_all(importer: Importer, paths: tuple[Path, ...]) -> None:
    sources = find_sources(paths, Limits())
    if not sources:
        raise click.ClickException("no FIT, TCX or GPX file found")
    failed = 0
    for place, source in enumerate(sources, start=1):
        report = importer.import_source(source)
        failed += report.outcome is Outcome.FAILED
        _tell(report, f"[{place}/{len(sources)}]")
        for activity_id in report.activity_ids:
            click.echo(activity_id)
    if failed == len(sources):
        raise click.ClickException("no file imported; see the reasons above")
    if failed:
        raise click.ClickException(
            f"{failed} of {count(len(sources), 'file')} not imported; see the reasons above"
        )


def _tell(report: FileReport, place: str) -> None:
    counts = [
        count(len(ids), kind, many)
        for ids, kind, many in (
            (report.activity_ids, "activity", "activities"),
            (report.prescription_ids, "planned workout", "planned workouts"),
        )
        if ids
    ]
    line = f"{place} {report.name}: {_SAYS[report.outcome]}"
    click.echo(f"{line}, {' and '.join(counts)}" if counts else line, err=True)
    for note in report.notes:
        click.echo(f"    {note}", err=True)


COMMANDS: tuple[click.Command, ...] = (import_recordings,)
