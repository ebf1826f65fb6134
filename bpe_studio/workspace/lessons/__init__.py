"""The lesson that is followed. What a lesson file says is read by `files/lessons`.

Modules, from the top down:
    player: which step is shown, what is asked at it and what was answered.
    stage: brings the workspace to where a step wants it.
    facts: fills in what a step's sentences leave to the run, and judges answers.
"""
