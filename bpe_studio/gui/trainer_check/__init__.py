"""Check a trainer…: asks for somebody's own trainer, runs the check, and shows its first wrong
merge.

It only asks and shows; `explain/check` finds and words the answer, in a job of
`workspace/opening/trainer_checker.py`.

Modules:
    dialog: the form, the running check, and the answer, one at a time.
    form: which trainer, on which text, by which settings.
    answer_page: the answer, the two pairs in their words, the mistake, its lesson, and the marks.
"""
