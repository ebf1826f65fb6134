"""Skyline: the typed text with the merge trees of its words, in rows. Only the window and the panel
links import it.

From the panel inwards:
- panel: follows the workspace; has the numbers, the zoom and the button that saves
- view: scrolls, zooms, handles the mouse and the keyboard, has tooltips, and paints an export
- picture: all rows with their scales and the line of the step; the view shows a part of it
- painting: one row: tokens as blocks, letters, joints
- rank_scale: the heights of ranks
- rows: the pieces of the text laid out in rows
- glyphs, visual_order: how a word is written, and the order of its parts from left to right

The trees come from `explain`: text_pieces, merge_tree.
"""
