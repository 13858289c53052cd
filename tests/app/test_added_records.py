"""A stream column, a metric, a flag rule and a chart take one file each, a page a script, a folder and a line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_COLUMN = """StreamColumn(
        "muscleOxygen", "Muscle oxygen", "%", "breathing", Range(0, 100), group=_VENTILATION, example=61, demo=(74, 48),
        fit=(FitField("saturated_hemoglobin_percent", 57),), fit_names=("smo",), tags=("smo2",), units={"ratio": 100},
    ),"""
_METRIC = """MetricRecord(
        MetricType.LACTATE_POWER, "Lactate power", MetricUnit.W, "power", Range(20, 700), demo=(180, 320),
        sports_to_set=(MetricSport.CYCLING,), effect="the zones of nobody.", headers=(r"p(ower)? at 4 mmol",),
    ),"""
_CHART = '''def shortest_chart(hours: list[float]) -> go.Figure:
    """The sessions of the range by their length."""
    return palette.layout(go.Figure(go.Bar(y=hours)), height=200)


def _draw_shortest(data: TrendsData) -> None:
    hours = sorted(activity.total_duration / 3600 for activity in data.activities if activity.total_duration)
    draw_chart(partial(shortest_chart, hours), key="trends.shortest", says=f"Shortest session: {hours[0]:.2f} h.")


'''
_ADDED = [
    ("wire/stream_columns.py", "    # A semicircle is", f"    {_COLUMN}\n"),
    ("wire/metrics.py", "\n\nclass MetricUnit", '    LACTATE_POWER = "lactate power"\n'),
    ("wire/metrics.py", ")  # fmt: skip\nMETRICS", f"    {_METRIC}\n"),
    (
        "ui/frame/navigation.py",
        '        "trends": ',
        '        "goals": NavigationEntry("Goals", ":material/flag:"),\n',
    ),
    ("pages/trends/zones.py", "def _draw_weeks(", _CHART),
    ("pages/trends/zones.py", "        _draw_weeks(data", "        _draw_shortest(data)\n"),
]
_SCRIPT = '''"""Goals: what the athlete trains for.

Reading order: the aim.
"""

from coachboard.pages import goals
from coachboard.ui.frame import shell

page = shell.open_page("Goals")
goals.draw_aim(page)
'''
_PAGE = '''"""The sections of the page of goals."""

import streamlit as st


def draw_aim(page):
    """The aim."""
    st.markdown(f"Aim on {page.today}: 300 W")
'''
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
    detail="{value} of tempo", card="Event", argues_against_plan=True, short_title="Tempo",
)
'''


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Where a copy of the source with a few more lines and files shows them; `tests/added_records.py` looks."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "pages", ".streamlit"):
        shutil.copytree(_ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, before, line in _ADDED:
        file = copy / "src" / "coachboard" / name
        text = file.read_text()
        assert text.count(before) == 1
        file.write_text(text.replace(before, line + before))
    (copy / "src" / "coachboard" / "flags" / "rules" / "much_tempo.py").write_text(_RULE)
    (copy / "pages" / "goals.py").write_text(_SCRIPT)
    folder = copy / "src" / "coachboard" / "pages" / "goals"
    folder.mkdir()
    (folder / "__init__.py").write_text(_PAGE)
    paths = os.pathsep.join([str(copy / "src"), str(_ROOT / "tests")])
    ran = subprocess.run(
        [sys.executable, _ROOT / "tests" / "added_records.py"],
        cwd=copy, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_an_added_column_is_imported_with_its_range_and_described(seen):
    assert seen["import"] == [61]
    assert seen["tag"] == [58]
    assert seen["fit"] == {"by the device": 64, "by name": 55, "by number": 52}
    assert seen["problems"] == ["1 of 2 values of muscle oxygen are outside 0 to 100 % and were ignored"]
    assert seen["description"]
    assert seen["unit"] == "%"


@pytest.mark.slow
def test_an_added_column_has_a_card_a_chart_and_its_quality(seen):
    assert "Muscle oxygen 60 %–66 % % 63" in seen["cards"]
    assert any("layout.yaxis.title.text: Muscle oxygen, %" in line for line in seen["panels and sensors"])
    assert "table Column: Muscle oxygen" in seen["data quality"]


@pytest.mark.slow
def test_an_added_column_is_recorded_by_the_demo_squad(seen):
    at_start, at_end = seen["demo"]

    assert 66 < at_start < 78
    assert 46 < at_end < 60


@pytest.mark.slow
def test_an_added_metric_is_in_the_table_of_metrics(seen):
    assert "table Metric: Lactate power" in seen["trends"]


@pytest.mark.slow
def test_an_added_metric_is_set_on_my_values_with_its_use(seen):
    assert seen["my values"]["options"][-1] == "Lactate power"
    assert seen["my values"]["sports"] == ["Cycling"]
    assert seen["my values"]["caption"] == "Used for the zones of nobody."


@pytest.mark.slow
def test_an_added_metric_is_read_from_tables_and_made_for_the_demo_squad(seen):
    assert seen["table"] == [["lactate power", "2026-05-02", 251]]
    assert seen["demo metric"]
    assert all(180 <= value <= 320 for value in seen["demo metric"])


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


@pytest.mark.slow
def test_an_added_chart_is_drawn_in_its_section(seen):
    assert "caption: Shortest session: 0.42 h." in seen["chart"]
    assert any(line.startswith("figure trends.shortest") for line in seen["chart"])


@pytest.mark.slow
def test_an_added_page_is_in_the_navigation_and_in_the_tests_of_all_pages(seen):
    assert seen["navigation"][3:7] == ["calendar", "plans", "goals", "trends"]
    assert {"title: Goals", "markdown: Aim on 2026-03-20: 300 W"} <= set(seen["page"])
