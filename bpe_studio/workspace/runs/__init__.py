"""The runs of the open text: training, moving the step, and switching between runs.

Modules, from the top down:
    script_source: the shown run as the source of a script.
    side_runs: trains the text again with other settings.
    examiner: examines the tokenizer of the shown step on request.
    run_list: all runs; shows, renames, removes and branches them.
    loader: one job at a time that replaces what is open.
    transport: run, pause, step, speed, and the next stop.
    training: the jobs that train and that save a tokenizer.

Imported by `opening/`, `lessons/` and the workspace; imports `corpus/` and `open_state`.
"""
