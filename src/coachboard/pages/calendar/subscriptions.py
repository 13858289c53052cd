"""Subscriptions of the calendar in a phone or another program: make, copy, renew and revoke a secret address."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages.calendar.choice import CalendarChoice
from coachboard.plain_text import plain
from coachboard.ui.frame import connection, formats, groups, notices, state
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import copy_button
from coachboard.wire.planning import Feed, NewFeed

_FEATURE = "feeds"
_MADE = "calendar.feed"


def draw_subscriptions(page: Page, choice: CalendarChoice) -> None:
    """The subscriptions of the user, folded; nothing for a service without them."""
    planning = page.client.planning
    if not planning.has(_FEATURE):
        return
    box = st.expander(
        "Subscribe in another calendar",
        icon=":material/rss_feed:",
        key="calendar.feeds",
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        st.caption(
            "A secret address for a phone or another calendar: sessions, races and notes of the last 90 days and the next "
            "year, always up to date. Anyone with the address can read them. It works until you revoke it or the API "
            "key that you are signed in with ends."
        )
        _draw_new(page, choice)
        try:
            feeds = planning.feeds()
        except ServiceError as error:
            notices.say(error, about="The subscriptions")
            return
        for feed in feeds:
            _draw_feed(page, feed)


def _draw_new(page: Page, choice: CalendarChoice) -> None:
    """A button for each calendar that can be subscribed to."""
    titles = _targets(page, choice)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        target = st.selectbox(
            "Calendar", list(titles), key="calendar.feeds.of", format_func=titles.__getitem__, width=260
        )
        is_busy = st.checkbox(
            "Busy only",
            key="calendar.feeds.busy",
            help="The times of sessions and races, without titles, texts and notes.",
        )
        st.button(
            "Make address", key="calendar.feeds.new", icon=":material/add_link:", on_click=_make,
            args=(page, target, is_busy),
        )  # fmt: skip


_Target = tuple[str, str, str]
"""Ids of an athlete or of a workspace, and the name of a group of the workspace; empty without."""


def _targets(page: Page, choice: CalendarChoice) -> dict[_Target, str]:
    """The calendars to subscribe to: the chosen athletes, each workspace that the user leads, each of its groups."""
    targets = {(each.id, "", ""): plain(each.name, longest=60) for each in choice.athletes}
    for workspace in inviting_workspaces(page.profile):
        whole = plain(workspace.name, longest=60)
        targets["", workspace.id, ""] = f"All athletes of {whole}"
        names = {
            name for row in groups.shared(page) if row.workspace_id == workspace.id for name in row.names
        }
        targets |= {
            ("", workspace.id, name): _group_words(name, whole) for name in sorted(names, key=str.casefold)
        }
    return targets


def _group_words(name: str, workspace: str) -> str:
    return f"Group {plain(name)} of {workspace}"


def _make(page: Page, target: _Target, is_busy: bool) -> None:  # noqa: FBT001 (an argument of a button)
    athlete_id, workspace_id, group = target
    try:
        if workspace_id:
            asked = NewFeed(
                workspace_id=workspace_id, busy_only=is_busy, **({"group": group} if group else {})
            )
        else:
            user_id = page.profile.id if athlete_id == state.OWN else athlete_id
            _propose_zone(page, user_id)
            asked = NewFeed(user_id=user_id, busy_only=is_busy)
        feed = page.client.planning.create_feed(asked)
    except ServiceError as error:
        notices.say(error, about="Subscription")
        return
    state.put(_MADE, feed)


def _propose_zone(page: Page, user_id: str) -> None:
    """The zone of the browser for one's own calendar, unless it is set."""
    zone = st.context.timezone
    if user_id != page.profile.id or not zone:
        return
    profile = page.client.planning.profile(user_id)
    if profile.time_zone is None:
        page.client.planning.set_time_zone(user_id, profile, zone)


def _draw_feed(page: Page, feed: Feed) -> None:
    made = state.get(_MADE)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        facts = [
            _owner(page, feed),
            "busy only" if feed.busy_only else "",
            f"since {formats.moment(feed.created_at.astimezone(page.zone), today=page.today)}",
        ]
        st.markdown(md(" · ".join(fact for fact in facts if fact)), width="stretch")
        st.button(
            "New address", key=f"calendar.feeds.renew.{feed.id}", type="tertiary", on_click=_renew,
            args=(page, feed), help="The old address stops working.",
        )  # fmt: skip
        st.button(
            "Revoke", key=f"calendar.feeds.revoke.{feed.id}", type="tertiary", on_click=_revoke,
            args=(page, feed),
        )  # fmt: skip
    if isinstance(made, Feed) and made.id == feed.id and made.path:
        st.caption("Copy this address now: it is not shown again.")
        copy_button.draw(_address(page, made.path), name="address", key=f"calendar.feeds.address.{feed.id}")


def _owner(page: Page, feed: Feed) -> str:
    spaces = {workspace.id: workspace.name for workspace in page.profile.workspaces or ()}
    if feed.workspace_id is not None:
        whole = plain(spaces.get(feed.workspace_id, feed.workspace_id), longest=60)
        return f"All athletes of {whole}" if feed.group is None else _group_words(feed.group, whole)
    return plain(page.names.get(feed.user_id or "", feed.user_id or ""), longest=60)


def _address(page: Page, path: str) -> str:
    """The address as other machines reach it: the embedded service is below the dashboard's own."""
    base = f"{connection.public_url()}/api" if connection.is_embedded() else page.access.base_url
    return f"{base.rstrip('/')}{path}"


def _renew(page: Page, feed: Feed) -> None:
    try:
        state.put(_MADE, page.client.planning.renew_feed(feed))
    except ServiceError as error:
        notices.say(error, about="New address")


def _revoke(page: Page, feed: Feed) -> None:
    try:
        page.client.planning.revoke_feed(feed)
    except ServiceError as error:
        notices.say(error, about="Revoke")
