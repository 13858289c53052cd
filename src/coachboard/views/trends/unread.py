"""Do not report data that could not be loaded as missing data."""

from coachboard.loaders.trends.page_data import TrendsData
from coachboard.views.frame import notices


def say_unread(data: TrendsData, *parts: str) -> bool:
    """In an empty section, say if its data could not be loaded; the reason is at the top of the page."""
    lacking = [part for part in parts if data.lacks(part)]
    if lacking:
        notices.say_empty(
            f"The {' and '.join(lacking)} of this range could not be loaded.",
            fills="Reload the page in a minute.",
        )
    return bool(lacking)
