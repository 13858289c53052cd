"""Shows a stream column, a metric and a flag rule that a copy of the source has one record of: run by `test_added_records.py`.

Prints JSON: where each of them appears.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import page_views
import plain_rows
from coachboard.client.parsing.frames import STREAM_UNITS
from coachboard.flags.engine import RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.service.api.openapi import document_json
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.reading import read_recording
from coachboard.views.athlete.headline import with_flagged_first
from coachboard.views.widgets.key_numbers import Card
from plain_service import plain_app
from serving import served

_COLUMN, _METRIC = "muscleOxygen", "lactate power"
_GPX = """<gpx><trk><trkseg>
<trkpt lat="47" lon="8"><time>2026-03-09T08:00:00Z</time><extensions><muscleoxygen>61</muscleoxygen></extensions></trkpt>
<trkpt lat="47" lon="8.0001"><time>2026-03-09T08:00:01Z</time><extensions><muscleoxygen>101</muscleoxygen></extensions></trkpt>
</trkseg></trk></gpx>"""


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
    (leg,) = (found := read_recording(_GPX.encode(), ImportLimits())).legs
    pages = {
        "panels and sensors": lines("sensors", sensors="ventilation"),
        "data quality": lines("quality"),
        "trends": page_views.view("trends metrics"),
    }
    return {
        "flags": flags(),
        "flagged cards": flagged_cards(),
        "cards": cards(pages["panels and sensors"]),
        "import": leg.columns[_COLUMN].tolist()[:1],
        "problems": list(found.problems),
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
    json.dump(seen(), sys.stdout)
