"""Sections of a page that run again only if their data, the user's choices, or the theme have changed.

A section with requests of its own runs again after some minutes, too.

A section is a function of the page and of frozen records. A rerun of the page compares the records, the values of the
session that the section has read (`state` notes their names) and the URL. If all are equal, the section is sent again
without a run; so is a section that another session of the same key has run. The function names the section: a page draws
it once. A value of the session is replaced, never changed in place, which no comparison sees.

A rerun of the section alone, such as after a click in it, runs it, unless a timer may be the reason.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from math import inf
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from weakref import WeakValueDictionary

import streamlit as st

from coachboard.client.kept import noting_reads as client_reads
from coachboard.streamlit_hooks import section_replay
from coachboard.streamlit_hooks.section_replay import SentSection
from coachboard.views.frame import state, theme

if TYPE_CHECKING:
    from coachboard.views.frame.shell import Page

P = ParamSpec("P")

LASTS_S = 300.0
"""Longest time without a run of a section that reads from the client, whose reads refresh old data, and of one that shows
ages or rows of the dashboard's store, which another process may change.

Other sections have no limit. With a limit for all, 100 people who had come together waited up to 5 s for a click
while all their sections were built again, 200 ms of processor time for each person.
"""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class _Drawn:
    """A section as it was sent, and everything it was computed from."""

    surroundings: Hashable
    records: tuple[object, ...]
    values: Mapping[str, Any]
    until: float
    sent: SentSection


_LAST: WeakValueDictionary[tuple[str, Hashable], _Drawn] = WeakValueDictionary()
"""The last drawing of each section that a session still holds, by name and surroundings, which name the API key.

When the rows of a roster were refreshed, each of 400 sessions built the same table, and their users waited up to 10 s.
"""


def section(draw: "Callable[Concatenate[Page, P], None]") -> "Callable[Concatenate[Page, P], None]":
    """Make a fragment that is sent again without a run while nothing has changed. Its arguments are frozen records."""

    @wraps(draw)
    def drawn(page: "Page", /, *records: P.args, **options: P.kwargs) -> None:
        run = partial(draw, page, *records, **options)
        draw_unless_same(page, run, (*records, *options.values()), lasts_s=inf)

    return st.fragment(drawn)


def draw_unless_same(
    page: "Page",
    draw: "partial[None]",
    records: tuple[object, ...],
    *,
    lasts_s: float = LASTS_S,
    has_timer: bool = False,
) -> None:
    """Run the section, or send it again if it would be the same. Call it in a fragment that draws nothing else.

    With `has_timer` a run of the fragment alone sends it again, too: its records contain everything that may change.

    A section that writes to the session or to the dashboard's store in a run does so outside of `draw`.
    """
    if not section_replay.is_possible():
        draw()
        return
    sent_before: dict[str, _Drawn] = state.get(state.SECTIONS) or {}
    name = f"{draw.func.__module__}.{draw.func.__qualname__}"
    surroundings, own = _surroundings(page), sent_before.pop(name, None)
    records = (*records, *(one.identity for one in page.people_results))  # the user and their athletes
    if own is not None and (has_timer or section_replay.is_whole_page()):
        for drawn in (own, _LAST.get((name, surroundings))):
            if (
                drawn is not None
                and _is_same(drawn, surroundings, records)
                and (drawn is own or drawn.sent.replaces(own.sent))
                and section_replay.send(drawn.sent)
            ):
                sent_before[name] = drawn
                return
    with client_reads() as requested, state.noting_reads() as read:
        sent = section_replay.record(draw, owner=page.fingerprint)
    if sent is not None and read.lasts_s > 0:
        values = {name: _value(name) for name in read.names | sent.keys}
        until = time.monotonic() + min(lasts_s, read.lasts_s, LASTS_S if requested else inf)
        drawn = sent_before[name] = _Drawn(_surroundings(page), records, values, until, sent)
        if section_replay.is_whole_page():  # else its page is of an earlier run
            _LAST[name, drawn.surroundings] = drawn
    state.put(state.SECTIONS, sent_before)


def _surroundings(page: "Page") -> Hashable:
    """Everything of the page and the browser on which texts and figures depend."""
    return (
        page.fingerprint,
        page.today,
        str(page.zone),
        repr(page.preferences),
        theme.is_dark(),
        theme.is_phone(),
        tuple(sorted(st.query_params.items())),
    )


def _is_same(before: _Drawn, surroundings: Hashable, records: tuple[object, ...]) -> bool:
    return (
        time.monotonic() < before.until
        and before.surroundings == surroundings
        and len(before.records) == len(records)
        and all(map(_is_equal, records, before.records))
        and all(_is_equal(_value(name), value) for name, value in before.values.items())
    )


def _value(name: str) -> Any:
    """A value of the session; Streamlit makes a new class for the values of a component at each read."""
    value = state.get(name)
    return (dict(value) or None) if isinstance(value, dict) else value


def _is_equal(now: Any, before: Any) -> bool:
    try:
        return now is before or (type(now) is type(before) and bool(now == before))
    except ValueError:  # arrays compare element by element
        return False
