"""The typed text: an editor that shows each token in its colour, with counts and ids.

Modules:
    panel: the editor, the token at the cursor, the counts and the ids, at the step of the
        workspace.
    token_editor: the editor with its tokens painted under the letters.
    plain_editor: the editor without tokens, which stays responsive in very long lines.
    visible_tokens: the tokens of each visible block.
    layer: the ids or bytes below the tokens.
"""
