"""When mails about comments come, and where to; the service keeps the choice."""

import streamlit as st

from coachboard.client.errors import BadRequest, ServiceError
from coachboard.ui.frame import notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.comments import CommentMail

_CHOICES = {
    CommentMail.OFF: "Off",
    CommentMail.AT_ONCE: "At once",
    CommentMail.DAILY: "Daily summary",
}
_KEY = "settings.comment_mail"


def draw_comment_mail(page: Page) -> None:
    """The choice of the mails; nothing for a service without comments."""
    planning = page.client.planning
    if not planning.has_comments():
        return
    st.header("Mails about comments", anchor=False)
    try:
        kept = planning.comment_mail()
    except ServiceError as error:
        notices.say(error, about="The choice of mails")
        return
    if not kept.address:
        st.caption("You get no mails: the service has no address of yours. Enter it here.")
    with st.form(_KEY, border=False, width=440):
        mail = st.segmented_control(
            "New comments that you have not read",
            list(_CHOICES),
            key=f"{_KEY}.when",
            default=kept.mail,
            required=True,
            format_func=_CHOICES.__getitem__,
            help="At once: a minute after the comment. Daily summary: at 6:00 in your time zone, if there are any.",
        )
        address = st.text_input(
            "Address",
            kept.address or "",
            key=f"{_KEY}.address",
            max_chars=320,
            placeholder="name@example.org",
            help="Empty: the address of the invitation that you accepted.",
        )
        is_sent = st.form_submit_button("Save mails", icon=":material/mail:")
    if is_sent:
        _save(page, mail or kept.mail, address)


def _save(page: Page, mail: CommentMail, address: str) -> None:
    try:
        page.client.planning.choose_comment_mail(mail, address.strip() or None)
    except BadRequest as error:
        st.error(f"Not saved: {md(error.words, longest=200)}", icon=":material/error:")
    except ServiceError as error:
        notices.say(error, about="Mails about comments")
    else:
        state.forget(f"{_KEY}.address")
        st.rerun()
