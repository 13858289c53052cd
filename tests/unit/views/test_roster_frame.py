"""A click is followed even in the run in which the roster has become whole and the page starts over."""

from types import SimpleNamespace

import pytest

from coachboard.analytics.load import CLASSIC
from coachboard.loaders.roster import Phase
from coachboard.views.roster import frame


class Left(Exception):  # noqa: N818 (what Streamlit raises to leave a script is no error either)
    """Where the script went."""


def leave(word):
    def raises(*args, **options):
        raise Left(word, args, options)

    return raises


@pytest.fixture
def draw(monkeypatch):
    """Draws a roster that became whole since the last tick; `picked` is what the table says was clicked."""

    def drawn(picked, *, drawn_as=Phase.READING):
        monkeypatch.setattr(frame, "load_put_off", lambda *args, **options: {})
        monkeypatch.setattr(frame.rows, "table", lambda shown: None)
        monkeypatch.setattr(frame, "draw_table", lambda table, key: picked)
        monkeypatch.setattr(frame.state, "set_params", leave("led on"))
        monkeypatch.setattr(frame.st, "rerun", leave("started over"))
        page = SimpleNamespace(store=None, fingerprint="", today=None, athletes=())
        roster = SimpleNamespace(rows={}, failed={}, waiting=(), phase=Phase.WHOLE, is_filling=False)
        choice = SimpleNamespace(
            view="everyone", model=CLASSIC, sort="name", search="", sport=None, flag=None
        )
        frame._draw(page, choice, SimpleNamespace(look=lambda: roster), drawn_as=drawn_as)

    return drawn


def test_a_click_in_the_last_tick_leads_on(draw):
    with pytest.raises(Left, match="led on") as left:
        draw("look usr_1")

    assert left.value.args[1] == ({"view": "look", "athlete": "usr_1"},)


def test_without_a_click_the_page_starts_over_once_it_is_whole(draw):
    with pytest.raises(Left, match="started over"):
        draw(None)

    draw(None, drawn_as=Phase.WHOLE)
