"""Doctor: what is wrong with the tokenizer of the step, token by token, with links to where it can
be seen.

It may import tables, tokens, widgets, look and background; other panels do not import it.

Modules:
    panel: asks for the examination, and shows its state, the counts of the classes, what must hold
        of the tokenizer as a whole, and the tokens that are not reachable.
"""
