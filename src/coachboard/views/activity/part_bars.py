"""Parts as bars: width is duration, height is intensity or speed; a click selects a part."""

from functools import partial

from coachboard.charts.lap_bars import LapBar, lap_bars_chart
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_parts import Parts
from coachboard.views.activity.columns import speed_column
from coachboard.views.activity.part_choice import selected_row, take
from coachboard.views.activity.streams import bands_of
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets.figure import Listener
from coachboard.views.widgets.pace_ticks import pace_ticks
from coachboard.views.widgets.plot import draw_chart


def draw_bars(page: Page, data: ActivityData, parts: Parts, *, title: str) -> None:
    """Height by power if known, else by speed or pace; draws nothing without both."""
    by_power = bool(parts.table["average_power_w"].notna().any())
    values = parts.table["average_power_w" if by_power else "average_speed_mps"]
    if not values.notna().any():
        return
    speed = speed_column(data.activity.sport, page.units)
    quantity, unit = ("power", "W") if by_power else (speed.title.lower(), speed.unit)
    shown = values.to_numpy() if by_power or speed.is_pace else speed.shown(values.to_numpy())
    texts = [_text(page, data, parts, row) for row in range(len(parts.table))]
    bars = [
        LapBar(band, float(value), text)
        for band, value, text in zip(bands_of(parts), shown, texts, strict=True)
    ]
    critical_power_w = data.capacities.critical_power_w if by_power else None
    draw_chart(
        partial(
            lap_bars_chart,
            bars,
            title=f"Average {quantity}",
            unit=unit,
            selected=selected_row(data, parts),
            reference=(critical_power_w, f"critical power {formats.power(critical_power_w)}")
            if critical_power_w
            else None,
            ticks=pace_ticks(0.0, float(values.max()), speed.pace_per_m)
            if speed.pace_per_m and not by_power
            else (),
        ),
        key=f"activity.bars.{data.activity.id}.{parts.kind}",
        says=f"{title}: width = duration, height = average {quantity}{_coloured(parts)}.",
        hint="Select a bar to mark it in the panels.",
        listener=Listener("point", lambda bar: take(bar["point"] if bar else None, parts)),
    )


def _coloured(parts: Parts) -> str:
    if any(stretch.intensity is not None for stretch in parts.stretches):
        return ", colour and pattern = intensity"
    return ""


def _text(page: Page, data: ActivityData, parts: Parts, row: int) -> str:
    stretch, numbers = parts.stretches[row], parts.table.iloc[row]
    texts = [
        f"{stretch.number}: {stretch.label}",
        formats.duration_hms(numbers["duration_s"]),
        formats.power(numbers["average_power_w"]),
        formats.heart_rate(numbers["average_heart_rate_bpm"]),
        formats.speed_or_pace(numbers["average_speed_mps"], data.activity.sport, units=page.units),
    ]
    return ", ".join(text for text in texts if text != formats.MISSING)
