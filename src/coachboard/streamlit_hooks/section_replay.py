"""Send the elements of a section again instead of running its code.

Streamlit removes each element that a run of the page does not send. A rerun of the activity page with all sections in
view therefore built 25 charts, tables and toolbars again although none had changed: 50 ms of processor time.
`record` notes the messages and the registrations of a section, `send` repeats them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.media_file_manager import DeferredCallableEntry, MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

_is_on = False


class _Sent:
    """A message; sessions with the same API key share the large ones."""

    __slots__ = ("__weakref__", "message")

    def __init__(self, message: ForwardMsg) -> None:
        self.message = message


_LARGE: WeakValueDictionary[tuple[str, str, bytes], _Sent] = WeakValueDictionary()
"""By API key, content and place: charts take 1 MB in each session otherwise."""


class _File(NamedTuple):
    """A file of the section, such as a download."""

    name: str
    entry: DeferredCallableEntry | None
    """The function that makes a download; None for a file that Streamlit stores."""


class SentSection(NamedTuple):
    """The messages of a section, and its widgets and downloads, which Streamlit drops if a run does not name them."""

    place: tuple[int, ...]
    fragment: str | None
    messages: tuple[_Sent, ...]
    widgets: Mapping[str, WidgetMetadata[Any] | None]
    """By id, with their callbacks and choices; None for an element without a value."""
    keys: frozenset[str]
    """The keys of the widgets: the section ran with their values in the session."""
    files: "dict[str, _File]"
    """By Streamlit's coordinate."""

    def replaces(self, own: "SentSection") -> bool:
        """Whether a session that has sent `own` may send this section, which another session of the same key has recorded.

        Both have the same widgets with the same callbacks. Downloads belong to one session.
        """
        if self.files or own.files or (self.place, self.fragment) != (own.place, own.fragment):
            return False
        try:
            return self.keys == own.keys and _callbacks(self.widgets) == _callbacks(own.widgets)
        except ValueError:  # arrays among the arguments of a callback compare element by element
            return False


def install() -> None:
    """Allow it; without this call no section is sent again."""
    global _is_on  # noqa: PLW0603 (one switch for the process, set at start-up)
    _is_on = True


def is_possible() -> bool:
    """Whether sections may be sent again in this run."""
    return _is_on and get_script_run_ctx() is not None


def is_whole_page() -> bool:
    """Whether the whole page runs; a run of one section answers a click in it or renews it."""
    ctx = get_script_run_ctx()
    return ctx is not None and not ctx.fragment_ids_this_run


def record(draw: Callable[[], None], *, owner: str) -> SentSection | None:
    """Run the section; None if it cannot be sent again. The owner is the fingerprint of address and key.

    Forms and fragments have a state of their own, and a message to another place of the page depends on that place.
    """
    ctx, place = get_script_run_ctx(), ThreadState.get().delta_path
    assert ctx is not None
    assert place is not None
    before, files = _registered(ctx), _files_of(ctx)
    with _noting(ctx) as messages:
        draw()
    widgets, keys, forms, fragments = (
        after - old for after, old in zip(_registered(ctx), before, strict=True)
    )
    if forms or fragments or len(keys) < len(widgets) or not all(_is_inside(one, place) for one in messages):
        return None
    added = {at: name for at, name in _files_of(ctx).items() if files.get(at) != name}
    return SentSection(
        place,
        ThreadState.get().fragment_id,
        tuple(_kept(message, owner) for message in messages),
        {name: _state(ctx).get_widget_metadata(name) for name in widgets},
        keys,
        added,
    )


def send(section: SentSection) -> bool:
    """Send the section again; False if its place or a stored file of it is gone, and then nothing is sent."""
    ctx = get_script_run_ctx()
    assert ctx is not None
    if section.place != ThreadState.get().delta_path or not _restored(ctx, section.files):
        return False
    for name, widget in section.widgets.items():
        ctx.shared.widget_ids_this_run.check_and_add(name)
        if widget is not None:  # of another session: its choices may be others
            _state(ctx)._set_widget_metadata(widget)  # noqa: SLF001
    for key in section.keys:
        ctx.shared.widget_user_keys_this_run.check_and_add(key)
    for sent in section.messages:
        ctx.enqueue(sent.message)
    return True


def _callbacks(widgets: Mapping[str, WidgetMetadata[Any] | None]) -> dict[str, tuple[object, ...]]:
    return {
        name: (widget.callback, widget.callbacks, widget.callback_args, widget.callback_kwargs)
        if widget
        else ()
        for name, widget in widgets.items()
    }


def _state(ctx: ScriptRunContext) -> SessionState:
    return ctx.session_state._state  # noqa: SLF001


def _is_inside(message: ForwardMsg, place: tuple[int, ...]) -> bool:
    path = tuple(message.metadata.delta_path[: len(place)])
    return message.WhichOneof("type") == "delta" and path == place


def _registered(ctx: ScriptRunContext) -> tuple[frozenset[str], ...]:
    shared = ctx.shared
    kinds = (
        shared.widget_ids_this_run,
        shared.widget_user_keys_this_run,
        shared.form_ids_this_run,
        shared.new_fragment_ids,
    )
    return tuple(kind.snapshot() for kind in kinds)


@contextmanager
def _noting(ctx: ScriptRunContext) -> Iterator[list[ForwardMsg]]:
    """Note the messages of the run; `enqueue` fills in each message's hash, so that it is computed once."""
    messages: list[ForwardMsg] = []
    enqueue = ctx.enqueue

    def noted(message: ForwardMsg) -> None:
        enqueue(message)
        messages.append(message)

    ctx.enqueue = noted  # type: ignore[method-assign,assignment] # of this run's context alone
    try:
        yield messages
    finally:
        ctx.enqueue = enqueue  # type: ignore[method-assign]


def _kept(message: ForwardMsg, owner: str) -> _Sent:
    if not message.metadata.cacheable:
        return _Sent(message)
    at = owner, message.hash, message.metadata.SerializeToString(deterministic=True)
    return _LARGE.setdefault(at, _Sent(message))


def _manager() -> MediaFileManager:
    return runtime.get_instance().media_file_mgr


def _files_of(ctx: ScriptRunContext) -> dict[str, _File]:
    files = _manager()
    with files._lock:  # noqa: SLF001
        names = files._files_by_session_and_coord.get(ctx.session_id, {})  # noqa: SLF001
        return {at: _File(name, files._deferred_callables.get(name)) for at, name in names.items()}  # noqa: SLF001


def _restored(ctx: ScriptRunContext, wanted: dict[str, _File]) -> bool:
    """Register the files again: a run of the page deletes those that it does not draw.

    The end of any session's run deletes the downloads of a page that has begun to run and has not drawn them yet. With
    20 people, three of four reruns of a session therefore built its streams and its plan again.
    """
    if not wanted:
        return True
    files = _manager()
    with files._lock:  # noqa: SLF001
        if not all(file.entry or file.name in files._file_metadata for file in wanted.values()):  # noqa: SLF001
            return False
        for at, (name, entry) in wanted.items():
            files._files_by_session_and_coord[ctx.session_id][at] = name  # noqa: SLF001
            if entry is not None:
                files._deferred_callables[name] = entry  # noqa: SLF001
                files._deferred_ids_by_session[ctx.session_id].add(name)  # noqa: SLF001
    return True
