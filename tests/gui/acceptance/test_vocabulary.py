"""Which tokens are there, and which are never used: the vocabulary as a person asks, against an independent recount."""

from __future__ import annotations

from bpe_studio.gui.vocabulary.model import VocabularyModel as M


def at_rest(reader):
    panel = reader.panels["vocabulary"]
    reader.wait(lambda: panel.is_up_to_date and not panel.model.is_busy)
    return panel


def test_every_token_is_counted_and_the_never_used_ones_are_found_in_two_clicks(reader, story):
    step = 400
    reader.go_to(step)
    reader.click("status.vocab_size")
    panel = at_rest(reader)
    made = [bytes([byte]) for byte in range(256)] + [learned.token for learned in story.merges[:step]]
    counts = story.tokens(step)
    rows = {panel.model.content(row): row for row in range(1, panel.model.rowCount())}
    assert len(rows) == panel.model.rowCount() - 1 == len(made)
    for token in made:
        assert panel.model.text(rows[token], M.NOW) == f"{counts[token]:,}"
    for rank, learned in enumerate(story.merges[:step]):
        row = rows[learned.token]
        assert panel.model.text(row, M.RANK) == f"{rank + 1:,}"
        assert panel.model.text(row, M.CREATED) == f"{learned.count:,}"
        assert panel.model.content(row) == learned.pair[0] + learned.pair[1]
    unused = {token for token in made if not counts[token]}
    assert reader.find("vocabulary.unused").text() == f"Never used  {len(unused)}"
    reader.click("vocabulary.unused")
    panel = at_rest(reader)
    assert {panel.model.content(row) for row in range(panel.model.rowCount())} == unused
    partial = [token for token in made if token.decode(errors="replace").encode() != token]
    assert reader.find("vocabulary.partial").text() == f"Part of a character  {len(partial)}"
