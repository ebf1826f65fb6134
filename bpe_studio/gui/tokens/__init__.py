"""Painting of tokens: chips in rows and lines, and running text. Knows no panel and no workspace.

The display names of tokens come from `explain.names`.

Modules:
    colours: the colour of a token, by its place or by its name.
    chips: the tokens of one word as chips (`Chips`), and their places in one line (`ChipRow`).
    links: chips in lines that wrap, which select a token when they are clicked.
    merged_pairs: the places on the screen where a merge joins two tokens.
    qt_positions: conversion between code points and Qt's UTF-16 positions in a document's blocks.
    graphemes: the places of graphemes in a laid-out text; the only module that handles scripts and
        directions.
    geometry: the places of tokens in an editor's block.
    painting: paints the tokens of running text.
    tooltip: the facts about a token, as a tooltip and as one line.
"""
