"""The runs of the open text: training them, moving the step, and going from one to another.

Modules, from the top down:
    script_source: what a script of the shown run repeats.
    undo_memory: how much memory the undo history holds.
    side_runs: trains the text once more with other settings.
    largest_vocabulary: how large a vocabulary the run can reach.
    run_list: the runs that there are; shows, renames, removes and branches them off.
    loader: one job at a time that puts something else in place of what is open.
    transport: run, pause, step, speed, and the next stop.
    training: the job that learns merges, and the one that saves a tokenizer.

Imported by `opening/`, `lessons/` and the workspace; imports `corpus/` and `open_state`.
"""
