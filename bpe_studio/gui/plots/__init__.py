"""Every curve of the window. May import look, background, tables, widgets and below.

The kit:
- axes: scale of steps, round ticks, decimation, rows of labels; pure numbers, used by the timeline too
- curve_widget: a widget that paints a curve, or a sentence where there is none
- curve_painting: ticks, lines, dots and texts of all curves

Curves:
- growth_panel: tokens and counts over merges; a panel
- line_chart: lines over one axis, with marks that can be dragged: measures over vocabulary sizes, shares over merges
- axis_menu: how a curve is drawn, as entries of its context menu
- token_life: how often a token occurs at every step
"""
