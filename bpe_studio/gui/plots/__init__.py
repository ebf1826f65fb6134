"""Every curve of the window, on one kit over pyqtgraph. May import look, background, tables, widgets and below.

The kit:
- axes: scale of steps, round ticks, decimation, rows of labels; pure numbers, used by the timeline too
- late_plot: a widget whose curve is built once that is done
- curve_plot: areas, axes, cached curves, the layer that moves, theme, export; imports pyqtgraph

Curves, each a widget (mouse, keyboard, texts) and its plot (the picture; imports pyqtgraph):
- growth_panel, growth_plot: tokens and counts over merges; a panel
- size_curve, size_plot, size_chart (where things are), size_handle: tokens over vocabulary sizes; in the panel Sizes
- overlap_curve, overlap_plot, overlap_chart: tokens that two runs have in common; in the panel Runs
- enough_curve, enough_plot: what runs on samples of a text give; in the panel How much text
- token_life, life_plot: how often a token occurs at every step; in the panel Why

`*_plot` and `curve_plot` are imported late, and only here: importing pyqtgraph takes half a second.
"""
