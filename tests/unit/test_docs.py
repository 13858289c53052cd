"""The documents are true: their commands run, and their paths, settings and pictures exist."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import readings
from coachboard.service.api.app import create_app, mounted
from coachboard.service.demo_squad import STREAM_MAKERS
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from coachboard_demo.people import Size
from databases import DATABASES, empty_database
from demo_database import make_demo
from running import free_port
from serving import served

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_setting_is_a_row_of_its_page_and_no_other():
    rows = re.findall(r"^\| `(COACHBOARD_\w+)` \|", SETTINGS, re.MULTILINE)

    assert rows == [f"COACHBOARD_{name.upper()}" for name in Settings.model_fields]


def test_files_that_documents_point_to_exist():
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")):
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_modules_named_in_the_contributing_guide_and_the_architecture_exist():
    table = CONTRIBUTING.split("## Where do I change")[1].split("## ")[0]
    text = table + (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text):
        if "/x" not in name:
            assert (ROOT / "src/coachboard" / name).exists() or (ROOT / name).exists(), name


def modules_with_texts():
    for path in ROOT.glob("src/**/*.py"):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
        yield f".{module}", path.read_text(encoding="utf-8")


def is_in_a_module(words, texts):
    """Whether some first words are the last ones of a module's name, and the next word is in that module."""
    return any(
        module.endswith("." + ".".join(words[:count]))
        and all(word in text for word in words[count : count + 1])
        for module, text in texts.items()
        for count in range(1, len(words) + 1)
    )


def test_modules_named_in_the_code_exist():
    """`session_load` moved to another folder, and two docstrings kept its old one."""
    texts = dict(modules_with_texts())
    names = {word for module in texts for word in module.split(".")}
    wrong = [
        (module, name)
        for module, text in texts.items()
        for name in re.findall(r"`([a-z_]+(?:[./]\w+)+)`", text)
        if (words := re.split(r"[./]", name.removesuffix(".py")))[0] in names
        and not is_in_a_module(words, texts)
    ]

    assert wrong == []


def test_each_change_that_the_contributing_guide_lists_needs_at_most_three_places():
    table = CONTRIBUTING.split("## Where do I change")[1].split("## ")[0]
    rows = [
        row.strip("| ").split(" | ")
        for row in table.splitlines()
        if row.startswith("| ") and "I want to" not in row
    ]

    assert len(rows) > 20
    for change, places in rows:
        assert all("`" in place for place in places.split("; ")), change
        assert len(places.split("; ")) <= 3, change


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


PAGES = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]+) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
BLOCKS = {name: list(_BLOCK.finditer(text)) for name, text in PAGES.items() if "```" in text}
_CHANGES_THE_TESTS = "not run: changes the environment of the tests; "
NOT_RUN = {
    "getting-started.md": [
        "not run: needs the address of your copy of the repository",
        "not run: needs a remote service",
        f"{_CHANGES_THE_TESTS}make runs the same commands",
        f"{_CHANGES_THE_TESTS}scripts/prove-wheel does it in an empty one",
    ],
    "scaling.md": ["not run: needs a PostgreSQL"],
}
"""The blocks that the test leaves out, with the reason that the page gives in a comment before the block."""
_IN_A_COPY = "copy of the machine: scripts/run-club-page runs it"
"""CI runs these blocks as root, with all others of their page."""

_IN_A_CHECKOUT = ("Makefile", "requirements.lock", "pyproject.toml", "src", "app.py", "pages")
# `serve URL COMMANDS` starts a server in the background and returns when it answers.
_SHELL = """
servers=()
stop() { for server in "${servers[@]}"; do kill -- "-$server" 2> /dev/null || true; done; servers=(); }
trap stop EXIT
serve() {
    setsid bash -euc "$2" > server.log 2>&1 & servers+=($!)
    for _ in {1..900}; do
        if curl --fail --silent --output /dev/null "$1"; then return; fi
        kill -0 "${servers[-1]}" || break
        sleep 0.2
    done
    cat server.log >&2; exit 1
}
"""
_GPX = """<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
<trkpt lat="47" lon="8"><time>2026-03-09T08:00:00Z</time></trkpt>
<trkpt lat="47.01" lon="8"><time>2026-03-09T08:05:00Z</time></trkpt></trkseg></trk></gpx>"""
_NIGHTS = "date,average_hrv,resting_heart_rate\n2026-03-09,61,48\n"


def test_each_block_of_commands_is_run_or_has_a_reason():
    left_out = {
        name: [block["mark"] for block in blocks if (block["mark"] or "").startswith("not run: ")]
        for name, blocks in BLOCKS.items()
    }

    assert {name: reasons for name, reasons in left_out.items() if reasons} == NOT_RUN
    for name, blocks in BLOCKS.items():
        assert PAGES[name].count("```") == 2 * len(blocks), name
        assert {block["kind"] for block in blocks} <= {"sh", "python"}, name
        for block in blocks:
            mark = block["mark"] or ""
            assert mark == _IN_A_COPY or re.match(r"not run: |server: http://127\.0\.0\.1:\d+/|$", mark), mark


def test_ci_runs_the_blocks_that_change_the_machine():
    assert {name for name, blocks in BLOCKS.items() if _IN_A_COPY in [block["mark"] for block in blocks]} == {
        "club.md"
    }
    assert "\nscripts/run-club-page\n" in (ROOT / ".ci/run").read_text("utf-8")


def script_of(name):
    """One shell for all blocks of a page, in their order; one program for blocks of Python that follow each other."""
    parts, last = [_SHELL], ""
    for block in BLOCKS[name]:
        kind, mark, text = block["kind"], block["mark"] or "", block["text"]
        if kind == "python" and last == "python":
            parts[-1] = parts[-1].removesuffix("END_OF_PYTHON\n") + f"{text}END_OF_PYTHON\n"
        elif kind == "python":
            parts.append(f"python - <<'END_OF_PYTHON'\n{text}END_OF_PYTHON\n")
        elif mark.startswith("server: "):
            parts.append(f"stop\nserve {mark.removeprefix('server: ')} {shlex.quote(text)}\n")
        elif not mark:
            parts.append(text)
        last = kind
    return "".join(parts)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder like a checkout, and a home with recordings and one person in the default database."""
    for name in [name for name in os.environ if name.startswith(("COACHBOARD_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in _IN_A_CHECKOUT:
        (tmp_path / name).symlink_to(ROOT / name)
    environment = tmp_path / ".venv"
    environment.mkdir()
    for entry in Path(sys.prefix).iterdir():
        (environment / entry.name).symlink_to(entry)
    stamp = environment / "run.stamp"
    stamp.unlink(missing_ok=True)
    stamp.touch()  # make would install this folder into the environment of the tests
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    (tmp_path / "etc").mkdir()
    recordings = tmp_path / "home" / "recordings"
    recordings.mkdir(parents=True)
    (recordings / "ride.gpx").write_text(_GPX)
    (tmp_path / "nights.csv").write_text(_NIGHTS)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BROWSER", "true")  # `coachboard open` opens no browser
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    with closing(Store.open(f"sqlite:///{tmp_path / 'home/.local/share/coachboard/coachboard.db'}")) as store:
        store.add_user(NewUser(first_name="Ada"))
    return tmp_path


def run(script, folder, monkeypatch):
    """The output of a script in that folder, with ports that are free."""
    for usual in ("8501", "8600"):
        port = str(free_port())
        script = script.replace(f":{usual}", f":{port}").replace(f"--port {usual}", f"--port {port}")
        if usual == "8501":
            monkeypatch.setenv("PORT", port)
    # Not through pipes: a server that outlives its shell would keep them open.
    with (folder / "output").open("w+") as output, (folder / "errors").open("w+") as errors:
        done = subprocess.run(
            ["bash", "-euc", script], cwd=folder, stdout=output, stderr=errors, check=False, timeout=600
        )
    assert done.returncode == 0, (folder / "errors").read_text()[-3000:]
    return (folder / "output").read_text()


_SEPARATE = {"club.md", "notebook.md"}
_COMMANDS = [
    pytest.param(name, marks=[pytest.mark.slow] if "<!-- server: " in PAGES[name] else [])
    for name, blocks in BLOCKS.items()
    if name not in _SEPARATE
]


@pytest.mark.slow
@pytest.mark.parametrize("name", _COMMANDS)
def test_each_command_of_a_page_runs(name, checkout, monkeypatch):
    run(script_of(name), checkout, monkeypatch)

    if name == "backup.md":
        with closing(Store.open(f"sqlite:///{checkout / 'restored' / 'coachboard.db'}")) as store:
            assert [user.first_name for user in store.users()] == ["Ada"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", DATABASES)
def test_each_command_of_the_club_page_runs(kind, checkout, monkeypatch):
    """The blocks that need no root, with the folders of the machine inside a folder of the test and no other user."""
    binaries = checkout / "opt/coachboard/bin"
    binaries.mkdir(parents=True)
    (binaries / "coachboard").symlink_to(Path(sys.executable).with_name("coachboard"))
    (binaries / "runuser").write_text('#!/bin/sh\nshift 3; exec "$@"\n')
    (binaries / "runuser").chmod(0o755)
    monkeypatch.setenv("PATH", f"{binaries}:{os.environ['PATH']}")
    with empty_database(kind, checkout) as url:
        settings = checkout / "deploy/coachboard.env"
        asked = "COACHBOARD_DATABASE_URL=postgresql+psycopg:///coachboard"
        assert asked in settings.read_text("utf-8")
        changed = settings.read_text("utf-8").replace(asked, f"COACHBOARD_DATABASE_URL={url}")
        settings.write_text(changed.replace("/var/lib", f"{checkout}/var/lib"))
        script = re.sub(r"(?<![\w.])/(opt|etc|var)/", rf"{checkout}/\1/", script_of("club.md"))
        output = run(script, checkout, monkeypatch)
        mails = [file.read_text("utf-8") for file in (checkout / "var/lib/coachboard/outbox").glob("*.eml")]

    assert len(mails) == 2
    assert all("https://club.example/invitation#code=" in mail for mail in mails)
    assert output.count("\tpending\t") == 2


@pytest.fixture(scope="module")
def demo_service(tmp_path_factory):
    """The demo squad with four months of data, served as `make demo` serves it; its address without `/api`."""
    today = datetime.now(UTC).date()
    with closing(Store.open(f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}")) as store:
        make_demo(store, Size(today, athletes=3, years=0.32))
        app = create_app(store, settings=Settings(), stream_makers=STREAM_MAKERS)
        with served(mounted(app)) as address:
            yield address


@pytest.mark.slow
@pytest.mark.parametrize("key", ["demo-athlete-key", "demo-coach-key", "demo-admin-key"])
def test_each_block_of_the_notebook_page_runs_with_each_key_that_it_prints(
    key, demo_service, checkout, monkeypatch
):
    assert f"{key}`" in PAGES["notebook.md"] or f"={key}\n" in PAGES["notebook.md"]
    script = script_of("notebook.md").replace("http://127.0.0.1:8501", demo_service)
    script = script.replace("COACHBOARD_API_KEY=demo-athlete-key", f"COACHBOARD_API_KEY={key}")
    has_rows = "assert len(rides) and len(steps) and mean_heart_rate.notna().any()\nEND_OF_PYTHON\n"
    run(script.replace("END_OF_PYTHON\n", has_rows), checkout, monkeypatch)


@pytest.mark.slow
def test_the_pages_render_and_ask_no_other_host(tmp_path):
    """Every page is in the navigation, every link and anchor has a target, and the site works offline."""
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ROOT / "deploy/mkdocs.yml", "-d", tmp_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert 'not included in the "nav"' not in built.stderr
    assert {path.stem for path in tmp_path.glob("*.html")} == {*(Path(name).stem for name in PAGES), "404"}
    for file in [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css")]:
        text = file.read_text("utf-8")
        loaded = re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//[^>]*", text)
        assert loaded + re.findall(r"(?:url\(|@import)\W*(?:https?:)?//", text) == [], file.name


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= 40


def test_pictures_are_small_and_each_page_of_the_program_has_one():
    pictures = {path.stem: path.stat().st_size for path in (ROOT / "docs/pictures").glob("*.png")}
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")}

    assert set(pictures) >= {*pages, "api"}
    assert max(pictures.values()) < 150_000
    shown = {
        target for text in (*PAGES.values(), README) for target in re.findall(r"pictures/([\w-]+)\.png", text)
    }
    assert shown == set(pictures)
