"""A stream column, a metric and a flag rule take one record each, a metric also its type: they then appear everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_COLUMN = 'StreamColumn("muscleOxygen", "Muscle oxygen", "%", "breathing", Range(0, 100), group=_VENTILATION, example=61),'
_METRIC = 'MetricRecord(MetricType.LACTATE_POWER, "Lactate power", MetricUnit.W, "power", Range(20, 700)),'
_ADDED = {
    "catalogues/streams.py": ("    # A semicircle is", f"    {_COLUMN}\n"),
    "catalogues/metrics.py": (")  # fmt: skip\nMETRICS", f"    {_METRIC}\n"),
    "models/enums.py": ('    BODY_FAT = "body fat"\n', '    LACTATE_POWER = "lactate power"\n'),
}
_RULE = '''"""Much tempo."""
from coachboard.flags.flag import FlagRule, Reading, Topic


def much_tempo(athlete, threshold):
    """Tempo sessions of the last 28 days."""
    done = sum(match.done is not None for match in athlete.matches)
    return Reading(is_raised=done >= threshold, value=float(done), limit=threshold, normal=0.0,
                   as_of=athlete.today, factor="most of them long", detail="all on the road")


RULE = FlagRule(
    id="much_tempo", title="Much tempo", text="At least {threshold} of tempo in 28 days", threshold=3, bounds=(1, 9),
    unit="rides", source="Nobody 2026", topic=Topic.LOAD, weight=0.9, read=much_tempo, factors={"most of them long": 2.0},
    detail="{value} of tempo", card="Event", argues_against_plan=True, short="Tempo",
)
'''


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Where a copy of the source with three more lines and one more file shows them; `tests/added_records.py` looks."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "pages", ".streamlit"):
        shutil.copytree(_ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (before, line) in _ADDED.items():
        file = copy / "src" / "coachboard" / name
        text = file.read_text()
        assert text.count(before) == 1
        file.write_text(text.replace(before, line + before))
    (copy / "src" / "coachboard" / "flags" / "rules" / "much_tempo.py").write_text(_RULE)
    paths = os.pathsep.join([str(copy / "src"), str(_ROOT / "tests")])
    ran = subprocess.run(
        [sys.executable, _ROOT / "tests" / "added_records.py"],
        cwd=copy, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_an_added_column_is_imported_with_its_range_and_described(seen):
    assert seen["import"] == [61]
    assert seen["problems"] == ["1 of 2 values of muscle oxygen are outside 0 to 100 % and were ignored"]
    assert seen["description"]
    assert seen["unit"] == "%"


@pytest.mark.slow
def test_an_added_column_has_a_card_a_chart_and_its_quality(seen):
    assert "Muscle oxygen 60 %–66 % % 63" in seen["cards"]
    assert any("layout.yaxis.title.text: Muscle oxygen, %" in line for line in seen["panels and sensors"])
    assert "table Column: Muscle oxygen" in seen["data quality"]


@pytest.mark.slow
def test_an_added_metric_is_in_the_table_of_metrics(seen):
    assert "table Metric: Lactate power" in seen["trends"]


@pytest.mark.slow
def test_an_added_flag_rule_is_on_every_page_of_flags(seen):
    flags = {page: " ".join(lines) for page, lines in seen["flags"].items()}

    assert "cells.main: Tempo" in flags["roster"]
    line = "Much tempo: 13 rides of tempo (limit 3 rides), all on the road, data from today."
    for page in ("look", "review", "athlete"):
        assert line in flags[page].replace("*", ""), page
    assert "| Much tempo: most of them long | × 2 |" in flags["look"]
    assert "At least 3 rides of tempo in 28 days" in flags["athlete"]
    assert "Against it: much tempo" in flags["review"].replace("*", "")
    assert "At least 3 rides of tempo in 28 days" in flags["settings"]
    assert seen["flagged cards"] == ["Event"]
