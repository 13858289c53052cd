"""Pages and invitations under faulty replies; `make soak` runs all kinds on all pages."""

import pytest

from soak.invitations import invitations
from soak.pages import ALL_PAGES, REPLIES, replies

_QUICK = {"503", "no JSON", "reset", "503 after it acted", "cut after it arrived"}
"""A status, a body and a lost connection on pages, two invitations that may have been made; the others are slow."""


def mostly_slow(kinds):
    return [kind if kind in _QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in kinds]


@pytest.mark.parametrize("kind", mostly_slow(kind for kind in REPLIES if "50 MB" not in kind))
def test_a_page_survives_a_faulty_service_and_recovers(kind):
    (row,) = replies([kind], [ALL_PAGES[list(REPLIES).index(kind) % len(ALL_PAGES)]])

    assert row.failures == ()


@pytest.mark.parametrize(
    "kind",
    mostly_slow(
        [
            "400",
            "401",
            "429",
            "503 after it acted",
            "cut before it arrived",
            "cut after it arrived",
            "no JSON",
            "hostile texts",
        ]
    ),
)
def test_the_page_shows_the_outcome_of_each_invitation(kind):
    (row,) = invitations([kind])

    assert row.failures == ()
