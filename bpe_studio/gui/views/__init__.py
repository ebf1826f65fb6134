"""The views, each with its panels and their places.

layouts: the panels by their keys, and the places of each view
frame: shows one view at a time, the drawer at its side, and panels in windows of their own
place: a heading and the panel below it
view_bar: the buttons of the views and of the drawer
covers: a frame around a panel, and covers over panels that would reveal an answer
lazy_panels: the panels by their keys; some are imported and made late
"""
