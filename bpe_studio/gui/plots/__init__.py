"""Every curve of the window. May import look, background, tables, widgets and below.

- line_chart: lines over one axis, with zoom and places that are marked: measures over vocabulary sizes, tokens over
  merges; the only module that imports pyqtgraph, so what needs it is imported after the first paint
- growth_panel: tokens and counts over merges, as two charts; a panel
- axes: scale of steps, round ticks, decimation; pure numbers, used by the timeline too
"""
