"""The typed text: an editor in which each token has its colour, the counts and the ids. Other panels do not import it.

Modules:
    panel: the editor, the token at the cursor, the counts and the ids, at the step of the workspace.
    token_editor: the editor with its tokens painted under the letters.
    plain_editor: the editor without tokens, quick in a line of a hundred thousand characters.
    long_lines: how such a line is kept in several blocks.
    visible_tokens: which tokens are in which visible block.
    token_ids: the ids, each on the colour of its token.
    counts: the line of counts.
"""
