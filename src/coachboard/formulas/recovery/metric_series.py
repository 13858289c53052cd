"""Metrics in one unit per type without implausible values, and as series by type and sport, measured and estimated separate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import isnan

from coachboard.formulas.plausible import plausible_value
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSport
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


CHANGE_DAYS = 28
"""Period of a metric's change; a choice of this project."""


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """A metric of a sport, oldest first, measured and estimated values separate."""

    type: MetricType
    sport: MetricSport
    rows: tuple[Metric, ...]  # within the range
    known: tuple[Metric, ...]  # up to the end of the range
    latest: Metric  # of all known up to the end of the range
    change: float | None  # over four weeks, in the metric's unit


def metric_series(rows: Sequence[Metric], *, start: date, end: date) -> tuple[MetricSeries, ...]:
    """One series per metric and sport, up to the end of the range.

    Parameters
    ----------
    rows : sequence of Metric
        The full history, in any order.
    start, end : date
        First and last day of the range.

    Returns
    -------
    tuple of MetricSeries
        In the document's order of types and sports; a series without a value in the range keeps its latest.

    Notes
    -----
    The change is the latest value minus the value four weeks earlier, by the same source where there is one;
    no change if no value is that old. Values outside their plausible range are excluded; W' is in kJ.

    *Missing data*: values outside their plausible range; without a value 28 days before there is no change.

    *Worked example*: 62.0 kg on 1 February and 61.5 kg on 1 March: change 61.5 − 62.0 = −0.5 kg.

    Examples
    --------
    >>> kilos = [
    ...     Metric(id=f"mtr_{n}", type="weight", value=v, unit="kg", source="user", date=day, sport="global")
    ...     for n, (v, day) in enumerate([(62.0, date(2026, 2, 1)), (61.5, date(2026, 3, 1))])
    ... ]
    >>> (series,) = metric_series(kilos, start=date(2026, 2, 20), end=date(2026, 3, 5))
    >>> series.latest.value, series.change, len(series.rows)
    (61.5, -0.5, 1)
    """
    groups: dict[tuple[MetricType, MetricSport], list[Metric]] = {}
    for row in sorted(readable(rows), key=lambda row: row.date):
        if row.date <= end:
            groups.setdefault((row.type, row.sport), []).append(row)
    order = {kind: n for n, kind in enumerate((*MetricType, *MetricSport))}
    return tuple(
        MetricSeries(
            type=kind,
            sport=sport,
            rows=tuple(row for row in groups[kind, sport] if row.date >= start),
            known=tuple(groups[kind, sport]),
            latest=groups[kind, sport][-1],
            change=_change(groups[kind, sport]),
        )
        for kind, sport in sorted(groups, key=lambda key: (order[key[0]], order[key[1]]))
    )


def _change(rows: Sequence[Metric]) -> float | None:
    latest = rows[-1]
    before = latest.date - timedelta(days=CHANGE_DAYS)
    past = [row for row in rows[:-1] if row.date <= before]
    same = [row for row in past if row.source == latest.source] or past
    return float(latest.value - same[-1].value) if same else None
