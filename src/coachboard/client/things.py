"""What is kept whole, as a table: the users, a profile, the streams of an activity."""

from functools import partial

from coachboard.client.arrow import from_arrow, to_arrow
from coachboard.client.budget import Priority, Want
from coachboard.client.cache.lifetimes import NO_STREAMS_S, PROFILE_S, STREAMS_S, USERS_S
from coachboard.client.http import Request, path_of
from coachboard.client.reading import Rows, read_list, read_object
from coachboard.client.resources import STREAMS_PATH, USER_PATH, USERS_PATH
from coachboard.client.result import Known, RowProblem, Source
from coachboard.client.streaming import read_streams
from coachboard.client.whole import KEPT_MODELS, Fresh, Thing
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile


def users() -> Thing[tuple[User, ...]]:
    """The athletes of the caller."""
    request = Request("GET", USERS_PATH)
    return Thing("users", "", request, "", USERS_S, _open_users, partial(_read_users, request))


def profile(user_id: str, *, counted_as: str) -> Thing[UserProfile]:
    """One profile."""
    request = Request("GET", path_of(USER_PATH, user_id))
    return Thing(
        "profile", user_id, request, counted_as, PROFILE_S, _open_profile, partial(_read_profile, request)
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
        _open_streams,
        _read_packed,
        absent_s=NO_STREAMS_S,
        cost=KEPT_MODELS + 1,
        is_large=True,
    )


def unclaimed(priority: Priority) -> Want:
    """A call for no user that may be made twice at once."""
    return Want("", priority, claim="")


def _open_users(request: Request, body: bytes) -> Fresh[tuple[User, ...]]:
    rows: Rows[User] = Rows(User, read_list(request, body, User), name="users")
    return Fresh(rows, rows.problems, lambda: body)


def _read_users(request: Request, body: bytes) -> tuple[Source[tuple[User, ...]], tuple[RowProblem, ...]]:
    rows: Rows[User] = Rows(User, read_list(request, body, User), name="users")
    return rows, rows.problems


def _open_profile(request: Request, body: bytes) -> Fresh[UserProfile]:
    model, problems = read_object(request, body, UserProfile)
    return Fresh(Known(model), problems, lambda: body)


def _read_profile(request: Request, body: bytes) -> tuple[Source[UserProfile], tuple[RowProblem, ...]]:
    model, problems = read_object(request, body, UserProfile)
    return Known(model), problems


def _open_streams(request: Request, body: bytes) -> Fresh[ActivityStreams]:
    value, problems = read_streams(request, body)
    return Fresh(Known(value), problems, partial(to_arrow, value, problems))


def _read_packed(body: bytes) -> tuple[Source[ActivityStreams], tuple[RowProblem, ...]]:
    value, problems = from_arrow(body)
    return Known(value), problems
