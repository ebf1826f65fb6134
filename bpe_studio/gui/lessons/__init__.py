"""Lessons: the step of a lesson above the panels that it talks about.

The lesson itself is `bpe_studio.workspace.lessons`. Only shell and the main window import this package.

Modules:
    controller: the menu of lessons, their files, and what a lesson does to the panels.
    panel: a step: what it says, what it asks, and the way on.
    question: a question, its choices, and the verdict.
    progress_dots: the steps as dots.
    highlights: a frame around a panel, and covers over those that tell the answer.
"""
