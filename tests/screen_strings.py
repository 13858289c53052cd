"""Every string that a user can read, by page: the list of `scripts/strings` and the check of the wording.

A string is text when it holds two words or starts as a sentence does; docstrings and comments are left out.
Names, keys, addresses and styles hold neither.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "coachboard"
FRAME = "Every page"
COMMANDS = "Commands"
SERVICE = "Service"
_TEXT = re.compile(
    r"[^\W\d_][\w′’'}.,:;)]* +[({]*[^\W\d_]|^\W*[A-Z][^\W\d_]*[a-z]|\{…\}[^\W\d_ ]* [^\W\d_]{2}"
)
_SCRIPT_COMMENT = re.compile(r"^\s*(?://|/?\*).*$|\s// .*$", re.MULTILINE)
_SCRIPT_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`")


@dataclass(frozen=True, slots=True, order=True)
class ScreenString:
    file: str
    line: int
    text: str


def by_page() -> dict[str, list[ScreenString]]:
    """Strings under the page that shows them; a module that several pages share is listed under each."""
    frame = _reach([PACKAGE / "views/shell.py", ROOT / "app.py"])
    pages = {page.stem.capitalize(): _reach([page]) - frame for page in sorted(ROOT.glob("pages/*.py"))}
    service = _reach([PACKAGE / "service/app.py"]) - frame
    commands = _reach([PACKAGE / "cli.py"]) - frame - service - set().union(*pages.values())
    files = {FRAME: frame, **pages, SERVICE: service, COMMANDS: commands}
    return {
        page: sorted(string for file in part for string in _strings(file)) for page, part in files.items()
    }


def in_scripts_and_modules() -> list[ScreenString]:
    """All of them, whether a page reaches the module or not."""
    files = [ROOT / "app.py", *PACKAGE.rglob("*.py"), *_scripts(PACKAGE)]
    return sorted(string for file in files for string in _strings(file))


def _scripts(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*.js") if not file.name.endswith(".min.js")]


def _strings(file: Path) -> Iterator[ScreenString]:
    found = _of_script(file) if file.suffix == ".js" else _of_module(file)
    for line, text in found:
        if _TEXT.search(text):
            yield ScreenString(str(file.relative_to(ROOT)), line, text)


def _of_script(file: Path) -> Iterator[tuple[int, str]]:
    code = _SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8"))
    for match in _SCRIPT_STRING.finditer(code):
        text = next(group for group in match.groups() if group is not None)
        yield code.count("\n", 0, match.start()) + 1, re.sub(r"\$\{[^}]*\}", "{…}", text)


def _of_module(file: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    parts = {id(part) for node in ast.walk(tree) for part in _unread_parts(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in parts:
            text = _text(node)
            if text is not None:
                yield node.lineno, text


def _unread_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings and other strings that stand alone, annotations, and the pieces of an f-string."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        yield node.format_spec


def _text(node: ast.Constant | ast.JoinedStr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values)


def _reach(files: list[Path]) -> set[Path]:
    """The files, the modules that they import, directly or not, and the scripts in those modules' folders."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported(file)
    scripts = {script for file in found if file.name == "__init__.py" for script in _scripts(file.parent)}
    return found | scripts


def _imported(file: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{name}" for name in names)]
        for name in names:
            path = SOURCE.joinpath(*name.split("."))
            yield from (place for place in (path.with_suffix(".py"), path / "__init__.py") if place.is_file())


def main(wanted: list[str]) -> None:
    for page, strings in by_page().items():
        if not wanted or page.lower() in wanted:
            print(f"\n# {page}")
            file = ""
            for string in strings:
                if string.file != file:
                    file = string.file
                    print(f"\n{file}")
                print(f"{string.line:>5}  {' '.join(string.text.split())}")


if __name__ == "__main__":
    main([name.lower() for name in sys.argv[1:]])
