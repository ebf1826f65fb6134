"""Saving the tokenizer: the dialog with every format, and the report on what was written.

    dialog: the step, every format with what it keeps or why it cannot, and the place.
    report: what was carried over, and whether the words of the corpus are cut as before.

The workspace writes the file and compares (`workspace/opening/saver.py`); `shell/commands.py`
connects the two.
"""
