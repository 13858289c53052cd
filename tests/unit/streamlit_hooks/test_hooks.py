"""Each hook works with the installed Streamlit; with a Streamlit that changed, the hook is off and the log says so."""

import pytest
from streamlit.runtime.app_session import AppSession

from coachboard.streamlit_hooks import hooks, usable
from coachboard.streamlit_hooks.hooks import HOOKS, HTML_HEAD, STALE_FRAGMENTS


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_the_installed_streamlit_has_what_each_hook_relies_on(hook):
    assert usable([hook]) == {hook.name}


def test_a_streamlit_without_the_method_turns_the_hook_off_with_a_log_line(monkeypatch, caplog):
    monkeypatch.delattr(AppSession, "_enqueue_forward_msg")

    assert usable([HTML_HEAD, STALE_FRAGMENTS]) == {"html_head"}
    assert "stale_fragments is off" in caplog.text


def test_the_setting_turns_all_hooks_off(caplog):
    assert hooks.middleware(chart_script="/x.js", are_on=False) == []
    assert "COACHBOARD_STREAMLIT_HOOKS" in caplog.text
