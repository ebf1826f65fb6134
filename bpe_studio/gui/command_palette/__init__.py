"""The command palette (Ctrl+K): finds actions, merges, tokens, words, runs and terms.

    palette: the palette over the window, and its field, whose keys move through the list.
    results: the list of results, and the delegate that paints a row.
    entries: an entry for each action of a window and for a number that is typed, and synonyms.
    name_match: the match of a text in a name, and its score.
It knows no panel: `shell/panel_links.py` adds the entries of panels and the search. `shell` and
`main_window` import it.
"""
