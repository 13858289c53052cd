"""The served OpenAPI document, and the service held against it by schemathesis."""

from itertools import count

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from coachboard.models.streams import STREAM_COLUMNS
from coachboard.service.api import openapi
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from seeded import COACH_KEY, make_streams, seed
from serving import served


@pytest.fixture
def document(service):
    """The document as anybody may read it, without a key."""
    return service.client.get("/openapi.json").json()


def test_the_description_carries_version_and_scheme(document, service):
    """ "Versioning" and Authentication 1: version 0.1.0, the scheme is named `bearer`."""
    assert document["openapi"].startswith("3.1.")
    assert document["info"]["version"] == "0.1.0"
    assert document["components"]["securitySchemes"] == {"bearer": {"type": "http", "scheme": "bearer"}}
    assert document["servers"] == [{"url": "/api"}]
    assert service.client.post("/openapi.json").status_code == 405


def test_the_description_lists_the_ten_endpoints_with_their_statuses(document):
    """ "Endpoints": the table."""
    ranged = {"activities", "training-prescriptions", "notes", "events", "metrics", "sleeps"}
    operations = {
        (method, path): set(operation["responses"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    common = {"200", "400", "401", "404", "429"}

    assert operations == {
        ("get", "/users"): common - {"404"},
        ("get", "/users/{userId}"): common,
        **{("get", f"/users/{{userId}}/{name}"): common for name in ranged},
        ("get", "/activities/{activityId}/streams"): common,
        ("post", "/workspaces/{workspaceId}/invitations"): {*common, "413"},
    }


def test_objects_are_closed_and_fields_required(document):
    """ "Conventions": every field is present unless marked optional, no other fields occur."""
    schemas = document["components"]["schemas"]
    closed = {name for name, schema in schemas.items() if schema.get("type") == "object"}

    assert all(schemas[name]["additionalProperties"] is False for name in closed)
    assert set(schemas["Activity"]["required"]) == set(schemas["Activity"]["properties"])
    assert "workspaces" not in schemas["UserProfile"]["required"]
    assert schemas["UserProfile"]["properties"]["workspaces"]["type"] == "array"
    assert set(schemas["ActivityStreams"]["properties"]) == {"timestamp", *STREAM_COLUMNS}
    assert schemas["Sleep"]["properties"]["day"]["format"] == "date"


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory):
    """A service whose clock moves on a minute with every look, so that no limit is ever reached."""
    folder = tmp_path_factory.mktemp("unlimited")
    store = Store.open(f"sqlite:///{folder / 'store.db'}")
    seed(store)
    minutes = count(start=1_773_986_400, step=60)
    app = create_app(
        store,
        settings=Settings(outbox=folder / "outbox"),
        stream_makers={"test": make_streams},
        clock=lambda: next(minutes),
    )
    with served(mounted(app)) as address:
        yield address
    store.close()


@pytest.fixture(scope="module")
def api(unlimited):
    """What schemathesis makes of the served document."""
    served_document = httpx.get(f"{unlimited}/api/openapi.json").json()
    api = schemathesis.openapi.from_dict(served_document)
    api.config.update(base_url=f"{unlimited}/api")
    return api


OPERATIONS = [
    (path, method) for path, methods in openapi.document("/api")["paths"].items() for method in methods
]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_service_keeps_to_its_description(api, path, method):
    """Statuses, headers and bodies of generated requests are those of the document."""

    @given(case=api[path][method].as_strategy())
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    def holds(case):
        case.call_and_validate(
            headers={"Authorization": f"Bearer {COACH_KEY}"},
            # An address that no mail could reach is refused, and unknown query parameters are ignored:
            # neither can be said in a schema.
            excluded_checks=[positive_data_acceptance, negative_data_rejection],
        )

    holds()
