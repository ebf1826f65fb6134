"""A text cut by a segmenter of its own, to hold another one to that has been edited."""

from __future__ import annotations

from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.run import Run


def cut_afresh(run: Run, text: str) -> EditableText:
    """`run.live` would take over what another text like it has cut."""
    live = EditableText(run.new_segmenter())
    live.set_text(text)
    return live
