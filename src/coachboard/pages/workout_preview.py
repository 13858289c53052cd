"""The editor's view of a workout's text, on every page that has the editor: profile, amounts, errors, templates, grammar."""

from types import MappingProxyType

from coachboard.charts import palette
from coachboard.execution.structure import DEFAULT_SPEED_MPS, estimated_duration_s
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.plan_editor import LocatedError, MissingAmounts, ProfileBar, WorkoutPreview
from coachboard.wire.enums import Sport, ZonesType
from coachboard.wire.planning import PlannedValues
from coachboard.workout_text.parsing import TypedWorkout
from coachboard.workout_text.summary import ProfileRow, WorkoutSummary
from coachboard.workout_text.values import DayValues
from coachboard.workout_text.writing import proposed_title

_EXAMPLES = MappingProxyType(
    {
        Sport.CYCLING: (
            ("Endurance ride", "- Warm-up 15m 50-60%\n- 1h30m 65-72% 85-95rpm\n- Cool-down 10m 50%"),
            (
                "Intervals 4 × 8 min",
                "Warm-up\n- 15m 50-65%\n\nMain set 4x\n- 8m 100-105%\n- Easy 4m 50%\n\nCool-down\n- 10m 50%",
            ),
            ("Ramp and sprints", "- 10m ramp 45-75%\n\n6x\n- 15s 160%\n- Easy 2m45s 50%\n\n- 10m 50%"),
        ),
        Sport.RUNNING: (
            ("Easy run", "- 45m Z2 HR"),
            (
                "Intervals 5 × 1 km",
                "- Warm-up 15m Z2 HR\n\n5x\n- 1km 100-103% Pace\n- Easy 2m 65% Pace\n\n- Cool-down 10m Z1 HR",
            ),
            ("Strides", "- 30m Z2 HR\n\n8x\n- 20s 115% Pace\n- Easy 1m 65% Pace"),
        ),
        Sport.SWIMMING: (
            ("Technique", "- Warm-up 400mtr\n\n8x\n- 50mtr 90% Pace\n- Rest 20s intensity=rest\n\n- 200mtr"),
            (
                "Threshold 10 × 100 m",
                "- Warm-up 400mtr\n\n10x\n- 100mtr 98-102% Pace\n- Rest 15s intensity=rest\n\n- 200mtr",
            ),
            ("Endurance", "- Warm-up 300mtr\n\n3x\n- 600mtr 88-92% Pace\n- Rest 40s intensity=rest"),
        ),
    }
)
_BY_HEART_RATE = (
    ("Endurance", "- Warm-up 10m Z1 HR\n- 1h Z2 HR\n- Cool-down 10m Z1 HR"),
    (
        "Intervals 4 × 8 min",
        "Warm-up\n- 15m Z2 HR\n\nMain set 4x\n- 8m 85-92% HR\n- Easy 3m Z1 HR\n\nCool-down\n- 10m Z1 HR",
    ),
    ("Recovery", "- 40m Z1 HR"),
)
"""For sports in which power and speed say less."""
GRAMMAR = (
    ("- 10m 60%", "a step: 10 minutes at 60 % of critical power"),
    ("- 2km 90% Pace", "2 km at 90 % of critical speed; metres are mtr, as m is minutes"),
    ("- 1h30m Z2", "a zone; also Z2 HR and Z2 Pace"),
    ("- 20m 200-240w 90rpm", "a range in watts, with a cadence"),
    ("- 5m 145-155bpm, 95% LTHR", "heart rate; 70% HR is of the maximum"),
    ("- 3km 4:40-4:50/km Pace", "a pace"),
    ("- 10m ramp 50-75%", "a rise or fall in equal steps"),
    ("Main set 4x", "a line without - repeats the steps below, up to an empty line"),
    ("  2x", "two spaces more nest a repeat in a repeat"),
    ("- Easy 4m 50%", "words are a cue; easy, rest, warm and cool set the kind of step"),
    ("- press lap 60%", "a step until the lap button"),
)


def examples_of(sport: Sport) -> tuple[tuple[str, str], ...]:
    """Title and text of three workouts to begin with."""
    return _EXAMPLES.get(sport, _BY_HEART_RATE)


def day_values_of(read: PlannedValues) -> DayValues:
    """The values of the service, with which it computes the figures of a workout."""
    return DayValues(
        critical_power_w=read.critical_power,
        w_prime_j=read.w_prime,
        critical_speed_mps=read.critical_speed,
        max_heart_rate_bpm=read.max_heart_rate,
        resting_heart_rate_bpm=read.resting_heart_rate,
        threshold_heart_rate_bpm=read.threshold_heart_rate,
        usual_speed_mps=read.usual_speed,
        gender=read.gender,
    )


def preview_of(
    page: Page,
    workout: TypedWorkout,
    summary: WorkoutSummary,
    sport: Sport,
    *,
    missing: MissingAmounts | None = None,
) -> WorkoutPreview:
    """The profile of a text with its amounts and errors."""
    return WorkoutPreview(
        bars=[_bar(row, summary.unit) for row in summary.profile],
        spoken=f"Profile of {formats.count(len(summary.profile), 'step')}",
        facts=_facts(summary, sport, page),
        missing=missing,
        title=title_of(workout, sport),
        problems=[
            LocatedError(error.line, error.column, error.text, error.proposal or "")
            for error in workout.errors
        ],
    )


def _bar(row: ProfileRow, unit: str) -> ProfileBar:
    low, high = row.low or 0.0, row.high or 0.0
    seconds = row.end_s - row.start_s
    tone = theme.colour(palette.PLANNED) if row.intensity is None else palette.intensity(row.intensity)
    target = f", {low:g}–{high:g} {unit}" if high else ""
    return ProfileBar(seconds, low, high, tone, f"{formats.duration_hms(seconds)} {row.label}{target}")


def _facts(summary: WorkoutSummary, sport: Sport, page: Page) -> list[tuple[str, str]]:
    facts = [
        ("Duration", formats.duration_hms(summary.seconds)),
        ("Distance", formats.distance(summary.metres, sport, units=page.units)),
        ("Load", formats.number(summary.load)),
        ("Lowest W′ balance", _balance(summary)),
    ]
    zones = [
        (zone_label(summary.quantity, zone.zone), formats.duration_hms(zone.seconds))
        for zone in summary.zones
        if zone.seconds
    ]
    return [(label, value) for label, value in (*facts, *zones) if value != formats.MISSING]


def missing_words(summary: WorkoutSummary, sport: Sport, values: DayValues) -> tuple[str, str]:
    """Why load, time in zones or W′ balance are not known, and the value that they need; both may be empty."""
    name = _NAMES.get(summary.quantity, "") if summary.quantity else ""
    is_power = summary.quantity is ZonesType.POWER
    amounts = "Load, time in zones and W′ balance" if is_power else "Load and time in zones"
    reasons = (
        (
            summary.seconds is None,
            "Duration and load need a pace: the athlete's usual one in this sport is not known.",
            "",
        ),
        (not name, "Load and time in zones need a target, such as 60% or Z2 HR.", ""),
        (not _is_known(summary.quantity, values), f"{amounts} need a {name}.", name),
        (is_power and summary.feasibility is None, "The lowest W′ balance needs a W′.", "W′"),
        (
            summary.load is None and summary.quantity is ZonesType.HEART_RATE,
            "Load needs a resting heart rate.",
            "resting heart rate",
        ),
        (
            summary.load is None,
            f"Load by pace is for runs and swims: {formats.sport(sport).lower()} has none.",
            "",
        ),
    )
    return next(((words, value) for is_true, words, value in reasons if is_true), ("", ""))


def _is_known(quantity: ZonesType | None, values: DayValues) -> bool:
    return quantity is not None and bool(values.hundred_percent(quantity))


_NAMES = MappingProxyType(
    {
        ZonesType.POWER: "critical power",
        ZonesType.HEART_RATE: "maximum heart rate",
        ZonesType.SPEED: "critical speed",
    }
)


def title_of(workout: TypedWorkout, sport: Sport) -> str:
    """A title for a workout that has none: `Hills 6 × 90 s`, `Cycling 1h30`; empty for a text with errors."""
    if workout.errors or not workout.structure:
        return ""
    seconds = estimated_duration_s(workout.structure, speed_mps=DEFAULT_SPEED_MPS.get(str(sport)))
    return proposed_title(workout) or f"{formats.sport(sport)} {formats.duration_hm(seconds)}"


def zone_label(quantity: ZonesType | None, zone: str) -> str:
    """The name of a zone; zones of heart rate are ranges in percent of the maximum."""
    unit = " % of maximum" if quantity is ZonesType.HEART_RATE else ""
    return f"{formats.label(zone)}{unit}"


def _balance(summary: WorkoutSummary) -> str:
    feasibility = summary.feasibility
    if feasibility is None:
        return formats.MISSING
    share = formats.percent(100 * max(feasibility.lowest_share, 0.0))
    if feasibility.is_feasible:
        fits = f", all {feasibility.repetitions} repetitions fit" if feasibility.repetitions > 1 else ""
        return f"{share}{fits}"
    fits = (
        f": {feasibility.fitting} of {feasibility.repetitions} repetitions fit"
        if feasibility.repetitions
        else ""
    )
    return f"runs out{fits}"
