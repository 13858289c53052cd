"""The demo squad in the service: streams from recipes, and rows that are still being generated.

The package `coachboard_demo` generates the squad. It is imported by name, and only if the store has that squad.
"""

from collections.abc import Mapping
from importlib import import_module

from coachboard.service.api.routes import StreamMaker, UntilWritten, all_is_written
from coachboard.service.store import DEMO_MAKER, Store
from coachboard.wire.streams import ActivityStreams


def until_written(store: Store, url: str) -> UntilWritten:
    """A function that waits for rows of the squad; also resumes a generation that a stopped process began."""
    if store.maker(DEMO_MAKER) is None:
        return all_is_written
    filling = import_module("coachboard_demo.generate").filling_of(url)
    filling.start(store)
    wait: UntilWritten = filling.until_written
    return wait


def _make_streams(recipe: bytes) -> ActivityStreams:
    streams: ActivityStreams = import_module("coachboard_demo.streams").make_streams(recipe)
    return streams


STREAM_MAKERS: Mapping[str, StreamMaker] = {DEMO_MAKER: _make_streams}
"""The store keeps the demo's streams as recipes; the first request for a session's streams generates them."""
