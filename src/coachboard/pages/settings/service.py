"""The service's address and state; the cached data as a saved copy, with update and delete."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import streamlit as st

from coachboard.loaders.local_store import StoreUnreachable
from coachboard.ui.frame import connection, formats, notices, state, syncing
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md

_REQUESTS_PER_MINUTE = 300
_NO_MINUTE_S = 30  # prevents "0 min"
_KEPT = "settings.key_kept"


def draw_connection(page: Page) -> None:
    """The service's address, the user, response times, and the remaining rate limit."""
    rows = {
        "Data service": page.access.base_url,
        "Signed in as": page.me.name,
        "Signed in with": page.access.way.value,
        "Profile updated": formats.ago(page.profile_as_of, page.now),
        "Requests left this minute": f"{page.client.requests_left()} of {_REQUESTS_PER_MINUTE}",
    }
    _draw_facts(rows)
    _draw_button(page, "Test connection", key="settings.test", icon="network_check", does=_test_connection)
    _draw_outcome("settings.tested")
    if page.access.way is connection.Way.IDENTITY:
        _draw_stored_key()


def draw_cache(page: Page) -> None:
    """Size and age of the cached data; update and delete."""
    usage = page.client.holding()
    st.caption(
        "Pages open fast and without a connection because Coachboard keeps a copy of the data you can see."
    )
    _draw_facts(
        {
            "Size": formats.megabytes(usage.size_bytes),
            "Oldest data loaded": _age(page, usage.oldest),
            "Newest data loaded": _age(page, usage.newest),
            "Update of the last 90 days": _sync_words(page),
        }
    )
    with st.container(horizontal=True):
        _draw_button(
            page,
            "Update now",
            key="settings.sync",
            icon="sync",
            does=_sync,
            help_text="Loads the last 90 days of all athletes in the background.",
        )
        _draw_button(
            page,
            "Delete saved copy",
            key="settings.clear",
            icon="delete",
            does=_clear,
            help_text="Pages load the data again. Nothing else is deleted: no sessions, settings or sent invitations.",
        )
    _draw_outcome("settings.kept")


def _draw_button(
    page: Page, label: str, *, key: str, icon: str, does: Callable[[Page], None], help_text: str | None = None
) -> None:
    st.button(label, key=key, icon=f":material/{icon}:", on_click=does, args=(page,), help=help_text)


def _draw_facts(rows: Mapping[str, str]) -> None:
    st.markdown("  \n".join(f":gray[{name}]\u2002{md(value)}" for name, value in rows.items()))


def _sync_words(page: Page) -> str:
    sync = syncing.of(page.client)
    progress = sync.progress
    if sync.error is not None:
        return f"not complete: {sync.error.summary}; tried again every 15 minutes"
    if progress is None:
        return "in progress" if sync.has_begun else "starts within 2 minutes"
    if progress.done == progress.total:
        when = formats.ago(sync.ended_at, page.now) if sync.ended_at else "just now"
        return f"done {when}; repeated every 15 minutes"
    done = f"in progress, {formats.percent(100 * progress.done // progress.total)} done"
    return done if progress.seconds_left is None else f"{done}, {_left(progress.seconds_left)}"


def _left(seconds: float) -> str:
    if seconds < _NO_MINUTE_S:
        return "less than a minute left"
    return f"{formats.duration_hm(seconds)} left"


def _age(page: Page, when: datetime | None) -> str:
    return formats.ago(when, page.now) if when else formats.MISSING


def _draw_outcome(key: str) -> None:
    if outcome := state.get(key):
        st.caption(outcome)


def _test_connection(page: Page) -> None:
    started = datetime.now(UTC)
    fault = connection.probe(page.client)
    took_ms = (datetime.now(UTC) - started).total_seconds() * 1000
    took = f"Connection OK: the data service answered in {formats.number(took_ms, 0, 'ms')}."
    state.put("settings.tested", notices.with_cause(fault) if fault else took)


def _sync(page: Page) -> None:
    syncing.of(page.client).begin()
    state.put("settings.kept", "Updating in the background.")


def _clear(page: Page) -> None:
    syncing.of(page.client).rest()
    page.client.forget()
    state.put("settings.kept", "Copy deleted; pages load the data again.")


def _draw_stored_key() -> None:
    st.caption("This server stores your key encrypted, linked to your sign-in.")
    st.button("Remove my key from this server", key="settings.unseal", on_click=_remove_key)
    if state.get(_KEPT):
        st.error(
            "Your key was not removed: the dashboard's database cannot be used. Try again in a minute.",
            icon=":material/error:",
        )


def _remove_key() -> None:
    state.forget(_KEPT)
    try:
        connection.remove_identity_key()
    except StoreUnreachable:
        state.put(_KEPT, True)
