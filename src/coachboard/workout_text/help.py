"""The grammar of workouts on one screen: an example and its parts; `docs/workout-text.md` has the same rows."""

from typing import NamedTuple

EXAMPLE = """\
Warm-up
- 15m 50-60%

Main set 3x
- 12m 95-100% 85-95rpm
  4x
  - 15s 120%
- Easy 4m 50%

Cool-down
- 10m ramp 60-40%
"""


class HelpRow(NamedTuple):
    """Pieces to write, and their meaning."""

    pieces: tuple[str, ...]
    meaning: str


HELP = (
    HelpRow(("- 10m 80%",), "A step begins with -. It has one length; targets, cadence and words in any order."),
    HelpRow(("1h2m30s", "90s", "1m30", "5'", '1\'30"', "1:30:00"), "Time. m is minutes."),
    HelpRow(("400mtr", "2km", "1mi", "100yd"), "Distance."),
    HelpRow(("press lap",), "Until the athlete presses the lap button."),
    HelpRow(("75%", "95-105%", "220w", "200-240w", "Z2", "Z3-Z4"), "Power: percent of critical power, watts, zones 1 to 7."),
    HelpRow(
        ("70% HR", "95% LTHR", "Z2 HR", "140-150bpm"),
        "Heart rate: percent of the maximum, of the threshold, zones 1 to 5.",
    ),
    HelpRow(
        ("90% Pace", "Z2 Pace", "5:00/km Pace", "1:40-1:45/100m Pace", "8:00/mi Pace"),
        "Speed: percent of critical speed, zones 1 to 7, paces.",
    ),
    HelpRow(("ramp 60-40%",), "Changes from the first to the second value, in steps of up to a minute, at most ten."),
    HelpRow(("freeride",), "No target."),
    HelpRow(("90rpm", "85-95rpm"), "Cadence."),
    HelpRow(("max", "intensity=rest", "intensity=recovery"), "Label of the step, if its words do not decide it."),
    HelpRow(
        ("3x", "Main set 3x"),
        "A line without - is a title. With 3x the steps below it are repeated: up to a blank line, "
        "a line further to the left, or the next title of the same indentation.",
    ),
    HelpRow(
        ("Warm-up", "Cool-down", "Rest", "Recover", "Easy"),
        "A title or a step that begins with such a word gets its label. Inside a repeat a step "
        "between harder ones is a recovery.",
    ),
)  # fmt: skip
"""The last two rows are lines without a dash, the others pieces of a step."""
