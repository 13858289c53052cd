"""All sessions of an athlete, however old."""

from dataclasses import dataclass, field

from coachboard.analytics.planning.adherence import Done
from coachboard.client import Result
from coachboard.loaders.matching import references, sessions_of
from coachboard.loaders.requests import AthleteLists
from coachboard.models.activities import Activity


@dataclass(frozen=True, slots=True)
class History:
    """All sessions, requested without a range."""

    done: tuple[Done, ...]  # oldest first
    undated: tuple[str, ...]  # ids of sessions without a time: no day lists them
    listed: Result[tuple[Activity, ...]] = field(repr=False)


def load_history(client: AthleteLists, user_id: str) -> History:
    """One request for all years; raises `ServiceError` if it fails and nothing is cached."""
    listed = client.list_activities(user_id)
    frame = listed.frame
    done = sessions_of(listed, references(client, user_id, listed))
    dated = {session.id for session in done}
    ids = frame["id"].tolist() if "id" in frame else []
    return History(done, tuple(str(one) for one in ids if str(one) not in dated), listed)
