"""Metrics in one unit per type, without implausible values."""

from collections.abc import Iterable
from math import isnan

from coachboard.formulas.plausible import plausible_value
from coachboard.wire.body import Metric
from coachboard.wire.metrics import METRICS, MetricType, MetricUnit


def base_value(kind: MetricType, value: float, unit: MetricUnit | None = None) -> float:
    """A metric in the unit of the catalogue: W' in joules, everything else as sent.

    Parameters
    ----------
    kind : MetricType
        The measured quantity.
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
    number, record = float(value), METRICS[kind]
    if record.shown_unit is not None:
        is_shown = unit is record.shown_unit if unit is not None else number < record.plausible.low
        number *= record.per_shown if is_shown else 1.0
    return plausible_value(str(kind), number)


def shown_value(kind: MetricType, base: float) -> tuple[float, MetricUnit]:
    """A metric as pages show it: W' in kilojoules, everything else in the unit of the catalogue.

    Parameters
    ----------
    kind : MetricType
        The measured quantity.
    base : float
        As `base_value` gives it.

    Returns
    -------
    tuple of float and MetricUnit
        NaN stays NaN.

    Examples
    --------
    >>> shown_value(MetricType.W_PRIME, 19_000.0), shown_value(MetricType.WEIGHT, 61.5)
    ((19.0, <MetricUnit.KJ: 'kJ'>), (61.5, <MetricUnit.KG: 'kg'>))
    """
    record = METRICS[kind]
    return base / record.per_shown, record.shown_unit or record.unit


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
    shown_rows = ((row, *shown_value(row.type, base_value(row.type, row.value, row.unit))) for row in rows)
    return [
        row
        if (row.value, row.unit) == (value, unit)
        else row.model_copy(update={"value": value, "unit": unit})
        for row, value, unit in shown_rows
        if not isnan(value)
    ]
