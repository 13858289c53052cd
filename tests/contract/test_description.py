"""The served OpenAPI document; schemathesis checks the service against it."""

from itertools import count

import httpx
import jsonschema
import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from lxml import html
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from coachboard.service.api import openapi
from coachboard.service.api.app import create_app, mounted
from coachboard.service.own_data import openapi as own_data
from coachboard.service.planning import openapi as planning
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.wire.fields import FIELDS
from coachboard.wire.stream_columns import snake_name
from coachboard.wire.streams import STREAM_COLUMNS
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


DOCUMENTS = {
    path: orjson.loads(api.document_json("/api"))
    for path, api in (
        ("/openapi.json", openapi),
        ("/own/v1/openapi.json", own_data),
        ("/plan/v1/openapi.json", planning),
    )
}


@pytest.mark.parametrize("whole", DOCUMENTS.values(), ids=DOCUMENTS)
def test_each_property_has_a_description_and_an_example_that_it_accepts(whole):
    for model, schema in whole["components"]["schemas"].items():
        for name, part in schema.get("properties", {}).items():
            place = f"{model}.{name}"
            assert part["description"].endswith("."), place
            assert "title" not in part, place
            assert len(part["examples"]) == 1, place
            jsonschema.validate(part["examples"][0], {**part, "components": whole["components"]})


# From the interface document, and docs/assumptions.md where it is silent.
UNITS = {
    "Activity.movingDuration": "s",
    "Activity.utcOffset": "min",
    "Activity.elevationGain": "m",
    "Activity.startLatitude": "degrees",
    "Activity.averageSpeed": "m/s",
    "Activity.averageRunningCadence": "strides/min",
    "Activity.averagePower": "W",
    "Activity.work": "kJ",
    "Activity.calories": "kcal",
    "Activity.averageTemperature": "°C",
    "Activity.averageHeartRate": "bpm",
    "Activity.intensity": None,
    "Activity.name": None,
    "Lap.averageTorque": "Nm",
    "Climb.averageGrade": "%",
    "Climb.maxPowerPerKilo": "W/kg",
    "Length.averageCadence": "strokes/min",
    "StructureIntensity.minPowerThresholdPercentage": "% of critical power",
    "StructureIntensity.maxSpeed": "m/s",
    "TrainingPrescription.carbIntake": "g/h",
    "User.height": "cm",
    "Sleep.deepDuration": "s",
    "Sleep.averageHrv": "ms",
    "ActivityStreams.power": "W",
    "ActivityStreams.groundContactTime": "ms",
    "ActivityStreams.fluidLoss": "mL",
    "ActivityStreams.wPrimeBalance": None,
}


@pytest.mark.parametrize(("name", "unit"), UNITS.items())
def test_a_property_names_its_unit(name, unit, document):
    model, _, key = name.partition(".")
    part = document["components"]["schemas"][model]["properties"][key]

    assert part.get("x-unit") == unit
    assert part["description"].endswith(f" Unit: {unit}.") == (unit is not None)


def test_each_record_of_the_catalogue_describes_a_property():
    used = {
        f"{model.partition('-')[0]}.{snake_name(name)}"
        for document in DOCUMENTS.values()
        for model, schema in document["components"]["schemas"].items()
        for name in schema.get("properties", {})
        if model != "ActivityStreams"
    }
    names = {name.partition(".")[2] for name in used if name not in FIELDS}

    assert {name for name in FIELDS if name not in used and name not in names} == set()


@pytest.mark.parametrize("whole", DOCUMENTS.values())
def test_each_operation_has_a_described_tag_and_described_parameters(whole):
    tags = {tag["name"]: tag["description"] for tag in whole["tags"]}
    operations = [operation for methods in whole["paths"].values() for operation in methods.values()]

    assert {tag for operation in operations for tag in operation["tags"]} == set(tags)
    assert all(len(operation["tags"]) == 1 for operation in operations)
    for operation in operations:
        for parameter in operation.get("parameters", []):
            assert parameter["description"].endswith(".")
            jsonschema.validate(parameter["example"], parameter["schema"])


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_page_shows_each_operation_and_property_without_a_key_and_without_scripts(path, service):
    """The page works offline: it asks no host for anything."""
    reply = service.client.get(path.replace("openapi.json", "docs"))
    served_document = service.client.get(path).json()
    page = html.fromstring(reply.text)

    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/html")
    assert reply.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'"
    )
    assert page.xpath("//script | //link | //img | //@src | //@onclick | //iframe") == []
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = page.xpath("//a/@href")
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert {link for link in links if not link.startswith("#")} <= {
        "/api/openapi.json", "/api/own/v1/openapi.json", "/api/docs", "/api/own/v1/docs",
        "/api/plan/v1/openapi.json", "/api/plan/v1/docs",
    }  # fmt: skip
    heads = [code.text for code in page.xpath("//summary/code[1]")]
    assert sorted(heads) == sorted(
        f"{method.upper()} {path}" for path, methods in served_document["paths"].items() for method in methods
    )
    for model, schema in served_document["components"]["schemas"].items():
        cells = page.xpath(f"//h3[@id='{model}']/following-sibling::div[1]//tr/td[1]/code/text()")
        if "properties" in schema:
            assert cells == list(schema["properties"])
    for link in links:
        if not link.startswith("#"):
            assert service.client.get(link.removeprefix("/api")).status_code == 200


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
    """The served document as schemathesis reads it."""
    served_document = httpx.get(f"{unlimited}/api/openapi.json").json()
    api = schemathesis.openapi.from_dict(served_document)
    api.config.update(base_url=f"{unlimited}/api")
    return api


OPERATIONS = [
    (path, method) for path, methods in DOCUMENTS["/openapi.json"]["paths"].items() for method in methods
]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        pytest.param(path, method, marks=() if path == "/users/{userId}/activities" else pytest.mark.slow)
        for path, method in OPERATIONS
    ],
)
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
