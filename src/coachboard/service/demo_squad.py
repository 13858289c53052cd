"""The demo squad behind the service: streams made from recipes, and rows that are still being written.

The package `coachboard_demo` writes the squad. It is imported here by name, and only where a store holds that squad.
"""

from collections.abc import Mapping
from importlib import import_module

from coachboard.models.streams import ActivityStreams
from coachboard.service.api.routes import StreamMaker, UntilWritten, all_is_written
from coachboard.service.store import DEMO_MAKER, Store


def until_written(store: Store, url: str) -> UntilWritten:
    """A wait for rows of the squad; the writing of a squad that a stopped process began goes on."""
    if store.maker(DEMO_MAKER) is None:
        return all_is_written
    filling = import_module("coachboard_demo.filling").filling_of(url)
    filling.start(store)
    wait: UntilWritten = filling.until_written
    return wait


def _make_streams(recipe: bytes) -> ActivityStreams:
    streams: ActivityStreams = import_module("coachboard_demo.streams").make_streams(recipe)
    return streams


STREAM_MAKERS: Mapping[str, StreamMaker] = {DEMO_MAKER: _make_streams}
"""The store keeps the demo's streams as recipes; the first request for a session's streams makes them."""
