"""The transport and the timeline, above Explore and lessons, and the list of runs. Panels do not
import it.

Modules:
    transport_bar: the buttons, the step and the speed.
    run_chooser: the run that is shown, by its name.
    slider: the timeline, a slider over all merges.
    painting: how its curve and marks are painted.
    updater: keeps it up to date with the workspace; the menu of a step.
"""
