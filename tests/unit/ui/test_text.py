"""Untrusted text shows as written and has no effect as markup."""

import pytest
from markdown_it import MarkdownIt

from coachboard.plain_text import searchable
from coachboard.ui.frame import formats, text
from coachboard.ui.widgets.toolbar import Pick, _wire
from coachboard.wire.users import User

HOSTILE = [
    "![x](https://tracker.example/p.png)",
    "[click](https://evil.example)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "**bold** _it_ `code` ~~no~~",
    "$x^2$ :red[alarm] :material/home:",
    "# Heading",
    "- item",
    "1. item",
    "| a | b |",
    "https://evil.example www.evil.example a@evil.example",
    "&lt;b&gt; &amp;",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_md_renders_as_the_plain_text_it_was(hostile):
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(text.md(hostile))

    assert not any(
        f"<{tag}" in rendered
        for tag in ("img", "a ", "script", "strong", "em", "code", "h1", "ul", "ol", "table")
    )


def test_md_breaks_bare_addresses_so_that_nothing_links_them():
    assert "://" not in text.md("https://evil.example").replace("\\", "")
    assert "www." not in text.md("www.evil.example").replace("\\", "")


def test_plain_drops_controls_and_direction_overrides():
    assert text.plain("a\u202eb\x00c\n d") == "abc d"


def test_plain_cuts_with_an_ellipsis():
    assert text.plain("x" * 300, longest=10) == "x" * 9 + "…"


def test_nothing_is_empty_text():
    assert text.md(None) == text.plain(None) == text.md_lines(None) == ""


def test_lines_stay_lines():
    assert text.md_lines("one\n\ntwo") == "one  \n\u00a0  \ntwo"


def test_a_number_keeps_its_unit_on_the_line():
    assert text.md("26.7\u00a0km") == "26\\.7\u00a0km"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("MAKELA", "Aino Mäkelä"),
        ("leo ", "Léo Garnier"),
        ("Mäkelä", "MAKELA"),
        ("יעל", "יעל כהן"),
        ("田", "Kenji 田中"),
    ],
)
def test_a_search_needs_neither_case_nor_accents(typed, name):
    assert searchable(typed) in searchable(name)


def test_a_picker_shows_names_without_control_characters_and_direction_overrides():
    user = User.model_construct(id="usr_1", first_name="An\u202ea\x00", last_name="\u2066Li\r\n")
    picker = Pick("athlete", "Athlete", {"usr_1": "B\u202een\x1b"})

    assert formats.person(user) == "Ana Li"
    assert _wire(picker)["options"] == [["usr_1", "Ben"]]
