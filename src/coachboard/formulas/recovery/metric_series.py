"""Metrics as series by type and sport, measured and estimated values separate."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from coachboard.formulas.recovery.metric_values import readable
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType

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
