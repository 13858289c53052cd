"""Log lines: time, level and request id, as text and as JSON; one line per record."""

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import squad
from coachboard.log_lines import LogLines
from coachboard.service.store import Store
from running import ROOT, dashboard_process, free_port, wait_until

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def record(message, *args, fault=None):
    return logging.LogRecord("coachboard.x", logging.WARNING, "x.py", 1, message, args, fault)


def test_a_line_break_in_a_name_begins_no_other_line():
    line = LogLines(as_json=False).format(record("Name %s", "Eva\r\n2026 ERROR forged"))

    assert re.fullmatch(rf"{TIME} WARNING - coachboard\.x: Name Eva\\r\\n2026 ERROR forged", line)


def test_a_traceback_is_a_field_of_json_and_follows_in_text():
    try:
        int("broken")
    except ValueError:
        one = record("failed", fault=sys.exc_info())
    fields = json.loads(LogLines(as_json=True).format(one))

    assert (fields["level"], fields["message"], fields["request"]) == ("WARNING", "failed", "-")
    assert fields["exception"].endswith("literal for int() with base 10: 'broken'")
    assert LogLines(as_json=False).format(one).endswith("literal for int() with base 10: 'broken'")


@pytest.fixture
def service(tmp_path, request):
    """`coachboard serve` as a process; its address and its log."""
    url, port = f"sqlite:///{tmp_path / 'service.db'}", free_port()
    store = Store.open(url)
    squad.seed(store)
    store.close()
    log = tmp_path / "log"
    env = {"COACHBOARD_LOG_FORMAT": request.param, "COACHBOARD_DATA": str(tmp_path), "PATH": "/usr/bin"}
    command = [Path(sys.executable).with_name("coachboard"), "serve", "--db", url, "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output)
    address = f"http://127.0.0.1:{port}/api"
    try:
        wait_until(lambda: "running on" in log.read_text(), "the service did not start")
        yield address, log
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("service", ["json"], indirect=True)
def test_the_service_logs_json_with_the_proxys_request_id(service):
    address, log = service
    headers = {"X-Request-ID": "0123456789abcdef", "Authorization": f"Bearer {squad.ATHLETE_KEY}"}
    httpx.get(f"{address}/users/me?api_key=secret", headers=headers)
    httpx.get(f"{address}/health", headers={"X-Request-ID": "forged id\u00e9".encode("latin-1")})
    httpx.post(f"{address}/own/v1/invitations/look-up", json={"code": "guess"}, headers=headers)
    wait_until(lambda: "look-up" in log.read_text(), "no line was written")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]

    assert all(re.fullmatch(TIME, line["time"]) for line in lines)
    by_path = {line["message"]: line for line in lines}
    (own,) = [line for message, line in by_path.items() if "/users/me" in message]
    (health,) = [line for message, line in by_path.items() if "/health" in message]
    (guess,) = [line for message, line in by_path.items() if "wrong invitation code" in message]
    assert own["request"] == guess["request"] == "0123456789abcdef"
    assert re.fullmatch(r"[0-9a-f]{16}", health["request"])
    assert guess["level"] == "WARNING"
    text = log.read_text()
    assert squad.ATHLETE_KEY not in text
    assert "secret" not in text
    assert '"guess"' not in text


@pytest.mark.parametrize("service", ["text"], indirect=True)
def test_the_service_logs_text(service):
    address, log = service
    httpx.get(f"{address}/health")
    wait_until(lambda: "/health" in log.read_text(), "no line was written")

    (line,) = [line for line in log.read_text().splitlines() if "/health" in line]
    assert re.fullmatch(
        rf'{TIME} INFO [0-9a-f]{{16}} uvicorn\.access: \S+ - "GET /api/health HTTP/1\.1" 200', line
    )


@pytest.mark.slow
def test_the_dashboard_logs_json_too(tmp_path):
    with dashboard_process(tmp_path, COACHBOARD_LOG_FORMAT="json") as address:
        httpx.post(f"{address}/api/own/v1/invitations/look-up", json={"code": "guess-guess"})
        log = next(tmp_path.glob("dashboard-*.log"))
        wait_until(lambda: "wrong invitation code" in log.read_text(), "no line was written")
        lines = [json.loads(line) for line in log.read_text().splitlines()]

    assert {"Started server process", "Application startup complete."} <= {
        line["message"].split(" [")[0] for line in lines
    }
    (line,) = [line for line in lines if "wrong invitation code" in line["message"]]
    assert re.fullmatch(r"[0-9a-f]{16}", line["request"])
    assert "guess-guess" not in log.read_text()


@pytest.mark.slow
def test_the_dashboard_names_missing_settings_at_its_start(tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit/secrets.toml").write_text('[auth]\nclient_id = "x"\n')
    with dashboard_process(tmp_path):
        log = next(tmp_path.glob("dashboard-*.log")).read_text()

    (line,) = [line for line in log.splitlines() if "COACHBOARD_IDENTITY_SECRET is not set" in line]
    assert re.match(rf"{TIME} WARNING - coachboard: ", line)
