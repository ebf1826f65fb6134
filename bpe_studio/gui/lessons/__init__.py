"""Lessons: a page to choose one from, and the current step of a lesson in a column next to the
panels of Explore.

Lessons are played by `bpe_studio.workspace.lessons`. Only shell and the main window import this
package.

Modules:
    controller: the menu of lessons, lesson files, and how a lesson highlights and covers panels.
    chooser: the page of lessons.
    panel: a step: its text, its question with the verdict, and the buttons to move between steps.
"""
