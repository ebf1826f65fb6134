"""Changes the tokenizers of others in their own files, so that their libraries run the result.

`extending` appends further merges to those of a file, `pruning` takes tokens out of it; `reading` is what they share.
"""
