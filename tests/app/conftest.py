"""App tests share one scan for components: each start of Streamlit reads the metadata of all installed packages."""

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="session", autouse=True)
def one_scan_for_components():
    """Scan the packages once per process: 0.25 s less for each page that a test opens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests)
        )
        yield
