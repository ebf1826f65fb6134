"""The transport and the timeline, above Explore and lessons, and the list of runs.

Modules:
    transport_bar: the buttons, the step and the speed.
    run_chooser: the run that is shown, by its name.
    slider: the timeline, a slider over all merges.
    painting: paints the curve and the marks of the timeline.
    updater: updates the timeline from the workspace; the menu of a step.
"""
