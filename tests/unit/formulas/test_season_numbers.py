"""Load, monotony, heart rate, recovery and bands against published and derived numbers."""

import math
from datetime import date

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coachboard.formulas.days import daily_last, daily_sum, week_start
from coachboard.formulas.frames import CHANGE_PCT, EFFORTS, FATIGUE, FITNESS, FORM
from coachboard.formulas.recovery import hrv, sleep
from coachboard.formulas.recovery.baseline import own_normal, trailing_mean
from coachboard.formulas.season import intensity_distribution, load, monotony
from coachboard.formulas.season.durability import change_pct, durability_slope, power_by_work
from coachboard.formulas.season.load import Gain, LoadModel, LoadStart, fitness_fatigue_form, weighted_load
from coachboard.formulas.season.monotony import acute_chronic_ratio
from coachboard.formulas.season.relation import relation, t_95
from coachboard.formulas.session import hr_load
from coachboard.wire.enums import Gender

WEEKS = [100, 0, 50, 120, 0, 80, 150] * 6
FOSTER = [600, 200, 400, 500, 100, 650, 0]
NIGHTS_MS = [52, 61, 48, 55, 58, 63, 50]
loads = st.lists(st.floats(0, 500), min_size=1, max_size=120)


@pytest.mark.parametrize(
    ("constant_d", "gain", "expected"),
    [
        (42, Gain.EXPONENTIAL, 63.2121),
        (42, Gain.RECIPROCAL, 63.6544),
        (7, Gain.EXPONENTIAL, 99.7521),
        (7, Gain.RECIPROCAL, 99.8457),
    ],
)
def test_hundred_a_day_for_42_days_comes_to(constant_d, gain, expected):
    assert weighted_load([100] * 42, constant_d, gain=gain)[-1] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("gain", "fitness", "fatigue", "same_day", "yesterday"),
    [
        (Gain.EXPONENTIAL, 45.7261, 77.3484, -31.6223, -22.9781),
        (Gain.RECIPROCAL, 46.0533, 77.9618, -31.9085, -22.4375),
    ],
)
def test_six_like_weeks_come_to(gain, fitness, fatigue, same_day, yesterday):
    """The evening's values are those of the next morning."""
    model = LoadModel("test", "", "Fitness", "Fatigue", 42, 7, gain)
    frame = fitness_fatigue_form([*WEEKS, 0], model)
    before, last = frame.iloc[-2], frame.iloc[-1]

    assert last[FITNESS] == pytest.approx(fitness, abs=5e-5)
    assert last[FATIGUE] == pytest.approx(fatigue, abs=5e-5)
    assert last[FORM] == pytest.approx(same_day, abs=2e-4)
    assert before[FORM] == pytest.approx(yesterday, abs=1e-4)


@given(loads)
def test_form_is_fitness_less_fatigue_of_the_same_morning_and_todays_load_changes_none(daily):
    frame, harder = (fitness_fatigue_form([*daily, today]) for today in (0, 500))

    assert (frame[FORM] == frame[FITNESS] - frame[FATIGUE]).all()
    assert frame.equals(harder)


@pytest.mark.parametrize(
    ("gain", "expected"),
    [(Gain.RECIPROCAL, 22.5248), (Gain.EXPONENTIAL, 22.4413), (Gain.SPAN, 38.0461)],
)
def test_sixteen_weeks_constant_nearly_doubles_with_its_form(gain, expected):
    assert weighted_load(WEEKS, 112, gain=gain)[-1] == pytest.approx(expected, abs=5e-5)


@given(loads)
def test_weighted_load_stays_between_zero_and_the_hardest_day(daily):
    values = weighted_load(daily, 42)

    assert (values >= 0).all()
    assert values.max() <= max(daily) + 1e-9


@given(loads, st.floats(0, 300))
def test_a_day_of_load_never_lowers_later_values(daily, more):
    higher = [daily[0] + more, *daily[1:]]

    assert (weighted_load(higher, 7) >= weighted_load(daily, 7) - 1e-9).all()


def test_the_means_start_at_the_first_session_from_its_own_first_four_weeks():
    """Started at the mean of an empty window, form read -50 for weeks."""
    daily = [0.0] * 100 + [50.0] * 60
    start = load.own_start(daily)
    frame = fitness_fatigue_form(daily, start=start)

    assert (start, start.settled_at) == ((100, 50.0), 142)
    assert frame.iloc[:100].isna().to_numpy().all()
    assert (frame.iloc[100:].round(6) == [50, 50, 0]).to_numpy().all()
    assert load.own_start([0, 70, 0, 0, 0]).seed == 10
    assert load.own_start([0, 56] + [0] * 50 + [900]).seed == 2


def test_the_first_weeks_of_a_history_are_no_load_jump():
    ratio = acute_chronic_ratio([0.0] * 100 + [50.0] * 60, start=LoadStart(100, 50.0))

    assert np.isnan(ratio[:128]).all()
    assert ratio[128:] == pytest.approx(1)


def test_missing_days_count_as_rest_and_none_as_nothing():
    assert weighted_load([50, math.nan], 7)[1] < weighted_load([50, 10], 7)[1]
    assert len(weighted_load([], 42)) == 0
    assert load.own_start([]) == (0, 0)
    assert load.own_start([0, math.nan]) == (2, 0)


@pytest.mark.parametrize("constant_d", [0, -1, math.nan])
def test_a_constant_below_a_day_is_refused(constant_d):
    with pytest.raises(ValueError, match="time_constant_d"):
        load.gain_of(constant_d)


@pytest.mark.parametrize(
    ("week", "sample", "expected", "expected_strain"),
    [
        (FOSTER, False, 1.49241, 3656.39),
        (FOSTER, True, 1.38170, 3385.16),
        (WEEKS[:7], False, 1.33345, 666.73),
        (WEEKS[:7], True, 1.23453, 617.27),
    ],
)
def test_monotony_and_strain_of_a_week(week, sample, expected, expected_strain):
    assert monotony.monotony(week, sample=sample) == pytest.approx(expected, abs=1e-5)
    assert monotony.strain(week, sample=sample) == pytest.approx(expected_strain, abs=6e-3)
    assert monotony.rolling_monotony(week, sample=sample)[-1] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("week", [[50] * 7, [], [10], [1, math.nan, 2]])
def test_monotony_without_variation_or_days_is_undefined(week):
    assert math.isnan(monotony.monotony(week))


def test_todays_session_does_not_change_this_mornings_ratio():
    rested, trained = [50.0] * 60, [50.0] * 59 + [400.0]

    assert monotony.acute_chronic_ratio(rested)[-1] == monotony.acute_chronic_ratio(trained)[-1]
    assert np.isnan(monotony.acute_chronic_ratio(rested)[:28]).all()


@pytest.mark.parametrize(("threshold_bpm", "expected"), [(163, 239.0876), (170.5, 199.4920)])
def test_heart_rate_stress_of_elevate(threshold_bpm, expected):
    stress = hr_load.heart_rate_stress(
        333, threshold_bpm=threshold_bpm, rest_bpm=60, max_bpm=190, gender=Gender.MALE
    )

    assert stress == pytest.approx(expected, abs=5e-5)


def test_women_have_their_own_factor_and_exponent():
    reserve = (150 - 60) / (190 - 60)
    found = hr_load.trimp(150, 60, rest_bpm=60, max_bpm=190, gender=Gender.FEMALE)
    male = hr_load.trimp(150, 60, rest_bpm=60, max_bpm=190, gender=Gender.MALE)

    assert found == pytest.approx(60 * reserve * 0.86 * math.exp(1.67 * reserve))
    assert hr_load.trimp(150, 60, rest_bpm=60, max_bpm=190, gender=Gender.OTHER) == pytest.approx(
        (found + male) / 2
    )


def test_hr_load_refuses_impossible_values():
    with pytest.raises(ValueError, match="max_bpm"):
        hr_load.trimp(150, 60, rest_bpm=190, max_bpm=60, gender=Gender.MALE)
    with pytest.raises(ValueError, match="rpe"):
        hr_load.session_rpe_load(-1, 60)
    assert math.isnan(hr_load.trimp([math.nan], [1], rest_bpm=50, max_bpm=190, gender=Gender.MALE))


def test_seven_nights_of_hrv():
    logs = hrv.ln_hrv(NIGHTS_MS)

    assert hrv.seven_day_line(NIGHTS_MS)[-1] == pytest.approx(4.008036, abs=5e-7)
    assert hrv.to_ms(4.008036) == pytest.approx(55.0387, abs=5e-5)
    assert logs.std(ddof=1) == pytest.approx(0.102259, abs=5e-7)
    assert hrv.coefficient_of_variation_pct(NIGHTS_MS) == pytest.approx(2.5514, abs=5e-5)
    assert hrv.to_ms(logs.mean() - 0.5 * logs.std(ddof=1)) == pytest.approx(52.2953, abs=5e-5)
    assert hrv.to_ms(logs.mean() + 0.5 * logs.std(ddof=1)) == pytest.approx(57.9260, abs=5e-5)


def test_normal_range_needs_fourteen_valid_nights_and_leaves_today_out():
    thirteen, fourteen = hrv.normal_range([50.0, 60.0] * 7), hrv.normal_range([50.0, 60.0] * 7 + [90.0])

    assert np.isnan(thirteen.low).all()
    assert int(fourteen.days[-1]) == 14
    assert hrv.to_ms(fourteen.high[-1]) < 60


def test_artefacts_are_no_nights():
    assert np.isnan(hrv.ln_hrv([9.9, 250.1, math.nan])).all()
    assert math.isnan(hrv.coefficient_of_variation_pct([50, 300, math.nan]))


@given(st.lists(st.floats(20, 120), min_size=20, max_size=90), st.floats(0.1, 2))
def test_own_normal_holds_its_mean_and_widens(values, width):
    narrow, wide = own_normal(values, width_sd=width), own_normal(values, width_sd=2 * width)

    assert narrow.low[-1] <= narrow.mean[-1] <= narrow.high[-1]
    assert wide.low[-1] <= narrow.low[-1]
    assert len(narrow.low) == len(values)


def test_series_without_days_stay_empty():
    assert len(trailing_mean([])) == 0
    assert len(own_normal([]).mean) == 0
    with pytest.raises(ValueError, match="width_sd"):
        own_normal([1.0], width_sd=0)


def test_sleep_efficiency_and_debt():
    assert sleep.efficiency_pct([420 * 60], [480 * 60])[0] == 87.5
    assert np.isnan(sleep.efficiency_pct([420], [0]))[0]
    assert sleep.debt_h([6 * 3600, math.nan], need_h=8) == 2
    assert math.isnan(sleep.debt_h([math.nan]))
    with pytest.raises(ValueError, match="need_h"):
        sleep.debt_h([1], need_h=0)


@given(st.lists(st.floats(0, 23.9), min_size=2, max_size=30), st.floats(0, 24))
def test_the_clock_has_no_edge(hours, shift):
    turned = [(hour + shift) % 24 for hour in hours]

    spread, moved = sleep.circular_deviation_h(hours), sleep.circular_deviation_h(turned)
    assert spread == pytest.approx(moved, rel=1e-3, abs=1e-3) or max(spread, moved) > 20


def test_mean_across_midnight():
    assert sleep.circular_mean_h([23.0, 2.0]) == pytest.approx(0.5)
    assert math.isnan(sleep.circular_mean_h([0.0, 12.0]))
    assert math.isnan(sleep.circular_deviation_h([3.0]))


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ((0.68, 0.06, 0.26), 2.469331),
        ((0.80, 0.05, 0.15), 2.380211),
        ((0.76, 0.08, 0.16), 2.181844),
    ],
)
def test_polarization_index(zones, expected):
    assert intensity_distribution.polarization_index(*zones) == pytest.approx(expected, abs=5e-7)


def test_polarization_index_is_not_printed_where_the_order_is_another():
    assert math.isnan(intensity_distribution.polarization_index(0.75, 0.20, 0.05))
    assert math.isnan(intensity_distribution.polarization_index(0.80, 0.10, 0.10))
    assert intensity_distribution.polarization_index(0.8, 0.0, 0.2) == pytest.approx(
        math.log10(0.8 / 0.01 * 20)
    )


@pytest.mark.parametrize(
    ("zones", "name"),
    [
        ((0.95, 0.05, 0.0), "base"),
        ((0.8, 0.05, 0.15), "polarized"),
        ((0.75, 0.2, 0.05), "pyramidal"),
        ((0.3, 0.6, 0.1), "threshold"),
        ((0.2, 0.2, 0.6), "high intensity"),
        ((math.nan, math.nan, math.nan), "unknown"),
    ],
)
def test_orders_of_zones_have_names(zones, name):
    assert intensity_distribution.distribution(*zones) == name


def test_power_after_work():
    assert change_pct(420, 400) == pytest.approx(-4.7619, abs=5e-5)
    assert math.isnan(change_pct(0, 400))
    table = power_by_work([300] * 3 + [280], [0, 0, 0, 800], weight_kg=70)
    assert table[EFFORTS].tolist() == [3, 1, 0, 0, 0, 0]
    assert table[CHANGE_PCT].isna().sum() == 5
    with pytest.raises(ValueError, match="weight_kg"):
        power_by_work([], [], weight_kg=0)


def test_polarization_of_28_days_is_that_of_their_sums():
    """Published: 2.469331 for .68/.06/.26, 2.380211 for .80/.05/.15; half of each is .74/.055/.205."""
    days = np.array([[68.0, 6, 26]] * 28 + [[80, 5, 15]] * 28) * 60

    found = intensity_distribution.polarization_trend(days)

    assert np.isnan(found[:27]).all()
    assert found[27] == pytest.approx(2.469331, abs=1e-6)
    assert found[-1] == pytest.approx(2.380211, abs=1e-6)
    half = math.log10(0.74 / 0.055 * 0.205 * 100)
    assert found[41] == pytest.approx(half)


def test_polarization_needs_eight_days_and_its_order_of_zones():
    week = np.zeros((28, 3))
    week[::4] = [68, 6, 26]
    assert np.isnan(intensity_distribution.polarization_trend(week)[-1])  # 7 days
    week[1] = [68, 6, 26]
    assert intensity_distribution.polarization_trend(week)[-1] == pytest.approx(2.469331, abs=1e-6)
    assert np.isnan(intensity_distribution.polarization_trend([[75, 20, 5]] * 28)[-1])


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(3, 3.182446), (5, 2.570582), (10, 2.228139), (30, 2.042272), (1000, 1.962339)]
)
def test_factor_of_an_interval_with_few_values(freedom, quantile):
    """Quantiles of the printed tables of Student's t."""
    assert t_95(freedom) == pytest.approx(quantile, abs=0.01)
    assert freedom < 5 or t_95(freedom) == pytest.approx(quantile, abs=0.001)
    with pytest.raises(ValueError, match="freedom"):
        t_95(2)


def durable(change_w, *, sessions=6, laps=4, noise_w=5.0):
    """Laps 7 kJ/kg apart in sessions of unequal strength; the stronger sessions have more work before them."""
    rng = np.random.default_rng(3)
    session = np.repeat(np.arange(sessions), laps)
    work = np.tile(np.arange(laps) * 7.0, sessions) + session * 3.0
    power = 250.0 + 12.0 * session + change_w / 10 * work + rng.normal(0, noise_w, len(session))
    return power, work * 70.0, session.tolist()


def test_slope_of_durability_is_that_of_a_regression_with_a_mean_per_session():
    power, work, session = durable(-4.0)
    columns = np.column_stack([work / 70, *(np.array(session) == n for n in range(6))]).astype(float)
    solved, rest, *_ = np.linalg.lstsq(columns, power)
    error = np.sqrt(rest[0] / (24 - 7) * np.linalg.inv(columns.T @ columns)[0, 0])

    found = durability_slope(power, work, session, weight_kg=70)

    per_pct = 10 / power.mean() * 100
    assert found.change_pct == pytest.approx(solved[0] * per_pct)
    assert found.low == pytest.approx((solved[0] - 2.109816 * error) * per_pct, rel=1e-3)
    assert found.high == pytest.approx((solved[0] + 2.109816 * error) * per_pct, rel=1e-3)
    assert (found.efforts, found.sessions, found.excludes_zero) == (24, 6, found.high < 0)


def test_strong_days_with_more_work_do_not_hide_a_fall():
    """Over all laps power rises with work, as the strong sessions are the long ones; inside each it falls."""
    power, work, session = durable(-6.0, noise_w=1.0)

    assert np.corrcoef(power, work)[0, 1] > 0
    assert durability_slope(power, work, session, weight_kg=70).high < 0


def test_noise_is_no_slope():
    power, work, session = durable(0.0, noise_w=15.0)
    found = durability_slope(power, work, session, weight_kg=70)

    assert found.is_known
    assert not found.excludes_zero


@pytest.mark.parametrize(
    ("sessions", "laps", "used"), [(4, 6, (24, 4)), (6, 3, (18, 6)), (30, 1, (0, 0)), (5, 4, (20, 5))]
)
def test_a_slope_needs_20_laps_in_5_sessions_with_several(sessions, laps, used):
    power, work, session = durable(-4.0, sessions=sessions, laps=laps)
    found = durability_slope(power, work, session, weight_kg=70)

    assert (found.efforts, found.sessions) == used
    assert found.is_known == (used == (20, 5))


def test_laps_without_power_or_work_are_left_out_of_the_slope():
    power, work, session = durable(-4.0)
    power, work = [*power, np.nan, 900.0], [*work, 100.0, np.nan]
    found = durability_slope(power, work, [*session, 0, 0], weight_kg=70)

    assert found == durability_slope(power[:24], work[:24], session, weight_kg=70)
    same = durability_slope(power[:24], [500.0] * 24, session, weight_kg=70)
    assert not same.is_known


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)), min_size=25, max_size=60))
@example([(x, x) for x in range(25)])
@example([(x, -x) for x in range(25)])
def test_relation_stays_inside_its_interval(pairs):
    found = relation([x for x, _ in pairs], [y for _, y in pairs])

    assert not found.is_known or -1 <= found.low <= found.r <= found.high <= 1


def test_relation_without_enough_pairs_claims_nothing():
    found = relation([1.0] * 19, list(range(19)))

    assert (found.is_known, found.pairs, found.excludes_zero) == (False, 19, False)
    with pytest.raises(ValueError, match="one length"):
        relation([1], [1, 2])


def test_values_outside_the_span_are_left_out():
    day = date(2026, 3, 2)

    assert daily_sum([date(2026, 3, 1)], [5], start=day, end=day).tolist() == [0]
    assert daily_last([day, day], [5, None], start=day, end=day).tolist() == [5]
    with pytest.raises(ValueError, match="first_weekday"):
        week_start(day, first_weekday=7)
