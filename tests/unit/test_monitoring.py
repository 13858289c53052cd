"""The figures for Prometheus: over a real service and a real dashboard, read by the format's own rules."""

import re
import sqlite3
from contextlib import closing

import httpx
import pytest

import seeded
from coachboard import monitoring
from coachboard.service.api.app import create_app, mounted
from coachboard.service.api.limits import PER_USER
from coachboard.service.store import Store
from coachboard.settings import Settings
from running import dashboard_process
from serving import served

_LINE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$')


def figures(text):
    """Values by name and labels; fails for a line that is not of the format."""
    found = {}
    for line in text.splitlines():
        if not line.startswith(("# HELP ", "# TYPE ")):
            matched = _LINE.match(line)
            assert matched, line
            found[matched[1], matched[2] or ""] = float(matched[3])
    return found


def grown(before, after):
    return {series: value - before.get(series, 0) for series, value in after.items()}


@pytest.fixture
def address(tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        seeded.seed(store)
        settings = Settings(data=tmp_path, metrics_from="127.0.0.0/8, ::1")
        with served(mounted(create_app(store, settings=settings))) as url:
            yield f"{url}/api"


def read(address, **headers):
    reply = httpx.get(f"{address}/metrics", headers=headers)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    return reply.text


def test_requests_are_counted_by_template_status_and_limit_without_names(address):
    before = figures(read(address))
    key = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
    path = f"{address}/users/{seeded.ATHLETE}/metrics"
    statuses = [httpx.get(path, headers=key).status_code for _ in range(PER_USER + 2)]
    assert statuses == [200] * PER_USER + [429] * 2 or set(statuses) == {200, 429}  # a minute may end between
    httpx.get(
        f"{address}/users/{seeded.ATHLETE}?key={seeded.COACH_KEY}", headers={"Authorization": "Bearer no"}
    )
    httpx.get(f"{address}/{seeded.COACH_KEY}")
    httpx.request("PROPFIND", f"{address}/health")
    text = read(address)
    new = grown(before, figures(text))

    def requests(route, method, status):
        labels = f'part="service",route="{route}",method="{method}",status="{status}"'
        return new["coachboard_requests_total", labels]

    route = "/api/users/{user_id}/metrics"
    refused = statuses.count(429)
    assert (requests(route, "GET", 200), requests(route, "GET", 429)) == (statuses.count(200), refused)
    assert requests("/api/users/{user_id}", "GET", 401) == 1
    assert requests("other", "GET", 401) == 1
    assert requests("/api/health", "other", 405) == 1
    assert new["coachboard_rate_limited_total", 'limit="requests for this user"'] == refused
    assert new["coachboard_reply_cache_total", 'result="hit"'] == statuses.count(200) - 1 - (refused == 0)
    labels = f'part="service",route="{route}"'
    assert new["coachboard_request_duration_seconds_count", labels] == len(statuses)
    assert new["coachboard_request_duration_seconds_bucket", f'{labels},le="+Inf"'] == len(statuses)
    assert 0 < new["coachboard_request_duration_seconds_sum", labels] < 60
    assert figures(text)["coachboard_store_ready", ""] == 1
    assert figures(text)["process_resident_memory_bytes", ""] > 20e6
    for secret in (seeded.COACH_KEY, seeded.ATHLETE, "PROPFIND", "cbk_"):
        assert secret not in text


def test_a_lost_database_is_a_figure(address, tmp_path):
    with closing(sqlite3.connect(tmp_path / "service.db")) as database:
        database.execute("DROP TABLE alembic_version")

    assert figures(read(address))["coachboard_store_ready", ""] == 0


def test_buckets_hold_the_durations_up_to_their_bound():
    series = monitoring.Histogram("t", "Test.", "a")
    for seconds in (0.005, 0.006, 11.0):
        series.add(seconds, 'x"\\\ny')
    lines = list(series.lines())

    assert lines[0] == "# HELP t Test.\n# TYPE t histogram"
    assert lines[1:3] == [r't_bucket{a="x\"\\\ny",le="0.005"} 1', r't_bucket{a="x\"\\\ny",le="0.01"} 2']
    assert lines[-3:] == [
        r't_bucket{a="x\"\\\ny",le="+Inf"} 3',
        r't_sum{a="x\"\\\ny"} 11.011000',
        r't_count{a="x\"\\\ny"} 3',
    ]


@pytest.mark.parametrize("allowed", [None, "10.0.0.0/8,192.0.2.1"])
def test_other_addresses_find_no_such_path(tmp_path, allowed):
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        settings = Settings(data=tmp_path, metrics_from=allowed)
        with served(mounted(create_app(store, settings=settings))) as url:
            metrics, unknown = (httpx.get(f"{url}/api/health/{path}") for path in ("../metrics", "x"))

    assert (metrics.status_code, metrics.json()) == (404, {"code": "not_found", "error": "No such route."})
    assert unknown.status_code in {401, 404}


@pytest.mark.parametrize("wrong", ["everyone", "10.0.0.1/8", " , "])
def test_a_wrong_list_of_addresses_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="metrics_from"):
        Settings(metrics_from=wrong)


@pytest.mark.slow
def test_a_dashboard_counts_its_pages_sessions_and_cache(tmp_path):
    with dashboard_process(tmp_path, COACHBOARD_METRICS_FROM="127.0.0.1") as address:
        httpx.get(f"{address}/roster", follow_redirects=True)
        httpx.get(f"{address}/wp-login.php")
        httpx.get(f"{address}/api/health")
        found = figures(read(address))

    def requests(part, route, status):
        return found[
            "coachboard_requests_total", f'part="{part}",route="{route}",method="GET",status="{status}"'
        ]

    assert requests("dashboard", "/roster", 307) == 1
    assert requests("dashboard", "/", 200) == 1
    assert requests("dashboard", "other", 404) == 1
    assert requests("service", "/api/health", 200) == 1
    assert found["coachboard_sessions", ""] == 0
    assert found["coachboard_dashboard_store_ready", ""] == 1


@pytest.mark.slow
def test_a_dashboard_has_no_metrics_unless_they_are_set(tmp_path):
    with dashboard_process(tmp_path) as address:
        assert [httpx.get(f"{address}{path}").status_code for path in ("/metrics", "/api/metrics")] == [
            404,
            404,
        ]
