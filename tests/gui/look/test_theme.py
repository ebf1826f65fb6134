"""The palettes and the token colours: legible, told apart, and changed everywhere at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette

from bpe_studio.gui.look import icons, theme

PALETTES = {"light": theme.light_palette, "dark": theme.dark_palette}


def luminance(colour: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    return (
        0.2126 * linear(colour.redF())
        + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF())
    )


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(params=PALETTES)
def palette(request, qapp):
    return PALETTES[request.param]()


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        (QPalette.ColorRole.WindowText, QPalette.ColorRole.Window),
        (QPalette.ColorRole.Text, QPalette.ColorRole.Base),
        (QPalette.ColorRole.Text, QPalette.ColorRole.AlternateBase),
        (QPalette.ColorRole.ButtonText, QPalette.ColorRole.Button),
        (QPalette.ColorRole.ToolTipText, QPalette.ColorRole.ToolTipBase),
        (QPalette.ColorRole.HighlightedText, QPalette.ColorRole.Highlight),
        (QPalette.ColorRole.PlaceholderText, QPalette.ColorRole.Base),
    ],
)
def test_text_is_legible(palette, text, ground):
    assert contrast(palette.color(text), palette.color(ground)) >= 4.5


def test_tokens_are_legible_and_neighbours_differ_in_grey(palette):
    colours = theme.token_colours(palette)
    text = theme.token_text_colour(palette)
    least = 7.1 if theme.is_dark(palette) else 10.6
    assert len(colours) == 6
    assert min(contrast(text, colour) for colour in colours) >= least
    for one, other in pairwise([*colours, colours[0]]):
        assert contrast(one, other) >= 1.1


SIMULATED = {
    "normal": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""Linear RGB as it is seen with each kind of colour vision, by Machado, Oliveira and Fernandes
(2009), severity 1.
"""
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def lab(colours, vision):
    """(n, 3) colours in OKLab, as they are seen."""
    channels = np.array([[colour.redF(), colour.greenF(), colour.blueF()] for colour in colours])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ SIMULATED[vision].T, 0, 1)
    return np.cbrt(seen @ TO_CONES.T) @ TO_LAB.T


def distances(colours, vision):
    """(n, n) how far colours are apart in OKLab."""
    places = lab(colours, vision)
    return np.linalg.norm(places[:, None] - places[None], axis=-1)


@pytest.mark.parametrize("vision", SIMULATED)
def test_tokens_are_told_apart_with_every_colour_vision(palette, vision):
    apart = distances(theme.token_colours(palette), vision)
    neighbours = [apart[k, (k + 1) % 6] for k in range(6)]
    others = [apart[i, j] for i in range(6) for j in range(i)]
    assert min(neighbours) >= 0.08
    if theme.is_dark(palette):
        assert min(others) >= (0.095 if vision == "normal" else 0.04), "any two, at a glance"
        grounds = distances(
            [*theme.token_colours(palette), palette.color(QPalette.ColorRole.Base)], vision
        )[6, :6]
        assert min(grounds) >= (0.085 if vision == "normal" else 0.06), (
            "each from what is behind it"
        )


def test_dark_tokens_have_two_lightnesses_in_turn_and_hues_that_are_no_mud(qapp):
    colours = lab(theme.token_colours(theme.dark_palette()), "normal")
    lightness = colours[:, 0]
    chroma = np.hypot(colours[:, 1], colours[:, 2])
    hues = np.degrees(np.arctan2(colours[:, 2], colours[:, 1])) % 360
    assert np.ptp(lightness[::2]) <= 0.02 and np.ptp(lightness[1::2]) <= 0.02
    assert min(lightness[::2]) - max(lightness[1::2]) >= 0.06
    # Teal has no more chroma than 0.065 where it is so dark.
    assert sorted(chroma)[1] >= 0.08 and min(chroma) >= 0.06 and max(chroma) <= 0.105
    assert not any((hues > 55) & (hues < 140)), "olive"
    assert not any((hues > 5) & (hues < 35)), "crimson"


def test_modes(qapp):
    theme.apply(qapp, "dark")
    assert theme.is_dark(qapp.palette())
    theme.apply(qapp, "light")
    assert not theme.is_dark(qapp.palette())
    theme.apply(qapp, "no such mode")  # as the system: light where it says nothing
    assert not theme.is_dark(qapp.palette())


def test_every_icon_has_a_glyph(qapp):
    assert icons.are_available()
    for name in icons.GLYPHS:
        image = icons.icon(name).pixmap(24).toImage()
        assert any(image.pixelColor(x, y).alpha() for x in range(24) for y in range(24)), name
    assert not icons.window_icon().isNull()
