"""Documents that fail when they lie."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import readings
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from databases import DATABASES, empty_database

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


def test_modules_named_in_the_readme_and_the_architecture_exist():
    table = README.split("## Where do I change")[1].split("## ")[0]
    text = table + (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text):
        if "/x" not in name:
            assert (ROOT / "src/coachboard" / name).exists() or (ROOT / name).exists(), name


def readings_table():
    """The rows of the document: readings with one outcome share a row, and the fields of a family that may be null."""
    rows: dict[tuple[str, str], list[str]] = {}
    for one in readings.ALL:
        if one not in readings.NULLS:
            same = "equal" if one.base == "plain" else f"equal to “{one.base}”"
            outcome = (", ".join(one.differs), one.why) if one.differs else (same, "")
            rows.setdefault(outcome, []).append(one.id)
    yield from (f"| {'; '.join(names)} | {pages} | {why} |" for (pages, why), names in rows.items())
    for family in readings.NULLS:
        name = family.id.removesuffix(" null")
        own = [one for one in readings.SINGLES if one.id.startswith(f"{name}.")]
        assert {one.differs for one in own} == {family.differs}
        fields = ", ".join(f"`{one.id.removesuffix(' null').removeprefix(f'{name}.')}`" for one in own)
        yield f"| {name}: {fields} | {', '.join(family.differs) or 'equal'} |"


def test_every_reading_is_in_the_assumptions_with_its_difference():
    rows = list(readings_table())
    section = (ROOT / "docs/assumptions.md").read_text("utf-8").split("## Readings that the tests compare")[1]

    listed = [line for line in section.splitlines() if line.startswith("| ")]
    assert [line for line in listed if not line.startswith(("| readings", "| fields"))] == rows
    assert len(readings.ALL) + len(readings.SINGLES) + 1 == int(re.search(r"(\d+) readings", section)[1])


def test_each_command_of_the_backup_page_runs(tmp_path, monkeypatch):
    """In the shell of a volunteer: one folder for the data, and the commands one after another."""
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    for name in ("COACHBOARD_DATABASE_URL", "COACHBOARD_CACHE_URL"):
        monkeypatch.delenv(name, raising=False)
    with closing(Store.open(f"sqlite:///{tmp_path / 'data' / 'coachboard.db'}")) as store:
        store.add_user(NewUser(first_name="Ada"))
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/backup.md").read_text("utf-8"), re.DOTALL)
    for block in blocks:
        done = subprocess.run(
            ["bash", "-ec", block], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}{done.stderr}"

    with closing(Store.open(f"sqlite:///{tmp_path / 'restored' / 'coachboard.db'}")) as store:
        assert [user.first_name for user in store.users()] == ["Ada"]
    assert len(blocks) == 4


@pytest.mark.parametrize("kind", DATABASES)
def test_each_command_of_the_club_page_that_needs_no_root_runs(kind, tmp_path, monkeypatch):
    """In one shell, with the folders of the machine inside a folder of the test; leaves out what changes the machine."""
    text = (ROOT / "docs/club.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    left_out = re.findall(r"```sh root\n(.*?)```", text, re.DOTALL)
    for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
        monkeypatch.delenv(name)
    binaries = tmp_path / "opt/coachboard/bin"
    binaries.mkdir(parents=True)
    (binaries / "coachboard").symlink_to(Path(sys.executable).with_name("coachboard"))
    (tmp_path / "etc").mkdir()
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    with empty_database(kind, tmp_path) as url:
        settings = tmp_path / "deploy/coachboard.env"
        asked = "COACHBOARD_DATABASE_URL=postgresql+psycopg:///coachboard"
        assert asked in settings.read_text("utf-8")
        changed = settings.read_text("utf-8").replace(asked, f"COACHBOARD_DATABASE_URL={url}")
        settings.write_text(changed.replace("/var/lib", f"{tmp_path}/var/lib"))
        script = re.sub(r"(?<![\w.])/(opt|etc|var)/", rf"{tmp_path}/\1/", "\n".join(blocks))
        done = subprocess.run(
            ["bash", "-euc", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        mails = [file.read_text("utf-8") for file in (tmp_path / "var/lib/coachboard/outbox").glob("*.eml")]

    assert len(mails) == 2
    assert all("https://club.example/invitation#code=" in mail for mail in mails)
    assert done.stdout.count("\tpending\t") == 2
    assert (len(blocks), len(left_out)) == (5, 3)
