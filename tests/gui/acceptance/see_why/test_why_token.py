"""Asking why a token is there, as a person does: its tree, its life, its words, and lines of the corpus.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt

from tests.gui.acceptance.see_why.recount import shown


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


def test_the_tree_goes_down_to_the_symbols_and_a_click_goes_on(reader, story):
    token = b" bridge"
    section = ask(reader, story, token)
    derivation = section.answer.derivation
    names = section.answer.names
    leaves = [names.of(node.token) for node in derivation.nodes if node.left is None or node.left < 0]
    assert sorted(leaves) == sorted(shown(bytes([byte])) for byte in token)
    tree = section.tree
    part = next(number for number in sorted(tree.spots) if number)
    name = names.of(derivation.nodes[part].token)
    reader.click(tree, tree.place_of(part).center())
    reader.rest()
    assert [link.text for link in reader.find("why.picked").links] == [name]
    reader.click("why.back")
    reader.rest()
    assert shown(token) in [link.text for link in reader.find("why.picked").links]
    reader.click("why.forward")
    reader.rest()
    assert [link.text for link in reader.find("why.picked").links] == [name]


def test_the_curve_shows_the_life_and_goes_to_a_step(reader, story):
    token = b" th"  # eaten by longer ones
    token = token if any(learned.token == token for learned in story.merges) else b" t"
    section, rank = ask(reader, story, token), rank_of(story, token)
    life = section.answer.life
    for step in (rank + 1, rank + 10, 100, 300, 573):
        assert life.count_at(step) == story.tokens(step)[token]
    born, left = story.tokens(rank + 1)[token], story.tokens(573)[token]
    assert reader.text("why.eaten").startswith(f"{born - left} of {born} ")
    absorber = section.absorbers.links[0]
    by_eater = {}
    for later, learned in enumerate(story.merges):
        if token in learned.pair:
            by_eater[shown(learned.token)] = story.tokens(later)[token] - story.tokens(later + 1)[token]
    assert by_eater[absorber.text] == max(by_eater.values()) == number(absorber.after)
    curve = section.curve
    reader.click(curve, QPointF(curve.x_of(300), curve.height() / 2))
    reader.rest()
    assert abs(reader.step - 300) <= 3
    assert number(reader.facts(section)["now"]) == story.tokens(reader.step)[token]
    here = reader.step
    curve.setFocus(Qt.FocusReason.TabFocusReason)
    reader.key(Qt.Key.Key_Right)
    reader.rest()
    assert reader.step > here
    reader.click(section.absorbers, section.absorbers.rect_of(0).center())
    reader.rest()
    assert absorber.text in [link.text for link in reader.find("why.picked").links]


def test_the_words_that_hold_it(reader, story):
    token = b"in"
    section = ask(reader, story, token)
    reader.go_to(100)
    found = {}
    for cut, n in story.words(100).values():
        if token in cut:
            found["".join(shown(each) for each in cut)] = (n, cut.count(token))
    total = sum(n * times for n, times in found.values())
    assert reader.text("why.token_words_total") == f"occurs {total} times in {len(found)} of 578 words"
    rows = section.words.table.model().rows
    assert rows and [row.count for row in rows] == sorted((n for n, _ in found.values()), reverse=True)[: len(rows)]
    more = reader.find("why.token_more")
    n_before = section.words.table.model().rowCount()
    reader.click(more)
    assert section.words.table.model().rowCount() > n_before
    reader.click_row(section.words.table, 0)
    reader.rest()
    assert reader.text("why.what").startswith("Word ")


def test_lines_of_the_corpus_are_found_in_the_file(reader, story):
    token, step = b" bridge", 573
    ask(reader, story, token)
    reader.go_to(step)
    reader.click("why.lines")
    reader.rest()
    wanted = story.lines_with(token, step)
    rows = reader.rows("lines.table")
    assert [int(row[1].replace(",", "")) for row in rows] == wanted
    lines = story.text.splitlines()
    for row, at in zip(rows, wanted, strict=True):
        before, found, after = row[2:]
        assert found == shown(token)
        whole = (before.strip("…") + found.replace("␣", " ") + after.strip("…")).replace("⏎", "")
        assert whole in lines[at - 1]
    assert reader.text("lines.status") == f"all {len(wanted)} occurrences in the corpus"
    reader.go_to(rank_of(story, token))
    reader.wait(lambda: "does not exist yet" in reader.find("lines.table").placeholder)


def test_a_token_of_the_typed_text_is_asked_about(reader, story):
    reader.click("text.input")
    reader.type("the bridge over the water")
    reader.rest()
    editor = reader.window.text_panel.editor
    hit = editor.live.tokens(reader.step).ids.tolist()
    assert [reader.workspace.run.token_content(each) for each in hit] == story.tokens_of(
        "the bridge over the water", reader.step
    )
    reader.click(editor, editor.cursorRect().center() - QPoint(5, 0))  # within the last letter
    reader.key(Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    reader.rest()
    assert shown(story.tokens_of("the bridge over the water", 573)[-1]) in [
        link.text for link in reader.find("why.picked").links
    ]
