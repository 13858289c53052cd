import pytest

from coachboard import plurals


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
