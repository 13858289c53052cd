"""Demo squads of the measured sizes, each generated once and stored outside the tree."""

import os
import shutil
import tempfile
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple

from coachboard.service.store import Store
from coachboard.service.store.engine import NEWEST
from coachboard_demo.generate import generate
from coachboard_demo.making import version
from coachboard_demo.people import KEYS, Size, user_id

TODAY = date(2026, 11, 20)


class Squad(NamedTuple):
    """So many athletes with so many years."""

    athletes: int
    years: float

    def __str__(self) -> str:
        return f"{self.athletes} athletes, {self.years:g} years"


USUAL = (Squad(24, 1.5), Squad(24, 8))
"""The third size that is asked for, 300 athletes with 8 years, takes 17 minutes of CPU time and 8.8 GB: BENCH_SIZES."""


def asked(usual: tuple[Squad, ...] = USUAL) -> tuple[Squad, ...]:
    """The sizes of BENCH_SIZES, as `24x1.5,300x8`; else the usual ones."""
    named = os.environ.get("BENCH_SIZES")
    if not named:
        return usual
    pairs = (size.split("x") for size in named.split(","))
    return tuple(Squad(int(athletes), float(years)) for athletes, years in pairs)


def database(squad: Squad) -> Path:
    """The file of that squad, made where it is missing; another schema or generator has a file of its own."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "coachboard-bench"
    path = folder / f"squad-{squad.athletes}x{squad.years:g}-{TODAY}-{NEWEST}-{version()}.db"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _make(squad, path)
    return path


def _make(squad: Squad, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / "squad.db"
        store = Store.open(f"sqlite:///{made}")
        generate(store, Size(TODAY, athletes=squad.athletes, years=squad.years))
        for key, owner in zip(KEYS, ("coach", "climber", "admin"), strict=True):
            store.add_key(user_id(owner), label=key, key=key)
        store.close()
        with suppress(FileExistsError):
            shutil.move(made, path)
