"""Files for devices over HTTP: formats, losses in the header, rights, archives."""

from io import BytesIO
from zipfile import ZipFile

import fitdecode
import pytest

from contract.test_planning import change, create, done, plan, refused
from seeded import ADMIN_KEY, ATHLETE, ATHLETE_KEY, STRANGER_KEY, TODAY

__all__ = ["plan"]
TEXT = {"text": "3x\n- 12m 95-100% 140bpm 90rpm\n- Easy 4m 50%", "duration": None}
WEEK = f"/plan/v1/users/{ATHLETE}/files?from=2026-05-04&to=2026-05-10&format="


def powers(content):
    with fitdecode.FitReader(content) as frames:
        return [
            frame.get_value("custom_target_power_low", fallback=None)
            for frame in frames
            if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "workout_step"
        ]


def file(ask, entry, kind, **more):
    return ask(f"/plan/v1/entries/{entry['id']}/file?format={kind}", **more)


def test_a_file_has_the_watts_of_the_day_and_names_what_it_leaves_out(plan, ask):
    entry = done(plan(create(title="Über/unders", **TEXT)))
    fit, erg = file(ask, entry, "fit"), file(ask, entry, "erg", key=ATHLETE_KEY)

    assert powers(fit.content)[:2] == [round(0.95 * 290) + 1000, 145 + 1000]
    assert (
        fit.headers["content-disposition"]
        == "attachment; filename*=UTF-8''2026-05-04%20%C3%9Cber%20unders.fit"
    )
    assert fit.headers["coachboard-dropped"] == "a third target of a step (1 step)"
    assert "\r\n12.000\t283\r\n" in erg.content.decode()
    assert erg.headers["coachboard-dropped"].startswith("repeats: written out; ")
    assert "targets of heart rate (3 steps)" in erg.headers["coachboard-dropped"]


def test_drafts_notes_and_unknown_formats_are_refused_in_words(plan, ask):
    draft = done(plan(create(isDraft=True, text="- 30h 50%", duration=None)))
    swim = done(plan(create(sport="swimming", text="- 400mtr", duration=None)))
    note = done(plan(create("note")))

    assert refused(file(ask, draft, "fit")) == (
        400, "The text of this workout has errors. Correct it, then download the file.",
    )  # fmt: skip
    assert refused(file(ask, swim, "zwo")) == (400, "ZWO is for rides and runs. Download the workout as FIT.")
    assert refused(file(ask, note, "fit")) == (400, "Only a planned workout has a file for devices.")
    assert refused(file(ask, swim, "gpx")) == (400, "format: write one of fit, zwo, erg, mrc.")
    assert file(ask, swim, "fit").status_code == 200


def test_only_people_who_may_read_an_entry_get_its_file(plan, ask):
    hidden = done(plan(create(visibleFrom=str(TODAY.replace(year=2027)))))

    assert file(ask, hidden, "fit").status_code == 200
    assert ask(WEEK + "fit", key=STRANGER_KEY).status_code == 404
    for key in (ATHLETE_KEY, ADMIN_KEY, STRANGER_KEY):
        assert file(ask, hidden, "fit", key=key).status_code == 404
    assert "hidden" not in ask(WEEK + "fit", key=ATHLETE_KEY).text


def test_a_week_is_one_archive_without_skipped_workouts_and_drafts(plan, ask):
    for day in ("2026-05-04", "2026-05-06", "2026-05-10", "2026-05-11"):
        done(plan(create(date=day, **TEXT)))
    skipped = done(plan(create(date="2026-05-05", **TEXT)))
    done(plan(change("skip", skipped, reason="Sore throat")))
    done(plan(create(date="2026-05-07", sport="swimming", text="- 400mtr", duration=None)))
    done(plan(create(date="2026-05-08", isDraft=True, text="- 30h 50%", duration=None)))
    reply = ask(WEEK + "zwo")

    with ZipFile(BytesIO(reply.content)) as archive:
        assert archive.namelist() == [f"2026-05-{day} Endurance.zwo" for day in ("04", "06", "10")]
    assert reply.headers["coachboard-dropped"].endswith("; not in the archive: 2026-05-07")
    assert refused(ask(f"/plan/v1/users/{ATHLETE}/files?from=2026-05-07&to=2026-05-07&format=zwo")) == (
        400, "ZWO is for rides and runs. Download the workout as FIT.",
    )  # fmt: skip
    assert refused(ask(f"/plan/v1/users/{ATHLETE}/files?from=2026-06-01&to=2026-06-02&format=fit"))[1] == (
        "No workout is planned on these days."
    )


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("format=fit", "The query parameters 'from' and 'to' are required."),
        ("from=2026-05-01&to=2026-06-01&format=fit", "The range exceeds 31 days."),
        ("from=2026-05-01&to=2026-05-02", "The query parameter 'format' is required once."),
    ],
)
def test_a_wrong_question_for_an_archive_is_refused_in_words(query, sentence, ask):
    assert refused(ask(f"/plan/v1/users/{ATHLETE}/files?{query}")) == (400, sentence)
