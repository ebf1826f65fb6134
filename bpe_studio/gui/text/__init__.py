"""The typed text: an editor that shows each token in its colour, with counts and ids. No other
panel imports it.

Modules:
    panel: the editor, the token at the cursor, the counts and the ids, at the step of the
        workspace.
    token_editor: the editor with its tokens painted under the letters.
    plain_editor: the editor without tokens, responsive in a line of a hundred thousand characters,
        which it keeps in several blocks.
    visible_tokens: which tokens are in which visible block.
    layer: the ids or bytes below the tokens.
"""
