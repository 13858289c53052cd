"""Sessions are computed at one go, and what comes out of each is as if it had been alone."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from coachboard.analytics import session_load
from coachboard.service.store.rows import encode
from coachboard_demo.batch import CELLS_AT_MOST, Batch, batches
from coachboard_demo.outing import with_lengths
from coachboard_demo.recording import Outing, record
from coachboard_demo.session import Done, moments
from coachboard_demo.simulation import simulate
from coachboard_demo.summary import Told
from coachboard_demo.training_load import normalized_power, scores_of
from demo_sessions import SESSIONS

SHORT = (Done(300, 0.6, 0.0, "warm up"), Done(120, 1.2, 0.0, "active"), Done(300, 0.5))


def outing(session, at):
    return Outing(session, Told(id=f"act_{at}", utc_offset_min=60))


def alike(session):
    """That session among others of its kind, longer and shorter ones, of other bodies on other days."""
    heavier = replace(session.body, power_w=200.0, mass_kg=91.0, hr_max=171)
    longer = {"swum": session.swum + session.swum[:5]} if session.swum else {"done": session.done + SHORT}
    others = (
        replace(session, seed=session.seed * 31, body=heavier, **longer),
        replace(session, seed=session.seed + 7, stops=(), pauses=(), faults=()),
    )
    before, after = (with_lengths(each) if each.swum else each for each in others)
    return [before, session, after]


@pytest.mark.parametrize("name", sorted(SESSIONS))
def test_a_session_comes_out_as_if_it_had_been_alone(name):
    among = record([outing(each, at) for at, each in enumerate(alike(SESSIONS[name]))])
    alone = record([outing(SESSIONS[name], 1)])

    assert encode(among[1].activity) == encode(alone[0].activity)


def test_a_batch_is_of_one_kind_and_bounded():
    sessions = [
        replace(each, seed=seed, sensors=("heart rate",) if seed % 5 == 0 else each.sensors)
        for seed in range(60)
        for each in (SESSIONS["run"], SESSIONS["road"])
    ]
    found = list(batches(sessions))

    assert sorted(at for places in found for at in places) == list(range(len(sessions)))
    assert max(len(places) for places in found) > 8
    for places in found:
        assert len({(sessions[at].practice, sessions[at].sensors) for at in places}) == 1
        assert sum(sessions[at].cells for at in places) <= CELLS_AT_MOST


def test_a_session_of_seconds_shortens_no_mean_of_another():
    long, short = SESSIONS["trainer"], replace(SESSIONS["trainer"], done=(Done(20, 0.6),))

    among = record([outing(short, 0), outing(long, 1)])
    assert encode(among[1].activity) == encode(record([outing(long, 1)])[0].activity)


def test_activities_come_in_the_order_of_the_outings():
    sessions = [SESSIONS[name] for name in ("run", "road", "strength", "run", "pool", "road")]

    found = [each.activity.id for each in record([outing(each, at) for at, each in enumerate(sessions)])]
    assert found == [f"act_{at}" for at in range(len(sessions))]


@pytest.mark.parametrize(
    ("name", "channel", "unit"),
    [
        ("road", "power_pct", "power_w"),
        ("run", "speed_pct", "effort"),
        ("strength", "heart_rate_pct", "heart_rate"),
    ],
)
def test_intensities_are_those_of_the_definition(name, channel, unit):
    session = SESSIONS[name]
    trace, batch = simulate(session), Batch(session)
    of_100 = {"power_w": session.body.power_w, "effort": 1.0, "heart_rate": session.body.hr_max}[unit]
    pct = getattr(trace, unit) * (100 / of_100)

    expected = session_load.intensity_score(**{channel: pct}, dt_s=5)
    assert scores_of(batch, trace).intensity == [pytest.approx(expected, abs=0.051)]


def test_normalized_power_does_not_look_beyond_its_session():
    batch = Batch(*(replace(SESSIONS["trainer"], done=(Done(1200, effort),)) for effort in (0.5, 1.0, 0.7)))
    watts = batch.each([100.0, 300.0, 200.0])

    assert normalized_power(batch, watts) == pytest.approx(np.array([100.0, 300.0, 200.0]))


@pytest.mark.parametrize(
    ("started", "pauses"), [("23:59:50", ()), ("12:00:00", ()), ("23:00:00", ((2, 3600),))]
)
def test_moments_are_written_across_midnight_and_pauses(started, pauses):
    began = datetime.fromisoformat(f"2026-02-28 {started}+00:00")
    session = replace(SESSIONS["road"], started_s=round(began.timestamp()), pauses=pauses)
    indices = [0, 9, 10, 4000]

    paused_s = [sum(gap for cell, gap in pauses if cell * 5 <= index) for index in indices]
    expected = [began + timedelta(seconds=index + gap) for index, gap in zip(indices, paused_s, strict=True)]
    assert moments(session, indices) == [f"{moment:%Y-%m-%d %H:%M:%S}+00" for moment in expected]
