"""Imports beside bare decoding: files per second, and memory over many files.

`IMPORT_FILES` sets the number of files, 5,000 unless given; a busy machine runs fewer.
"""

import os
import re
import tempfile
import time
from contextlib import closing
from datetime import date
from pathlib import Path

from garmin_fit_sdk import Decoder, Stream

from bench.table import Row
from coachboard.service.importers.importing import Importer
from coachboard.service.importers.run import ImportRun
from coachboard.service.store import NewUser, Store
from unit.service.importers.fit_files import at, fit_file, records, session

FILES = int(os.environ.get("IMPORT_FILES", "5000"))
_SECONDS = 600
_DECODED = 50


def run() -> list[Row]:
    """Rides of ten minutes with four columns: all files are imported in one run, and some are only decoded."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["COACHBOARD_DATA"] = name
        rides = folder / "rides"
        rides.mkdir()
        for number in range(FILES):
            (rides / f"{number:05}.fit").write_bytes(_ride(number))
        decoded = sorted(rides.iterdir())[:_DECODED]
        floor = _decoded_per_s(decoded)
        before = _megabytes("VmRSS")
        imported = _imported_per_s(folder, rides)
        grown = _megabytes("VmHWM") - before
        floor = max(floor, _decoded_per_s(decoded))  # a busy moment of the machine may meet one of the two
    return [
        Row(f"import, {FILES:,} rides of 10 min", imported, "1/s", floor, "bare decoding"),
        Row(f"import, memory over {FILES:,} files", grown, "MB"),
    ]


def _ride(number: int) -> bytes:
    first_s = 10_000 * number
    columns = {
        "power": lambda place: 150 + (place + number) % 100,
        "heart_rate": lambda place: 120 + place % 50,
        "distance": lambda place: 8.0 * place,
        "cadence": 90,
    }
    return fit_file(
        session(start_time=at(first_s), total_elapsed_time=float(_SECONDS)),
        *records(_SECONDS, first_s=first_s, **columns),
    )


def _decoded_per_s(files: list[Path]) -> float:
    start = time.perf_counter()
    for file in files:
        Decoder(Stream.from_byte_array(bytearray(file.read_bytes()))).read()
    return len(files) / (time.perf_counter() - start)


def _imported_per_s(folder: Path, rides: Path) -> float:
    with closing(Store.open(f"sqlite:///{folder / 'service.db'}")) as store:
        store.add_user(NewUser(id="usr_a"))
        run = ImportRun(Importer(store, "usr_a", today=date(2026, 6, 1)), [rides])
        start = time.perf_counter()
        done = sum(bool(report.activity_ids) for report in run.reports())
        return done / (time.perf_counter() - start)


def _megabytes(figure: str) -> float:
    """A figure of this process: VmRSS is its memory now, VmHWM the most it had."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{figure}:\s+(\d+) kB", status)[1]) / 1024
