"""The report of an import: names of files are text of strangers."""

from coachboard.models.own_data import ReportLine
from coachboard.views.imports.opened import _table


def test_a_name_with_a_direction_override_is_shown_in_the_order_of_its_letters():
    line = ReportLine(
        name="\u202etif.exe\u0007.fit",
        outcome="imported",
        activity_ids=(),
        prescription_ids=(),
        nights=0,
        values=0,
        notes=(),
    )

    assert _table([line])["File"].tolist() == ["tif.exe.fit"]
