"""The commands `coachboard import` and `coachboard nights import`."""

import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from coachboard.plurals import count
from coachboard.service.importers.importing import FileReport, Importer, ImportOutcome
from coachboard.service.importers.run import ImportRun
from coachboard.service.metric_commands import recompute_person
from coachboard.service.own_data.jobs import OF_COMMAND, job_file, new_job, worker_name
from coachboard.service.people import person_of
from coachboard.service.store import JobKind, JobState, Store
from coachboard.service.store_option import opened, store_option
from coachboard.settings import Settings

_SAYS = {
    ImportOutcome.IMPORTED: "imported",
    ImportOutcome.KNOWN: "already imported",
    ImportOutcome.SAME_SESSION: "already imported",
    ImportOutcome.SKIPPED: "skipped",
    ImportOutcome.FAILED: "not imported",
}
_PATHS = click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|FOLDER|ZIP...",
)
_USER = click.option(
    "--user",
    "person",
    metavar="PERSON",
    help="Import for this person (name or id). It can be left out if there is only one.",
)


@click.command("import")
@_PATHS
@_USER
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Use this day for planned workouts whose file has no date. The default is today.",
)
@click.option("--again", "is_again", is_flag=True, help="Read files again that were imported before.")
@store_option
def import_recordings(
    paths: tuple[Path, ...], person: str | None, day: datetime | None, url: str, *, is_again: bool
) -> None:
    """Import recordings and health data: FIT, TCX, GPX, CSV, folders, and exports of Strava, Garmin, WHOOP, Apple and Samsung.

    Prints one activity id per line; the result for each file goes to standard error.
    """
    settings = Settings()
    with opened(url) as store:
        user_id = person_of(store, person)
        today = day.date() if day else settings.today or datetime.now(UTC).astimezone().date()
        job_id = _add_job(store, user_id)
        importer = Importer(store, user_id, today=today, import_id=job_id, is_again=is_again)
        _import_all(store, user_id, ImportRun(importer, paths), job_id)


@click.group()
def nights() -> None:
    """Import nights, heart-rate variability, resting heart rate and weight."""


@nights.command("import")
@_PATHS
@_USER
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="HEADER=QUANTITY",
    help="Read this column of a CSV file as this quantity, such as `Puls=resting_heart_rate`. Repeat it for each column.",
)
@store_option
def import_nights(paths: tuple[Path, ...], person: str | None, columns: tuple[str, ...], url: str) -> None:
    """Import nights and values from CSV files, or from an export of Garmin or Apple Health."""
    chosen = dict(column.rpartition("=")[::2] for column in columns)
    today = Settings().today or datetime.now(UTC).astimezone().date()
    with opened(url) as store:
        user_id = person_of(store, person)
        job_id = _add_job(store, user_id)
        by_file = {str(path): chosen for path in paths} if chosen else {}
        importer = Importer(store, user_id, today=today, import_id=job_id, columns=by_file)
        _import_all(store, user_id, ImportRun(importer, paths), job_id)


def _add_job(store: Store, user_id: str) -> str:
    job = new_job(user_id, JobKind.IMPORT, JobState.RUNNING, **{OF_COMMAND: True})
    store.add_job(job, worker_name())
    return job.id


def _import_all(store: Store, user_id: str, run: ImportRun, job_id: str) -> None:
    """Import file by file, as a job that the Import page shows and can undo."""
    reports: list[FileReport] = []
    for place, report in enumerate(run.reports()):
        reports.append(report)
        progress: dict[str, Any] = {"done": place + 1, "total": run.total, "seen_at": int(time.time())}
        store.put_progress(job_id, [job_file(report, place)], **progress)
        _tell(report, f"[{place + 1}/{run.total}]")
        for activity_id in report.activity_ids:
            click.echo(activity_id)
    store.put_progress(job_id, state=JobState.DONE, finished_at=int(time.time()))
    if any(report.values for report in reports):
        recompute_person(store, user_id)
    _close(reports, run.others)


def _close(reports: list[FileReport], others: int) -> None:
    """A table of the results and a closing line; fails if a file was not imported."""
    if not reports:
        raise click.ClickException("no recording, export or table found")
    results = Counter(_SAYS[report.outcome] for report in reports)
    if others:
        results["skipped"] += others
    click.echo("", err=True)
    for result, number in results.items():
        click.echo(f"{result:<18}{number:>7,}", err=True)
    fresh = [report for report in reports if report.outcome is ImportOutcome.IMPORTED]
    parts = [
        count(sum(len(report.activity_ids) for report in fresh), "session"),
        count(sum(report.nights for report in fresh), "night"),
        count(sum(report.values for report in fresh), "value"),
    ]
    click.echo(
        f"Imported {parts[0]}, {parts[1]} and {parts[2]} from {count(len(reports), 'file')}.", err=True
    )
    failed = results["not imported"]
    if failed == len(reports):
        raise click.ClickException("no file imported; see the reasons above")
    if failed:
        raise click.ClickException(
            f"{failed} of {count(len(reports), 'file')} not imported; see the reasons above"
        )


def _tell(report: FileReport, place: str) -> None:
    counts = [
        count(number, kind, many)
        for number, kind, many in (
            (len(report.activity_ids), "activity", "activities"),
            (len(report.prescription_ids), "planned workout", "planned workouts"),
            (report.nights, "night", "nights"),
            (report.values, "value", "values"),
        )
        if number
    ]
    line = f"{place} {report.name}: {_SAYS[report.outcome]}"
    click.echo(f"{line}, {' and '.join(counts)}" if counts else line, err=True)
    for note in report.notes:
        click.echo(f"    {note}", err=True)


COMMANDS: tuple[click.Command, ...] = (import_recordings, nights)
