"""Comments of the planning API (`docs/planning-api.md`), and the groups of a workspace."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from coachboard.wire.base import Day, Text, Timestamp, Wire, YesNo
from coachboard.wire.planning import Person

MOST_COMMENT = 4_000
"""Characters of a comment."""
MOST_READ = 1_000
"""Comments that one request marks as read."""


LONGEST_GROUP, MOST_GROUPS = 30, 8
"""Characters of the name of a group, and groups of one athlete."""


class CommentMail(StrEnum):
    """When a person gets mails about comments."""

    OFF = "off"
    AT_ONCE = "atOnce"
    DAILY = "daily"


class CommentText(Wire):
    """The text of a new or a changed comment."""

    text: Annotated[Text, Field(min_length=1, max_length=MOST_COMMENT)]


class Comment(Wire):
    """A comment on an entry or on a session of the athlete `user_id`; `etag` goes with a change.

    `is_own` if the caller wrote it, who alone may change it; `is_unread` by the caller.
    """

    id: Text
    user_id: Text
    entry_id: Text | None
    activity_id: Text | None
    author: Person
    text: Text
    created_at: Timestamp
    edited_at: Timestamp | None
    is_own: YesNo
    is_unread: YesNo
    etag: Text


class UnreadComment(Comment):
    """A comment that the caller has not read, with title and day of its entry or session."""

    title: Text
    date: Day | None


class ReadComments(Wire):
    """The ids of comments that the caller has read."""

    ids: Annotated[tuple[Text, ...], Field(max_length=MOST_READ)]


class CommentMailChoice(Wire):
    """When the caller gets mails about comments, and their address; without one there are no mails.

    `unconfirmed` is a new address to which a code was sent; nothing changes before the code comes back.
    """

    mail: CommentMail
    address: Text | None
    unconfirmed: Text | None
    has_mail_server: YesNo


class NewCommentMail(Wire):
    """A choice of mails; a new address needs the code that was sent there."""

    mail: CommentMail
    address: Annotated[Text, Field(max_length=320)] | None
    code: Annotated[Text, Field(max_length=20)] | None = None


class GroupNames(Wire):
    """The groups of an athlete from now on."""

    names: Annotated[
        tuple[Annotated[Text, Field(min_length=1, max_length=LONGEST_GROUP)], ...],
        Field(max_length=MOST_GROUPS),
    ]


class AthleteGroups(GroupNames):
    """An athlete of a workspace that the caller leads, with the names of their groups there."""

    workspace_id: Text
    user_id: Text
