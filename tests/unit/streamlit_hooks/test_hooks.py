"""Each hook works with the installed Streamlit; with a Streamlit that changed, the hook is off and the log says so."""

import sys
from types import SimpleNamespace

import pytest
from streamlit import config, runtime
from streamlit.proto import BackMsg_pb2
from streamlit.runtime import Runtime, scriptrunner
from streamlit.runtime.app_session import AppSession
from streamlit.web.server.starlette import starlette_routes

from coachboard.streamlit_hooks import hooks
from coachboard.streamlit_hooks.hooks import HOOKS

NAMES = [hook.name for hook in HOOKS]


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Streamlit's session class stays as it is; all hooks are on again after the test."""
    installed = []
    monkeypatch.setattr(hooks, "drop_stale_fragments", installed.append)
    yield installed
    monkeypatch.undo()
    monkeypatch.setattr(hooks, "drop_stale_fragments", installed.append)
    hooks.start()


def are_on():
    return [hook.name for hook in HOOKS if hooks.is_on(hook)]


def test_every_hook_works_with_the_installed_streamlit(as_before, caplog):
    hooks.start()

    assert are_on() == NAMES
    assert as_before == [AppSession]
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("owner", "name", "hook"),
    [
        (AppSession, "_enqueue_forward_msg", "stale_fragments"),
        (AppSession, "request_rerun", "stale_fragments"),
        (Runtime, "is_active_session", "open_tabs"),
        (scriptrunner, "get_script_run_ctx", "open_tabs"),
        (config, "_main_script_path", "config_folder"),
    ],
)
def test_a_streamlit_without_the_part_turns_its_hook_off_with_a_log_line(
    owner, name, hook, monkeypatch, caplog
):
    monkeypatch.delattr(owner, name)
    hooks.start()

    assert are_on() == [other for other in NAMES if other != hook]
    assert f"{hook} is off" in caplog.text


def test_a_streamlit_without_the_module_turns_its_hook_off(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "streamlit.runtime.app_session", None)
    hooks.start()

    assert are_on() == [other for other in NAMES if other != "stale_fragments"]


@pytest.mark.parametrize("hook", ["html_head", "theme_entry"])
def test_scripts_of_streamlit_without_the_name_turn_their_hook_off(hook, monkeypatch, tmp_path, caplog):
    folder = tmp_path / "static" / "js"
    folder.mkdir(parents=True)
    (tmp_path / "index.html").write_text('<script type="module" src="./static/js/index.js"></script>')
    (folder / "index.js").write_text("stActiveTheme-" if hook == "html_head" else "BACKEND_BASE_URL stActive")
    monkeypatch.setattr(hooks, "STATIC", tmp_path)
    hooks.start()

    assert are_on() == [other for other in NAMES if other != hook]
    assert f"{hook} is off" in caplog.text


@pytest.mark.parametrize(
    ("owner", "name"),
    [(starlette_routes, "BASE_ROUTE_MEDIA"), (BackMsg_pb2, "BackMsg")],
    ids=["address", "message"],
)
def test_downloads_stay_closed_with_a_streamlit_that_serves_them_in_another_way(
    owner, name, monkeypatch, caplog
):
    monkeypatch.delattr(owner, name)
    hooks.start()

    assert are_on() == NAMES
    assert "browser_sessions is off (a sign-out ends one tab only, and downloads answer 404)" in caplog.text


@pytest.mark.parametrize("name", NAMES)
def test_the_setting_turns_each_hook_off_alone(name, caplog):
    hooks.start(off=f" {name} ,")

    assert are_on() == [other for other in NAMES if other != name]
    assert f"{name} is off by COACHBOARD_STREAMLIT_HOOKS_OFF" in caplog.text


def test_the_setting_turns_all_hooks_off(as_before):
    hooks.start(off="all")

    assert are_on() == []
    assert as_before == []
    assert hooks.theme_entry() is None


def test_a_name_without_a_hook_is_reported_with_the_names_that_exist(caplog):
    hooks.start(off="html_haed")

    assert are_on() == NAMES
    assert f"no hook html_haed; there are all, {', '.join(NAMES)}" in caplog.text


def test_open_downloads_are_reported(caplog):
    hooks.start(off="browser_sessions")

    assert "anybody with its address can read a download" in caplog.text


def test_a_tab_is_followed_after_its_run(monkeypatch):
    tabs = {"tab"}
    monkeypatch.setattr(scriptrunner, "get_script_run_ctx", lambda: SimpleNamespace(session_id="tab"))
    running = SimpleNamespace(is_active_session=tabs.__contains__)
    monkeypatch.setattr(runtime, "get_instance", lambda: running)
    is_open = hooks.own_tab()

    assert is_open()
    tabs.clear()
    assert not is_open()
    hooks.start(off="open_tabs")
    assert hooks.own_tab()()
