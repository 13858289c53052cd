"""Metrics as lines of a chart: one unit each, and power per kilogram of the day's weight."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import nan
from typing import NamedTuple

from coachboard.formulas.recovery.metric_series import MetricSeries
from coachboard.wire.enums import MetricSource, MetricSport
from coachboard.wire.metrics import METRICS, MetricType


class MetricPoint(NamedTuple):
    """A value of a day and its source."""

    day: date
    value: float
    source: MetricSource | None


@dataclass(frozen=True, slots=True)
class Line:
    """A metric of a sport as a line; `is_per_kilo` if divided by weight."""

    type: MetricType
    sport: MetricSport
    unit: str
    points: tuple[MetricPoint, ...]
    is_per_kilo: bool = False

    @property
    def key(self) -> str:
        """Type and sport, as in the URL."""
        return f"{self.type} {self.sport}{' per kilo' if self.is_per_kilo else ''}"


def metric_lines(series: Iterable[MetricSeries]) -> tuple[Line, ...]:
    """Metrics with a value in the range; each power also per kg.

    Parameters
    ----------
    series : iterable of MetricSeries
        Of one athlete.

    Returns
    -------
    tuple of Line
        In the order of the series, in their units.

    Notes
    -----
    Per kilo: the value over the last weight known on its day. *Missing data*: a power older than every known
    weight has no value per kilo.

    *Worked example*: critical power 250 W with a weight of 62.5 kg on that day: 250 / 62.5 = 4.0 W/kg.

    Examples
    --------
    >>> from coachboard.formulas.recovery.metric_series import metric_series
    >>> from coachboard.wire.body import Metric
    >>> dated = {"date": date(2026, 3, 1), "source": "user"}
    >>> weight = Metric(id="mtr_1", type="weight", value=62.5, unit="kg", sport="global", **dated)
    >>> power = Metric(id="mtr_2", type="critical power", value=250, unit="W", sport="cycling", **dated)
    >>> lines = metric_lines(metric_series([weight, power], start=date(2026, 3, 1), end=date(2026, 3, 1)))
    >>> [line.points[-1].value for line in lines if line.unit == "W/kg"]
    [4.0]
    """
    metrics = tuple(series)
    weights = _weights(metrics)
    lines: list[Line] = []
    for metric in metrics:
        line = _line(metric)
        if line.points:
            lines += [line, *_per_kilo(line, weights)]
    return tuple(lines)


def latest_per_kilo(power: MetricSeries, among: Iterable[MetricSeries]) -> float:
    """The latest value of a power per kilogram.

    Parameters
    ----------
    power : MetricSeries
        The power.
    among : iterable of MetricSeries
        All series of the athlete, with the weight.

    Returns
    -------
    float
        NaN for other metrics than power. [unit of the metric per kg]

    Notes
    -----
    The latest value over the last weight known on its day, as in the chart.

    *Missing data*: no value per kilo where every known weight is newer.

    *Worked example*: critical power 250 W with a weight of 62.5 kg on that day and 61 kg later: 250 / 62.5 = 4.0 W/kg.

    Examples
    --------
    >>> from coachboard.formulas.recovery.metric_series import metric_series
    >>> from coachboard.wire.body import Metric
    >>> sent = (("weight", 62.5, "global", 1), ("weight", 61, "global", 9), ("critical power", 250, "cycling", 2))
    >>> rows = [
    ...     Metric(id=f"mtr_{day}", type=kind, value=value, sport=sport, date=date(2026, 3, day), source="user", unit=None)
    ...     for kind, value, sport, day in sent
    ... ]
    >>> weight, power = metric_series(rows, start=date(2026, 3, 1), end=date(2026, 3, 9))
    >>> latest_per_kilo(power, [weight, power]), latest_per_kilo(weight, [weight])
    (4.0, nan)
    """
    latest = MetricPoint(power.latest.date, float(power.latest.value), power.latest.source)
    lines = _per_kilo(Line(power.type, power.sport, str(power.latest.unit or ""), (latest,)), _weights(among))
    return lines[0].points[0].value if lines else nan


def changes_pct(line: Line) -> list[float]:
    """Change of each value since the first.

    Parameters
    ----------
    line : Line
        With at least one point.

    Returns
    -------
    list of float
        Difference to the first value over that value; NaN throughout where the first is 0. [%]

    Notes
    -----
    Value minus first value, divided by the first value.

    *Missing data*: no change where the first value is 0.

    *Worked example*: 250 W first and 260 W later: (260 − 250) / 250 = 4.0 %.

    Examples
    --------
    >>> power = Line(
    ...     MetricType.CRITICAL_POWER,
    ...     MetricSport.CYCLING,
    ...     "W",
    ...     (MetricPoint(date(2026, 3, 1), 250.0, None), MetricPoint(date(2026, 4, 1), 260.0, None)),
    ... )
    >>> changes_pct(power)
    [0.0, 4.0]
    """
    first = line.points[0].value
    return [100 * (point.value - first) / first if first else float("nan") for point in line.points]


def _weights(series: Iterable[MetricSeries]) -> tuple[MetricPoint, ...]:
    weights = [metric for metric in series if metric.type is MetricType.WEIGHT]
    return tuple(
        MetricPoint(row.date, float(row.value), row.source) for metric in weights for row in metric.known
    )


def _line(series: MetricSeries) -> Line:
    points = tuple(MetricPoint(row.date, float(row.value), row.source) for row in series.rows)
    return Line(series.type, series.sport, str(series.latest.unit or ""), points)


def _per_kilo(line: Line, weights: Sequence[MetricPoint]) -> list[Line]:
    if not METRICS[line.type].is_per_kilo:
        return []
    days = [weight.day for weight in weights]
    points = tuple(
        point._replace(value=point.value / weights[weighed - 1].value)
        for point in line.points
        if (weighed := bisect_right(days, point.day)) and weights[weighed - 1].value > 0
    )
    return [replace(line, unit=f"{line.unit}/kg", points=points, is_per_kilo=True)] if points else []
