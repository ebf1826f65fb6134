"""Check a trainer…: asks for the user's own trainer, and shows its first wrong merge.

`explain/check` finds the answer and its words, in a job of `workspace/opening/trainer_checker.py`.

Modules:
    dialog: the form, the running check, and the answer, one at a time.
    form: asks for the trainer, the text and the settings.
    answer_page: the answer, the two pairs in their words, the mistake, its lesson, and the marks.
"""
