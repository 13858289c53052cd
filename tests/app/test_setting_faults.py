"""Wrong, empty and unreachable settings: named in the log and on the page, without a password."""

import json
import threading
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from streamlit.testing.v1 import AppTest

import rides
import squad
from coachboard import settings
from coachboard.ui.frame import navigation, setting_faults
from drawn import page_test
from running import dashboard_process, refusing_port

MAIN = navigation.PAGES_FOLDER.parent / "src/coachboard/ui/frame/main.py"


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    setting_faults._unanswered.clear()


def read(text):
    """A text of the page without the marks that keep it from being Markdown."""
    return text.replace("\\", "").replace("\u2060", "")


@contextmanager
def tiles(status):
    """A server that answers each request with this status; its template."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/0/0/0.png" else 400)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{{z}}/{{x}}/{{y}}.png"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("", "COACHBOARD_CACHE_URL is empty"),
        ("cache.db", "COACHBOARD_CACHE_URL is wrong: expected sqlite:///path"),
        ("postgres://me:secret@host/x", "COACHBOARD_CACHE_URL is wrong"),
        ("mysql://me:secret@host/x", "COACHBOARD_CACHE_URL is wrong"),
        ("postgresql+psycopg://me:secret@host:port/x", "COACHBOARD_CACHE_URL is wrong"),
    ],
)
def test_a_wrong_address_of_the_cache_is_named_on_every_page(dashboard_settings, address, fault):
    dashboard_settings.setenv("COACHBOARD_CACHE_URL", address)
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()

    assert not at.exception
    (said,) = [read(error.value) for error in at.error]
    assert said.startswith(fault)
    assert "secret" not in said
    assert [line.startswith(fault) for line in setting_faults.wrong()] == [True]


def test_a_cache_that_does_not_answer_is_named_once_in_the_log_and_on_the_page(dashboard_settings):
    with refusing_port() as port:
        url = f"postgresql+psycopg://me:secret@127.0.0.1:{port}/club"
        dashboard_settings.setenv("COACHBOARD_CACHE_URL", url)
        dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
        (fault,) = setting_faults.look()
        again = setting_faults.look()
        at = AppTest.from_file(str(MAIN), default_timeout=60).run()

    assert fault.startswith(
        f"COACHBOARD_CACHE_URL: the dashboard's database at postgresql+psycopg://127.0.0.1:{port}/club"
    )
    assert "secret" not in fault
    assert again == []
    helps = [read(caption.help) for caption in at.sidebar.caption if caption.help]
    assert len(helps) == 2  # the client's cache and the dashboard's own tables
    cause = "Cause: the database server does not answer (setting COACHBOARD_CACHE_URL)"
    assert all(text.endswith(cause) for text in helps)


def test_a_data_folder_that_cannot_be_used_has_the_name_of_its_own_setting(dashboard_settings, tmp_path):
    (tmp_path / "file").write_text("")
    dashboard_settings.delenv("COACHBOARD_CACHE_URL")
    dashboard_settings.setenv("COACHBOARD_DATA", str(tmp_path / "file"))

    assert setting_faults.unusable_store().startswith("COACHBOARD_DATA: ")
    assert settings.name_of("base_url", settings.current()) == "COACHBOARD_BASE_URL"


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (None, None),
        ("https://tiles.example/{z}/{x}/{y}.png", None),
        (" ", "COACHBOARD_TILE_URL is empty"),
        ("tiles.example/{z}/{x}/{y}.png", "COACHBOARD_TILE_URL is wrong: expected https://host/"),
        ("https://tiles.example/{z}/{x}.png", "COACHBOARD_TILE_URL is wrong: expected https://host/"),
        ("https:///{z}/{x}/{y}.png", "COACHBOARD_TILE_URL is wrong: it has no host"),
        ("https://{s}.tiles.example/{z}/{x}/{y}.png", "COACHBOARD_TILE_URL is wrong: it has a wrong host"),
        ("https://me:secret@a.example/{z}/{x}/{y}.png", "COACHBOARD_TILE_URL is wrong: it has a wrong host"),
        (
            "https://a.example; script-src */{z}/{x}/{y}.png",
            "COACHBOARD_TILE_URL is wrong: it has a wrong host",
        ),
        ("https://[/{z}/{x}/{y}.png", "COACHBOARD_TILE_URL is wrong: "),
    ],
)
def test_the_form_of_the_tiles_address_is_checked(template, fault):
    said = setting_faults.wrong_tiles(template)

    assert said is None if fault is None else said.startswith(fault)


@pytest.mark.parametrize("status", [200, 403])
def test_tiles_that_do_not_come_are_named(dashboard_settings, status):
    with tiles(status) as template:
        dashboard_settings.setenv("COACHBOARD_TILE_URL", template)
        found = setting_faults.look()
        assert found == ([] if status == 200 else [setting_faults.about_tiles()])
    assert (setting_faults.about_tiles() or "").startswith(
        "" if status == 200 else "COACHBOARD_TILE_URL: no tile from 127.0.0.1 (status 403)"
    )
    (fault,) = setting_faults.look()[:1] or [""]
    assert fault.startswith("COACHBOARD_TILE_URL: no tile from 127.0.0.1 (no answer). ")


@pytest.mark.parametrize("template", ["nonsense", "http://127.0.0.1:9/{z}/{x}/{y}.png"])
def test_a_route_says_why_it_has_no_map(dashboard_settings, squad_store, template):
    squad_store.put_activities(squad.ANA, [rides.activity()])
    squad_store.put_streams("act_1", rides.streams())
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", (rides.START.date() + timedelta(days=3)).isoformat())
    dashboard_settings.setenv("COACHBOARD_TILE_URL", template)
    setting_faults.look()
    at = page_test("activity", timeout_s=60)
    at.query_params.update({"athlete": squad.ANA, "activity": "act_1"})
    for part in ("parts", "look"):  # a test has no window to scroll
        at.session_state[f"activity.{part}.act_1.near"] = True
    at.run()

    said = [read(caption.value) for caption in at.caption if "COACHBOARD" in caption.value]
    assert [text.startswith(":material/settings_alert: COACHBOARD_TILE_URL") for text in said] == [True]
    figures = "".join(
        str(each.proto) for each in at.get("bidi_component") if "activity.route." in each.proto.id
    )
    assert ("127.0.0.1:9" in figures) == (
        "127.0.0.1" in template
    )  # a browser may reach what this machine cannot


@pytest.mark.slow
def test_a_dashboard_names_all_of_them_at_its_start(tmp_path):
    """The start goes on, and each fault is one line of the log."""
    with refusing_port() as port:
        env = {
            "COACHBOARD_BASE_URL": f"http://127.0.0.1:{port}/api",
            "COACHBOARD_CACHE_URL": f"postgresql+psycopg://me:secret@127.0.0.1:{port}/club",
            "COACHBOARD_TILE_URL": "http://[",
            "COACHBOARD_LOG_FORMAT": "json",
        }
        with dashboard_process(tmp_path, **env):
            pass
    (log,) = tmp_path.glob("dashboard-*.log")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    named = [line["message"].split(":")[0] for line in lines if line["message"].startswith("COACHBOARD_")]

    assert sorted(named) == ["COACHBOARD_BASE_URL", "COACHBOARD_CACHE_URL", "COACHBOARD_TILE_URL is wrong"]
    assert "secret" not in log.read_text()
    assert "Traceback" not in log.read_text()
