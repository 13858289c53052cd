"""CSV files as rows of text, whatever their encoding, separator, line ends and quoting."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from coachboard.service.importers.errors import BrokenRecording, EmptyRecording, FileTooLarge, UnknownFormat

_SEPARATORS = ",;\t|"
_MOST_COLUMNS = 500
LONGEST_HEADER = 200
"""CSV allows 131,000 characters, and a preview has 500 headers."""
MOST_BYTES, MOST_CELLS = 16_000_000, 1_000_000
"""A table of 64 MB took 1.4 GB of memory; the nights of a hundred years have 16 columns and 36,500 rows."""
_SAMSUNG = re.compile(r"com\.samsung\.s?health\.")


@dataclass(frozen=True, slots=True)
class Table:
    """The headers and the rows below them; each row has the number of its line.

    spec: not shown: Samsung Health writes UTC (`is_utc`) and the offset beside it (docs/assumptions.md).
    """

    headers: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    is_utc: bool = False

    def column(self, place: int) -> list[str]:
        """A cell for each row, blank where the row is too short."""
        return [row[place].strip() if place < len(row) else "" for _, row in self.rows]


def read_table(data: bytes) -> Table:
    """Read a CSV file.

    Raises `EmptyRecording` without rows, `BrokenRecording` if the file is not a table, `UnknownFormat` for a table of
    Samsung Health without nights or weights, and `FileTooLarge`.
    """
    if len(data) > MOST_BYTES:
        raise FileTooLarge(f"a table larger than {MOST_BYTES / 1e6:g} MB")
    text = _decoded(data).replace("\0", "")
    try:
        rows = list(_rows(text, _separator(text)))
    except csv.Error as error:
        raise BrokenRecording(
            "not readable as a table: a cell is too long; is a quotation mark missing?"
        ) from error
    if not rows:
        raise EmptyRecording("the file is empty")
    if len(rows[0][1]) > _MOST_COLUMNS:
        raise BrokenRecording(f"not readable as a table: more than {_MOST_COLUMNS} columns")
    titles = [rows.pop(0)[1][0].strip()] if len(rows) > 1 and _is_title(rows[0][1], rows[1][1]) else []
    headers = [header.strip()[:LONGEST_HEADER] for header in rows[0][1]]
    samsung = next((text for text in [*titles, *headers] if _SAMSUNG.match(text)), None)
    if samsung is not None:
        headers = _samsung_headers(samsung if samsung in titles else samsung.rpartition(".")[0], headers)
    if not rows[1:]:
        raise EmptyRecording("the file has headers and no rows")
    return Table(tuple(headers), rows[1:], is_utc=samsung is not None)


def _is_title(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether a line above the headers names the table, or the separator (`sep=;`, which Excel writes)."""
    filled = [cell for cell in first if cell.strip()]
    is_samsung = [bool(_SAMSUNG.match(cell)) for cell in first]
    return (is_samsung[0] and not any(is_samsung[1:])) or len(filled) == 1 < len(second)


def _samsung_headers(title: str, headers: Sequence[str]) -> list[str]:
    """The headers without their prefixes, with the unit of durations; a weight has a day and no start."""
    kind = _SAMSUNG.sub("", title)
    if kind not in {"sleep", "weight"}:
        raise UnknownFormat(
            f"a table of Samsung Health that is not read ({kind[:50]}); sleep and weight are read"
        )
    words = [header.rpartition(".")[2] for header in headers]
    if kind == "weight":
        return ["date" if word == "start_time" else word for word in words]
    return [f"{word} (min)" if word.endswith("duration") else word for word in words]


def _decoded(data: bytes) -> str:
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    if data[1:2] == b"\0":
        return data.decode("utf-16-le", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _separator(text: str) -> str:
    """The sign that the first lines have most often outside of quotes; decimal commas are in no header."""
    lines = [line for line in text[:100_000].splitlines()[:50] if line.strip()]
    heads = [re.sub(r'"[^"]*"', "", line) for line in lines]
    return max(
        _SEPARATORS,
        key=lambda sign: (sum(sign in line for line in heads), sum(line.count(sign) for line in heads)),
    )


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    # A newline of None: old phones end lines with a lone carriage return.
    reader, size = csv.reader(StringIO(text, newline=None), delimiter=separator), 0
    for row in reader:
        size += max(len(row), 1)
        if size > MOST_CELLS:
            raise FileTooLarge(f"a table of more than {MOST_CELLS:,} cells")
        if any(cell.strip() for cell in row):
            yield reader.line_num, row
