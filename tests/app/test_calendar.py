"""The planning calendar: its texts for a coach and its clicks."""

import json
import re
from datetime import date, timedelta

import httpx
import pytest
from lxml import html
from streamlit.testing.v1 import AppTest

import plain_rows
import squad
import training
from coachboard.service.store import NewNote
from coachboard.ui.frame import connection, navigation
from coachboard.ui.frame.addresses import day_in_calendar
from coachboard.ui.frame.text import md
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Note
from plain_service import plain_app
from serving import served

PAGE = navigation.PAGES_FOLDER / "calendar.py"


@pytest.fixture
def calendar(dashboard_settings, squad_store):
    training.seed(squad_store, squad.ANA)
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())

    def open_calendar(*, near=True, **params):
        at = AppTest.from_file(str(PAGE), default_timeout=30)
        if near:
            at.session_state["calendar.below.near"] = True
        at.query_params["athlete"] = squad.ANA
        for name, value in params.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return open_calendar


def read(at):
    return "\n".join(
        element.value for kind in (at.markdown, at.caption, at.header, at.subheader) for element in kind
    )


def test_adherence_shows_the_outcome_of_every_plan(calendar):
    """Kept, moved, missed and excused are distinguished, and unplanned sessions are counted."""
    text = read(calendar())

    assert (
        "2 of 3 due sessions done (67 %), 1 on the planned day, 1 moved, 1 missed, 1 excused, 1 unplanned"
        in text
    )
    assert "1 session moved: 2 days later." in text
    links = re.findall(r"- (.+): \[(.+)\]\((.+)\), (.+)", text)
    assert [(title, outcome.partition(",")[0]) for _, title, _, outcome in links] == [
        ("Moved plan", "done 2 days later"),
        (md(training.HOSTILE), "missed"),
    ]
    assert all(
        link.startswith(f"calendar?athlete={squad.ANA}&view=week&on=2026-03-") for _, _, link, _ in links
    )
    assert "✓ on target (at least 90 % of the work steps; by totals within 20 %)" in text
    assert "likely match" not in text  # no such mark on these days


def component(at, key):
    """The data of a component."""
    return [json.loads(one.proto.json) for one in at.get("bidi_component") if key in one.proto.id]


def grid_of(at):
    """The markup of the grid, parsed."""
    (grid,) = component(at, "calendar.grid")
    return html.fragment_fromstring(grid["markup"], create_parent="div")


def week_lines(at):
    """The lines beside each week of the grid, as `label value`."""
    return [" ".join(line.xpath("span/text()")) for line in grid_of(at).xpath("//*[@class='total'][span]")]


def test_sessions_without_a_sport_count_in_the_totals_of_their_week(calendar, squad_store):
    squad_store.put_activities(
        squad.BEN,
        [training.activity("Bare", training.TODAY, sport=None), training.activity("Ride", training.TODAY)],
    )
    lines = week_lines(calendar(athlete=squad.BEN))

    assert "Distance 60.0 km" in lines
    assert "No sport 1h00" in lines
    assert "Sessions 2" in lines


def test_the_address_says_whether_missed_plans_count(calendar, squad_store):
    past = training.TODAY - timedelta(days=2)
    squad_store.put_prescriptions(squad.BEN, [training.prescription("Missed", past)])
    squad_store.put_activities(squad.BEN, [training.activity("Ride", training.TODAY)])

    assert "Sessions 1 of 1" in week_lines(calendar(athlete=squad.BEN))
    assert "Sessions 1" in week_lines(calendar(athlete=squad.BEN, missed="out"))
    text = read(calendar(athlete=squad.BEN, missed="out", look="totals"))
    assert "Missed plans do not count." in text
    assert "Missed plans count." in read(calendar(athlete=squad.BEN, look="totals"))


def test_the_totals_of_several_athletes_name_each(calendar, squad_store):
    squad_store.put_activities(squad.BEN, [training.activity("Ride", training.TODAY)])
    at = calendar(beside=squad.BEN, look="totals")

    (table,) = [one.value for one in at.dataframe if "Sport" in one.value]
    assert len(set(table["Athlete"])) == 2


def test_plans_by_distance_are_summed_in_their_week(calendar, squad_store):
    by_distance = {"sport": Sport.RUNNING, "duration": None}
    plans = [
        training.prescription(f"Run {metres}", training.TODAY, distance=metres, **by_distance)
        for metres in (18_500, 10_000)
    ]
    squad_store.put_prescriptions(squad.BEN, plans)
    lines = week_lines(calendar(athlete=squad.BEN))

    assert "Distance 0 of 28.5 km" in lines


def test_a_period_that_lies_ahead_says_so(calendar):
    text = read(calendar(plans="2026-03-13,2026-03-20"))

    assert "No plan due yet, 1 to come." in text


def test_event_ahead_counts_down(calendar):
    assert "in 30 days (4 weeks 2 days)" in read(calendar())


def test_days_of_another_year_do_not_deny_the_events_ahead(calendar):
    assert "No upcoming events" not in read(calendar(on="2024-01-01"))


def test_sections_below_a_month_load_when_the_reader_scrolls(calendar):
    assert "on target (at least" not in read(calendar(near=False))
    assert "on target (at least" in read(calendar(near=False, view="week"))
    assert "Week of" in calendar(near=False, look="totals").dataframe[0].value


def test_a_day_opens_to_its_entries(calendar):
    text = read(calendar(open="2026-03-09"))

    assert "Sick day" in text
    assert "excused by a note" in text
    assert "Cold" in text


def test_a_day_that_is_no_longer_shown_is_not_called_empty(calendar):
    """It has entries; only the days shown were read."""
    assert "No plans, sessions, notes or events" not in read(
        calendar(open="2026-03-09", view="week", on="2026-03-23")
    )


def test_a_link_to_an_open_day_alone_shows_the_days_around_it(calendar):
    text = read(calendar(open="2026-01-14"))

    assert "January 2026" in text
    assert "No plans, sessions, notes or events" in text


def test_the_day_that_other_pages_lead_to_is_open(calendar):
    """A session picked on the roster or the athlete page is open, in its week."""
    text = read(calendar(**day_in_calendar("2026-03-09")))

    assert "9 to 15 Mar 2026" in text
    assert "Sick day" in text


def test_a_plan_opens_to_its_steps_and_its_verdict(calendar):
    at = calendar(open="tpr_Intervals")
    text = read(at)

    assert "Estimated duration **12:00**, 3 free steps counted as 1:00 each" in text
    assert "Not feasible as planned" in text
    assert "step 1, active 1/3" in text
    assert "0 of 3 repetitions fit" in text
    steps = next(frame.value for frame in at.dataframe if "Step" in frame.value)
    assert steps["Power"].tolist()[:2] == ["400 W", "100 W"]


def test_a_plan_to_come_has_recovery_and_the_last_three_like_it(calendar):
    text = read(calendar(open="tpr_Intervals")).replace("\\", "")

    assert "**Against it:**" in text
    assert "Not enough data: " in text
    assert "Last similar workouts:" in text
    assert "Fri 6 Mar, Moved plan: Δ off, 100 % (+50 %) of the planned duration" in text
    assert "Mon 9 Mar, Sick day: excused" in text


def test_a_past_plan_has_no_outlook(calendar):
    assert "Last similar workouts:" not in read(calendar(open="tpr_Sick day"))


def test_the_steps_of_a_run_have_the_quantity_in_their_heading(calendar, squad_store):
    step = {"type": "step", "label": "active", "length": {"type": "duration", "duration": 600}}
    target = {"intensity": dict(training.intensity(None), minSpeed=3.0, maxSpeed=3.5)}
    run = training.prescription("Run", date(2026, 3, 20), sport=Sport.RUNNING, structure=[step | target])
    squad_store.put_prescriptions(squad.ANA, [run])
    steps = calendar(open="2026-03-20").dataframe[0].value

    assert steps["Pace"].tolist() == ["5:33–4:46 /km"]


def test_a_days_only_plan_is_shown_in_full(calendar):
    """From the roster's next session to its steps it is one click."""
    text = read(calendar(**day_in_calendar("2026-03-13")))

    assert "Estimated duration **12:00**" in text


def test_titles_of_strangers_are_text(calendar):
    text = read(calendar(open="2026-03-03"))

    assert "<script>" not in text
    assert "![x](" not in text
    assert "\\<script\\>" in text


def test_week_totals_are_by_sport_with_units(calendar):
    at = calendar(look="totals")
    totals = next(frame.value for frame in at.dataframe if "Week of" in frame.value)

    assert totals["Sport"].tolist() == ["Cycling", "Cycling", "Running"]
    assert totals["Done"].tolist() == ["2h30", "–", "–"]
    assert totals["Planned distance"].tolist() == ["–", "–", "–"]
    # 60 in an hour and 60 in an hour and a half: 50 an hour, three hours planned, then steps at 400 W
    # with a critical power of 250 W, and an excused one.
    assert totals["Planned load"].tolist() == ["150", "43", "–"]
    assert [line for line in week_lines(at) if "Load" in line] == ["Load 120 of 150", "Load 60 of 43"]
    assert totals["Sessions"].tolist() == ["2 of 3", "0 of 1", "1"]
    assert "Excused plans never count." in read(at)


def test_view_and_day_come_from_the_address(calendar):
    for view, title in [
        ("month", "March 2026"),
        ("week", "9 to 15 Mar 2026"),
        ("agenda", "9 Mar to 5 Apr 2026"),
    ]:
        assert title in read(calendar(view=view))


def test_days_across_the_turn_of_the_year_name_both_years(calendar):
    assert "28 Dec 2026 to 3 Jan 2027" in read(calendar(view="week", on="2027-01-01"))


def test_a_month_of_the_address_opens(calendar):
    assert "January 2026" in read(calendar(month="2026-01"))


def test_a_second_athlete_shares_the_grid(calendar):
    text = read(calendar(beside=squad.BEN))

    assert "Ana Li" in text
    assert "Nothing planned" in text


def test_a_group_shares_a_week(calendar, squad_store):
    with squad_store.changing_plans() as plans:
        plans.set_groups(squad.SQUAD, squad.BEN, ["Juniors"])
    pick = controls(calendar(), "calendar.beside")[("add", "Compare with")]
    at = calendar(beside="group.Juniors")

    assert ["group.Juniors", "Group Juniors (week)"] in pick["options"]
    assert controls(at)[("view", "View")]["chosen"] == "week"
    assert ("drop", "Group Juniors ×") in controls(at, "calendar.beside")
    assert ("drop", "Group Seniors ×") not in controls(calendar(beside="group.Seniors"), "calendar.beside")


def test_the_pickers_of_an_athlete_name_groups_for_their_search(calendar, squad_store):
    with squad_store.changing_plans() as plans:
        plans.set_groups(squad.SQUAD, squad.BEN, ["Track", "Juniors"])
    at = calendar()
    picker = controls(at, "pick.athlete")[("athlete", "Athlete")]
    beside = controls(at, "calendar.beside")[("add", "Compare with")]

    for each in (picker, beside):
        assert [option[2:] for option in each["options"] if option[0] == squad.BEN] == [["Juniors, Track"]]
    assert [squad.ANA, "Ana Li"] in picker["options"]


def test_a_subscription_offers_the_chosen_athletes_and_each_group(calendar, squad_store):
    with squad_store.changing_plans() as plans:
        plans.set_groups(squad.SQUAD, squad.BEN, ["Track"])
    at = calendar(beside=squad.BEN, view="week")
    at.session_state["calendar.feeds"] = True
    field = at.run().selectbox(key="calendar.feeds.of")
    squad_name = field.options[2].removeprefix("All athletes of ")
    assert [name[:6] for name in field.options[:2]] == ["Ana Li", "Ben !["]
    assert field.options[3] == f"Group Track of {squad_name}"
    field.select_index(3).run()
    at.button(key="calendar.feeds.new").click().run()

    assert not at.exception
    assert md(f"Group Track of {squad_name}") in read(at)
    assert "Copy this address now" in read(at)


@pytest.mark.parametrize("target", [{"hours": 8}, {"hours": 0.1}, {"load": 0.3}, {"load": 9_999.9}])
def test_the_dialog_opens_for_each_target_that_the_service_takes(target, calendar, squad_service):
    monday = training.TODAY - timedelta(days=training.TODAY.weekday())
    path = f"{squad_service}/plan/v1/users/{squad.ANA}/targets/{monday}"
    headers = {"Authorization": f"Bearer {squad.COACH_KEY}"}
    assert httpx.put(path, json=target, headers=headers).status_code == 200
    at = calendar(target=f"{monday}.{squad.ANA}")

    assert at.button[-1].label == "Delete target"


def test_an_edited_address_falls_back_to_valid_values(calendar):
    for bad in [
        {"on": "yesterday"},
        {"view": "year"},
        {"open": "tpr_gone"},
        {"beside": "usr_x,,"},
        {"look": "no"},
        {"month": "2026-13"},
    ]:
        assert "March 2026" in read(calendar(**bad))


def test_an_athlete_without_anything_reads_why(calendar):
    for look, why in (
        ("adherence", "Nothing planned"),
        ("season", "No plans or sessions in this season"),
        ("totals", "No plans or sessions in this period"),
    ):
        text = read(calendar(athlete=squad.BEN, look=look))
        assert "No upcoming events" in text
        assert why in text


def test_a_day_at_the_ends_of_the_calendar_shows_the_nearest_that_can_be_shown(calendar):
    for view in ["month", "week", "agenda"]:
        for on in ["0001-01-01", "9999-12-31"]:
            assert "Something went wrong" not in read(calendar(view=view, on=on))
            assert "Something went wrong" not in read(calendar(view=view, month=on[:7]))


def controls(at, key="calendar.bar"):
    """The controls above the grid, by name and label."""
    (bar,) = (json.loads(one.proto.json) for one in at.get("bidi_component") if key in one.proto.id)
    return {(one["name"], one["label"]): one for one in bar}


def test_the_month_picker_reaches_each_month_of_history_and_plans(calendar, squad_store):
    squad_store.put_activities(squad.ANA, [training.activity("Ancient", date(1999, 2, 3))])
    months = controls(calendar())[("month", "Month")]
    assert months["chosen"] == "2026-03"
    assert [months["options"][0][1], months["options"][-1][1]] == ["January 1970", "December 2028"]
    assert ["1999-02", "February 1999"] in months["options"]

    at = calendar(month="1999-02")
    assert "February 1999" in read(at)
    assert "Ancient" in "".join(
        one.proto.json for one in at.get("bidi_component") if "calendar.grid" in one.proto.id
    )
    assert controls(at)[("month", "Month")]["chosen"] == "1999-02"


def test_the_month_of_today_opens_the_week_of_today(calendar):
    assert "9 to 15 Mar 2026" in read(calendar(month="2026-03", view="week"))
    assert "30 Mar to 5 Apr 2026" in read(calendar(month="2026-04", view="week"))


def test_a_step_back_to_this_month_is_at_today(calendar):
    steps = controls(calendar(month="2026-04"))

    assert steps[("on", "Previous")]["says"] == training.TODAY.isoformat()
    assert steps[("on", "Next")]["says"] == "2026-05-01"


def test_a_service_without_the_planning_api_has_no_control_that_writes(calendar, tmp_path):
    own = calendar()
    grid = grid_of(own)
    assert grid.xpath("//*[@data-act='new']/button/text()")[0] == "Workout"
    assert {item.get("data-can", "") for item in grid.find_class("item")} == {"", "move delete"}

    with served(plain_app(plain_rows.plain())) as address, pytest.MonkeyPatch.context() as env:
        env.setenv("COACHBOARD_BASE_URL", address)
        env.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{tmp_path}/cache.db")
        env.setenv("COACHBOARD_TODAY", plain_rows.TODAY.isoformat())
        other = AppTest.from_file(str(PAGE), default_timeout=30)
        other.session_state["calendar.below.near"] = True
        other.query_params["edit"] = "new.workout.2026-03-05.me"
        other.run()
        connection.close_all()

    assert not other.exception
    grid = grid_of(other)
    assert component(other, "calendar.grid")[0]["plan"] is None
    assert grid.find_class("item")
    assert not [each for name in ("menu", "plus", "actions") for each in grid.find_class(name)]
    assert {item.get("data-can") for item in grid.find_class("item")} == {None}
    assert component(other, "calendar.editor") == []
    assert "Changes" not in str(component(other, "calendar.look"))


def test_an_absence_that_began_weeks_ago_excuses_the_plans_of_a_week(calendar, squad_store):
    """The roster had "excused", the calendar of one week "missed": it read the notes of its own days only."""
    note = Note(
        id="not_away", type=NoteType.AVAILABILITY, title="Away for eight weeks", content=None,
        date=training.TODAY - timedelta(days=40), time=None,
    )  # fmt: skip
    squad_store.put_notes(squad.ANA, [NewNote(note=note, creator_id=squad.ANA, hidden_until=None)])
    text = read(calendar(view="week", on=(training.TODAY - timedelta(days=7)).isoformat()))

    assert "1 excused" in text
    assert "1 missed" not in text
