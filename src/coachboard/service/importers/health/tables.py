"""CSV files as rows of text, whatever their encoding, separator and quoting."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from coachboard.service.importers.errors import BrokenRecording, EmptyRecording, FileTooLarge

_SEPARATORS = ",;\t|"
_MOST_COLUMNS = 500
LONGEST_HEADER = 200
"""CSV allows 131,000 characters, and a preview has 500 headers."""
MOST_BYTES, MOST_CELLS = 16_000_000, 1_000_000
"""A table of 64 MB took 1.4 GB of memory; the nights of a hundred years have 16 columns and 36,500 rows."""


@dataclass(frozen=True, slots=True)
class Table:
    """The headers and the rows below them; each row has the number of its line."""

    headers: tuple[str, ...]
    rows: list[tuple[int, list[str]]]

    def column(self, place: int) -> list[str]:
        return [row[place].strip() for _, row in self.rows if place < len(row)]


def read_table(data: bytes) -> Table:
    """Read a CSV file.

    Raises `EmptyRecording` without rows, `BrokenRecording` if the file is not a table, and `FileTooLarge`.
    """
    if len(data) > MOST_BYTES:
        raise FileTooLarge(f"a table larger than {MOST_BYTES / 1e6:g} MB")
    text = _decoded(data)
    lines = [line for line in text[:100_000].splitlines()[:50] if line.strip()]
    if not lines:
        raise EmptyRecording("the file is empty")
    separator = max(_SEPARATORS, key=lambda sign: sum(line.count(sign) for line in lines))
    try:
        found = list(_rows(text, separator))
    except csv.Error as error:
        raise BrokenRecording(f"not readable as CSV ({error})") from error
    if not found or len(found[0][1]) > _MOST_COLUMNS:
        raise BrokenRecording("not readable as CSV")
    headers = tuple(header.strip()[:LONGEST_HEADER] for header in found[0][1])
    rows = found[1:]
    if not rows:
        raise EmptyRecording("the file has headers and no rows")
    return Table(headers, rows)


def _decoded(data: bytes) -> str:
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader, size = csv.reader(StringIO(text.replace("\0", "")), delimiter=separator), 0
    for row in reader:
        size += max(len(row), 1)
        if size > MOST_CELLS:
            raise FileTooLarge(f"a table of more than {MOST_CELLS:,} cells")
        if any(cell.strip() for cell in row):
            yield reader.line_num, row
