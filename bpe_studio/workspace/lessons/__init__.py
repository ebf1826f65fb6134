"""Playing a lesson. `files/lessons` reads lesson files.

Modules, from the top down:
    player: the current step, its question and the answer.
    stage: brings the workspace to the state that a step needs.
    language: the direction and the digits of a lesson's language.
    facts: fills in the values that a sentence takes from the run, and judges answers.
"""
