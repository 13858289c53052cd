"""The markup of the calendar: text of people stays text wherever it is, and controls that write exist only for planning."""

from dataclasses import replace

import pytest
from lxml import html

from coachboard.ui.widgets.calendar_grid import (
    Grid,
    GridDay,
    GridItem,
    GridWeek,
    PlanControls,
    Total,
    markup,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    '" onfocus="alert(1)',
    "</button></div><style>*{display:none}</style>",
    "&lt;b&gt; &quot; {{ 7 * 7 }} {% raw %} {# gone #}",
    "a\n<b>c",
)


def grid_of(text):
    """A squad's week with the text as every string that a person can write."""
    item = GridItem(
        "tpr_1", "planned", text, text, text, "#123456", text, text, "bike", text, "usr_1", "move delete"
    )
    day = GridDay("2026-03-02", "2", text, text, [item, item, item], is_today=True)
    week = GridWeek(text, [day], [Total(text, text), Total(text, text, "bike")], text, "usr_1")
    plan = PlanControls([("workout", text)], clipboard=text, library=[(text, [item])])
    return Grid(
        "week", text, [text], [week], {"bike": "M1 1"},
        legend=text, colours=[(text, "#123456")], hint=text, limit=2, plan=plan, totals_title=text,
    )  # fmt: skip


def parsed(grid):
    return html.fragment_fromstring(markup(grid), create_parent="div")


def shape_of(grid):
    """Tags and names of attributes in their order."""
    return [(element.tag, *element.attrib) for element in parsed(grid).iter()]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_people_is_text_in_every_place(text):
    assert shape_of(grid_of(text)) == shape_of(grid_of("Long ride"))
    assert parsed(grid_of(text)).find_class("title")[0].text == text
    assert parsed(grid_of(text)).find_class("item")[0].get("title") == text


def test_without_planning_there_is_no_control_that_writes():
    with_plan = grid_of("Long ride")
    controls = {"menu", "plus", "actions", "shelf", "choice"}

    assert {name for name in controls if parsed(with_plan).find_class(name)} == controls
    assert not [name for name in controls if parsed(replace(with_plan, plan=None)).find_class(name)]


def test_a_phone_hides_the_weeks_before_that_of_today():
    grid = grid_of("Long ride")
    (week,) = grid.weeks
    past = replace(week, days=[replace(day, is_today=False) for day in week.days])

    assert not parsed(grid).find_class("past")
    assert not parsed(grid).find_class("earlier")
    assert [row.get("class") for row in parsed(replace(grid, weeks=[past, week])).xpath("//*[@role='row']")][1:] == [
        "row past lanes", "row lanes",
    ]  # fmt: skip
    assert not parsed(replace(grid, weeks=[past, past])).find_class("earlier")
