"""The usual names of the column with the text.

Imports nothing, so that the help of commands can name them.
"""

from __future__ import annotations

TEXT_COLUMNS = ("text", "content", "sentence", "document", "passage")
"""In the order in which they are looked for."""
