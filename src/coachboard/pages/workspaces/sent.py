"""Sent invitations: the codes of the last press, and the ledger of all."""

from contextlib import suppress
from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.loaders.local_store import StoreUnreachable
from coachboard.pages.workspaces import ledger as ledgers
from coachboard.pages.workspaces.ledger import Entry, Ledger, SendOutcome
from coachboard.ui.frame import choices, connection, formats, notices, own_data, state, theme
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import copy_button, export

SHOWN = "workspaces.shown"
"""Session key: the press whose invitations are shown."""
FORM_PX = 620
_CLEARING = "workspaces.clearing"


def ledger_of(page: Page) -> Ledger:
    return Ledger(page.store, page.fingerprint)


def draw_sent(page: Page) -> None:
    """The last press's invitations: a large code, its expiry, a message to copy."""
    press = state.get(SHOWN)
    with suppress(StoreUnreachable):  # the ledger below shows the error
        for entry in ledger_of(page).entries_of(press) if press else ():
            _draw_entry(page, entry)


def draw_ledger(page: Page) -> None:
    """All invitations sent with this key from this dashboard, newest first."""
    try:
        entries = ledger_of(page).entries_with_unsaved()
    except StoreUnreachable:
        st.warning(
            "Could not load sent invitations: the dashboard's database does not answer. "
            "Sending is not possible until it does; try again in a minute.",
            icon=":material/cloud_off:",
        )
        return
    if not entries:
        notices.say_empty(
            "No invitations sent from here.",
            fills="Each invitation that you create appears here with its code. Invitations created with another sign-in key are not listed."
            if inviting_workspaces(page.profile)
            else "",
        )
        return
    st.caption(
        "Invitations that you created here, signed in with this key. The outcome is that of sending; whether an invitation was "
        "accepted is not known here."
    )
    if theme.is_phone():
        _draw_list(page, entries)
    else:
        st.dataframe(
            _shown_frame(page, entries),
            hide_index=True,
            key="workspaces.ledger",
            placeholder=formats.MISSING,
            column_config=_ledger_columns(page, entries),
        )
    with st.container(horizontal=True, gap="medium"):
        export.draw_downloads(lambda: ledgers.as_frame(entries), name="invitations", key="workspaces.export")
        _draw_clearing(page)


def _ledger_columns(page: Page, entries: tuple[Entry, ...]) -> dict[str, Any]:
    """The widths fit 1366 px, so that the expiry needs no sideways scrolling."""
    is_of_this_year = all(
        moment.year == page.today.year
        for entry in entries
        for moment in (entry.sent_at, entry.expires_at)
        if moment
    )
    moment = st.column_config.DatetimeColumn(
        format="D MMM, HH:mm" if is_of_this_year else "D MMM YY, HH:mm",
        width=100 if is_of_this_year else 118,
        help="Your local time.",
    )
    return {
        "Sent": moment,
        "By": st.column_config.TextColumn(width=80),
        "Address": st.column_config.TextColumn(width=160),
        "Workspace": st.column_config.TextColumn(width=100),
        "Role": st.column_config.TextColumn(width=54),
        "Outcome": st.column_config.TextColumn(width=68),
        "Code": st.column_config.TextColumn(width=262 if is_of_this_year else 226),
        "Expires": moment,
        "Extended": st.column_config.NumberColumn(width=70, help="Number of extensions sent from here."),
    }


def _draw_list(page: Page, entries: tuple[Entry, ...]) -> None:
    """The ledger on a narrow screen: three lines per invitation."""
    for entry in entries[:_LISTED]:
        st.markdown(f"**{md(entry.email)}** · {_OUTCOMES[entry.outcome]}")
        sent = formats.moment(entry.sent_at.astimezone(page.zone), today=page.today)
        st.caption(
            f"{md(entry.workspace_name)} as {md(entry.role)}, sent {sent} by {md(entry.sent_by)}.  \n"
            + (f"Code {md(entry.code)}. {_expiry(page, entry)}" if entry.code else next_step(entry))
        )
    if len(entries) > _LISTED:
        st.caption(f"Newest {_LISTED} of {formats.count(len(entries), 'invitation')}; the files contain all.")


_LISTED = 30


def _draw_entry(page: Page, entry: Entry) -> None:
    with st.container(border=True, gap="xsmall", width=FORM_PX):
        st.markdown(f"**{md(entry.email)}** · {_OUTCOMES[entry.outcome]}")
        if entry.code is None:
            st.markdown(next_step(entry))
            return
        copy_button.draw(plain(entry.code), name="Code", key=f"workspaces.code.{entry.token}", is_large=True)
        st.caption(" ".join(part for part in (_expiry(page, entry), md(entry.says)) if part))
        copy_button.draw(
            _message(page, entry), name="Message", key=f"workspaces.message.{entry.token}", is_folded=True
        )


_OUTCOMES = {
    SendOutcome.SENDING: ":material/hourglass: sending",
    SendOutcome.CREATED: ":material/check_circle: invited",
    SendOutcome.EXTENDED: ":material/update: already pending, extended by two days",
    SendOutcome.UNCLEAR: ":material/help: may have arrived",
    SendOutcome.FAILED: ":material/error: rejected",
    SendOutcome.UNSENT: ":material/pause_circle: not sent",
}


def next_step(entry: Entry) -> str:
    reason = md(entry.says.rstrip(".")) + ". " if entry.says else ""
    endings = {
        SendOutcome.UNCLEAR: "Connection lost while sending: the invitation may exist. Send it again, which is safe: "
        "you get the same code, extended by two days, or a new invitation.",
        SendOutcome.SENDING: "No answer from the data service yet. If none comes, send it again, which is safe: "
        "you get the same code, extended by two days, or a new invitation.",
        SendOutcome.FAILED: "The data service rejected the invitation. Correct the cause above, then send again.",
        SendOutcome.UNSENT: "Not sent. Try again later.",
    }
    return reason + endings.get(entry.outcome, "")


def _expiry(page: Page, entry: Entry) -> str:
    if entry.expires_at is None:
        return "Expiry unknown."
    local = entry.expires_at.astimezone(page.zone)
    extended = f" {formats.count(entry.extensions, 'extension')} from here." if entry.extensions else ""
    return (
        f"Expires {formats.moment(local, today=page.today)}, {formats.countdown(local, page.now)}.{extended}"
    )


def _message(page: Page, entry: Entry) -> str:
    # The reader of the message may be in another time zone than the sender.
    expires = entry.expires_at.astimezone(page.zone) if entry.expires_at else None
    until = (
        f"\nIt is valid until {formats.moment(expires)} (UTC{expires.isoformat()[-6:]})." if expires else ""
    )
    return (
        f"Hello,\n\n{page.me.name} invites you to join {plain(entry.workspace_name)} as {entry.role}.\n"
        f"{_how(page, entry)}Your invitation code: {plain(entry.code)}{until}\n"
    )


def _how(page: Page, entry: Entry) -> str:
    """How to accept, if the service accepts codes; the code is in the fragment, which browsers send to no server."""
    if not own_data.has_feature(page, "invitations"):
        return ""
    return f"To accept, open this link:\n{connection.public_url()}/invitation#code={plain(entry.code)}\n\n"


def _shown_frame(page: Page, entries: tuple[Entry, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Sent": [_clock(page, entry.sent_at) for entry in entries],
            "By": [plain(entry.sent_by) for entry in entries],
            "Address": [plain(entry.email) for entry in entries],
            "Workspace": [plain(entry.workspace_name) for entry in entries],
            "Role": [entry.role for entry in entries],
            "Outcome": [str(entry.outcome) for entry in entries],
            "Code": [plain(entry.code) or formats.MISSING for entry in entries],
            "Expires": [_clock(page, entry.expires_at) for entry in entries],
            "Extended": [entry.extensions for entry in entries],
        }
    )


def _clock(page: Page, moment: datetime | None) -> datetime | None:
    """The user's local time without a zone: the browser would convert it again."""
    return moment.astimezone(page.zone).replace(tzinfo=None) if moment else None


def _draw_clearing(page: Page) -> None:
    if not state.get(_CLEARING):
        st.button(
            "Clear", key="workspaces.clear", type="tertiary", icon=":material/delete:", on_click=_ask_clear
        )
        return
    st.button("Delete list", key="workspaces.clear_yes", on_click=_clear, args=(page,))
    st.button("Keep", key="workspaces.clear_no", type="tertiary", on_click=state.forget, args=(_CLEARING,))


def _ask_clear() -> None:
    state.put(_CLEARING, True)


def _clear(page: Page) -> None:
    with choices.keeping():
        ledger_of(page).clear()
        state.forget(_CLEARING, SHOWN)
