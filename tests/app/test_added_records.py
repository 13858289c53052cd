"""A stream column takes one record of the catalogue, a metric its type and one record: both then appear everywhere."""

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


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Where a copy of the source with three more lines shows them; `tests/added_records.py` looks."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "pages", ".streamlit"):
        shutil.copytree(_ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (before, line) in _ADDED.items():
        file = copy / "src" / "coachboard" / name
        text = file.read_text()
        assert text.count(before) == 1
        file.write_text(text.replace(before, line + before))
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
