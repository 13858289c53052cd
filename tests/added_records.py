"""Shows the stream column, metric, flag rule, chart and page that a copy of the source has more: run by `test_added_records.py`.

Prints JSON: where each of them appears.
"""

import json
import os
import sys
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from streamlit.testing.v1 import AppTest

import page_views
import plain_rows
import squad
from coachboard.client.frames import STREAM_UNITS
from coachboard.flags.engine import RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.pages.athlete.headline import with_flagged_first
from coachboard.service.api.app import create_app
from coachboard.service.api.openapi import document_json
from coachboard.service.importers.columns import fit_columns
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.health.csv_files import read_csv
from coachboard.service.importers.reading import read_recording
from coachboard.service.store import Store
from coachboard.ui.frame import connection, navigation
from coachboard.ui.widgets.key_numbers import Card
from coachboard_demo.body import metrics_of
from coachboard_demo.outing import Day
from coachboard_demo.session import DonePart
from coachboard_demo.squad import SQUAD
from coachboard_demo.streams import make_streams
from coachboard_demo.training import Diary
from demo_sessions import RIDE
from plain_service import plain_app
from serving import served

_MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "ui" / "frame" / "main.py"
_COLUMN, _METRIC = "muscleOxygen", "lactate power"
_GPX = """<gpx><trk><trkseg>
<trkpt lat="47" lon="8"><time>2026-03-09T08:00:00Z</time><extensions><muscleoxygen>61</muscleoxygen></extensions></trkpt>
<trkpt lat="47" lon="8.0001"><time>2026-03-09T08:00:01Z</time><extensions><muscleoxygen>101</muscleoxygen></extensions></trkpt>
</trkseg></trk></gpx>"""
_BY_NAME = {"field_name": "SmO2", "units": "ratio"}
_BY_NUMBER = {"field_name": "Sensor", "native_field_num": 57}


def rows():
    """The plain rows with the column among the ride's streams and the metric twice."""
    made = plain_rows.plain()
    made.streams[plain_rows.RIDE][_COLUMN] = [60 + at % 7 for at in range(plain_rows.SECONDS)]
    first = made.lists["metrics"][0]
    made.lists["metrics"] += [first | {"id": "mtr_new", "type": _METRIC, "value": 231, "unit": "W"}]
    return made


def lines(look, **more):
    """The lines of the activity page with one analysis open."""
    page, params = page_views.PAGES["activity"]
    page_views.PAGES["activity"] = (page, params | {"look": look} | more)
    return page_views.view("activity")


def imported(gpx):
    """The values of the column in a GPX file, and the problems of the file."""
    (leg,) = (recording := read_recording(gpx.encode(), ImportLimits())).legs
    return leg.columns[_COLUMN].tolist(), list(recording.problems)


def fit_value(record, *descriptions):
    """The value of the column in a FIT record."""
    return float(fit_columns([record], descriptions)[0][_COLUMN][0].round(6))


def from_fit():
    """The value of the column in FIT files of devices, and in developers' fields."""
    return {
        "by the device": fit_value({"saturated_hemoglobin_percent": 64}),
        "by name": fit_value({"developer_fields": {0: 0.55}}, _BY_NAME),
        "by number": fit_value({"developer_fields": {0: 52}}, _BY_NUMBER),
    }


def in_the_demo():
    """The column at the start and at the end of a hard ride of the demo squad."""
    ride = replace(RIDE, done=(DonePart(1800, 1.0),), stops=(), pauses=())
    values = make_streams(ride.to_bytes()).columns[_COLUMN]
    return values[0], values[-1]


def metrics_of_a_table():
    """The metrics in a CSV file."""
    data = read_csv(b"Date,P at 4 mmol (W)\n2026-05-02,251\n")
    return [(kind, day.isoformat(), value) for (kind, day), value in data.metrics.items()]


def metric_of_the_demo():
    """The values of the metric that a demo athlete has in half a year."""
    days = [Day(plain_rows.TODAY - timedelta(days=day), 1.0, SQUAD[0].place, 70.0) for day in range(182)]
    return [metric.value for metric in metrics_of(SQUAD[0], Diary(days=days)) if metric.type == _METRIC]


def my_values():
    """The form of the page Values with the metric chosen."""
    at = AppTest.from_file(str(_MAIN), default_timeout=60).run()
    at.switch_page(str(navigation.PAGES_FOLDER / "values.py")).run()
    kind = next(box for box in at.selectbox if box.label == "Metric")
    options = kind.options
    at = kind.select_index(len(options) - 1).run()
    return {
        "options": options,
        "sports": next(box for box in at.selectbox if box.label == "Sport").options,
        "caption": next(caption.value for caption in at.caption if caption.value.startswith("Used for")),
    }


def view_of(page, **params):
    """The lines of a page at an address."""
    page_views.PAGES["an address"] = (page, params)
    return page_views.view("an address")


def cards(found):
    """The key numbers of a page as one text: label, range, unit and value of each."""
    return " ".join(line.partition(": ")[2] for line in found if line.startswith("key_numbers"))


def flags():
    """The lines of the pages that show flags."""
    page_views.PAGES["look"] = ("roster", {"view": "look"})
    page_views.PAGES["review"] = ("roster", {"view": "review"})
    return {name: page_views.view(name) for name in ("roster", "look", "review", "athlete", "settings")}


def flagged_cards():
    """The cards that a flag of the rule brings forward on a phone."""
    flag = Flag(rule=RULES_BY_ID["much_tempo"], threshold=3, is_raised=True)
    shown = with_flagged_first([Card(label, "1") for label in ("Form", "Event")], [flag])
    return [card.label for card in shown if card.is_key]


def seen():
    """Where the column and the metric appear."""
    values, problems = imported(_GPX)
    pages = {
        "panels and sensors": lines("sensors", sensors="ventilation"),
        "data quality": lines("quality"),
        "trends": page_views.view("trends metrics"),
    }
    return {
        "flags": flags(),
        "navigation": navigation.declared(),
        "page": page_views.view("goals"),
        "chart": [line for line in view_of("trends", look="training") if "shortest" in line.lower()],
        "flagged cards": flagged_cards(),
        "cards": cards(pages["panels and sensors"]),
        "import": values[:1],
        "problems": problems,
        "tag": imported(_GPX.replace("muscleoxygen", "SmO2").replace("101", "58"))[0][1:],
        "fit": from_fit(),
        "demo": in_the_demo(),
        "table": metrics_of_a_table(),
        "demo metric": metric_of_the_demo(),
        "description": _COLUMN in document_json("http://x").decode(),
        "unit": STREAM_UNITS["muscle_oxygen"],
        **{name: [line for line in found if "Muscle oxygen" in line or "Lactate power" in line]
           for name, found in pages.items()},
    }  # fmt: skip


with served(plain_app(rows())) as address, tempfile.TemporaryDirectory() as folder:
    os.environ |= {
        "COACHBOARD_BASE_URL": address,
        "COACHBOARD_CACHE_URL": f"sqlite:///{Path(folder) / 'cache.db'}",
        "COACHBOARD_API_KEY": "key-of-plain-rows",
        "COACHBOARD_TODAY": plain_rows.TODAY.isoformat(),
    }
    report = seen()
    connection.close_all()
    store = Store.open(f"sqlite:///{Path(folder) / 'service.db'}")
    squad.seed(store)
    with served(create_app(store)) as service:
        os.environ |= {"COACHBOARD_BASE_URL": service, "COACHBOARD_API_KEY": squad.ATHLETE_KEY}
        report["my values"] = my_values()
        connection.close_all()
    store.close()
json.dump(report, sys.stdout)
