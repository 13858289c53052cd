"""A database that cannot grow: each refused request is one line of the log, reads go on, and writes do afterwards."""

import logging
from contextlib import closing

import httpx
import sqlalchemy as sa

import seeded
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from serving import served

MOST = 100


def test_a_refused_request_is_one_line_and_the_service_recovers(tmp_path, caplog):
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        seeded.seed(store)
        app = create_app(store, settings=Settings(outbox=tmp_path / "outbox"))
        with (
            served(app) as address,
            httpx.Client(
                base_url=address, headers={"Authorization": f"Bearer {seeded.COACH_KEY}"}, timeout=60
            ) as client,
        ):

            def invite(number):
                body = {"email": f"a{number}@example.org", "role": "athlete", "sendInvitationEmail": True}
                return client.post(f"/workspaces/{seeded.SQUAD}/invitations", json=body)

            def stop_growing(connection, *_):
                connection.execute("PRAGMA max_page_count = 1")  # the lowest possible: the present size

            sa.event.listen(store._writers.pool, "checkout", stop_growing)
            replies = [invite(number) for number in range(MOST)]
            refused = [reply for reply in replies if reply.status_code == 503]
            lines = [record for record in caplog.records if record.levelno >= logging.ERROR]
            read = client.get("/users/me")
            sa.event.remove(store._writers.pool, "checkout", stop_growing)
            store._writers.pool.dispose()  # the limit belongs to the connection
            after = invite(MOST).status_code
        app.state.mailer.close()
        app.state.worker.close()

    assert refused
    assert refused[0].json() == {
        "code": "unavailable",
        "error": "The database of the service failed: see its log and its setting COACHBOARD_DATABASE_URL.",
    }
    assert refused[0].headers["retry-after"] == "5"
    of_requests = [line for line in lines if "a request was refused" in line.message]
    assert len(of_requests) == len(refused)
    assert [line for line in lines if line.exc_info] == []
    assert (read.status_code, after) == (200, 200)
