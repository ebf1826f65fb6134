"""Every curve of the window. May import look, background, tables, widgets and below.

The kit:
- axes: scale of steps, round ticks, decimation, rows of labels; pure numbers, used by the timeline too
- curve_widget: a widget that paints a curve, or a sentence where there is none
- curve_painting: ticks, lines, dots and texts of all curves

Curves:
- growth_panel, growth_plot: tokens and counts over merges; a panel
- size_curve: tokens over vocabulary sizes
- measure_curve: other measures over vocabulary sizes, a line for each run or group
- axis_menu: how a curve is drawn, as entries of its context menu
- overlap_curve: tokens that two runs have in common
- enough_curve: what runs on samples of a text give
- token_life: how often a token occurs at every step
"""
