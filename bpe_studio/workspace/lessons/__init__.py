"""Playing a lesson. `files/lessons` reads lesson files.

Modules, from the top down:
    player: the current step, its question and the answer.
    stage: brings the workspace to the state that a step needs.
    facts: fills in the values that a step takes from the run, and judges answers.
"""
