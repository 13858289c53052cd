"""The nginx of `deploy/` with a certificate of its own, on ports of a test."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

from running import ROOT

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
HOST = "club.example"


def certificate(folder):
    """A self-signed certificate, where the configuration looks for it."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                f"/CN={HOST}",
            ),
            *("-addext", f"subjectAltName=DNS:{HOST}"),
            *("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"),
        ],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def configured(folder, ports):
    """The configuration with this test's ports and folders, inside the least main file that nginx needs."""
    text = (ROOT / "deploy" / "nginx/coachboard.conf").read_text("utf-8")
    changes = {
        "listen 443 ssl": f"listen 127.0.0.1:{ports['https']} ssl",
        "listen 80;": f"listen 127.0.0.1:{ports['http']};",
        "127.0.0.1:8501": f"127.0.0.1:{ports['first']}",
        "127.0.0.1:8502": f"127.0.0.1:{ports['second']}",
        "127.0.0.1:8600": f"127.0.0.1:{ports['service']}",
        "/etc/coachboard/tls": str(folder / "tls"),
        "/var/log/nginx": str(folder),
    }
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "coachboard.conf").write_text(text)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    main.write_text(
        f"{user}\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\n{temporary}include {folder}/coachboard.conf;\n}}\n"
    )
    return main


@contextmanager
def running_nginx(folder, ports):
    main = configured(folder, ports)
    checked = subprocess.run([NGINX, "-t", "-c", main], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([NGINX, "-c", main, "-g", "daemon off;"])
    try:
        wait_for(ports["https"])
        yield
    finally:
        process.terminate()
        process.wait(20)


def wait_for(port):
    end = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < end, "nginx did not start"
            time.sleep(0.05)
        else:
            return
