"""Readable and distinguishable colours, by computation."""

import itertools
import tomllib
import unicodedata
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from coloraide import Color

from coachboard.charts import palette
from coachboard.wire.enums import LapIntensity, TrainingStimulus
from coachboard.wire.stream_columns import COLUMNS

ROOT = Path(__file__).parents[3]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
SURFACES = (palette.SURFACE, palette.RAISED)
THEMES = ("light", "dark")
# Stages of a night and missing stretches are drawn as areas and never written with.
AREAS = {"light", "awake", "noData", "rem", "unphased", "nap"}
WRITTEN = {
    "ink": palette.INK,
    "muted": palette.MUTED,
    "accent": palette.ACCENT,
    **{name: tone for name, tone in palette.QUANTITIES.items() if name not in AREAS},
    **{name: state.tone for name, state in palette.COMPLIANCE.items()},
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", WRITTEN)
def test_written_tones_have_the_contrast_of_text(name, surface, theme):
    colour, behind = (getattr(tone, theme) for tone in (WRITTEN[name], surface))

    assert Color(colour).contrast(behind) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", sorted(AREAS))
def test_areas_differ_from_the_page(name, theme):
    colour = getattr(palette.QUANTITIES[name], theme)

    assert Color(colour).contrast(getattr(palette.SURFACE, theme)) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", ["full", "protan", "deutan", "tritan"])
def test_neighbours_of_the_ramp_stay_apart(sight, theme):
    steps = [Color(getattr(tone, theme)) for tone in palette.INTENSITY_RAMP.values()]
    seen = steps if sight == "full" else [step.filter(sight) for step in steps]

    assert min(a.delta_e(b, method="2000") for a, b in itertools.pairwise(seen)) >= 10


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", ["protan", "deutan", "tritan"])
def test_states_of_compliance_have_a_sign_beside_the_colour(sight, theme):
    signs = [state.sign for state in palette.COMPLIANCE.values()]

    assert len(set(signs)) == len(signs) == 5
    # A font without ≠ draws = and a slash over the next letter.
    assert not any(unicodedata.decomposition(sign) for sign in signs)


BESIDE_THE_RAMP = [name for name in palette.STIMULI if str(name) not in set(LapIntensity)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", BESIDE_THE_RAMP)
def test_a_stimulus_without_an_intensity_contrasts_with_the_page(name, surface, theme):
    colour, behind = (getattr(tone, theme) for tone in (palette.STIMULI[name], surface))

    assert Color(colour).contrast(behind) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", ["full", "protan", "deutan", "tritan"])
def test_stimuli_without_an_intensity_differ_from_all_others(sight, theme):
    """By colour; where a colour-blind user confuses two colours, by the pattern of the bars."""
    tones = palette.STIMULI
    seen = {name: Color(getattr(tone, theme)) for name, tone in tones.items()}
    seen = seen if sight == "full" else {name: colour.filter(sight) for name, colour in seen.items()}
    pairs = [(a, b) for a, b in itertools.combinations(tones, 2) if {a, b} & set(BESIDE_THE_RAMP)]
    alike = [(a, b) for a, b in pairs if seen[a].delta_e(seen[b], method="2000") < 10]

    assert set(tones) == set(TrainingStimulus)
    assert sight != "full" or not alike
    assert not [p for p in alike if len({palette.shape_of(tones[name].light) for name in p}) == 1]


def test_the_ramp_has_a_step_for_each_intensity_from_calm_to_hot():
    assert list(palette.INTENSITY_RAMP) == [
        LapIntensity.RECOVERY,
        LapIntensity.AEROBIC,
        LapIntensity.TEMPO,
        LapIntensity.THRESHOLD,
        LapIntensity.VO2MAX,
        LapIntensity.ANAEROBIC,
        LapIntensity.NEUROMUSCULAR,
    ]


def test_no_light_colour_has_two_meanings():
    """The exchange for the dark theme goes by colour, so that two meanings of one would mix."""
    light = [tone.light for tone in palette.tones()]

    assert len(set(light)) == len(light)


def test_a_figure_turns_dark_in_lines_areas_fonts_and_bands():
    figure = go.Figure(go.Scatter(x=np.arange(2), y=np.arange(2.0), line_color=palette.quantity("power")))
    figure.add_vrect(0, 1, fillcolor=palette.translucent(palette.quantity("speed"), 0.2))

    dark = palette.to_dark(palette.layout(figure, height=200))

    assert dark.data[0].line.color == palette.QUANTITIES["power"].dark
    assert dark.layout.template.layout.font.color == palette.INK.dark
    assert dark.layout.shapes[0].fillcolor == palette.translucent(palette.QUANTITIES["speed"].dark, 0.2)
    assert dark.to_plotly_json()["data"][0]["y"] == figure.to_plotly_json()["data"][0]["y"]


@pytest.mark.parametrize("theme", THEMES)
def test_the_theme_of_streamlit_has_the_same_colours(theme):
    given = CONFIG["theme"][theme]

    assert given["primaryColor"] == getattr(palette.ACCENT, theme)
    assert given["backgroundColor"] == getattr(palette.SURFACE, theme)
    assert given["textColor"] == getattr(palette.INK, theme)
    assert given["chartCategoricalColors"] == [getattr(tone, theme) for tone in palette.CATEGORICAL]
    assert len(given["chartCategoricalColors"]) == 10


def test_every_stream_column_has_a_colour():
    assert all(palette.quantity(column.wire_name).startswith("#") for column in COLUMNS)


def test_every_intensity_and_either_grey_has_a_sign_beside_its_colour():
    colours = [palette.intensity(name) for name in LapIntensity]
    greys = [palette.STALE.light, palette.PLANNED.light]

    assert len(set(palette.pattern(colours)["shape"])) == len(LapIntensity)
    assert palette.pattern(greys)["shape"] == ["", "/"]


def test_a_pattern_has_one_background_which_plotly_does_not_read_as_a_list():
    """ "Invalid color specifier: Array(12)" in the console for each chart of laps."""
    colours = [palette.intensity(name) for name in LapIntensity]

    assert palette.pattern(colours)["bgcolor"] == colours[0]
    assert palette.pattern([])["bgcolor"] == palette.SURFACE.light
    assert palette.pattern(colours)["fillmode"] == "overlay"


def test_a_grey_has_a_name_among_intensities_only():
    """Climbs have no intensity; their two greys only separate neighbours."""
    greys = [palette.PLANNED.light, palette.STALE.light]

    assert palette.intensity_names(greys) == []
    assert palette.intensity_names([*greys, palette.intensity("tempo")]) == [
        (palette.intensity("tempo"), "Tempo"), (palette.STALE.light, "No intensity"),
    ]  # fmt: skip
