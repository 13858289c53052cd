"""What is kept whole, as a table: the users, a profile, the streams of an activity."""

from functools import partial
from typing import Any

import orjson

from coachboard.client.arrow import from_arrow, to_arrow
from coachboard.client.budget import Priority, Want
from coachboard.client.cache.lifetimes import NO_STREAMS_S, PROFILE_S, STREAMS_S, USERS_S
from coachboard.client.http import Request, path_of
from coachboard.client.keeping import KEPT_MODELS, Thing
from coachboard.client.reading import Rows, read_list, read_object, sort_out
from coachboard.client.resources import STREAMS_PATH, USER_PATH, USERS_PATH
from coachboard.client.result import Known, RowProblem, Source
from coachboard.client.streaming import read_streams
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile


def users() -> Thing[tuple[User, ...]]:
    """The athletes of the caller."""
    return Thing("users", "", Request("GET", USERS_PATH), "", USERS_S, _checked_users, _read_users)


def profile(user_id: str, *, counted_as: str) -> Thing[UserProfile]:
    """One profile."""
    request = Request("GET", path_of(USER_PATH, user_id))
    return Thing(
        "profile", user_id, request, counted_as, PROFILE_S, _checked_profile, partial(_read_profile, request)
    )


def streams(activity_id: str) -> Thing[ActivityStreams]:
    """The streams of one activity, which stay: what was recorded does not change."""
    request = Request("GET", path_of(STREAMS_PATH, activity_id))
    return Thing(
        "streams",
        activity_id,
        request,
        "",
        STREAMS_S,
        _packed_streams,
        _read_packed,
        absent_s=NO_STREAMS_S,
        cost=KEPT_MODELS + 1,
    )


def unclaimed(priority: Priority) -> Want:
    """A call for no user that may be made twice at once."""
    return Want("", priority, claim="")


def _checked_users(request: Request, body: bytes) -> bytes:
    read_list(request, body, User)
    return body


def _read_users(body: bytes) -> tuple[Source[Any], tuple[RowProblem, ...]]:
    rows: Rows[User] = Rows(User, sort_out(User, orjson.loads(body)), name="users")
    return rows, rows.problems


def _checked_profile(request: Request, body: bytes) -> bytes:
    read_object(request, body, UserProfile)
    return body


def _read_profile(request: Request, body: bytes) -> tuple[Source[Any], tuple[RowProblem, ...]]:
    model, problems = read_object(request, body, UserProfile)
    return Known(model), problems


def _packed_streams(request: Request, body: bytes) -> bytes:
    return to_arrow(*read_streams(request, body))


def _read_packed(body: bytes) -> tuple[Source[Any], tuple[RowProblem, ...]]:
    value, problems = from_arrow(body)
    return Known(value), problems
