"""A service whose certificate is not valid gets no request, and the page says what is wrong with the certificate."""

import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import page_views
from coachboard.client import Client, Unreachable, Untrusted
from soak.pages import dashboard

DAY = timedelta(days=1)
HERE = x509.IPAddress(ip_address("127.0.0.1"))
KINDS = {
    "expired": ({"ends": -DAY}, "certificate has expired"),
    "self-signed": ({"is_trusted": False}, "self-signed certificate"),
    "another host": (
        {"name": x509.DNSName("other.example")},
        "certificate is not valid for '127.0.0.1'",
    ),
}
"""The faults of a certificate, and the words of the page for each."""


class _Service(ThreadingHTTPServer):
    """Counts connections and requests; its replies are empty lists."""

    daemon_threads = True

    def __init__(self, trust):
        super().__init__(("127.0.0.1", 0), _Reply)
        self.trust, self.connections, self.requests = trust, 0, []

    def get_request(self):
        plain, address = self.socket.accept()
        self.connections += 1
        plain.settimeout(10)
        return self.trust.wrap_socket(
            plain, server_side=True
        ), address  # an OSError ends this connection alone


class _Reply(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_):
        pass


@pytest.fixture
def service(tmp_path, monkeypatch):
    """Serves with a certificate of that kind, which the client trusts unless it is self-signed to the client."""

    @contextmanager
    def serve(*, ends=DAY, name=HERE, is_trusted=True):
        path = tmp_path / "service.pem"
        path.write_bytes(_certificate(ends, name))
        trusted = tmp_path / "trusted.pem"
        trusted.write_bytes(path.read_bytes() if is_trusted else _certificate(DAY, HERE))
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trust.load_cert_chain(path)
        with _Service(trust) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            yield server, f"https://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
            thread.join(10)

    return serve


def _certificate(ends, name):
    """A key and a certificate that it signs itself, in PEM."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Service until {ends}")])
    built = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(now - 10 * DAY).not_valid_after(now + ends)
    built = built.add_extension(x509.SubjectAlternativeName([name]), critical=False)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def test_a_valid_certificate_is_accepted(service, tmp_path):
    with (
        service() as (server, address),
        Client(address, "a-key", cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client,
    ):
        assert client.list_users().value == ()
    assert server.requests == ["/users"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_client_names_the_fault_after_one_attempt(service, tmp_path, kind):
    changes, words = KINDS[kind]
    with (
        service(**changes) as (server, address),
        Client(address, "a-key", cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client,
        pytest.raises(Untrusted) as raised,
    ):
        client.list_users()

    assert words in raised.value.words
    assert "SSL" not in raised.value.words
    assert isinstance(raised.value, Unreachable)  # an invitation is then known to be unsent
    assert not raised.value.may_have_arrived
    assert (server.connections, server.requests) == (1, [])


@pytest.mark.parametrize(("kind", "page"), list(zip(KINDS, ("roster", "athlete", "calendar"), strict=True)))
def test_the_page_names_the_fault(service, caplog, kind, page):
    changes, words = KINDS[kind]
    with service(**changes) as (server, address), dashboard(address):
        lines = page_views.view(page)
        connections = server.connections

    said = [line for line in lines if "certificate" in line]
    assert any(line.startswith("warning: ") and words in line for line in said), lines
    assert all("The data service's certificate is not valid, so nothing was sent." in line for line in said)
    assert server.requests == []
    assert connections <= 8  # four requests; each was tried four times
    assert "Traceback" not in "\n".join([*lines, caplog.text])
