"""Answers about a run, in words: why a pair is merged, where two runs differ, what a size saves.

It lies between the engine, which computes, and the window, which shows: nothing here knows Qt or
the workspace, so the command line and tests can ask the same questions without a window. The
window, the workspace and the commands may import it; it imports files, engine and errors.

Modules:
    names: how tokens, pairs and overrides are written.
    wording: numbers, plurals, times and sizes as text.
    facts: a row with a fact, as panels list them.
    settings: the labels of options and values, and the options in which two configurations differ.
    candidates: the pairs that could be merged next, and why the first of them wins.
    merges: a step and its merge in a sentence.
    token_facts: the facts about one token.
    vocabulary: the facts about every token of a step, and which of them a filter leaves.
    text_search: the tokens and words that are, begin with or contain a text.
    neighbours: the order of a concordance by what is next to the token.
    merge_tree: the merge tree of a word, from its gap ranks.
    text_pieces: a typed text in pieces, each with its symbols and gap ranks.
    text_counts: the counts of a typed text.
    text_export: a typed text and its tokens, in the form that the HTML export writes.
    group_measures: measures of a text under any tokenizer, of the whole and of its groups.
    export_report: whether a tokenizer that was written cuts the words of a corpus as before.
    worksheet: a few words of a corpus, and their first merges, to be done by hand.
    notebook: what notebooks show of an encoding, a tokenizer, a corpus, a run and the answers about
        them.
    lesson_pages: lessons as web pages, and as a site.
    cut_text: the tokens of a text at a step, and how they differ from those at other steps.
    alignment: the tokens of a text in two tokenizers, in groups that begin and end together.

Packages:
    why: why a pair is merged, how a token was made, which merges a word takes.
    comparison: sizes, runs and tokenizers compared: measures, texts, words, differences, advice.
    inspection: what is wrong with a corpus, and where.
    doctor: what is wrong with a tokenizer: unreachable tokens and their reasons, and checks of the
        whole.
    tokenizer_diff: why two tokenizers give different ids, and a short text that shows it.
    check: what is wrong with a trainer that somebody wrote, and which mistake explains it.
"""
