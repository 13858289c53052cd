"""Documents that fail when they lie."""

import re
from pathlib import Path

from coachboard.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_setting_is_a_row_of_the_readme_and_no_other():
    rows = re.findall(r"^\| `(COACHBOARD_\w+)` \|", README, re.MULTILINE)

    assert rows == [f"COACHBOARD_{name.upper()}" for name in Settings.model_fields]


def test_files_that_documents_point_to_exist():
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")):
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_modules_named_in_the_readme_exist():
    table = README.split("## Where do I change")[1].split("## ")[0]
    for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", table):
        if "/x" not in name:
            assert (ROOT / "src/coachboard" / name).exists(), name
