"""The pages with planning: of a service that has no planning API, however it says so, and of two keys."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import HTMLResponse, JSONResponse

import page_views
import plain_rows
import squad
import training
from coachboard.client import Client, Options
from coachboard.client.planning import Planning
from coachboard.pages.calendar.data import load_calendar
from coachboard.pages.calendar.files import FileWords, calendar_ics
from coachboard.service.store import NewUser
from coachboard.ui.frame import connection
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.enums import NoteType, Sport, WorkspaceRole
from coachboard.wire.planning import EntryKind, PlanValue
from coachboard.wire.training_plans import (
    AnchoredAthlete,
    ApplyRequest,
    PlanAnchor,
    TrainingPlanEntry,
    TrainingPlanInput,
)
from drawn import page_test
from faulty_proxy import faulty, says
from plain_service import plain_app
from serving import served
from waiting import wait_until

REPLIES = {
    "404": JSONResponse({"code": "not_found", "error": "not here"}, 404),
    "401": JSONResponse({"code": "unauthorized", "error": "no such path"}, 401),
    "500": JSONResponse({"code": "internal", "error": "no such path"}, 500),
    "page": HTMLResponse("<!doctype html><title>Welcome</title>"),
}
PAGES = {
    "calendar": {"edit": "new.workout.2026-03-05.me", "open": "2026-03-19"},
    "calendar history": {"look": "history"},
    "calendar library": {"library": "all", "edit": "lib_easy-run"},
    "plans": {"plan": "pln_1", "view": "apply"},
    "roster": {"view": "week"},
    "activity": {},
    "settings": {},
}
CONTROLS = (
    "Changes",
    "Library",
    "Search the library",
    "Subscribe in another calendar",
    "Plan the squad's week",
    "Choose the workout",
    "Comment",
    "New plan",
)


def with_plan_reply(reply):
    """The other service, which gives this reply to each request of the planning API."""
    app = plain_app(plain_rows.plain())

    async def answer(scope, receive, send):
        is_plan = scope["type"] == "http" and scope["path"].startswith("/plan/v1")
        await (reply if is_plan else app)(scope, receive, send)

    return answer


def controls_of(at):
    """The labels of what the user can press or open, and the toolbars."""
    labels = [f"{kind} {element.label}" for kind in ("button", "expander") for element in getattr(at, kind)]
    links = [f"link {element.proto.label}" for element in at.get("page_link")]
    bars = [
        element.proto.json for element in at.get("bidi_component") if "bar" in element.proto.component_name
    ]
    return labels + links + bars


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The lines of a page over a service that gives a reply to the planning API."""
    known = {}

    def look(reply, page):
        if (reply, page) not in known:
            cache = tmp_path_factory.mktemp("cache") / "cache.db"
            with served(with_plan_reply(REPLIES[reply])) as address, pytest.MonkeyPatch.context() as env:
                for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
                    env.delenv(name)
                env.setenv("COACHBOARD_BASE_URL", address)
                env.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{cache}")
                env.setenv("COACHBOARD_API_KEY", "key-of-another-service")
                env.setenv("COACHBOARD_TODAY", plain_rows.TODAY.isoformat())
                at = page_views.opened(page.split()[0])
                at.query_params.update(PAGES[page])
                at.run()
                known[reply, page] = page_views.lines_of(at), controls_of(at)
                connection.close_all()
        return known[reply, page]

    return look


@pytest.mark.parametrize("page", PAGES)
def test_a_service_without_planning_api_has_no_control_of_it(seen, page):
    _lines, controls = seen("404", page)

    assert controls or page == "plans"
    assert [word for word in CONTROLS if word in str(controls)] == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "reply", ["401", *(pytest.param(one, marks=pytest.mark.slow) for one in ("500", "page"))]
)
def test_a_page_is_the_same_however_a_service_has_no_planning_api(seen, reply, page):
    """A 401 there signed the user out, although the service accepted the key for everything else."""
    assert seen(reply, page) == seen("404", page)


def test_settings_have_no_mails_about_comments_of_a_service_without_them(seen):
    lines, _controls = seen("404", "settings")

    assert "Connection" in str(lines)
    assert "Mails about comments" not in str(lines)


VIEWS = {
    "calendar": [
        {"look": "adherence", "open": f"{training.TODAY}"},
        {"look": "totals", "view": "week"},
        {"look": "season", "view": "agenda"},
        {"look": "history", "library": "all"},
    ],
    "athlete": [{}],
    "activity": [{"activity": "act_Moved", "day": "2026-03-09"}],
    "plans": [{}],
    "trends": [{}],
}
KEPT_BACK = "Kept back"


@pytest.fixture
def pages_of(dashboard_settings, squad_store, tmp_path):
    """Reads the lines of all pages about an athlete with a key and an empty cache."""
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())
    reads = iter(range(9))

    def look(key):
        cache = f"sqlite:///{tmp_path}/fresh{next(reads)}.db"
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        dashboard_settings.setenv("COACHBOARD_CACHE_URL", cache)
        lines = [f"{name} {line}" for name, views in VIEWS.items() for line in lines_of(name, views)]
        connection.close_all()
        return lines

    return look


def lines_of(name, views):
    for address in views:
        at = page_test(name, timeout_s=60)
        at.session_state["calendar.below.near"] = True
        for part in ("below", "weeks", "sessions", "profile"):
            at.session_state[f"athlete.{part}.{squad.ANA}.near"] = True
        at.query_params.update({"athlete": squad.ANA} | address)
        at.run()
        yield from page_views.lines_of(at)
        yield from controls_of(at)


@pytest.fixture
def client_of(squad_service, tmp_path):
    """Makes a client with that key and a cache of its own."""
    return lambda key: Client(
        squad_service, key, cache_url=f"sqlite:///{tmp_path}/{key}.db", options=Options()
    )


def test_no_page_of_the_athlete_has_what_the_coach_keeps_back(pages_of, client_of):
    """Also no total and no rate: the pages are as if the entries did not exist. The coach sees each of them."""
    before = pages_of(squad.ATHLETE_KEY)
    days = {day: training.TODAY + timedelta(days=day) for day in (-1, 0, 1)}
    later = datetime.now(UTC).date() + timedelta(days=30)  # the service goes by the real day
    with client_of(squad.COACH_KEY) as client:
        create = client.planning.create
        kinds = {
            "workout": (
                EntryKind.WORKOUT,
                {"sport": Sport.CYCLING, "text": "- 2h 90%", "visible_from": later},
            ),
            "note": (EntryKind.NOTE, {"type": NoteType.TRAINING, "visible_from": later}),
            "illness": (EntryKind.NOTE, {"type": NoteType.MEDICAL, "is_private": True}),
            "race": (EntryKind.EVENT, {"sport": Sport.CYCLING, "visible_from": later}),
        }
        for name, (kind, fields) in kinds.items():
            title = {"name" if kind is EntryKind.EVENT else "title": f"{KEPT_BACK} {name}"}
            client.planning.batch(
                [create(squad.ANA, kind, date=day, **title, **fields) for day in days.values()]
            )
    coach, after = "\n".join(pages_of(squad.COACH_KEY)), pages_of(squad.ATHLETE_KEY)

    files = {}
    for key in (squad.COACH_KEY, squad.ATHLETE_KEY):
        with client_of(key) as client:
            files[key] = calendar_file(client).decode()

    assert [name for name in kinds if f"{KEPT_BACK} {name}" not in coach] == []
    assert [word for word in CONTROLS if word not in coach and not word.startswith("Plan the")] == []
    assert KEPT_BACK not in "\n".join(after)
    assert after == before
    assert files[squad.COACH_KEY].count(KEPT_BACK) >= len(days) * len(kinds)
    assert KEPT_BACK not in files[squad.ATHLETE_KEY]


def calendar_file(client):
    """The download of the fortnight."""
    first, last = (training.TODAY + timedelta(days=day) for day in (-7, 7))
    data = load_calendar(
        client, [squad.ANA], start=first, end=last, today=training.TODAY, today_of=lambda _: training.TODAY
    )
    words = FileWords({}, METRIC, steps=lambda _user, plan: [plan.title])
    return calendar_ics(data, words, made_at=datetime(2026, 3, 12, tzinfo=UTC))


def test_the_archive_for_devices_names_the_drafts_that_it_leaves_out(pages_of, client_of, dashboard_settings):
    """They were missing from the archive without a word."""
    with client_of(squad.COACH_KEY) as client:
        create, tomorrow = client.planning.create, training.TODAY + timedelta(days=1)
        for title, text, is_draft in (("Hills", "- 2h 90", True), ("Sprints", "- 1h 80%", False)):
            fields = {"title": title, "text": text, "is_draft": is_draft, "sport": Sport.CYCLING}
            client.planning.batch([create(squad.ANA, EntryKind.WORKOUT, date=tomorrow, **fields)])
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = page_test("calendar", timeout_s=60)
    at.session_state["calendar.below.near"] = True
    at.session_state["calendar.files"] = True
    at.query_params["athlete"] = squad.ANA

    lines = "\n".join(page_views.lines_of(at.run()))

    assert "Not in the archive: Hills" in lines
    assert "Not in the archive: Sprints" not in lines


def test_the_preview_of_a_plan_names_the_race_of_each_athlete_and_who_has_none(client_of, dashboard_settings):
    """Athletes without a race were named, but not that they get nothing."""
    today = datetime.now(UTC).date()
    workout = TrainingPlanEntry(
        day=1, kind=EntryKind.WORKOUT, value=PlanValue(title="Hills", sport=Sport.CYCLING)
    )
    with client_of(squad.COACH_KEY) as client:
        create, race = client.planning.create, today + timedelta(days=9)
        client.planning.batch(
            [create(squad.ANA, EntryKind.EVENT, date=race, name="Club hill climb", sport=Sport.CYCLING)]
        )
        plan = client.planning.add_plan(TrainingPlanInput(title="One week", days=7, entries=(workout,)))
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", today.isoformat())
    at = page_test("plans", timeout_s=60)
    address = {"plan": plan.id, "view": "apply", "to": f"{squad.ANA},{squad.BEN}"}
    at.query_params.update(address | {"anchor": "race"})
    at.run()

    assert at.dataframe[0].value["Race"].tolist() == ["Club hill climb"]
    assert at.warning[0].value.startswith("Left out, without such a race: Ben")
    at.query_params["anchor"] = "start"
    assert "Race" not in at.run().dataframe[0].value


def test_the_preview_of_a_plan_names_who_has_it_already(client_of, dashboard_settings):
    """A second application added every workout twice, and the preview named only the days."""
    today = datetime.now(UTC).date()
    workout = TrainingPlanEntry(
        day=1, kind=EntryKind.WORKOUT, value=PlanValue(title="Hills", sport=Sport.CYCLING)
    )
    with client_of(squad.COACH_KEY) as client:
        plan = client.planning.add_plan(TrainingPlanInput(title="One week", days=7, entries=(workout,)))
        anchored = AnchoredAthlete(user_id=squad.ANA, anchor=PlanAnchor(start=today + timedelta(days=9)))
        client.planning.apply_plan(plan, ApplyRequest(athletes=(anchored,)))
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", today.isoformat())
    at = page_test("plans", timeout_s=60)
    at.query_params.update({"plan": plan.id, "view": "apply", "to": f"{squad.ANA},{squad.BEN}"})
    at.run()

    (warning,) = at.warning
    assert warning.value.startswith("Have this plan already: Ana")
    assert "Ben" not in warning.value


def test_the_preview_of_a_plan_is_asked_again_only_after_a_change(client_of, dashboard_settings):
    """Each run of the page asked the service for the whole preview again."""
    day = datetime.now(UTC).date() + timedelta(days=9)
    entry = TrainingPlanEntry(
        day=1, kind=EntryKind.WORKOUT, value=PlanValue(title="Hills", sport=Sport.CYCLING)
    )
    asked = []
    apply = Planning.apply_plan

    def noted(planning, plan, request, **options):
        asked.append(request)
        return apply(planning, plan, request, **options)

    dashboard_settings.setattr(Planning, "apply_plan", noted)
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    with client_of(squad.COACH_KEY) as client:
        plan = client.planning.add_plan(TrainingPlanInput(title="A day", days=1, entries=(entry,)))
        at = page_test("plans", timeout_s=60)
        address = {"plan": plan.id, "view": "apply", "to": squad.ANA, "on": day.isoformat()}
        at.query_params.update(address)
        at.run()
        at.run()
        assert len(asked) == 1
        assert at.dataframe[0].value["Days with a workout"].tolist() == [0]

        fields = {"title": "Ride", "sport": Sport.CYCLING, "date": day}
        client.planning.batch([client.planning.create(squad.ANA, EntryKind.WORKOUT, **fields)])
        wait_until(lambda: at.run().dataframe[0].value["Days with a workout"].tolist() == [1])
        assert len(asked) == 2


def test_the_preview_of_a_service_that_names_no_changes_is_asked_in_each_run(
    client_of, dashboard_settings, squad_service
):
    """The former preview stayed until another page or day."""
    day = datetime.now(UTC).date() + timedelta(days=9)
    value = PlanValue(title="Hills", sport=Sport.CYCLING)
    entry = TrainingPlanEntry(day=1, kind=EntryKind.WORKOUT, value=value)
    absent = says(404, b'{"code":"not_found","error":"No such route."}')

    def without_own_data(exchange):
        is_own_data = b" /own/" in exchange.raw.split(b"\r\n", 1)[0]
        absent(exchange) if is_own_data else exchange.answer(exchange.ask())

    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    with faulty(squad_service) as line, client_of(squad.COACH_KEY) as client:
        line.always = without_own_data
        dashboard_settings.setenv("COACHBOARD_BASE_URL", line.url)
        plan = client.planning.add_plan(TrainingPlanInput(title="A day", days=1, entries=(entry,)))
        at = page_test("plans", timeout_s=60)
        at.query_params.update(plan=plan.id, view="apply", to=squad.ANA, on=day.isoformat())
        assert at.run().dataframe[0].value["Days with a workout"].tolist() == [0]

        fields = {"title": "Ride", "sport": Sport.CYCLING, "date": day}
        client.planning.batch([client.planning.create(squad.ANA, EntryKind.WORKOUT, **fields)])

        assert at.run().dataframe[0].value["Days with a workout"].tolist() == [1]


def test_more_athletes_than_one_application_takes_are_refused_in_words(
    client_of, dashboard_settings, squad_store
):
    """The choice of a squad of 300 ended in a traceback."""
    for number in range(201):
        squad_store.add_user(NewUser(id=f"usr_{number}", first_name=f"Rider {number}"))
        squad_store.add_member(squad.SQUAD, f"usr_{number}", WorkspaceRole.ATHLETE)
    entry = TrainingPlanEntry(
        day=1, kind=EntryKind.NOTE, value=PlanValue(title="Rest", type=NoteType.REST_DAY)
    )
    with client_of(squad.COACH_KEY) as client:
        plan = client.planning.add_plan(TrainingPlanInput(title="A day", days=1, entries=(entry,)))
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = page_test("plans", timeout_s=60)
    at.query_params.update({"plan": plan.id, "view": "apply"})
    at.run().multiselect[0].set_value(["All athletes"]).run()

    assert not at.exception
    assert [warning.value for warning in at.warning] == ["Choose at most 200 athletes at once."]


def test_the_archive_of_a_plan_has_its_workouts_and_names_the_drafts_and_losses_before_the_download(
    client_of, dashboard_settings
):
    texts = {"Hills": "- 2h 90", "Sprints": "- 1h 80% 140bpm 90rpm"}
    workouts = [
        TrainingPlanEntry(
            day=day, kind=EntryKind.WORKOUT,
            value=PlanValue(title=title, sport=Sport.CYCLING, text=texts[title], is_draft=title == "Hills"),
        )
        for day, title in enumerate(texts, 1)
    ]  # fmt: skip
    with client_of(squad.COACH_KEY) as client:
        plan = client.planning.add_plan(TrainingPlanInput(title="One week", days=7, entries=tuple(workouts)))
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = page_test("plans", timeout_s=60)
    at.query_params["plan"] = plan.id
    at.session_state["plans.files"] = True
    at.run()
    percent = "\n".join(page_views.lines_of(at))
    at.selectbox(key="plans.files.for").select(squad.ANA).run()

    assert "Not in the archive: 1 draft." in percent
    assert "a third target of a step (1 step)" in percent
    assert "percent of a value that is unknown" not in percent
    assert not at.exception
    assert "a third target of a step (1 step)" in "\n".join(page_views.lines_of(at))


def test_a_folder_of_the_address_that_the_library_has_not_is_no_choice_and_shows_all(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = page_test("calendar", timeout_s=60)
    at.query_params.update({"athlete": squad.ANA, "library": "Gone"})
    at.run()
    lines = str(page_views.lines_of(at)) + str(controls_of(at))

    assert "Gone" not in lines
    assert "No workout matches" not in lines
    assert "Easy run 45 min" in lines
