"""One line of the benchmark table, and how the table is printed and kept."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the median, its unit, and the floor it is held against."""

    name: str
    value: float
    unit: str
    floor: float | None = None  # in the same unit
    floor_name: str = ""

    @property
    def ratio(self) -> float | None:
        """Value over floor."""
        return self.value / self.floor if self.floor else None


def as_text(rows: Iterable[Row]) -> str:
    """The table as aligned text."""
    lines = [("what", "median", "ratio", "floor")]
    for row in rows:
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        floor = f"{row.floor_name} {row.floor:,.4g} {row.unit}" if row.floor else ""
        lines.append((row.name, f"{row.value:,.4g} {row.unit}", ratio, floor))
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return "\n".join(
        f"{what:<{widths[0]}}  {median:>{widths[1]}}  {ratio:>{widths[2]}}  {floor}".rstrip()
        for what, median, ratio, floor in lines
    )


def keep(rows: Iterable[Row], path: Path) -> None:
    """The same as JSON."""
    path.write_text(json.dumps([asdict(row) | {"ratio": row.ratio} for row in rows], indent=1) + "\n")
