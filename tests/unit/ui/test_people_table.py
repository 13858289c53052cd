"""A table sends its values to the browser and leaves out empty ones."""

from datetime import date

from coachboard.execution.adherence import Done
from coachboard.formulas.session.summary_load import LoadMethod
from coachboard.ui.widgets import people_table
from coachboard.ui.widgets.load_cell import load_cell
from coachboard.ui.widgets.people_table import Cell, Chip, PeopleTable, TableColumn, TableRow


def test_a_table_is_sent_without_empty_values():
    chip = Chip("Aerobic", "done", "done 1 h", sign="✓")
    cells = [Cell("Ana", href="athlete?athlete=usr_1"), Cell(), Cell(bars=(0.0, 3.5)), Cell(chips=[chip])]
    table = PeopleTable(
        "Athletes", [TableColumn("name", "Athlete", is_number=True)], [TableRow("usr_1", cells)]
    )

    assert people_table.wire(table) == {
        "title": "Athletes",
        "kind": "numbers",
        "columns": [{"id": "name", "label": "Athlete", "is_number": True}],
        "rows": [
            {
                "id": "usr_1",
                "cells": [
                    {"main": "Ana", "href": "athlete?athlete=usr_1"},
                    {},
                    {"bars": [0.0, 3.5]},
                    {"chips": [{"text": "Aerobic", "kind": "done", "spoken": "done 1 h", "sign": "✓"}]},
                ],
            }
        ],
    }


def test_a_computed_load_names_its_method_below_the_number():
    felt = Done("act_1", date(2026, 3, 2), None, volume=80.0, load_method=LoadMethod.RPE)

    assert (load_cell(felt).main, load_cell(felt).sub) == ("80", "RPE × min")
