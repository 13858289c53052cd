"""What did not arrive is not told as something that is not there."""

from coachboard.loaders.trends import TrendsData
from coachboard.views import notices


def say_unread(data: TrendsData, *parts: str) -> bool:
    """In place of an empty part: that it could not be read, where that is so; the reason stands over the page."""
    lacking = [part for part in parts if data.lacks(part)]
    if lacking:
        notices.say_empty(
            f"The {' and '.join(lacking)} of this range could not be loaded.",
            fills="Reload the page in a minute.",
        )
    return bool(lacking)
