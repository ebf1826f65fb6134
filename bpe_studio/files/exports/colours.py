"""The colours of tokens and the greys around them, light and dark, as the window and exported pages
show them.

They are computed in OKLCH. In each mode the tokens have two lightnesses in turn, so that two
neighbours differ in grey, too: light, 0.945 and 0.865; dark, 0.44 and 0.36, with hues that do not
look muddy when they are dark. The test of the window's theme checks contrasts and distances.
"""

from __future__ import annotations

from collections.abc import Iterable

TOKEN_COLOURS = {
    "light": ("#DCEFFF", "#F0CC9C", "#DAF5E5", "#E9C3F2", "#F0EFD4", "#FFBFC3"),
    "dark": ("#185586", "#014453", "#7F401B", "#3E326C", "#335B31", "#5F2641"),
}
"""The k-th token of a paragraph has colour k mod 6; the hues of light and dark differ."""
N_COLOURS = 6
GROUND_COLOURS = {
    "light": {
        "ground": "#F3F4F6",
        "sheet": "#FFFFFF",
        "ink": "#1B1F24",
        "quiet": "#5C646F",
        "line": "#C9CED5",
        "accent": "#0A63D8",
        "token-ink": "#1B1F24",
    },
    "dark": {
        "ground": "#22262B",
        "sheet": "#191C20",
        "ink": "#E6E9ED",
        "quiet": "#A0A9B4",
        "line": "#3E454E",
        "accent": "#5CA8FF",
        "token-ink": "#F2F4F7",
    },
}
"""The colours behind tokens and around them, of text, and of the accent, which marks the current
step."""
NAME_SEED = 56_166
"""The seed by which a token's colour follows from the CRC-32 of its name: of 77,000 seeds, the one
by which the fewest neighbours in the samples have the same colour, 14 % of them and not 20 %."""


def apart(numbers: Iterable[int]) -> list[int]:
    """The numbers of colours, changed so that no two neighbours are equal: of two that are, the
    second becomes the next number.
    """
    found: list[int] = []
    for number in numbers:
        if found and number == found[-1]:
            number = (number + 1) % N_COLOURS
        found.append(number)
    return found
