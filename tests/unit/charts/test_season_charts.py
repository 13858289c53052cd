"""The athlete page's figures as values: the season with its planned future, and its weeks."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from coloraide import Color

from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.season_load import season_load_chart
from coachboard.charts.weekly_volume import weekly_volume_chart
from coachboard.formulas.frames import FATIGUE, FITNESS, FORM, SPORT, STIMULUS, VOLUME, WEEK
from coachboard.formulas.season.load import CLASSIC, SERVICE, LoadStart
from coachboard.formulas.season.phases import Phase, PhaseKind
from coachboard.formulas.season.season_outlook import Future, Season, race_day
from coachboard.pages.activity.like_intervals import IntervalPoint, interval_trend_chart
from coachboard.pages.athlete.season import _load_table, _settling_words, phase_words, race_words
from coachboard.pages.calendar.season import season_strip
from coachboard.wire.enums import TrainingStimulus

FIRST = date(2026, 1, 1)
LAST_DONE, LAST = 9, 14
MONDAYS = [date(2026, 3, 2), date(2026, 3, 9)]


def frame(length, base):
    ramp = np.arange(length, dtype=float)
    return pd.DataFrame({FITNESS: base + ramp, FATIGUE: base + 2 * ramp, FORM: base - ramp})


def season(model=CLASSIC, events=()):
    """Ten days done, five planned, in two ways of doing them."""
    length = LAST + 1
    return Season(
        days=[FIRST + timedelta(days=n) for n in range(length)],
        today_at=LAST_DONE,
        volume=np.where(np.arange(length) <= LAST_DONE, 50.0, 0.0),
        planned=np.where(np.arange(length) > LAST_DONE, 40.4, 0.0),
        actual=frame(LAST_DONE + 1, 60),
        futures=[Future("as planned", frame(length, 60)), Future("at 80 %", frame(length, 55))],
        model=model,
        events=events,
    )


def test_the_first_weeks_of_a_history_are_marked_as_settling_in():
    young = replace(season(), start=LoadStart(3, 50.0))

    assert [len(season_load(one, from_at=0).layout.shapes) for one in (season(), young)] == [1, 2]
    assert "settling in" in [word.text for word in season_load(young, from_at=0).layout.annotations]
    assert young.settling == young.days[3:]
    assert _settling_words(young, 0) == " The first 6 weeks of the curves depend on a starting guess."
    assert _settling_words(season(), 0) == ""  # before the days of the chart


def with_phases():
    """Build on the first six days, nothing on the next two, a taper of three days with today, then the race."""
    spans = [(PhaseKind.BUILD, 0, 5, 412.4), (PhaseKind.TAPER, 8, 10, 200.0), (PhaseKind.RACE, 11, 11, 0.0)]
    days = season().days
    return replace(season(), phases=[Phase(kind, days[a], days[b], load) for kind, a, b, load in spans])


def test_phases_are_a_band_with_names_over_their_days():
    bars = [trace for trace in season_load(with_phases(), from_at=2).data if trace.yaxis == "y4"]

    assert [bar.text[0] for bar in bars] == ["build", "taper", "race"]
    assert [(bar.x[0], bar.width / 86_400_000) for bar in bars] == [
        ("2026-01-04T12:00:00", 4),
        ("2026-01-10T00:00:00", 3),
        ("2026-01-12T00:00:00", 1),
    ]
    assert len({bar.marker.color for bar in bars}) == 3


def test_the_band_of_phases_is_between_the_two_panels():
    layout = season_load(with_phases(), from_at=0).layout

    assert (
        layout.yaxis3.domain[1] < layout.yaxis4.domain[0] < layout.yaxis4.domain[1] < layout.yaxis.domain[0]
    )


def test_the_table_names_the_phase_of_each_day():
    assert _load_table(with_phases(), 4)["Phase"].tolist() == [
        "build", "build", "", "", "taper", "taper", "taper", "race", "", "", "",
    ]  # fmt: skip


def test_the_words_name_each_phase_with_its_load_and_that_of_today_as_now():
    assert phase_words(with_phases(), 2) == (
        r"Phases, with load (done up to today, then planned): build 3 Jan to 6 Jan \(412 a week\), **now: taper 9 Jan to 11 Jan \(200 a week\)**, race 12 Jan."
    )
    assert phase_words(season(), 0) == (
        "No phases: they need a race at most 24 weeks ahead and 4 weeks of load before."
    )


def day(number):
    return (FIRST + timedelta(days=number)).isoformat()


def lines(figure):
    return {trace.name: trace for trace in figure.data if trace.type == "scatter"}


def names(figure):
    """The names of events, without that of today's line."""
    return [note for note in figure.layout.annotations if note.text != "today"]


def season_load(*args, **kwargs):
    """The chart skips Plotly's check; this check reads it in the light and in the dark."""
    made = season_load_chart(*args, **kwargs)
    go.Figure(palette.to_dark(made)._asdict())
    return go.Figure(made._asdict())


def test_plotlys_check_finds_an_unknown_property():
    made = palette.figure([{"type": "scatter", "modes": "lines"}], {}, height=1)
    with pytest.raises(ValueError, match="Invalid property"):
        go.Figure(made._asdict())


def test_the_season_in_the_dark_differs_in_its_colours_alone():
    made = season_load_chart(season(events=[(FIRST + timedelta(days=3), "Cup")]), from_at=2)
    light, dark = go.Figure(made._asdict()), go.Figure(palette.to_dark(made)._asdict())
    assert [tuple(trace.y) for trace in dark.data] == [tuple(trace.y) for trace in light.data]
    line = palette.QUANTITIES[FITNESS]
    assert (light.data[2].line.color, dark.data[2].line.color) == line
    assert light.layout.paper_bgcolor is None
    assert dark.layout.template.layout.paper_bgcolor == palette.SURFACE.dark


def test_the_past_ends_today_and_each_future_begins_there():
    found = lines(season_load(season(), from_at=2))

    past, ahead = found["Fitness (42 d)"], found["Fitness, at 80 %"]
    assert (past.x[0], past.x[-1]) == (day(2), day(LAST_DONE))
    assert list(past.y) == [62.0 + n for n in range(8)]
    assert (ahead.x[0], ahead.x[-1]) == (day(LAST_DONE), day(LAST))
    assert list(ahead.y) == [64.0, 65.0, 66.0, 67.0, 68.0, 69.0]


def test_futures_are_distinguished_without_colour_and_fatigue_has_but_one():
    found = lines(season_load(season(), from_at=0))

    assert {found[name].line.dash for name in ("Fitness, as planned", "Fitness, at 80 %")} == {"dash", "dot"}
    assert "Fatigue, as planned" in found
    assert "Fatigue, at 80 %" not in found


def test_the_legend_names_each_dash_once_for_all_three_lines():
    figure = season_load(season(), from_at=0)

    named = [
        (trace.name, trace.line.dash)
        for trace in figure.data
        if trace.showlegend is not False and trace.type == "scatter"
    ]
    assert named == [
        ("Fitness (42 d)", "solid"), ("Fatigue (7 d)", "solid"), ("Form", "solid"),
        ("As planned", "dash"), ("At 80 %", "dot"),
    ]  # fmt: skip
    drawn = {trace.line.dash for trace in figure.data if trace.type == "scatter" and len(trace.y) > 1}
    assert drawn == {dash for _, dash in named}


def test_names_of_races_that_touch_on_a_phone_are_in_different_rows():
    """Half a season is 258 px wide there: "Queen stage" at a quarter of it ends beyond half."""
    days = [FIRST + timedelta(days=n) for n in (4, 10)]
    notes = names(season_load(season(events=[(day, "Queen stage of the tour") for day in days]), from_at=0))

    assert len({note.yshift for note in notes}) == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_bars_of_daily_load_are_visible(theme):
    colour = season_load(season(), from_at=0).data[0].marker.color
    page = Color(getattr(palette.SURFACE, theme))
    bar = Color(getattr(palette.QUANTITIES["load"], theme)).set(
        "alpha", float(colour.rpartition(",")[2][:-1])
    )

    assert Color.layer([bar, page], space="srgb").contrast(page) >= 2.5


def test_the_services_pair_of_means_is_called_by_its_names():
    found = lines(season_load(season(SERVICE), from_at=0))

    assert f"{SERVICE.fitness} (112 d)" in found
    assert f"{SERVICE.fitness}, as planned" in found


def test_events_of_the_season_are_marked_and_their_names_are_no_markup():
    inside, beyond = FIRST + timedelta(days=12), FIRST + timedelta(days=99)
    figure = season_load(season(events=((inside, "<b>Cup</b>"), (beyond, "Later"))), from_at=0)

    assert [note.x for note in names(figure)] == [inside.isoformat()]
    assert "<b>" not in names(figure)[0].text
    assert {shape.x0 for shape in figure.layout.shapes} == {
        inside.isoformat(),
        (FIRST + timedelta(days=LAST_DONE)).isoformat(),
    }


def test_the_line_of_today_ends_below_the_names_of_events():
    """The name of an event of the next week covered it."""
    today, event = FIRST + timedelta(days=LAST_DONE), FIRST + timedelta(days=LAST_DONE + 1)
    with_name = season_load(season(events=((event, "Fjord ultra"),)), from_at=0).layout
    without = season_load(season(), from_at=0).layout

    tops = {shape.x0: shape.y1 for shape in with_name.shapes}
    lowest_name = 1 - 3 * 14 / with_name.height
    assert tops[today.isoformat()] < lowest_name < tops[event.isoformat()] == 1
    assert [shape.y1 for shape in without.shapes if shape.x0 == today.isoformat()] == [1]
    # Without a name, the dotted line read as the end of the line at 80 % of the plan.
    for layout in (with_name, without):
        (label,) = (note for note in layout.annotations if note.text == "today")
        (line,) = (shape for shape in layout.shapes if shape.x0 == today.isoformat())
        assert (label.x, label.y) == (line.x0, line.y1)
        assert label.yshift < 0  # the second line of an event's name covered its upper half


def test_a_long_name_has_two_lines_and_stays_inside_the_chart():
    """Cut after 28 letters, a race lost its place."""
    early, late = FIRST + timedelta(days=1), FIRST + timedelta(days=13)
    name = 'The "Great" tour of all the hills & valleys'
    notes = names(season_load(season(events=((early, name), (late, name))), from_at=0))

    assert [note.text for note in notes] == ['The "Great" tour of all the<br>hills &amp; valleys'] * 2
    assert [(note.xanchor, note.align) for note in notes] == [("left", "left"), ("right", "right")]


def test_a_name_of_more_than_two_lines_ends_in_an_ellipsis():
    (note,) = names(season_load(season(events=((FIRST, "Tour of the hills " * 5),)), from_at=0))

    assert note.text == "Tour of the hills Tour of<br>the hills Tour of the hills…"


def test_a_short_name_is_below_both_lines_of_a_long_one():
    days = [FIRST + timedelta(days=at) for at in (12, 13)]
    events = ((days[0], "The great tour of all the hills and valleys"), (days[1], "Regional cup"))
    long, short = names(season_load(season(events=events), from_at=0))

    assert (long.yshift, short.yshift) == (0, -28)


def test_names_of_close_events_have_separate_rows():
    days = [FIRST + timedelta(days=at) for at in (12, 13)]
    notes = names(season_load(season(events=[(day, "Regional cup") for day in days]), from_at=0))

    assert len({note.yshift for note in notes}) == 2


def test_the_season_gives_range_and_ticks_of_all_its_axes():
    layout = season_load(season(events=[(FIRST, "Cup")]), from_at=0).layout

    for axis in (layout.xaxis, layout.yaxis, layout.yaxis2, layout.yaxis3):
        assert axis.range is not None
        assert len(axis.tickvals) == len(axis.ticktext) > 0
    assert layout.yaxis.range[1] > max(lines(season_load(season(), from_at=0))["Fatigue (7 d)"].y)


def test_planned_volume_is_outlined_and_done_volume_filled():
    done, planned = (trace for trace in season_load(season(), from_at=0).data if trace.type == "bar")

    assert (sum(done.y), sum(planned.y)) == (500, 200)
    assert (planned.marker.line.width, done.marker.line.width) == (1, 0)
    assert planned.marker.color == "rgba(0,0,0,0)"


def weeks(by, *groups):
    rows = [(MONDAYS[at], group, volume) for at, (group, volume) in enumerate(groups)]
    return pd.DataFrame(rows, columns=[WEEK, by, VOLUME])


def weekly(done, planned, by):
    return weekly_volume_chart(
        done, planned, by=by, amount=VOLUME, title="Load", labels={"cycling": "Cycling"}
    )


def test_weeks_stack_from_the_largest_group_with_outlined_plans():
    done = weeks(SPORT, ("running", 40.0), ("cycling", 300.0))
    figure = weekly(done, weeks(SPORT, ("running", 20.0)), SPORT)

    assert [trace.name for trace in figure.data] == ["Cycling", "running", "running, planned"]
    assert [trace.marker.line.width for trace in figure.data] == [0, 0, 1]
    assert figure.data[1].legendgroup == figure.data[2].legendgroup
    assert figure.layout.yaxis.title.text == "Load"


def test_the_smallest_of_many_sports_share_one_bar_and_one_name():
    rows = [(MONDAYS[0], f"sport {n}", 100.0 - n) for n in range(12)]
    done = pd.DataFrame(rows, columns=[WEEK, SPORT, VOLUME])
    figure = weekly(done, weeks(SPORT, ("sport 11", 5.0)), SPORT)

    names = [trace.name for trace in figure.data if trace.showlegend]
    assert names == [*[f"sport {n}" for n in range(7)], "Other sports"]
    assert sum(sum(trace.y) for trace in figure.data[-2:]) == sum(100 - n for n in range(7, 12)) + 5


def test_a_group_that_is_only_planned_is_named_too():
    figure = weekly(weeks(SPORT, ("cycling", 300.0)), weeks(SPORT, ("swimming", 20.0)), SPORT)

    assert [(trace.name, trace.showlegend) for trace in figure.data] == [
        ("Cycling", True),
        ("swimming, planned", True),
    ]


@pytest.mark.parametrize("stimulus", TrainingStimulus)
def test_a_stimulus_has_its_colour_and_pattern_of_the_palette(stimulus):
    figure = weekly(weeks(STIMULUS, (str(stimulus), 10.0)), weeks(STIMULUS, (str(stimulus), 5.0)), STIMULUS)

    done, planned = figure.data
    assert done.marker.color == planned.marker.line.color == palette.STIMULI[stimulus].light
    assert done.marker.pattern.shape == palette.shape_of(done.marker.color)  # a list is for single bars
    assert planned.marker.pattern.shape is None


def test_sports_and_unknown_stimuli_have_no_pattern():
    for by, group in ((SPORT, "cycling"), (STIMULUS, "no stimulus")):
        (bar,) = weekly(weeks(by, (group, 10.0)), weeks(by), by).data
        assert not any(bar.marker.pattern.shape or ())


def test_no_axis_of_few_days_has_the_same_date_twice():
    """An athlete of one week had ticks every 12 hours: "22 Nov, 22 Nov"."""
    week = weekly(weeks(SPORT, ("cycling", 300.0)), weeks(SPORT), SPORT)
    points = [IntervalPoint(date(2026, 11, day), 250.0, True, "") for day in (22, 23)]
    trend = dated(go.Figure(), [date(2026, 11, 22), date(2026, 11, 24)])

    for figure in (week, interval_trend_chart(points), trend):
        assert figure.layout.xaxis.dtick == 24 * 3600 * 1000
    assert weekly(weeks(SPORT), weeks(SPORT), SPORT).layout.xaxis.nticks == 9
    assert dated(go.Figure(), [date(2026, 1, 1), date(2026, 11, 24)]).layout.xaxis.dtick is None


def test_the_planned_total_of_a_week_is_a_dash_at_its_height():
    figure = weekly_volume_chart(
        weeks(SPORT, ("cycling", 300.0)), weeks(SPORT), by=SPORT, amount=VOLUME, title="Load", labels={},
        targets={MONDAYS[0]: 350.0},
    )  # fmt: skip

    assert (figure.data[-1].name, list(figure.data[-1].x), list(figure.data[-1].y)) == (
        "Planned in all",
        [MONDAYS[0]],
        [350.0],
    )


def test_races_are_lines_in_their_weeks():
    """Sunday 8 March is of the week of the 2nd; the bars are centred on their first day; the 16th is outside."""
    races = [(date(2026, 3, 8), "<b>Cup"), (date(2026, 3, 9), "Tour"), (date(2026, 3, 16), "Later"), (date(2026, 3, 1), "Past")]  # fmt: skip
    done = weeks(SPORT, ("cycling", 300.0), ("cycling", 200.0))
    figure = weekly_volume_chart(
        done, done.iloc[:0], by=SPORT, amount=VOLUME, title="Load", labels={}, races=races
    )

    assert [shape.x0 for shape in figure.layout.shapes] == MONDAYS
    assert list(figure.data[-1].text) == ["&lt;b&gt;Cup, 8 Mar", "Tour, 9 Mar"]
    empty = weekly_volume_chart(
        done.iloc[:0], done.iloc[:0], by=SPORT, amount=VOLUME, title="", labels={}, races=races
    )
    assert not empty.layout.shapes


def test_names_of_groups_are_no_markup():
    figure = weekly(weeks(SPORT, ("<img src=x>", 10.0)), weeks(SPORT), SPORT)

    assert "<" not in figure.data[0].name


def test_the_season_strip_names_each_month_once_and_holds_its_last_event():
    weeks = {FIRST + timedelta(days=7 * at): 5.0 for at in range(20)}
    race = FIRST + timedelta(days=200)
    axis = season_strip(weeks, {}, events=[(race, "Cup")], today=FIRST).layout.xaxis

    assert len(set(axis.ticktext)) == len(axis.ticktext) > 3
    assert axis.range[1] > race.isoformat()


def with_race(in_days, *, planned_until=LAST):
    rest = Future("at rest", frame(LAST + 1, 40), is_rest=True)
    found = season(events=[(FIRST + timedelta(days=LAST_DONE + in_days), "Cup"), (FIRST, "Past")])
    planned = np.where(np.arange(LAST + 1) <= planned_until, found.planned, 0.0)
    return replace(found, futures=[*found.futures, rest], planned=planned)


def test_race_day_has_fitness_and_form_of_each_scenario():
    """Fitness of day n is base + n, form base − n; the race is on day 13 in four days, with bases 60, 55 and 40."""
    race = race_day(with_race(4))

    assert (race.name, race.day, race.plan_ends_days_before) == ("Cup", FIRST + timedelta(days=13), 1)
    assert race.fitness == {"as planned": 73, "at 80 %": 68, "at rest": 53}
    assert race.form == {"as planned": 47, "at 80 %": 42, "at rest": 27}
    assert race_words(with_race(4), race) == (
        "Race day, Wed 14 Jan 2026, Cup: form +27 to +47; as planned +47 (fitness 73), at 80 % +42 (fitness 68), "
        "at rest +27 (fitness 53)."
    )


def test_a_plan_that_ends_before_the_race_is_named():
    late = with_race(5, planned_until=LAST_DONE + 2)

    assert race_words(late, race_day(late)).endswith(" The plan ends 2 days before the race.")


@pytest.mark.parametrize(("in_days", "planned_until"), [(0, LAST), (6, LAST), (4, LAST_DONE)])
def test_without_a_race_ahead_or_a_plan_before_it_nothing_is_claimed(in_days, planned_until):
    assert race_day(with_race(in_days, planned_until=planned_until)) is None


@pytest.mark.parametrize(
    ("planned_until", "last"), [(LAST_DONE + 2, LAST_DONE + 3), (LAST, LAST), (LAST_DONE, LAST)]
)
def test_lines_end_on_the_morning_after_the_plan_and_without_a_plan_they_show_detraining(planned_until, last):
    """Lines to the end of the axis looked like a planned taper."""
    figure = season_load(with_race(4, planned_until=planned_until), from_at=0)
    ahead = [
        trace
        for trace in figure.data
        if trace.type == "scatter" and (trace.name or "").endswith(("planned", "80 %")) and trace.x[0]
    ]
    bands = [trace for trace in figure.data if trace.type == "scatter" and trace.line.width == 0]

    assert len(ahead) == 5
    assert {trace.x[-1] for trace in [*ahead, *bands]} == {day(last)}
    assert {len(trace.x) - len(trace.y) for trace in [*ahead, *bands]} == {0}


def test_scenarios_are_a_band_and_rest_is_no_line():
    figure = season_load(with_race(4), from_at=0)
    bands = [trace for trace in figure.data if trace.type == "scatter" and trace.fill == "tonexty"]

    assert [trace.yaxis for trace in bands] == ["y", "y3"]
    low, high = figure.data[list(figure.data).index(bands[0]) - 1], bands[0]
    assert (low.y[0], high.y[0]) == (49, 69)  # bases 40 and 60, today is day 9
    assert not [name for name in lines(figure) if name and "rest" in name.lower()]
    assert [band.name for band in bands if band.showlegend] == ["Range of all scenarios"]
    without = season_load(with_race(4, planned_until=LAST_DONE), from_at=0)
    assert not [trace for trace in without.data if trace.type == "scatter" and trace.fill]
