"""Asking why a token is there, as a person does: its tree, its life, its words, and lines of the corpus.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations


def number(text):
    return int(text.partition(" ")[0].replace(",", ""))


def rank_of(story, token):
    return next(rank for rank, learned in enumerate(story.merges) if learned.token == token)


def ask(reader, story, token):
    """Filter the merges for a token, click on it, and look at why."""
    reader.type_into("merges.filter", token.decode())
    table = reader.find("merges.table")
    rank = rank_of(story, token)
    reader.wait(lambda: reader.panels["merges"].model.row_of(rank) >= 0 and table.model().rowCount() < 573)
    reader.click_row("merges.table", reader.panels["merges"].model.row_of(rank))
    reader.rest()
    return reader.panels["why"].token


def test_a_click_on_a_merge_tells_how_its_token_was_born_and_how_it_stands(reader, story):
    token = b" the"
    section, rank = ask(reader, story, token), rank_of(story, token)
    assert reader.step == rank + 1
    facts = reader.facts(section)
    assert facts["created"] == f"at step {rank + 1} (rank {rank}), counted {story.merges[rank].count} times then"
    assert facts["bytes"] == "20 74 68 65"
    for step in (rank + 1, 200, 573):
        reader.go_to(step)
        facts, tokens = reader.facts(section), story.tokens(step)
        assert number(facts["now"]) == tokens[token]
        assert f"of the {tokens.total():,} tokens" in facts["now"]
    reader.go_to(rank)
    assert reader.facts(section)["now"].startswith("does not exist yet")
