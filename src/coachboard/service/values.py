"""Values that a person enters: units and plausible ranges, the same in the commands, the API and CSV files."""

from datetime import date

from coachboard.service.ids import new_id
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport
from coachboard.wire.metrics import METRICS, MetricRecord, MetricType


class ImplausibleValueError(ValueError):
    """A value outside the range of its quantity; the message is one sentence for people."""


def check_value(kind: str, value: float, record: MetricRecord) -> None:
    """Raise `ImplausibleValueError` for a value that no athlete has."""
    low, high = record.plausible
    if not low <= value <= high:
        unit = record.unit
        hint = " Enter W′ in joules." if kind == MetricType.W_PRIME and value < low else ""
        raise ImplausibleValueError(
            f"A {kind} of {value:g} {unit} is not plausible: enter {low:g} to {high:g} {unit}.{hint}"
        )


def new_metric(
    kind: MetricType,
    value: float,
    *,
    day: date,
    sport: MetricSport,
    id_: str | None = None,
    source: MetricSource = MetricSource.USER,
) -> Metric:
    """A value in the usual unit of its type, measured unless `source` says otherwise; raises `ImplausibleValueError`."""
    check_value(kind, value, METRICS[kind])
    return Metric(
        id=id_ or new_id("mtr"),
        type=kind,
        value=value,
        unit=METRICS[kind].unit,
        source=source,
        date=day,
        sport=sport,
    )
