"""Asking why a pair is merged, or is not, as a person does; every number is held to a plain recount."""

from __future__ import annotations

from tests.gui.acceptance.see_why.recount import merge, shown


def number(text):
    return int(text.partition(" ")[0].replace(",", ""))


def holders(story, pair, step):
    """The words that hold a pair: their count and how often it stands in each."""
    found = {}
    for word, (cut, n) in story.words(step).items():
        times = sum(each == pair for each in zip(cut, cut[1:], strict=False))
        if times:
            found[word] = (n, times)
    return found


def test_with_nothing_picked_it_tells_of_the_next_merge_at_every_step(reader, story):
    reader.show_panel("Why")
    for step in (0, 40, 200):
        reader.go_to(step)
        learned, pairs = story.merges[step], story.pairs(step)
        section = reader.panels["why"].pair
        facts = reader.facts(section)
        assert reader.text("why.pair_title") == "Why this pair"
        assert [link.text for link in reader.find("why.picked").links][::2][:2] == [
            shown(each) for each in learned.pair
        ]
        assert number(facts["occurs"]) == learned.count == max(pairs.values())
        below = max(n for n in pairs.values() if n < learned.count)
        if learned.n_tied > 1:
            assert facts["wins by"].startswith("nothing")
            assert facts["decided by"].startswith(f"a tie: {learned.n_tied} pairs occur equally often")
            assert "huggingface" in facts["decided by"]
        else:
            assert number(facts["wins by"]) == learned.count - below
            assert facts["decided by"].startswith("the count alone")
        found = holders(story, learned.pair, step)
        total = sum(n * times for n, times in found.values())
        n_words = len(story.words(0))
        assert reader.text("why.pair_words_total") == f"occurs {total} times in {len(found)} of {n_words} words"


def test_the_words_stand_there_before_and_after_with_the_change_lit_up(reader, story):
    reader.show_panel("Why")
    reader.go_to(40)
    pair = story.merges[40].pair
    by_word = {word: cut for word, (cut, _) in story.words(40).items()}
    rows = reader.find("why.pair_words").model().rows
    assert rows
    seen = 0
    for row in rows:
        before, after = ([piece.name for piece in side] for side in (row.before, row.after))
        word = next(word for word in by_word if "".join(shown(t) for t in by_word[word]) == "".join(before))
        assert before == [shown(token) for token in by_word[word]]
        assert after == [shown(token) for token in merge(by_word[word], pair)]
        assert [before[k] for k in sorted(row.highlighted)][:2] == [shown(each) for each in pair]
        assert {after[k] for k in row.highlighted_after} == {shown(pair[0] + pair[1])}
        assert row.count == holders(story, pair, 40)[word][0]
        seen += 1
    assert seen == min(len(holders(story, pair, 40)), len(rows))


def test_at_a_tie_it_says_what_each_rule_would_have_taken(reader, story):
    reader.show_panel("Why")
    rank = next(rank for rank, learned in enumerate(story.merges) if learned.n_tied > 3)
    reader.go_to(rank)
    choices = dict(reader.panels["why"].pair.rules.shown)
    tied = {pair for pair, n in story.pairs(rank).items() if n == story.merges[rank].count}
    assert len(tied) == story.merges[rank].n_tied
    names = {" + ".join(shown(each) for each in pair) for pair in tied}
    taken = set(choices.values())
    assert taken <= names and len(taken) > 1
    in_force = next(pair for rules, pair in choices.items() if "huggingface (in force)" in rules)
    assert in_force == " + ".join(shown(each) for each in story.merges[rank].pair)
    greatest = next(pair for rules, pair in choices.items() if "greatest-bytes" in rules)
    assert greatest == " + ".join(shown(each) for each in max(tied))
