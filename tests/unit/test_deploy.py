"""The files of `deploy/` are run: nginx with a service and two dashboards behind it, and the units by systemd's own check."""

import logging
import os
import platform
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import tomllib
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

import squad
from coachboard.client.waiting import BACKGROUND_WORKERS, READERS, REQUESTERS
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from nginx import HOST, NGINX, certificate, configured, running_nginx
from running import ROOT, dashboard_process, free_port
from serving import served

DEPLOY = ROOT / "deploy"

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (apt install nginx-light)")


class Club:
    """The running club: requests to it by its name, past the DNS."""

    def __init__(self, ports, folder):
        self.ports, self.folder = ports, folder

    def ask(self, path, *, scheme="https", method="GET", **more):
        headers = {"Host": HOST, **more.pop("headers", {})}
        url = f"{scheme}://127.0.0.1:{self.ports[scheme]}{path}"
        return httpx.request(method, url, headers=headers, verify=False, timeout=60, **more)

    def log(self):
        time.sleep(0.2)
        return (self.folder / "coachboard.log").read_text()


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    """nginx, a service and two dashboards."""
    folder = tmp_path_factory.mktemp("club")
    ports = {name: free_port() for name in ("http", "https", "first", "second")}
    certificate(folder / "tls")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    settings = Settings(outbox=folder / "outbox", public_url=f"https://{HOST}", metrics_from="127.0.0.1")
    with ExitStack() as stack:
        stack.callback(store.close)
        address = stack.enter_context(served(mounted(create_app(store, settings=settings))))
        ports["service"] = int(address.rsplit(":", 1)[1])
        for name in ("first", "second"):
            env = {"COACHBOARD_BASE_URL": f"{address}/api", "COACHBOARD_ALLOWED_HOSTS": f"{HOST},127.0.0.1"}
            env["COACHBOARD_METRICS_FROM"] = "127.0.0.1"  # nginx refuses it all the same
            stack.enter_context(dashboard_process(folder, port=ports[name], **env))
        stack.enter_context(running_nginx(folder, ports))
        yield Club(ports, folder)


@needs_nginx
def test_the_configuration_is_valid(tmp_path):
    certificate(tmp_path / "tls")
    ports = {name: free_port() for name in ("http", "https", "first", "second", "service")}
    main = configured(tmp_path, ports)
    checked = subprocess.run([NGINX, "-t", "-c", main], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr


@needs_nginx
@pytest.mark.slow
def test_plain_http_leads_to_https(club):
    reply = club.ask("/roster?athlete=usr_1", scheme="http")

    assert (reply.status_code, reply.headers["location"]) == (301, f"https://{HOST}/roster?athlete=usr_1")


@needs_nginx
@pytest.mark.slow
def test_pages_and_service_answer_and_other_names_do_not(club):
    page, health = club.ask("/"), club.ask("/api/health")
    own = club.ask("/api/users/me", headers={"Authorization": f"Bearer {squad.ATHLETE_KEY}"})

    assert (page.status_code, health.json(), own.json()["id"]) == (200, {"status": "ok"}, squad.ANA)
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    assert "content-security-policy" in page.headers
    assert club.ask("/", headers={"Host": "evil.example"}).status_code == 403
    paths = ("/metrics", "/api/metrics", "/_stcore/metrics", "/none")
    assert [club.ask(path).status_code for path in paths] == [404] * 4


@needs_nginx
@pytest.mark.slow
def test_a_websocket_is_opened_for_this_site_alone(club):
    def upgrade(origin):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection(("127.0.0.1", club.ports["https"]), timeout=20) as plain,
            context.wrap_socket(plain, server_hostname=HOST) as line,
        ):
            line.sendall(
                f"GET /_stcore/stream HTTP/1.1\r\nHost: {HOST}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "\r\n".encode()
            )
            return line.recv(64).split(b"\r\n")[0].decode()

    assert upgrade(f"https://{HOST}").startswith("HTTP/1.1 101")
    assert upgrade("https://evil.example").startswith("HTTP/1.1 403")


@needs_nginx
@pytest.mark.slow
def test_a_browser_stays_at_its_dashboard_and_browsers_are_shared_out(club):
    """Forty browsers: nginx hashes the ports too, and for one pair of ports in a hundred the first twelve share one."""
    for browser in range(40):
        for _ in range(2):
            club.ask(
                f"/_stcore/health?browser={browser}", headers={"User-Agent": f"browser-{browser}/{browser}"}
            )
    lines = [line for line in club.log().splitlines() if "/_stcore/health" in line][-80:]
    used = [line.rsplit(":", 1)[1] for line in lines]

    assert used[::2] == used[1::2]
    assert set(used) == {str(club.ports["first"]), str(club.ports["second"])}


@needs_nginx
@pytest.mark.slow
def test_large_files_pass_where_they_belong(club):
    key = {"Authorization": f"Bearer {squad.ATHLETE_KEY}"}
    job = club.ask("/api/own/v1/imports", method="POST", headers=key, json={}).json()
    path = f"/api/own/v1/imports/{job['id']}/files?name=a.fit"

    assert club.ask(path, method="PUT", headers=key, content=bytes(3_000_000)).json()["size"] == 3_000_000
    assert club.ask("/api/users/me", method="POST", headers=key, content=bytes(3_000_000)).status_code == 413


@needs_nginx
@pytest.mark.slow
def test_a_forged_address_does_not_escape_the_limit_of_wrong_codes(club, caplog):
    with caplog.at_level(logging.WARNING):
        for forged in ("192.0.2.1", "192.0.2.2"):
            body = {"code": "wrong"}
            headers = {"X-Forwarded-For": forged}
            reply = club.ask("/api/own/v1/invitations/look-up", method="POST", headers=headers, json=body)
            assert reply.status_code == 404

    assert "192.0.2" not in caplog.text


@needs_nginx
@pytest.mark.slow
def test_the_access_log_has_no_query(club):
    club.ask("/api/users/me?api_key=secret-in-a-query")

    assert "secret-in-a-query" not in club.log()
    assert "/api/users/me 401" in club.log()


@needs_nginx
def test_no_log_of_nginx_has_the_secret_of_a_subscription(tmp_path):
    """Also while the service is down, when nginx writes the whole request into its error log, and by plain HTTP."""
    certificate(tmp_path / "tls")
    ports = {name: free_port() for name in ("http", "https", "first", "second", "service")}
    path = "/api/plan/v1/feeds/cbf_secret-of-a-calendar.ics"
    with running_nginx(tmp_path, ports):
        ask = Club(ports, tmp_path).ask
        assert [ask(path).status_code, ask("/api/health").status_code] == [502, 502]
        assert ask(path, scheme="http").status_code == 301
    logs = {name: (tmp_path / name).read_text() for name in ("coachboard.log", "error.log")}

    assert logs["coachboard.log"].count("GET /api/plan/v1/feeds/*** ") == 2
    assert "/api/health" in logs["error.log"]
    assert "secret-of-a-calendar" not in repr(logs)


@needs_nginx
@pytest.mark.slow
def test_a_batch_of_a_large_plan_passes(club):
    key = {"Authorization": f"Bearer {squad.ATHLETE_KEY}"}
    reply = club.ask("/api/plan/v1/batches", method="POST", headers=key, content=bytes(3_000_000))

    assert reply.status_code == 400


UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_valid_hardened_and_bounded(unit, tmp_path):
    """`verify` looks for the command, so the path of the installation is this environment's."""
    file = tmp_path / unit.name.replace("@.", "@8501.")
    file.write_text(unit.read_text("utf-8").replace("/opt/coachboard/bin", str(Path(sys.executable).parent)))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")

    judged = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", file], capture_output=True, text=True, check=False
    )
    exposure = re.search(r"Overall exposure level .*: ([\d.]+)", judged.stdout)
    assert exposure, judged.stderr
    assert float(exposure[1]) <= 2
    assert re.search(r"^MemoryMax=\d+[MG]$", file.read_text(), re.MULTILINE)


_ALLOCATORS = """
import ctypes, threading, pyarrow
together = threading.Barrier(8)
def allocate():
    blocks = [bytes(1_000) for _ in range(100)]
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(pyarrow.default_memory_pool().backend_name, flush=True)
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has no arenas")
@pytest.mark.parametrize(
    ("file", "word"), [("systemd/coachboard-dashboard@.service", "Environment="), ("Containerfile", "ENV ")]
)
def test_a_dashboard_gives_freed_memory_of_its_threads_back(file, word):
    lines = (DEPLOY / file).read_text("utf-8").splitlines()
    set_there = dict(
        pair.split("=", 1) for line in lines if line.startswith(word) for pair in line[len(word) :].split()
    )
    run = subprocess.run(
        [sys.executable, "-c", _ALLOCATORS],
        env=os.environ | set_there, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert run.stdout.split() == ["system"]
    assert len(re.findall(r"^Arena \d+:", run.stderr, re.MULTILINE)) <= 2


def test_a_dashboard_may_start_the_threads_of_sixty_people():
    """The limit was 256, and twelve keys in use had 352 threads."""
    unit = (DEPLOY / "systemd" / "coachboard-dashboard@.service").read_text("utf-8")
    most = re.search(r"^TasksMax=(\d+)$", unit, re.MULTILINE)

    assert most is not None
    assert int(most[1]) > 60 * (READERS + REQUESTERS + BACKGROUND_WORKERS)


def test_the_containerfile_copies_all_that_its_build_reads():
    """The build hook of the wheel was missing, so no image could be built."""
    lines = (DEPLOY / "Containerfile").read_text("utf-8").splitlines()
    words = [line.split()[1:-1] for line in lines if line.startswith("COPY") and "--from" not in line]
    copied = [name for names in words for name in names]
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert hook["hooks"]["custom"]["path"] in copied


def test_each_setting_of_the_files_exists():
    names = set(re.findall(r"COACHBOARD_\w+", (DEPLOY / "coachboard.env").read_text("utf-8")))

    assert {name.removeprefix("COACHBOARD_").lower() for name in names} <= set(Settings.model_fields)


def test_each_install_from_a_lock_looks_up_no_other_version():
    files = [ROOT / "Makefile", ROOT / "deploy" / "Containerfile", *(ROOT / "docs").glob("*.md")]
    files += [ROOT / "scripts" / "prove-wheel", ROOT / "scripts" / "run-club-page"]
    installs = [
        line for file in files for line in file.read_text("utf-8").splitlines() if "require-hashes" in line
    ]
    assert len(installs) == 7
    assert [line for line in installs if "--no-deps" not in line] == []
