"""Runs every benchmark of this folder that is named, or all, and prints one table.

usage: make bench, or PYTHONPATH=tests python -m bench [NAME ...] [--json FILE]
"""

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

import bench
from bench.table import Row, as_text, keep


def _modules(names: list[str]) -> list[str]:
    found = [module.name for module in pkgutil.iter_modules(bench.__path__)]
    runnable = [name for name in found if hasattr(importlib.import_module(f"bench.{name}"), "run")]
    unknown = set(names) - set(runnable)
    if unknown:
        sys.exit(f"no benchmark named {min(unknown)}; there are: {', '.join(runnable)}")
    return names or runnable


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="benchmarks to run; all where none is named")
    parser.add_argument(
        "--json", type=Path, default=Path("bench-result.json"), help="where the table is kept"
    )
    chosen = parser.parse_args()
    rows: list[Row] = []
    for name in _modules(chosen.names):
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"bench.{name}").run()
    print(as_text(rows))
    keep(rows, chosen.json)
    print(f"kept in {chosen.json}", file=sys.stderr)


if __name__ == "__main__":
    main()
