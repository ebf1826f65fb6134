"""Jobs that read the text of a corpus. They change nothing that is open; `runs/` and `opening/` take what they return.

Modules:
    text_files: from which files the text may be read; the one place that decides.
    text_access: asks a person whether the files of a document may be read.
    text_check: finds out whether files hold the text of a document.
    reading: cuts and counts a text, and prepares a run with no merge.
    held_out: chooses the lines that are held out, and counts them apart.
    embedded_text: puts the text in a studio document, and takes it out.
    concordance_search: finds the lines in which a token occurs.
    excerpt: the beginning of the text, to be shown.
"""
