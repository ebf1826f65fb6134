"""Lessons: a page on which one is chosen, and the current step of a lesson in a column next to the
panels of Explore.
`bpe_studio.workspace.lessons` plays lessons. Only `shell` and `main_window` import this package.

Modules:
    controller: the menu of lessons, lesson files, and the panels that a lesson frames and covers.
    chooser: the page of lessons.
    panel: a step: its text, its question with the verdict, and the buttons to move between steps.
    words: the texts of the column and the page, in the languages of the lessons.
"""
