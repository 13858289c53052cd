"""Wrong invitation codes count for the address of the connection, unless a trusted proxy names another one."""

import os
import subprocess
import sys
from contextlib import closing, contextmanager

import httpx
import pytest

from coachboard.listening import proxy_options
from coachboard.service.own_data.account import WRONG_CODES
from coachboard.service.store import Store
from coachboard.settings import Settings
from waiting import wait_until

MAIN = "from coachboard.cli import main; main()"


@contextmanager
def service(folder, port, trusted):
    url = f"sqlite:///{folder / 'service.db'}"
    Store.open(url).close()
    env = {**os.environ, "COACHBOARD_DATA": str(folder), "FORWARDED_ALLOW_IPS": "*"}
    env |= {"COACHBOARD_TRUSTED_PROXIES": trusted} if trusted else {}
    words = [sys.executable, "-c", MAIN, "serve", "--db", url, "--port", str(port)]
    process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with closing(httpx.Client(base_url=f"http://127.0.0.1:{port}/api/own/v1/invitations")) as client:

            def guess(forwarded):
                headers = {
                    "X-Forwarded-For": forwarded,
                    "Forwarded": f"for={forwarded}",
                    "X-Real-IP": forwarded,
                }
                return client.post("/look-up", json={"code": "wrong"}, headers=headers).status_code

            wait_until(lambda: answers(client), at_most_s=60)
            yield guess
    finally:
        process.terminate()
        process.wait(20)


def answers(client):
    try:
        return client.get("/").status_code
    except httpx.TransportError:
        return None


@pytest.mark.parametrize("trusted", [None, pytest.param("10.1.2.3,192.168.0.0/16", marks=pytest.mark.slow)])
def test_a_forged_address_does_not_escape_the_limit(tmp_path, free_port, trusted):
    with service(tmp_path, free_port, trusted) as guess:
        found = [guess(f"192.0.2.{number}") for number in range(WRONG_CODES + 1)]

    assert found == [404] * WRONG_CODES + [429]


def test_behind_a_trusted_proxy_each_address_has_its_limit_and_locks_out_no_other(tmp_path, free_port):
    """The proxy appends the address that it sees: what the caller wrote before it does not count."""
    with service(tmp_path, free_port, "127.0.0.0/8") as guess:
        forged = [guess(f"198.51.100.7, 203.0.113.{number}, 192.0.2.1") for number in range(WRONG_CODES + 1)]
        others = [guess("192.0.2.2"), guess("198.51.100.7"), guess("203.0.113.1")]

    assert forged == [404] * WRONG_CODES + [429]
    assert others == [404] * 3


def test_only_addresses_are_a_setting():
    assert proxy_options(" 127.0.0.1, 10.0.0.0/8 ")["forwarded_allow_ips"] == ["127.0.0.1", "10.0.0.0/8"]
    assert not proxy_options(None)["proxy_headers"]
    with pytest.raises(ValueError, match="does not appear"):
        Settings(trusted_proxies="*")
