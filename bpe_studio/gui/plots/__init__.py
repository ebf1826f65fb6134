"""Every curve of the window. May import look, background, tables, widgets and below.

- line_chart: lines over one axis, with zoom and places that are marked: measures over vocabulary
  sizes, tokens over merges
- chart_parts: what it is made of: an axis, a curve with its name, a dot; with line_chart all that
  imports pyqtgraph, which is imported after the first paint
- growth_panel: tokens and counts over merges, as two charts; a panel
- axes: scale of steps, round ticks, decimation; pure numbers, used by the timeline too
"""
