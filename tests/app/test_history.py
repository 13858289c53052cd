"""The list of all sessions on the page Activity: search, filters, order, and the way to a session and back."""

import json
from datetime import UTC, date, datetime, timedelta
from itertools import product
from urllib.parse import parse_qsl, urlsplit

import pytest

import rides
import squad
import training
import years
from coachboard.wire.enums import Sport
from drawn import page_test
from faulty_proxy import faulty, reset


@pytest.fixture
def signed_in(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_TODAY", years.TODAY.isoformat())
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    return dashboard_settings


@pytest.fixture
def history(signed_in, squad_store):
    """Eight years of sessions; gives them newest first."""
    years.seed(squad_store, squad.ANA)
    return squad_store.activities_of(squad.ANA, None, None)


def opened(**params):
    at = page_test("activity", timeout_s=60)
    at.query_params.update({"athlete": squad.ANA} | params)
    at.run()
    assert not at.exception
    return at


def component(at, key):
    found = [json.loads(one.proto.json) for one in at.get("bidi_component") if key in one.proto.id]
    return found[0] if found else None


def ids(at):
    table = component(at, "activity.history")
    return [row["id"] for row in table["rows"]] if table else []


def captions(at):
    return "\n".join(element.value for kind in (at.caption, at.markdown, at.warning) for element in kind)


def links(at):
    """The parameters of the links in bars, by label."""
    bars = [
        json.loads(one.proto.json)
        for one in at.get("bidi_component")
        if "toolbar" in one.proto.component_name
    ]
    controls = [control for bar in bars for control in bar if control.get("href")]
    return {one["label"]: dict(parse_qsl(urlsplit(one["href"]).query)) for one in controls}


def test_the_list_reaches_the_whole_history_newest_first(history):
    """32 sessions were imported, and the page listed one: those of six weeks."""
    at = opened()
    assert "400 sessions from Wed 28 Mar 2018 to Thu 19 Mar 2026." in captions(at)
    assert ids(at) == [row.id for row in history][:50]

    at.button(key="activity.more").click().run()
    assert ids(at) == [row.id for row in history][:150]
    assert at.query_params["rows"] == "150"
    assert ids(opened(rows="9999")) == [row.id for row in history]


def test_the_search_reads_name_description_and_the_title_of_the_plan(history):
    for words, matches in [
        ("zoe HILLS", lambda row: "Zoë" in row.name),
        ("threshold block 200", lambda row: row.id == "act_200"),
        ("entry 205", lambda row: row.id == "act_205"),
        ("pool fine", lambda row: row.name == "Pool" and row.description),
    ]:
        assert ids(opened(q=words, rows="999")) == [row.id for row in history if matches(row)]


def test_a_session_without_a_name_is_found_by_the_name_on_the_page(history, squad_store):
    """The list names it by its sport: 13 of 21 imported sessions were called "Running" and not found by it."""
    for activity_id, sport in (("act_ski", Sport.CROSS_COUNTRY_SKIING), ("act_gym", Sport.TRAINING)):
        session = rides.activity(activity_id, start=history[0].started_at, sport=sport, name=None)
        squad_store.put_activities(squad.ANA, [session])

    assert ids(opened(q="country skiing")) == ["act_ski"]
    assert ids(opened(q="strength")) == ["act_gym"]


def test_a_likely_match_is_found_by_its_plan_too(history, squad_store):
    """The service pairs none of the plans of an imported calendar."""
    day = next(row for row in history if row.id == "act_301").started_at.date()
    plan = training.prescription("free", day, title="Fartlek", sport=Sport.RUNNING, duration=3610)
    squad_store.put_prescriptions(squad.ANA, [plan])
    at = opened(q="fartlek")

    assert ids(at) == ["act_301"]
    assert component(at, "activity.history")["rows"][0]["cells"][1]["sub"] == "planned as Fartlek"


def test_filters_by_sport_stimulus_distance_and_date_are_one_link(history):
    first, last = date(2020, 1, 1), date(2024, 12, 31)
    at = opened(sport="cycling", stimulus="tempo", min_km="40", max_km="70.5", rows="999",
                **{"from": str(first), "to": str(last)})  # fmt: skip
    expected = [
        row.id
        for row in history
        if row.sport == "cycling"
        and row.training_stimulus == "tempo"
        and 40_000 <= row.distance <= 70_500
        and first <= row.started_at_local.date() <= last
    ]

    assert 5 < len(expected) < 100
    assert ids(at) == expected
    assert f"{len(expected)} of 400 sessions match." in captions(at)
    (button,) = (one for one in component(at, "activity.find") if one["name"] == "filter")
    assert (
        button["label"] == "from Wed 1 Jan 2020, to Tue 31 Dec 2024, at least 40.0 km, at most 70.5 km, Tempo"
    )


VALUES = {
    "day": lambda row: row.started_at,
    "session": lambda row: row.name.casefold(),
    "sport": lambda row: str(row.sport),
    "duration": lambda row: (
        row.total_duration if row.sport is Sport.SWIMMING else row.moving_duration
    ),  # with the rests at the wall
    "distance": lambda row: row.distance,
    "load": lambda row: row.volume,
}


def test_each_column_sorts_both_ways_with_missing_values_last(history, squad_store):
    bare = rides.activity(
        "act_bare", start=datetime(2017, 1, 1, tzinfo=UTC), sport=None, name=None, total_duration=None
    )
    squad_store.put_activities(squad.ANA, [bare])
    rows = {row.id: row for row in [*history, bare]}
    for column, is_descending in product(VALUES, (False, True)):
        at = opened(sort=f"-{column}" if is_descending else column, rows="999")
        values = [VALUES[column](rows[row_id]) for row_id in ids(at) if row_id != "act_bare"]

        assert values == sorted(values, reverse=is_descending)
        assert column == "day" or ids(at)[-1] == "act_bare"
        heads = component(at, "activity.history")["columns"]
        assert {head["id"]: head["sort"] for head in heads if "sort" in head} == {
            column: "descending" if is_descending else "ascending"
        }
        assert all(head["pick"] == f"sort {head['id']}" for head in heads)


def test_a_session_keeps_the_list_for_the_way_back_and_its_neighbours_too(history):
    state = {"q": "hills", "sort": "-distance", "min_km": "20"}
    row = component(opened(**state), "activity.history")["rows"][3]
    params = dict(parse_qsl(urlsplit(row["href"]).query))
    assert params.items() >= state.items()

    at = opened(**params)
    assert links(at)["All sessions"] == {"athlete": squad.ANA} | state
    assert links(at)["Previous"].items() >= state.items()
    assert ids(opened(**links(at)["All sessions"])) == ids(opened(**state))


def test_previous_and_next_walk_through_all_years(signed_in, squad_store):
    """Sessions months and years apart: those around a session were three months before and one after it."""
    starts = [
        datetime(year, month, 3, 8, tzinfo=UTC)
        for year, month in ((2016, 2), (2019, 5), (2019, 6), (2026, 3))
    ]
    squad_store.put_activities(
        squad.ANA, [rides.activity(f"act_{n}", start=start) for n, start in enumerate(starts)]
    )
    walked = ["act_3"]
    at = opened(activity="act_3")
    assert "Next" not in links(at)
    while "Previous" in links(at):
        at = opened(**links(at)["Previous"])
        walked.append(at.query_params["activity"])
    assert walked == ["act_3", "act_2", "act_1", "act_0"]
    while "Next" in links(at):
        at = opened(**links(at)["Next"])
        walked.append(at.query_params["activity"])
    assert walked[4:] == ["act_1", "act_2", "act_3"]


def test_the_day_of_a_session_is_the_athletes(signed_in, squad_store):
    """20:00 UTC of the 3rd is the morning of the 4th at the other end of the world."""
    start = datetime(2021, 5, 3, 20, tzinfo=UTC)
    local = start.replace(tzinfo=None) + timedelta(hours=13)
    squad_store.put_activities(
        squad.ANA, [rides.activity("act_far", start=start, started_at_local=local, utc_offset=780)]
    )

    assert ids(opened(**{"from": "2021-05-04", "to": "2021-05-04"})) == ["act_far"]
    assert not ids(opened(**{"from": "2021-05-03", "to": "2021-05-03"}))


def test_a_session_without_a_date_is_last_and_found(history, squad_store):
    undated = rides.activity("act_when", started_at=None, started_at_local=None, name="Lost clock")
    squad_store.put_activities(squad.ANA, [undated])

    assert ids(opened(rows="999"))[-1] == "act_when"
    at = opened(q="lost")
    assert ids(at) == ["act_when"]
    assert component(at, "activity.history")["rows"][0]["cells"][0]["main"] == "No date"
    assert not ids(opened(q="lost", to="2026-03-01"))


def test_without_a_match_the_page_says_why_and_clears_the_filters(history):
    at = opened(q="no such ride", sport="running")
    assert "None of 400 sessions matches the search and filters." in captions(at)
    at.button(key="activity.clear").click().run()

    assert len(ids(at)) == 50
    assert set(at.query_params) == {"athlete"}


def test_wrong_values_of_an_address_filter_nothing(history):
    at = opened(
        sport="<script>", stimulus="odd", min_km="-4", max_km="nan", sort="-none", rows="x", **{"from": "yes"}
    )

    assert "400 sessions from" in captions(at)
    assert len(ids(at)) == 50


def test_ends_in_the_wrong_order_are_exchanged(history):
    assert ids(opened(min_km="30", max_km="20")) == ids(opened(min_km="20", max_km="30")) != []


def test_the_fields_of_date_and_distance_write_the_address(history):
    at = opened()
    at.session_state["activity.filters"] = True
    at.run()
    at.date_input(key="activity.find.from").set_value(date(2021, 2, 3)).run()
    at.number_input(key="activity.find.min_km").set_value(42.5).run()

    assert at.query_params["from"] == "2021-02-03"
    assert at.query_params["min_km"] == "42.5"
    assert at.number_input(key="activity.find.min_km").label == "Distance from (km)"


def test_failed_plans_leave_the_sessions(history, signed_in, squad_service):
    def answer(exchange):
        if b"training-prescriptions" in exchange.raw.split(b"\r\n", 1)[0]:
            reset(exchange)
        else:
            exchange.answer(exchange.ask())

    with faulty(squad_service) as line:
        line.always = answer
        signed_in.setenv("COACHBOARD_BASE_URL", line.url)
        signed_in.setenv("COACHBOARD_TIMEOUT_S", "1")
        at = opened()

    assert len(ids(at)) == 50
    assert "Titles of planned workouts" in captions(at)
