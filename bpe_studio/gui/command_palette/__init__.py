"""The command palette (Ctrl+K): finds actions, merges, tokens, words, runs and terms.

    palette: the palette over the window; its field, whose keys move through the list.
    results: the list of results, and how a row is painted.
    entries: an entry for each action of a window, and for a number that is typed; other words for
        actions.
    name_match: how well a text matches a name.

It knows no panel: `shell/panel_links.py` adds the entries of panels and what is searched. It is
imported by `shell` and `main_window`.
"""
