import pytest

from coachboard import plurals
from coachboard.plurals import digits_to_tell


@pytest.mark.parametrize(
    ("total", "says"),
    [(0, "0 days"), (1, "1 day"), (-1, "−1 day"), (2, "2 days"), (1200, "1,200 days")],
)
def test_a_count_agrees_with_its_noun(total, says):
    assert plurals.count(total, "day") == says


def test_an_irregular_noun_names_its_plural():
    assert [plurals.count(n, "person", "people") for n in (1, 2)] == ["1 person", "2 people"]


def test_a_change_carries_its_sign():
    assert [plurals.count(n, "day", signed=True) for n in (-1, 0, 2)] == ["−1 day", "0 days", "+2 days"]


@pytest.mark.parametrize(
    ("value", "low", "high", "least", "digits"),
    [
        (94.7, 95.2, 101.8, 0, 1),
        (94.2, 95.2, 101.8, 0, 0),
        (95.4, 95.2, 101.8, 0, 0),
        (50.143, 47.9, 50.138, 1, 3),
        (50.1381, 47.9, 50.138, 0, 2),
    ],
)
def test_a_value_and_the_bound_it_has_passed_read_differently(value, low, high, least, digits):
    assert digits_to_tell(value, low, high, least) == digits
