"""Texts on screen are plain English: words that made users stumble do not come back."""

import re

import pytest

import screen_strings

STUMBLES = re.compile(
    r"\b(told|stands|anew|somebody|whoever|of ours|meant|alike|beside|owed|in hand|became)\b", re.IGNORECASE
)


def test_no_string_on_screen_has_a_word_that_makes_users_stumble():
    found = [
        f"{string.file}:{string.line}: {string.text}"
        for string in screen_strings.everywhere()
        if STUMBLES.search(string.text)
    ]

    assert found == []


def test_training_load_is_never_called_volume_on_screen():
    """Coaches read volume as hours or kilometres."""
    found = [
        f"{string.file}:{string.line}: {string.text}"
        for string in screen_strings.everywhere()
        if re.search(r"\bvolumes?\b", string.text, re.IGNORECASE) and string.text != "Tidal volume"
    ]

    assert found == []


def test_a_quantity_has_one_name_on_every_page():
    """Users took "resting HR" and "resting heart rate" for two quantities; "Neuro" and "VO₂max" have full names too."""
    second_names = re.compile(r"\bresting HR\b|\bVO₂\s?max\b|\bNeuro\b(?!\u00ad)", re.IGNORECASE)
    found = [
        f"{string.file}:{string.line}: {string.text}"
        for string in screen_strings.everywhere()
        if second_names.search(string.text) and "health" not in string.file
    ]

    assert found == []


@pytest.mark.parametrize(
    "second_form",
    [
        # A phone has no mouse, and a keyboard selects too.
        r"\b(click|tap)s?\b",
        # A window of 12 months was also "1 year", "last year" and "365 days".
        r"\b(1 year|last year|36[45] days|a year)\b",
        # Tables named their first column "Quantity", "Value" and "Metric".
        r"^Quantity$",
        r"\blike (sessions|workouts|it)\b",
    ],
)
def test_one_word_for_a_gesture_a_window_and_a_column(second_form):
    found = [
        f"{string.file}:{string.line}: {string.text}"
        for string in screen_strings.everywhere()
        if "/coachboard/pages/" in string.file
        and string.file.endswith(".py")
        and re.search(second_form, string.text, re.IGNORECASE)
        and string.text != "1 year"  # until a key expires
    ]

    assert found == []


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("st.caption('no flag stands')", ["no flag stands"]),
        ("x = f'{count} of {most} owed'", ["{…} of {…} owed"]),
        ("x = f\"sleep {'debt' if low else 'surplus'}\"", ["debt", "sleep {…}", "surplus"]),
        ("key, param = 'calendar.beside', 'told'", []),
        ("'''Told in a docstring.'''", []),
        ("@group.command('sync')\ndef sync():\n    '''Fill the cache.'''", ["Fill the cache."]),
    ],
)
def test_text_is_known_from_names(tmp_path, code, texts):
    module = tmp_path / "module.py"
    module.write_text(code, encoding="utf-8")

    assert sorted(text.strip() for _, text in screen_strings.strings_of_module(module)) == texts


def test_text_of_markup_is_between_tags_and_in_accessible_names(tmp_path):
    markup = tmp_path / "switch.html"
    markup.write_text('<p class="Plain name" title="A hint">\n<b>Match system</b></p>', encoding="utf-8")

    assert list(screen_strings.strings_of_markup(markup)) == [(1, "A hint"), (2, "Match system")]
    markup.write_text(
        '{# A comment #}\n{% if is_new %}<b title="New on {{ day }}">{{ count }} more</b>{% endif %}',
        encoding="utf-8",
    )
    assert list(screen_strings.strings_of_markup(markup)) == [(2, "New on {…}"), (2, "{…} more")]


def test_the_list_has_the_formula_sheet_and_the_markup_of_components():
    listed = {
        (string.file.rpartition("/")[2], string.text.partition("\n")[0])
        for string in screen_strings.everywhere()
    }

    assert {("switch.html", "Match system"), ("switch.html", "Dark")} <= listed
    assert any(file == "baseline.py" and text.endswith(".") for file, text in listed)


def test_every_page_lists_its_own_strings_and_the_frame_its_own():
    listed = screen_strings.by_page()
    texts = {page: {string.text for string in strings} for page, strings in listed.items()}

    assert "Sleep need (h)" in texts["Trends"]
    assert "Account and sign out" in texts["Every page"]
    assert "Account and sign out" not in texts["Trends"]
    assert "Cached data of the service." in texts["Commands"]


def test_no_module_with_text_is_missing_from_the_list():
    listed = {string.file for strings in screen_strings.by_page().values() for string in strings}

    assert {string.file for string in screen_strings.everywhere()} <= listed
