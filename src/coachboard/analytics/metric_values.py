"""Metrics in one unit for each type, without values that nobody has."""

from collections.abc import Iterable
from math import isnan

from coachboard.analytics.plausible import known
from coachboard.models.body import USUAL_UNITS, Metric
from coachboard.models.enums import MetricType, MetricUnit

_SMALLEST_W_PRIME_J = 1000.0
_J_PER_KJ = 1000.0


def base_value(kind: MetricType, value: float, unit: MetricUnit | None = None) -> float:
    """A metric in the unit of `USUAL_UNITS`: W' in joules, everything else as sent.

    Parameters
    ----------
    kind : MetricType
        What was measured.
    value : float
        As sent.
    unit : MetricUnit, optional
        As sent; `latestMetrics` has none.

    Returns
    -------
    float
        NaN outside the plausible range of the metric.

    Notes
    -----
    Without a unit the size of W' decides: no W' is below 1 kJ, and none is above 1,000 kJ.

    Examples
    --------
    >>> [base_value(MetricType.W_PRIME, value) for value in (19, 19_000, 0)]
    [19000.0, 19000.0, nan]
    """
    # spec: not shown: the unit of a latest metric
    number = float(value)
    if kind is MetricType.W_PRIME:
        is_kj = unit is MetricUnit.KJ if unit is not None else number < _SMALLEST_W_PRIME_J
        number *= _J_PER_KJ if is_kj else 1.0
    return known(str(kind), number)


def shown_value(kind: MetricType, value: float, unit: MetricUnit | None = None) -> tuple[float, MetricUnit]:
    """A metric as pages show it: W' in kilojoules, everything else in the unit of `USUAL_UNITS`.

    Parameters
    ----------
    kind : MetricType
        What was measured.
    value : float
        As sent.
    unit : MetricUnit, optional
        As sent; `latestMetrics` has none.

    Returns
    -------
    tuple of float and MetricUnit
        NaN outside the plausible range of the metric.

    Examples
    --------
    >>> shown_value(MetricType.W_PRIME, 19_000), shown_value(MetricType.WEIGHT, 61.5)
    ((19.0, <MetricUnit.KJ: 'kJ'>), (61.5, <MetricUnit.KG: 'kg'>))
    """
    number = base_value(kind, value, unit)
    if kind is MetricType.W_PRIME:
        return number / _J_PER_KJ, MetricUnit.KJ
    return number, USUAL_UNITS[kind]


def readable(rows: Iterable[Metric]) -> list[Metric]:
    """Metrics with plausible values, each in the unit that pages show.

    Parameters
    ----------
    rows : iterable of Metric
        As sent.

    Returns
    -------
    list of Metric
        In the same order.

    Examples
    --------
    >>> readable([])
    []
    """
    shown = ((row, *shown_value(row.type, row.value, row.unit)) for row in rows)
    return [
        row
        if (row.value, row.unit) == (value, unit)
        else row.model_copy(update={"value": value, "unit": unit})
        for row, value, unit in shown
        if not isnan(value)
    ]
