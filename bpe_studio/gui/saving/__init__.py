"""Saving the tokenizer: the dialog with every format, and the report on what was written.

    dialog: chooses the step, the format and the place, and says what each format keeps.
    report: shows what was carried over, and whether the file cuts the words as before.

The workspace writes and checks the file (`workspace/opening/saver.py`). `shell/commands.py`
connects the two.
"""
