"""The version of the generator is a digest of its sources, so that a change of the code alone makes a new version."""

import ast
from pathlib import Path

from coachboard_demo import making
from coachboard_demo.making import sources, version

DEMO = Path(making.__file__).parent
PACKAGE = DEMO.parent / "coachboard"


def formulas_that(path):
    """The modules of `formulas` that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("coachboard.formulas"):
            folder = PACKAGE / Path(*node.module.split(".")[1:])
            found = [folder / f"{name.name}.py" for name in node.names] if folder.is_dir() else []
            yield from (each for each in [*found, folder.with_suffix(".py")] if each.is_file())


def test_every_module_that_the_generator_imports_is_part_of_its_version():
    reached, left = set(), list(DEMO.glob("*.py"))
    while left:
        fresh = {path for path in formulas_that(left.pop()) if path not in reached}
        reached |= fresh
        left += fresh

    assert reached
    assert {*DEMO.glob("*.py"), *reached} <= set(sources())


def test_another_source_is_another_version(tmp_path, monkeypatch):
    source = tmp_path / "hills.py"
    monkeypatch.setattr(making, "sources", lambda: [source])

    def version_of(text):
        source.write_bytes(text)
        version.cache_clear()
        return version()

    assert version_of(b"HIGH = 1\n") != version_of(b"HIGH = 2\n")
    assert version_of(b"HIGH = 2\n") == version_of(b"HIGH = 2\r\n")
    version.cache_clear()
