"""Libraries over HTTP: whose workouts a person sees and changes, the search, conflicts, and the checks of texts."""

from dataclasses import replace

import pytest

from coachboard.service.planning.texts import read_text
from coachboard.service.store import NewUser
from coachboard.wire.library import LibraryWorkout
from contract.test_planning import refused
from seeded import ADMIN_KEY, ATHLETE_KEY, CLUB, COACH, COACH_KEY, SQUAD, STRANGER_KEY

PATH = "/plan/v1/workouts"
STEPS = "Warm-up\n- 15m 50-60%\n\n3x\n- 12m 95-100%\n- Easy 4m 50%"
WORKOUT = {"title": "Threshold", "sport": "cycling", "text": STEPS}


@pytest.fixture
def save(ask):
    """Adds a workout; returns the reply. All are deleted at the end."""

    def add(key=COACH_KEY, **fields):
        return ask(PATH, key=key, method="POST", json={**WORKOUT, **fields})

    yield add
    for key in (COACH_KEY, ATHLETE_KEY, ADMIN_KEY):
        for workout in own(ask, key):
            remove(ask, workout, key)


def own(ask, key=COACH_KEY, query=""):
    rows = ask(f"{PATH}{query}", key=key).json()
    return [row for row in rows if not row["isBuiltIn"]]


def patch(ask, workout, key=COACH_KEY, **fields):
    headers = {"If-Match": f'"{workout["etag"]}"'}
    return ask(f"{PATH}/{workout['id']}", key=key, method="PATCH", json=fields, headers=headers)


def remove(ask, workout, key=COACH_KEY):
    headers = {"If-Match": f'"{workout["etag"]}"'}
    return ask(f"{PATH}/{workout['id']}", key=key, method="DELETE", headers=headers)


def test_a_saved_workout_has_the_figures_of_its_text_and_is_listed(ask, save):
    workout = save(folder="Base", description="Even power", trainingStimulus="threshold").json()

    assert LibraryWorkout.from_wire(workout).to_wire() == workout
    assert (workout["duration"], workout["isDraft"], workout["text"]) == (15 * 60 + 48 * 60, False, STEPS)
    assert (workout["createdBy"], workout["workspaceId"]) == ({"id": COACH, "name": "Carla Coach"}, None)
    read = ask(f"{PATH}/{workout['id']}")
    assert (read.json(), read.headers["etag"]) == (workout, f'"{workout["etag"]}"')
    assert own(ask) == [workout]


def test_a_distance_without_a_speed_counts_at_a_usual_one(save):
    swim = save(sport="swimming", text="10x\n- 100mtr 98-102% Pace\n- Rest 15s intensity=rest").json()

    assert swim["distance"] == 1_000
    assert swim["duration"] == pytest.approx(1_000 / 1.1 + 150, abs=1)


def test_a_workout_without_steps_keeps_its_duration(ask, save):
    yoga = save(title="Yoga", sport="training", text=None, duration=1_800).json()
    walk = patch(ask, yoga, text="- 45m").json()

    assert (yoga["text"], yoga["duration"]) == (None, 1_800)
    assert (walk["text"], walk["duration"]) == ("- 45m", 2_700)
    assert refused(patch(ask, walk, duration=60)) == (400, "duration: follows from the text")


def test_a_private_workout_is_its_owners_alone(ask, save):
    workout = save(ATHLETE_KEY).json()

    for key in (COACH_KEY, ADMIN_KEY, STRANGER_KEY):
        assert workout not in ask(PATH, key=key).json()
        for reply in (ask(f"{PATH}/{workout['id']}", key=key), patch(ask, workout, key, title="Mine")):
            assert refused(reply) == (404, "No such workout.")
        assert remove(ask, workout, key).status_code == 404
    assert own(ask, ATHLETE_KEY) == [workout]


def test_a_shared_workout_is_for_the_coaches_of_its_workspace(ask, save, service):
    workout = save(ADMIN_KEY, workspaceId=CLUB).json()

    assert own(ask, ADMIN_KEY) == [workout]
    for key in (COACH_KEY, ATHLETE_KEY):  # athletes of the club
        assert workout not in ask(PATH, key=key).json()
        assert patch(ask, workout, key, title="Mine").status_code == 404
    service.store.add_member(CLUB, COACH, "coach")
    later = patch(ask, workout, title="Ours")
    refusal = refused(patch(ask, later.json(), workspaceId=None))
    moved = patch(ask, later.json(), workspaceId=SQUAD)
    service.store.add_member(CLUB, COACH, "athlete")

    assert later.json()["createdBy"]["name"] == "Ada Admin"
    assert refusal == (403, "Only the person who made this workout makes it private.")
    assert (moved.json()["workspaceId"], own(ask, ADMIN_KEY)) == (SQUAD, [])


def test_sharing_needs_a_workspace_that_the_caller_leads(ask, save):
    private = save().json()

    for workspace_id in (CLUB, "wke_nothing", "x" * 200, ""):
        assert save(workspaceId=workspace_id).status_code == 404
        assert patch(ask, private, workspaceId=workspace_id).status_code == 404
    assert save(ATHLETE_KEY, workspaceId=SQUAD).status_code == 404
    shared = patch(ask, private, workspaceId=SQUAD).json()
    assert shared["workspaceId"] == SQUAD
    assert patch(ask, shared, workspaceId=None).json()["workspaceId"] is None


def test_a_change_needs_the_version_that_was_read(ask, save):
    workout = save().json()
    path = f"{PATH}/{workout['id']}"
    assert ask(path, method="PATCH", json={"title": "A"}).status_code == 428
    assert ask(path, method="DELETE").status_code == 428
    newer = patch(ask, workout, title="Newer").json()

    assert newer["etag"] != workout["etag"]
    for stale in (patch(ask, workout, title="Mine"), remove(ask, workout)):
        assert (stale.status_code, stale.json()["current"]) == (412, newer)
    assert remove(ask, newer).json() == newer
    assert remove(ask, newer).status_code == 404


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": "- 25h 60%"}, "text: Line 1"),
        ({"text": "- 10m 600%"}, "text: Line 1"),
        ({"text": "- 400m", "sport": "swimming"}, "text: Line 1"),
        ({"title": None}, "title"),
        ({"title": "\u200e \u202e"}, "title: has no visible character"),
        ({"sport": "quidditch"}, "Invalid request body: sport"),
        ({"duration": 60}, "duration: follows from the text"),
        ({"title": "a\u0000b"}, "Invalid request body: a text has a control character."),
        ({"folder": "x" * 81}, "Invalid request body: folder"),
        ({"isBuiltIn": True}, "Invalid request body: isBuiltIn"),
    ],
)
def test_wrong_fields_are_refused_with_their_place(fields, sentence, ask, save):
    workout = save().json()
    for reply in (save(**fields), patch(ask, workout, **fields)):
        status, words = refused(reply)
        assert (status, sentence in words) == (400, True), words
    assert own(ask) == [workout]


def test_the_service_answers_while_a_long_text_is_read(ask, save, service, monkeypatch):
    """A text of 20,000 characters takes half a second."""
    ask(PATH)  # reads the texts of Coachboard's workouts, once in a process
    answers = []

    def read_beside_a_request(*args):
        answers.append(service.client.get("/health", timeout=5).status_code)
        return read_text(*args)

    monkeypatch.setattr("coachboard.service.planning.entries.read_text", read_beside_a_request)
    saved = save().json()
    path, tag = f"/plan/v1/workouts/{saved['id']}", {"If-Match": saved["etag"]}
    changed = ask(path, method="PATCH", json={"text": "- 20m 60%"}, headers=tag)

    assert changed.status_code == 200, changed.text
    assert answers == [200, 200]


def test_a_draft_keeps_a_text_with_errors(ask, save):
    draft = save(text="- 10 parsecs", isDraft=True).json()
    mended = patch(ask, draft, text="- 10m 60%").json()

    assert (draft["isDraft"], draft["text"], draft["duration"]) == (True, "- 10 parsecs", None)
    assert (mended["isDraft"], mended["duration"]) == (False, 600)


def test_invisible_characters_and_empty_texts_are_removed(save):
    workout = save(
        title=" Evil\u202e  title ", description="=HYPERLINK(1)\r\n\u2066<b>x</b>", folder="  "
    ).json()

    assert (workout["title"], workout["folder"]) == ("Evil title", None)
    assert workout["description"] == "=HYPERLINK(1)\n<b>x</b>"


def test_the_search_takes_words_sport_stimulus_and_duration(ask, save):
    save(title="Hügel lang", folder="Base", trainingStimulus="threshold")
    save(title="Sprints", folder="Build", description="For hilly races", text="- 30m 60%")
    save(title="Easy", sport="running", text=None)

    def titles(query):
        return [row["title"] for row in own(ask, query=query)]

    assert titles("") == ["Easy", "Hügel lang", "Sprints"]  # by folder, then title
    assert titles("?words=HUGEL") == ["Hügel lang"]
    assert titles("?words=races%20build") == ["Sprints"]
    assert titles("?words=races%20base") == []
    assert titles("?sport=running") == ["Easy"]
    assert titles("?trainingStimulus=threshold") == ["Hügel lang"]
    assert titles("?minDuration=1800") == ["Hügel lang", "Sprints"]  # one of no duration is in neither
    assert titles("?maxDuration=1800") == ["Sprints"]
    assert titles("?words=") == ["Easy", "Hügel lang", "Sprints"]
    for wrong in ("sport=chess", "trainingStimulus=", "minDuration=-1", "words=a&words=b", "words=%00"):
        assert ask(f"{PATH}?{wrong}").status_code == 400


@pytest.mark.parametrize("key", [COACH_KEY, ATHLETE_KEY, STRANGER_KEY])
def test_the_workouts_of_coachboard_are_there_for_everybody_and_nobody_changes_them(key, ask):
    ours = [row for row in ask(PATH, key=key).json() if row["isBuiltIn"]]

    assert len(ours) == 30
    workout = ours[0]
    assert ask(f"{PATH}/{workout['id']}", key=key).json() == workout
    for reply in (patch(ask, workout, key, title="Mine"), remove(ask, workout, key)):
        assert refused(reply) == (403, "This workout comes with Coachboard: save a copy of it.")


def test_a_full_library_takes_no_more(ask, save, monkeypatch):
    monkeypatch.setattr("coachboard.service.planning.library.MOST_WORKOUTS", 2)
    save()
    save()

    assert refused(save()) == (409, "This library has 2 workouts; delete some first.")
    assert save(workspaceId=SQUAD).status_code == 200


def test_ids_that_are_none_are_unknown(ask):
    for wrong in ("lib_nothing", "%00", "a" * 101, "lib_%F0%9F%92%A9"):
        assert ask(f"{PATH}/{wrong}").status_code == 404
    assert ask(PATH, key=None).status_code == 401


def test_a_private_workout_goes_with_its_owner_and_a_shared_one_stays(ask, save, service):
    leaver = service.store.add_user(NewUser(first_name="Lea"))
    service.store.add_key(leaver, label="tests", key="leaver-key-of-tests")
    service.store.add_member(SQUAD, leaver, "coach")
    private = save("leaver-key-of-tests").json()
    shared = save("leaver-key-of-tests", workspaceId=SQUAD).json()
    service.store.remove_user(leaver)
    (kept,) = own(ask)

    with service.store.reading_plans() as plans:
        assert plans.library.find(private["id"]) is None
    assert (kept["id"], kept["createdBy"]) == (shared["id"], {"id": leaver, "name": leaver})


def test_of_two_changes_of_one_version_one_is_written(save, service):
    saved = save().json()
    with service.store.changing_plans() as plans:
        seen = plans.library.find(saved["id"])
        newer = replace(seen, updated_at=seen.updated_at + 1)

        assert plans.library.replace(seen, newer)
        assert not plans.library.replace(seen, replace(newer, creator_id="usr_other"))
        assert not plans.library.remove(seen)
        assert plans.library.find(seen.id) == newer
