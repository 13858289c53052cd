"""The whole squad of `coachboard demo`, written before the function returns."""

from coachboard_demo.generate import write_rows
from coachboard_demo.making import begin_demo, end_demo, unwritten


def make_demo(store, size):
    """Fill an empty database, complete an interrupted one, or write a squad of another version again."""
    begin_demo(store, size)
    left = unwritten(store)
    if left is not None:
        write_rows(store, left.size, left.numbers)
        end_demo(store)
