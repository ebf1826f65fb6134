"""The charts of the window.

- line_chart: lines over one axis, with zoom and marked places: measures over vocabulary sizes,
  tokens over merges
- chart_parts: the parts of a chart: an axis, a curve with its name, a dot. Only line_chart and
  chart_parts import pyqtgraph, after the first paint
- growth_panel: the panel Growth, with tokens and counts over merges as two charts
- axes: scale of steps, round ticks, decimation; pure numbers, used by the timeline too
"""
