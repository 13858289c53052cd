"""Files that a spreadsheet opens and does not execute."""

import io

import pandas as pd
import pytest

from coachboard.ui.widgets import export


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1+2", "@SUM(A1)", "\tx", "\rx", " =1"])
def test_a_cell_that_looks_like_a_formula_becomes_text(cell):
    read = pd.read_csv(io.BytesIO(export.csv_bytes(pd.DataFrame({"note": [cell]}))), keep_default_na=False)

    assert read["note"][0].lstrip(" ").startswith("'")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1", "'=1"),
        (" =1", " '=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1+1", "a;'=1+1"),
        ("a; -1;b", "a; '-1;b"),
        ("a\t@x", "a\t'@x"),
        ("\t=1", "'\t'=1"),
        ("a-b = c; d", "a-b = c; d"),
    ],
)
def test_a_formula_is_text_also_where_a_cell_may_begin_within_the_field(cell, written):
    read = pd.read_csv(io.BytesIO(export.csv_bytes(pd.DataFrame({"note": [cell]}))), keep_default_na=False)

    assert read["note"][0] == written


def test_a_head_that_looks_like_a_formula_becomes_text():
    assert export.csv_bytes(pd.DataFrame({"=cmd": [1]})).decode("utf-8-sig").startswith("'=cmd")


def test_numbers_stay_numbers():
    frame = pd.DataFrame({"change": [-1.5, 2.0]})

    assert pd.read_csv(io.BytesIO(export.csv_bytes(frame)))["change"].tolist() == [-1.5, 2.0]


def test_parquet_keeps_values_and_types():
    frame = pd.DataFrame({"at": pd.to_datetime(["2026-11-21"]), "note": ["=1+1"]})

    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(export.parquet_bytes(frame))), frame)
