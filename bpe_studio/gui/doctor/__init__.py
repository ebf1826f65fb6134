"""Doctor: problems of the tokenizer at the current step, token by token.

Modules:
    panel: starts the examination, and shows its state, the counts of the classes, the gates, and
        the unreachable tokens.
"""
