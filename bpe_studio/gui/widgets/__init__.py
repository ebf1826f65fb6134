"""General widgets, and how widgets are named and laid out. Imports `look` only.

Modules:
    controls: `named` and `enable`, buttons, a spin box for whole numbers, connecting actions.
    containers: `row`, `column` and their spacing; scroll areas; splitters; a container with a
        stable size.
    labels: headings, notes, elided lines, reading text, labels for screen readers.
    answer_button: a numbered answer to choose from.
    entry_button: a button with a title and a phrase below it.
    wrapping_row: groups of controls that wrap if there is no room.
    tab_bar: tabs that keep their places.
    progress_line: a thin progress bar, which moves while the progress is unknown.
    fact_list: rows of a label and a sentence.
    form_dialog: the parts that all forms share: name, buttons, margins, size.
    question: a question before something is lost.
    drop_target: files and texts that are dropped on a window.
    file_dialogs: dialogs for opening and saving.
    window_settings: the user's choices, in a file that is written in the pool.
"""
