"""The bar of a review over several pages: `review=<the athlete's date>` in the URL adds tomorrow's plan and the remark."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import streamlit as st

from coachboard.loaders.reviews import LONGEST_REMARK, Review, load_reviews, save_review
from coachboard.ui.frame import choices, state
from coachboard.ui.frame.addresses import day_in_calendar, page_url
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md

PARAM = "review"
_QUEUE = "review.queue"
_KEPT = ("q", "sort", "flag", "sport", "workspace", "members", "group", "model")
_PAGES = frozenset({"Activity", "Calendar"})


def session_url(user_id: str, session_id: str, day: date, *, today: date) -> str:
    """The address of a session, opened from the review of the athlete on their date."""
    return page_url("activity", athlete=user_id, activity=session_id, day=day.isoformat(), **_param(today))


def day_url(user_id: str, on: date, *, today: date) -> str:
    """The address of a day in the calendar, opened from the review of the athlete on their date."""
    return page_url("calendar", athlete=user_id, **day_in_calendar(on.isoformat()), **_param(today))


def remember_queue() -> None:
    """Keep filters and order of the queue for the link back to it."""
    state.put(_QUEUE, {name: st.query_params[name] for name in _KEPT if name in st.query_params})


def draw(page: Page, path: Callable[[str], str]) -> None:
    """Draw the bar on the pages of session and calendar: link to the queue, tomorrow's plan, and the remark."""
    today, user_id = state.get_day(PARAM), state.get_id("athlete")
    athlete = next((user for user in page.athletes if user.id == user_id), None)
    if page.title not in _PAGES or today is None or athlete is None:
        return
    tomorrow = day_in_calendar((today + timedelta(days=1)).isoformat())
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="review.bar"):
        st.page_link(path("roster"), label=f"Review of {md(athlete.name)}", icon=":material/arrow_back:",
                     query_params={**state.get(_QUEUE, {}), "view": "review", "athlete": athlete.id})  # fmt: skip
        st.page_link(path("calendar"), label="Tomorrow's plan", icon=":material/event:",
                     query_params={"athlete": athlete.id, **tomorrow, **_param(today)})  # fmt: skip
        reviews = load_reviews(page.store, page.fingerprint).get(athlete.id, ())
        draw_remark(page, athlete.id, today, reviews)


def draw_remark(
    page: Page,
    user_id: str,
    today: date,
    reviews: Sequence[Review],
    *,
    label: str = "Reviewed",
    then: Callable[[], None] | None = None,
) -> None:
    """The field for the remark of the athlete's day; saving it marks the athlete as reviewed."""
    remark = next((review.remark for review in reviews if review.day == today), "")
    key = remark_key(user_id)
    with (
        st.form(f"{key}.form", border=False, width=420),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        state.put_default(key, remark)
        st.text_input("Remark", remark, key=key, max_chars=LONGEST_REMARK,
                      placeholder="Remark, only you see it", label_visibility="collapsed")  # fmt: skip
        st.form_submit_button(
            label, icon=":material/check:", on_click=_save, args=(page, user_id, today, then)
        )


def remark_key(user_id: str) -> str:
    """The key of the field's state."""
    return f"review.remark.{user_id}"


def _save(page: Page, user_id: str, today: date, then: Callable[[], None] | None) -> None:
    remark = str(state.get(remark_key(user_id)) or "").strip()
    with choices.keeping():
        save_review(page.store, page.fingerprint, user_id, Review(today, remark, page.now))
        st.toast("Review saved", icon=":material/check:")
        if then:
            then()


def _param(today: date) -> dict[str, str]:
    return {PARAM: today.isoformat()}
