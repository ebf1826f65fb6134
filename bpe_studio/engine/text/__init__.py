"""A text before anything is counted or trained: its changes, pre-tokens and symbols.

Imports only modules of `engine` itself.

    normalization     NFC, lowercase and the like, with a map back to the given text
    cleaning          removes or repairs parts of a corpus's lines: addresses, data, mojibake
    pretokenization   splits a text into pre-tokens with a regular expression
    timed_matches     the matches of a typed expression, within limits of time
    outside_alphabet  the numbers of unknown symbols and special tokens in a text
    special_text      finds the text of special tokens
    alphabet          the initial symbols: bytes or characters, with marks; their ids, names and
                      contents
    items             symbols that white space separates, and their numbers
    utf8              text as bytes, and where characters begin in them
    unicode_scripts   the script of a character, for SentencePiece's rules

To add a split, give it a name in `engine/options.py` and its expression in `presets.PATTERNS`.
"""
