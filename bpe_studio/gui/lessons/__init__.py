"""Lessons: the current step of a lesson, above the panels that it describes.

Lessons are played by `bpe_studio.workspace.lessons`. Only shell and the main window import this package.

Modules:
    controller: the menu of lessons, lesson files, and how a lesson highlights and covers panels.
    panel: a step: its text, its question, and the buttons to move between steps.
    question: a question, its choices, and the verdict.
    progress_dots: the steps as a row of dots.
    highlights: a frame around a panel, and covers over panels that would reveal an answer.
"""
