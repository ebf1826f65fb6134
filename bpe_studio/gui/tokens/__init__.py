"""How tokens are painted: chips in rows and lines, running text. Knows no panel and no workspace.

It imports look and, for long computations, background; any panel may import it. The display names
of tokens come from `explain.names`.

Modules:
    colours: which colour a token has, by its place or by its name.
    chips: the tokens of one word as chips (`Chips`), and their places in one line (`ChipRow`).
    links: chips in lines that wrap, which select a token when they are clicked.
    merged_pairs: where a merge joins two tokens on the screen.
    qt_positions: conversion between code points and Qt's UTF-16 positions in a document's blocks.
    graphemes: where the graphemes of a laid-out text are; the only module that handles scripts and
        directions.
    geometry: where the tokens of an editor's block are.
    painting: paints the tokens of running text.
    tooltip: the facts about a token, as a tooltip and as one line.
"""
