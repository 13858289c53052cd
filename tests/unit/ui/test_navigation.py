"""The launcher imports the modules of all pages before the first visit."""

import subprocess
import sys

from coachboard.ui.frame import navigation

# In a process of its own: here everything may be imported already.
_IMPORTED = """
import sys
from coachboard.ui.frame import navigation
navigation.import_pages()
print(*(name for name in sys.modules if name.startswith("coachboard.")))
"""


def test_every_page_finds_its_sections_imported():
    ran = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, text=True, check=True)

    imported = set(ran.stdout.split())
    assert {f"coachboard.pages.{name}" for name in navigation.declared()} <= imported
