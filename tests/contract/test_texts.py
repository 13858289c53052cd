"""Every text that the API takes, with characters that no person types: refused or cleaned, never a fault, on each database."""

import io
import zipfile
from urllib.parse import quote

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from coachboard.plain_text import is_storable, lines_of, name_of, stored_texts, visible
from coachboard.service.store import RowKind
from contract.conftest import seeded_service
from contract.test_own_data import finished, ride
from databases import DATABASES
from seeded import ATHLETE, ATHLETE_KEY, COACH_KEY, RIDE, SQUAD
from unit.service.importers.xml_files import gpx, gpx_points, segment

OWN = "/own/v1"
CONTROL = ("a\0b", "\x01", "a\x1bb", "\x7f", "a\x85b", "a\ufffe", "\uffff", "\ufdd0")
HARMLESS = ("a\u202eb", "\u2066x", "a\nb\r\nc\td", "\u200b", " ", "e\u0301 🏃‍♀️ علی\u200cرضا", "<b>=1+1")
LONG = "x" * 20_000


@pytest.fixture(scope="module", params=DATABASES)
def service(request, tmp_path_factory):
    with seeded_service(request.param, tmp_path_factory.mktemp("texts")) as found:
        yield found


@pytest.fixture
def send(service):
    def ask(method, path, *, key=ATHLETE_KEY, **more):
        service.clock.next_minute()
        headers = {"Authorization": f"Bearer {key}", **more.pop("headers", {})}
        return service.client.request(method, path, headers=headers, **more)

    return ask


def tag(send):
    return {"If-Match": send("GET", f"{OWN}/activities/{RIDE}").headers["etag"]}


def body(**fields):
    return {"content": orjson.dumps(fields)}


IDS = (
    ("GET", "/users/{}", "/users/{}/activities", "/users/{}/notes", "/activities/{}/streams"),
    ("POST", "/workspaces/{}/invitations", f"{OWN}/imports/{{}}/start", f"{OWN}/activities/{{}}/join"),
    ("GET", f"{OWN}/imports/{{}}", f"{OWN}/activities/{{}}", f"{OWN}/activities/{{}}/file", f"{OWN}/recomputations/{{}}"),
    ("DELETE", f"{OWN}/imports/{{}}", f"{OWN}/activities/{{}}", f"{OWN}/metrics/{{}}", f"{OWN}/keys/{{}}"),
    ("DELETE", f"{OWN}/memberships/{{}}"),
    ("PATCH", f"{OWN}/keys/{{}}", f"{OWN}/activities/{{}}"),
    ("PUT", f"{OWN}/imports/{{}}/files?name=a.fit", f"{OWN}/activities/{{}}/file?name=a.fit", f"{OWN}/metrics/{{}}"),
)  # fmt: skip
PATHS = [(method, path) for method, *paths in IDS for path in paths]


def inputs(send, job_id):
    """A request for each text of the API that is no id in a path."""
    invite = f"/workspaces/{SQUAD}/invitations"
    columns = f"{OWN}/imports/{job_id}/start"
    accept = {"code": "x" * 32}
    return {
        "query from": lambda text: send("GET", f"/users/me/sleeps?from={quote(text)}"),
        "query since": lambda text: send("GET", f"{OWN}/changes?since={quote(text)}"),
        "file name": lambda text: send("PUT", f"{OWN}/imports/{job_id}/files?name={quote(text)}", content=b"x"),
        "preview name": lambda text: send("GET", f"{OWN}/imports/{job_id}/preview?name={quote(text)}"),
        "new file name": lambda text: send(
            "PUT", f"{OWN}/activities/{RIDE}/file?name={quote(text)}", content=b"x", headers=tag(send)
        ),
        "activity name": lambda text: send("PATCH", f"{OWN}/activities/{RIDE}", headers=tag(send), **body(name=text)),
        "description": lambda text: send(
            "PATCH", f"{OWN}/activities/{RIDE}", headers=tag(send), **body(description=text)
        ),
        "sport": lambda text: send("PATCH", f"{OWN}/activities/{RIDE}", headers=tag(send), **body(sport=text)),
        "other half": lambda text: send(
            "POST", f"{OWN}/activities/{RIDE}/join", headers=tag(send), **body(activityId=text)
        ),
        "field": lambda text: send("POST", f"{OWN}/imports", **body(**{text: 1})),
        "day": lambda text: send("POST", f"{OWN}/imports", **body(day=text)),
        "type of value": lambda text: send("POST", f"{OWN}/metrics", **body(type=text, value=1, date="2026-01-01")),
        "new key": lambda text: send("POST", f"{OWN}/keys", **body(label=text)),
        "code": lambda text: send("POST", f"{OWN}/invitations/look-up", **body(code=text)),
        "first name": lambda text: send("POST", f"{OWN}/invitations/accept", **body(**accept, firstName=text)),
        "last name": lambda text: send("POST", f"{OWN}/invitations/accept", **body(**accept, lastName=text)),
        "email": lambda text: send("POST", invite, key=COACH_KEY, **body(email=text, role="athlete")),
        "role": lambda text: send("POST", invite, key=COACH_KEY, **body(email="a@example.org", role=text)),
        "column of a file": lambda text: send("POST", columns, **body(columns={text: {"a": "ignore"}})),
        "header of a column": lambda text: send("POST", columns, **body(columns={"a.csv": {text: text}})),
    }  # fmt: skip


NAMES = tuple(inputs(None, ""))
REFUSED = {400, 404}
NO_FAULT = {200, 201, 202, 400, 404, 409, 410, 412, 429}


@pytest.fixture
def requests(send):
    """All requests over a new import; forgets the keys that they create."""
    yield inputs(send, send("POST", f"{OWN}/imports", json={}).json()["id"])
    for row in send("GET", f"{OWN}/keys").json():
        if not row["isCurrent"]:
            send("DELETE", f"{OWN}/keys/{row['id']}")


def test_a_control_character_in_an_id_is_404(send):
    found = {
        (path, text): send(method, path.format(quote(f"act{text}")), content=b"{}", headers={"If-Match": "x"}).status_code
        for method, path in PATHS
        for text in ("\0", "\x1b", "\x85", "\uffff")
    }  # fmt: skip
    assert {key: status for key, status in found.items() if status != 404} == {}


def test_ids_that_cannot_exist_are_no_fault(send):
    for method, path in PATHS:
        for text in ("%ff%fe", "%ed%a0%80", quote("\u202e"), "x" * 3000, "%2e%2e", "%3Cb%3E"):
            reply = send(method, path.format(text), content=b"{}", headers={"If-Match": "x"})
            assert reply.status_code in {400, 404, 405}, (method, path, text, reply.text)


def test_a_control_character_in_a_text_is_refused(requests):
    found = {
        (name, text): request(text).status_code for name, request in requests.items() for text in CONTROL
    }

    assert {key: status for key, status in found.items() if status not in REFUSED} == {}


def test_half_a_pair_is_no_json(send):
    for path, field in ((f"{OWN}/keys", "label"), (f"{OWN}/imports", "day")):
        reply = send("POST", path, content=f'{{"{field}": "a\\ud800"}}'.encode())
        assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")


def test_harmless_and_long_texts_are_no_fault(requests):
    found = {
        (name, text[:9]): request(text).status_code
        for name, request in requests.items()
        for text in (*HARMLESS, LONG, LONG[:3_000])
    }
    assert {key: status for key, status in found.items() if status not in NO_FAULT | {413, 414}} == {}


def test_names_are_one_line_and_descriptions_keep_their_lines(send):
    hostile = " a\u202e b\nc\td\r\ne "
    named = send(
        "PATCH", f"{OWN}/activities/{RIDE}", headers=tag(send), json={"name": hostile, "description": hostile}
    )
    key = send("POST", f"{OWN}/keys", json={"label": hostile}).json()["row"]
    send("DELETE", f"{OWN}/keys/{key['id']}")

    assert (named.json()["name"], named.json()["description"], key["label"]) == (
        "a b c d e",
        "a b\nc\td\ne",
        "a b c d e",
    )
    emptied = send("PATCH", f"{OWN}/activities/{RIDE}", headers=tag(send), json={"name": " \u200b\u202e"})
    assert emptied.json()["name"] is None


def test_one_bad_file_fails_alone(send, service):
    """A title, a name inside an archive and a text of a table with a NUL; a sound ride beside them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(
            "a\x01\u202eb.gpx", gpx("<name>a&#1;\u202eb\nc</name>" + segment(gpx_points(range(0, 900, 5))))
        )
        packed.writestr("d.gpx", b"\0 no recording \0")
    job = send("POST", f"{OWN}/imports", json={}).json()["id"]
    sent = {
        "all.zip": archive.getvalue(),
        "ride.fit": ride(first_s=900_000),
        "n.csv": b"date,hrv\0\n2026-05-02,6\0\0\n",
    }
    for name, data in sent.items():
        assert send("PUT", f"{OWN}/imports/{job}/files?name={name}", content=data).status_code == 200
    send("POST", f"{OWN}/imports/{job}/start", json={})
    done = finished(lambda method, path: send(method, f"{OWN}{path}"), f"/imports/{job}")
    outcomes = {line["name"]: line["outcome"] for line in done["report"]}
    names = [orjson.loads(row)["name"] for row in service.store.row_bodies(RowKind.ACTIVITIES, ATHLETE)]
    send("DELETE", f"{OWN}/imports/{job}")

    assert done["state"] == "done"
    assert outcomes["ride.fit"] == "imported"
    assert all(map(is_storable, [*outcomes, *filter(None, names)]))
    assert all("\u202e" not in name for name in filter(None, names))
    assert outcomes["all.zip/d.gpx"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\x1b\x85\u202e\u2066\uffff\n\r\u200b"),
        max_size=30,
    )
)
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_is_cleaned_or_refused(service, name, text):
    def send(method, path, *, key=ATHLETE_KEY, **more):
        service.clock.next_minute()
        headers = {"Authorization": f"Bearer {key}", **more.pop("headers", {})}
        return service.client.request(method, path, headers=headers, **more)

    job_id = send("POST", f"{OWN}/imports", json={}).json()["id"]
    reply = inputs(send, job_id)[name](text)
    kept = send("GET", f"{OWN}/activities/{RIDE}").json()
    labels = send("GET", f"{OWN}/keys").json()
    for row in labels:
        if not row["isCurrent"]:
            send("DELETE", f"{OWN}/keys/{row['id']}")
    send("DELETE", f"{OWN}/imports/{job_id}")

    assert reply.status_code in NO_FAULT | {413, 414}, reply.text
    if not is_storable(text):
        assert reply.status_code in REFUSED
    assert is_storable([kept, labels])
    assert "\n" not in (kept["name"] or "") + "".join(row["label"] for row in labels)


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text):
    name, lines = name_of(text), lines_of(text)

    assert name is None or (name_of(name) == name and "\n" not in name and is_storable(name))
    assert lines is None or (lines_of(lines) == lines and is_storable(lines))
    assert is_storable(visible(text))
    assert stored_texts({"name": text, "rpe": 3}) == {"name": name_of(text, longest=500), "rpe": 3}
