"""A page is a table of contents: its sections in their order, without other code."""

import ast
from pathlib import Path

import pytest

from coachboard.ui.frame import navigation

PAGES = sorted((Path(__file__).parents[2] / "pages").glob("*.py"))
FORBIDDEN = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.While,
    ast.Try,
    ast.Lambda,
    ast.BinOp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Global,
)


@pytest.fixture(params=PAGES, ids=lambda page: page.stem)
def tree(request):
    return ast.parse(request.param.read_text(encoding="utf-8"))


def test_a_page_computes_nothing(tree):
    found = [
        f"line {node.lineno}: {type(node).__name__}" for node in ast.walk(tree) if isinstance(node, FORBIDDEN)
    ]

    assert found == []


def test_a_page_says_its_reading_order(tree):
    assert "order: " in (ast.get_docstring(tree) or "").lower()


def test_a_page_opens_with_the_guard(tree):
    statements = [node for node in tree.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]

    assert ast.unparse(statements[0]).startswith(("page = shell.open_page(", "shell.open_public_page("))


def test_only_public_pages_open_without_a_key():
    opening = {page.stem for page in PAGES if "open_public_page(" in page.read_text(encoding="utf-8")}

    assert opening == navigation.pages_for("public")


def test_a_page_fits_on_one_screen(tree):
    assert max(node.end_lineno for node in tree.body) <= 60
