"""Every string that a user can read, by page: the list of `scripts/strings` and the check of the wording.

A string is text if it has two words, starts with a capital letter, or is a choice inside an f-string. Names,
keys, addresses and styles are none of these. Docstrings count where the screen shows them: the formulas of
`formulas/` and the help of commands.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coachboard.loaders.formula_sheet import sections_of

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "coachboard"
FRAME = "Every page"
COMMANDS = "Commands"
SERVICE = "Service"
DEMO = "Demo data"
_TEXT = re.compile(
    r"[^\W\d_][\w′’'}.,:;)]* +[({]*[^\W\d_]|^\W*[A-Z][^\W\d_]*[a-z]|\{…\} [^\W\d_]{2}|[^\W\d_]{2} \{…\}"
)
_SCRIPT_COMMENT = re.compile(r"^[ \t]*(?://|/?\*).*$|[ \t]// .*$", re.MULTILINE)
_SCRIPT_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`")


@dataclass(frozen=True, slots=True, order=True)
class ScreenString:
    file: str
    line: int
    text: str


def by_page() -> dict[str, list[ScreenString]]:
    """Strings under the page that shows them; a module that several pages share is listed under each."""
    service = _reach([*PACKAGE.glob("service/api/*.py")])
    frame = _reach([PACKAGE / "ui/frame/shell.py", ROOT / "app.py"]) - service
    pages = {page.stem.capitalize(): _reach([page]) - frame for page in sorted(ROOT.glob("pages/*.py"))}
    others = set(_files()) - frame - service - set().union(*pages.values())
    demo = {file for file in others if file.is_relative_to(SOURCE / "coachboard_demo")}
    files = {FRAME: frame, **pages, SERVICE: service, COMMANDS: others - demo, DEMO: demo}
    return {
        page: sorted(string for file in part for string in _strings(file)) for page, part in files.items()
    }


def everywhere() -> list[ScreenString]:
    return sorted(string for file in _files() for string in _strings(file))


def _files() -> list[Path]:
    return [ROOT / "app.py", *ROOT.glob("pages/*.py"), *SOURCE.rglob("*.py"), *_scripts(SOURCE)]


def _scripts(folder: Path) -> list[Path]:
    """Scripts and markup of components."""
    files = (file for ending in ("*.js", "*.html") for file in folder.rglob(ending))
    return [file for file in files if not file.name.endswith(".min.js")]


@cache
def _strings(file: Path) -> tuple[ScreenString, ...]:
    found = _READERS.get(file.suffix, strings_of_module)(file)
    return tuple(ScreenString(str(file.relative_to(ROOT)), line, text) for line, text in found)


def _of_script(file: Path) -> Iterator[tuple[int, str]]:
    code = _SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8"))
    for match in _SCRIPT_STRING.finditer(code):
        text = re.sub(r"\$\{[^}]*\}", "{…}", next(group for group in match.groups() if group is not None))
        if _TEXT.search(text):
            yield code.count("\n", 0, match.start()) + 1, text


def strings_of_markup(file: Path) -> Iterator[tuple[int, str]]:
    """Text between tags, and the attributes that a browser shows or a screen reader says, of markup or a template."""
    template = file.read_text(encoding="utf-8")
    markup = re.sub(r"\{\{.*?\}\}", "{…}", re.sub(r"\{[#%].*?[#%]\}", "", template))
    for match in re.finditer(r">([^<]+)<|\b(?:title|alt|aria-label|placeholder)=\"([^\"]+)\"", markup):
        text = (match[1] or match[2]).strip()
        if _TEXT.search(text):
            yield markup.count("\n", 0, match.start()) + 1, text


def strings_of_module(file: Path) -> Iterator[tuple[int, str]]:
    tree = _tree(file)
    nodes = list(ast.walk(tree))
    unread = {id(part) for node in nodes for part in _unread_parts(node)}
    choices = {id(part) for node in nodes for part in _choices(node)}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in unread:
            text = _text(node)
            if text and (id(node) in choices or _TEXT.search(text)):
                yield node.lineno, text
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and _shows_docstring(function, file):
            yield function.lineno, _shown_docstring(function)


def _unread_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, the pieces of an f-string and its formats."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        yield node.format_spec


def _choices(node: ast.AST) -> Iterator[ast.AST]:
    """`debt` and `surplus` in `f"sleep {'debt' if owed else 'surplus'}"`: text, though each is one small word."""
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.IfExp):
        yield from (node.value.body, node.value.orelse)


def _text(node: ast.Constant | ast.JoinedStr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values)


def _shows_docstring(node: ast.FunctionDef, file: Path) -> bool:
    if ast.get_docstring(node) is None:
        return False
    if {PACKAGE / "formulas", PACKAGE / "execution"} & set(file.parents):
        return not node.name.startswith("_")
    calls = (part.func for part in node.decorator_list if isinstance(part, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in {"command", "group"} for call in calls)


def _shown_docstring(node: ast.FunctionDef) -> str:
    head, sections = sections_of(ast.get_docstring(node) or "")
    return "\n".join(
        [head, *(sections.get(name, "") for name in ("Notes", "Missing data", "References"))]
    ).strip()


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


@cache
def _imported(file: Path) -> frozenset[Path]:
    names: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = [SOURCE.joinpath(*name.split(".")) for name in names if name.startswith(PACKAGE.name)]
    places = [place for path in paths for place in (path.with_suffix(".py"), path / "__init__.py")]
    return frozenset(place for place in places if place.is_file())


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


_READERS = {".js": _of_script, ".html": strings_of_markup}


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
