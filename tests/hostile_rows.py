"""Rows that no sound service sends, as changes of `plain_rows`: no kind may make a page fail."""

import json

from plain_rows import ATHLETE, RIDE, TODAY

HOSTILE_ID = "../../etc/passwd?x=<script>&%00\r\n#"
HOSTILE_TEXT = (
    "\u202eevil\u2066<b>x</b>\x1b[31m\x00\r\n\u2028=cmd|' /C calc'!A1 [a](javascript:alert(1)) $x$ :red[y]"
)
LONG_TEXT_BYTES = 50_000_000


def _rows(rows):
    return (row for listed in rows.lists.values() for row in listed)


def _all(**fields):
    def change(rows):
        for row in _rows(rows):
            row.update({name: value for name, value in fields.items() if name in row})

    return change


def unreadable(rows):
    """Of each list only the oldest row is as it must be: the others have a number as their id."""
    for listed in rows.lists.values():
        for row in sorted(listed, key=_day)[1:]:
            row["id"] = 5
    rows.streams[RIDE] = dict.fromkeys(rows.streams[RIDE], "none")


def unreadable_lists(rows):
    for row in _rows(rows):
        row["id"] = 5


def no_sessions(rows):
    rows.lists["activities"] = []


def unreadable_sessions(rows):
    """All sessions but the oldest are unreadable: a list without a readable row is an error."""
    for row in sorted(rows.lists["activities"], key=_day)[1:]:
        row["id"] = 5


def unreadable_past(rows):
    """Of sessions and plans up to today, only the oldest session is as it must be."""
    unreadable_sessions(rows)
    for row in rows.lists["training-prescriptions"]:
        if row["date"] <= TODAY.isoformat():
            row["id"] = 5


def _day(row):
    return row.get("startedAt") or row.get("day") or row["date"]


def texts(rows):
    for row in _rows(rows):
        for name in ("name", "title", "description", "comment", "summary"):
            if name in row:
                row[name] = HOSTILE_TEXT
    for user in (*rows.users, rows.profiles[ATHLETE]):
        user["firstName"] = user["lastName"] = HOSTILE_TEXT


def ids(rows):
    for listed in rows.lists.values():
        for number, row in enumerate(listed):
            row["id"] = f"{HOSTILE_ID}{number}"


def duplicates(rows):
    for name, listed in rows.lists.items():
        rows.lists[name] = [*listed, *listed]
    rows.users += rows.users


def long_text(name, field):
    def change(rows):
        rows.lists[name][0][field] = "x" * LONG_TEXT_BYTES

    return change


def long_name(rows):
    rows.users[0]["firstName"] = rows.profiles[ATHLETE]["firstName"] = "x" * LONG_TEXT_BYTES


def long_step(rows):
    rows.lists["training-prescriptions"][0]["structure"][0]["label"] = "x" * LONG_TEXT_BYTES


def _huge(value):
    if isinstance(value, dict):
        return {name: _huge(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_huge(part) for part in value]
    return 1e38 if isinstance(value, float) else value


def huge_numbers(rows):
    rows.lists = _huge(rows.lists)
    rows.streams = _huge(rows.streams)


def encoded(write):
    def change(rows):
        rows.encode = write

    return change


def _nan(payload):
    return json.dumps(payload).replace("8.3", "NaN").replace("47.0", "-Infinity")


KINDS = {
    "unreadable": unreadable,
    "unreadable lists": unreadable_lists,
    "unreadable sessions": unreadable_sessions,
    "no sessions": no_sessions,
    "unreadable past": unreadable_past,
    "unknown enum values": _all(
        sport="quidditch", subSport="air", type="x", trainingStimulus="magic", dataOnboardingStatus="perhaps"
    ),
    "NaN": encoded(_nan),
    "duplicate rows": duplicates,
    "bad UTF-8": encoded(lambda payload: json.dumps(payload).encode().replace(b"Ride", b"R\xff\xfe")),
    "surrogates": encoded(lambda payload: json.dumps(payload).replace("Ride", "\\ud800Ride\\udfff")),
    "hostile ids": ids,
    "hostile texts": texts,
    "numbers of 1e38": huge_numbers,
    "days at the ends of the calendar": _all(
        date="9999-12-31", day="0001-01-01", startedAt="9999-12-31 23:59:59+00"
    ),
    "50 MB in a note": long_text("notes", "title"),
    "50 MB in a session": long_text("activities", "description"),
    "50 MB in an event": long_text("events", "name"),
    "50 MB in a workout": long_step,
    "50 MB in a name": long_name,
}
