"""A real small disk: a file system in memory, where the tests may mount one."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """The folder as a disk of that size; skips the test where mounting is not permitted."""
    folder.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    words = [str(mount), "-t", "tmpfs", "-o", f"size={megabytes}m", "coachboard-test", str(folder)]
    if mount is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fill the disk to its last byte; delete the returned file to have room again."""
    filler = folder / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    assert shutil.disk_usage(folder).free == 0
    return filler
