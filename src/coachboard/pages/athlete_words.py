"""Words about an athlete that the roster and the athlete's page share."""

from datetime import date

from coachboard.execution.adherence import Match
from coachboard.ui.frame import formats
from coachboard.wire.enums import DataOnboardingStatus
from coachboard.wire.users import User

SETTLING = "uncertain: less than 6 weeks of data"


def no_data_words(since: date, today: date) -> str:
    """Where the figures of an athlete end whose import failed."""
    return f"no data since {formats.day(since, today=today)}"


def unfinished_import(user: User, no_data_since: date | None, *, today: date) -> str:
    """The effect of an incomplete import on the numbers; empty if the import is complete."""
    if no_data_since is not None:
        end = no_data_words(no_data_since, today)
        return f"History import failed: {end}. Load, fitness and form are unknown from then on; charts count the days as rest."
    return {
        DataOnboardingStatus.ONGOING: "History import in progress: figures over several weeks are not complete yet.",
        DataOnboardingStatus.FAILED: "History import failed: figures use data received before the failure.",
        DataOnboardingStatus.NOT_STARTED: "History import has not started.",
    }.get(user.data_onboarding_status, "")


def readiness(user: User) -> dict[str, bool]:
    """The service's performance models and whether each is ready; empty if it does not say."""
    ready = user.user_metric_readiness
    if ready is None:
        return {}
    return {
        "cycling critical power": ready.has_service_cycling_critical_power,
        "running critical power": ready.has_service_running_critical_power,
        "running critical speed": ready.has_service_running_critical_speed,
    }


def stimulus_words(match: Match) -> str:
    """The stimulus of the session, else of the plan; `done as VO2max` where the plan has another one.

    Empty where the plan has none: nobody rides VO2max for the seven hours of a group ride.
    """
    part, plan = match.done or match.planned, match.planned
    if part is None or not part.stimulus or (plan is not None and not plan.stimulus):
        return ""
    is_other = plan is not None and plan.stimulus != part.stimulus
    return f"{'done as ' if is_other else ''}{formats.label(part.stimulus)}"
