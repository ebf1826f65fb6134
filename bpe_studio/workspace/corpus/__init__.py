"""Jobs that read the text of a corpus. They change nothing that is open; `runs/` and `opening/` use
their results.

Modules:
    text_files: whether the text of the corpus can be read.
    reading: splits and counts a text, and prepares a run without merges.
    text_job: a job on the open text that a person asks for.
    inspector: inspects the text on request.
    sampler: trains on samples of the text on request.
    group_measurer: measures the text by groups at many sizes on request.
    held_out: chooses the lines that are held out, and counts them separately.
    embedded_text: stores the text in a studio document, and extracts it.
    concordance_search: finds the lines in which a token occurs.
    place_lines: the lines at the places of a finding.
    compared_tokenizers: tokenizers that are opened to be compared with the open run.
    known_tokenizers: published tokenizers, opened to encode a few lines.
    token_counting: counts the corpus under such a tokenizer.
    raw_facts: the facts about the text itself that this counting needs.
"""
