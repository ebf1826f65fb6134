"""Answers about a run, in words: why a pair is merged, where two runs differ, what a size saves.

The package lies between the engine, which computes, and the window, which shows. Nothing here knows
Qt or the workspace, so the command line and tests can ask the same questions without a window. The
window, the workspace and the commands may import it; it imports files, engine and errors.

Modules:
    names: the names of tokens, pairs and overrides, as people read them.
    wording: numbers, plurals, times, sizes and JSON as text.
    facts: one fact, a row in a panel.
    settings: the labels of options and values, and the options in which two configurations differ.
    candidates: the pairs that could be merged next, and why the first of them wins.
    merges: a step and its merge in a sentence.
    token_facts: the facts about one token.
    vocabulary: the facts about every token of a step, and a filter for them.
    text_search: the tokens and words that are, begin with or contain a text.
    neighbours: the words next to a token, for the order of a concordance.
    merge_tree: the merge tree of a word, from its gap ranks.
    text_pieces: a typed text as pieces, each with its symbols and gap ranks.
    text_counts: the counts of a typed text.
    text_export: a typed text and its tokens, in the form that the HTML export writes.
    group_measures: measures of a text under any tokenizer, for the whole text and its groups.
    export_report: a check that a saved tokenizer cuts the words of a corpus as before.
    worksheet: a few words of a corpus and their first merges, to be done by hand.
    notebook: encodings, tokenizers, corpora, runs and answers as HTML for notebooks.
    lesson_pages: lessons as web pages, and as a site.
    cut_text: the tokens of a text in a column of Compare, and their differences from another
        column.
    alignment: the tokens of a text in two tokenizers, in groups that begin and end together.

Packages:
    why: why a pair is merged, how a token was made, which merges a word takes.
    comparison: sizes, runs and tokenizers compared: measures, texts, words, differences, advice.
    inspection: problems in a corpus, with their places.
    doctor: problems of a tokenizer: unreachable tokens with their reasons, and gates.
    tokenizer_diff: why two tokenizers give different ids, and a short text that shows it.
    check: the first mistake of somebody's own trainer, with its cause.
"""
