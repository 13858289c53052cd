"""Which generator this is: a digest of the sources that its rows and streams follow from.

Streams are made when they are first asked for, by the program of that day, from recipes that stand beside summaries
of an earlier day. Both agree while the version is the same, and nobody has to remember to count it up.
"""

from functools import cache
from hashlib import blake2b
from pathlib import Path

_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent / "coachboard"
ALSO = (
    "analytics/climbs.py", "analytics/grade.py", "analytics/hr_load.py", "analytics/power.py", "analytics/session_load.py",
    "analytics/w_balance.py", "analytics/zones.py",
)  # fmt: skip
"""What the generator counts with outside its own folder; a test follows the imports."""


@cache
def version() -> str:
    """Sixteen hexadecimal digits; another one whenever a source changes."""
    digest = blake2b(digest_size=8)
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def sources() -> list[Path]:
    """The files that count."""
    return [*sorted(_HERE.glob("*.py")), *(_PACKAGE / name for name in ALSO)]
