"""Tokens wherever they are drawn: chips in rows, running text, merges in animation. Knows no panel and no workspace.

It imports look and, for what takes long, background; any panel may import it. What tokens are called is
`explain.names`.

Modules:
    chips: the tokens of one word in a line (`ChipRow`), and pieces of a text in a flow.
    links: chips that select a token when they are clicked.
    merge_animation: one frame of the animation of a merge, and how chips are painted in it.
    qt_positions: code points of a text, and Qt's UTF-16 units in a document's blocks.
    graphemes: where the graphemes of a laid-out text are; the one place that knows scripts and directions.
    geometry: where the tokens of an editor's block are, in graphemes.
    painting: how tokens look in running text.
    paragraph: a read-only paragraph, laid out once, in graphemes.
    cut_text: a read-only text at one step, with its differences from other steps.
    tooltip: what is known of one token, as a tooltip and as a line.
"""
