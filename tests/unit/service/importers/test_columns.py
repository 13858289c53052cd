"""Names and units of time series."""

import numpy as np
import pytest

from coachboard.service.importers import columns


def described(name, units="", **more):
    return {"field_name": name, "units": units, "developer_data_index": 0, **more}


@pytest.mark.parametrize(
    ("description", "value", "column", "expected"),
    [
        (described("Ground Time", "Milliseconds"), 240, "groundContactTime", 240),
        (described("Ground Contact Time", "s"), 0.24, "groundContactTime", 240),
        (described("step_length", "cm"), 118, "stepLength", 1180),
        (described("wprime_bal", "kJ"), 18.5, "wPrimeBalance", 18_500),
        (described("core_temperature", "°C"), 37.5, "coreTemperature", 37.5),
        (described("Core Temperature", "°F"), 99.5, "coreTemperature", 37.5),
        (described("heat_strain_index", "a.u."), 3.5, "heatStrainIndex", 3.5),
        (described("Breath Rate", "brpm"), 32, "breathingRate", 32),
        (described("Tidal Volume", "mL"), 2100, "tidalVolume", 2.1),
        (described("Minute Ventilation", "L/min"), 78, "minuteVentilation", 78),
        (described("Fluid Loss", "L"), 0.4, "fluidLoss", 400),
        (described("Sodium Loss", "mg"), 350, "sodiumLoss", 350),
        (described("Anything", "m/s", native_field_num=6), 4.0, "speed", 4),
        (described("Speed2", "km/h", native_field_num=6), 36.0, "speed", 10),
        (described("Power", "Watts", scale=10, offset=5), 2550, "power", 250),
        (described(["Power", "rubbish"], "Watts"), 250, "power", 250),
    ],
)
def test_a_developers_field_is_known_by_number_or_name_and_read_in_our_unit(
    description, value, column, expected
):
    read, replaced = columns.fit_columns([{"developer_fields": {0: value}}], [description])

    assert {name: values.tolist() for name, values in read.items()} == {column: [pytest.approx(expected)]}
    assert replaced == frozenset()


@pytest.mark.parametrize(
    "description",
    [
        described("Lap Power", native_mesg_num=19, native_field_num=7),
        described("front_gear"),
        described(None),
        {},
    ],
)
def test_a_field_of_another_message_or_meaning_is_no_column(description):
    assert columns.fit_columns([{"developer_fields": {0: 1}}], [description])[0] == {}


def test_an_invalid_value_of_a_developers_field_is_missing():
    read, _ = columns.fit_columns(
        [{"developer_fields": {0: 65_535}}, {"developer_fields": {0: 240}}, {}],
        [described("Ground Time", "ms", fit_base_type_id=0x84)],
    )

    assert np.isnan(read["groundContactTime"]).tolist() == [True, False, True]


def test_the_enhanced_field_goes_first_and_a_number_in_an_array_counts():
    rows = [{"enhanced_speed": 5.0, "speed": 4.0}, {"enhanced_speed": [6.0, 65.5]}, {"enhanced_speed": "?"}]
    read, _ = columns.fit_columns(rows, [])

    assert read["speed"][:2].tolist() == [5, 6]
    assert np.isnan(read["speed"][2])


def test_the_fraction_of_a_cadence_is_added():
    read, _ = columns.fit_columns([{"cadence": 85, "fractional_cadence": 0.5}, {"cadence": 86}], [])

    assert read["cadence"].tolist() == [85.5, 86]


@pytest.mark.parametrize(("raw", "left"), [(178, 50), (128 + 47, 53), (46, 46), (127, None)])
def test_the_balance_byte_is_the_left_sides_percentage(raw, left):
    share = columns.left_share_pct(np.array([raw, np.nan]))

    assert np.isnan(share[1])
    assert share[0] == left if left is not None else np.isnan(share[0])


def test_infinite_values_and_zeros_of_a_lost_signal_are_missing():
    assert np.isnan(columns.clean("speed", np.array([np.inf, -np.inf]))).all()
    assert np.isnan(columns.clean("heartRate", np.array([0.0]))).all()
    assert columns.clean("power", np.array([0.0])).tolist() == [0.0]


def test_positions_off_the_globe_are_missing():
    read = columns.drop_null_island(
        {"positionLat": np.array([0.0, 95.0, 46.0]), "positionLong": np.array([0.0, 8.0, 8.0])}
    )

    assert np.isnan(read["positionLat"]).tolist() == [True, True, False]
    assert columns.drop_null_island({"power": np.ones(1)}).keys() == {"power"}


def test_a_field_that_is_an_array_in_every_record_is_still_one_column():
    read, _ = columns.fit_columns([{"power": [250, 1]}, {"power": [260, 2]}], [])

    assert read["power"].tolist() == [250, 260]


def test_the_balance_of_records_is_the_left_sides_share():
    read, _ = columns.fit_columns([{"left_right_balance": 128 + 47}, {}], [])

    assert read["leftRightBalance"][0] == 53
    assert np.isnan(read["leftRightBalance"][1])
