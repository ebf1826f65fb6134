"""What a text is made of, before anything is counted or learned. Imports only `engine/config`.

    normalization     NFC, lowercase and the like, with a map back to the text as given
    pretokenization   cuts a text into pre-tokens by a split's regular expression
    alphabet          the initial symbols: bytes or characters, with marks; their ids, names and contents
    unicode_scripts   the script of a character, for SentencePiece's rules

To add a split, give it a name in `presets.NAMED_SPLITS` and its expression in `pretokenization.PATTERNS`.
"""
