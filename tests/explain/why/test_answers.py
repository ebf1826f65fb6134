"""The answers to "why" and how they are worded: pairs that win, lose, tie or are forced; tokens.

Words.
"""

from __future__ import annotations

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.branch import branch
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.explain.why.answers import (
    answer_containing_words,
    answer_pair,
    answer_token,
    answer_word,
)
from bpe_studio.explain.why.facts import (
    pair_facts,
    pair_sentence,
    rule_groups,
    token_facts,
    word_facts,
)
from tests.facts import says
from tests.trained import run_of_words


def texts(facts):
    return {fact.label: fact.text for fact in facts}


def names(run, pieces):
    return " ".join(piece.name for piece in pieces)


def pair_of(run, left, right):
    return run.find_token(left), run.find_token(right)


def test_a_winner_says_its_count_and_by_how_much_it_won():
    run = run_of_words()
    answer = answer_pair(run, None, 0)
    assert answer.is_winner
    assert answer.pair == pair_of(run, "u", "g")
    assert (answer.made, answer.rank) == (run.find_token("ug"), 0)
    facts = texts(pair_facts(answer))
    assert facts["occurs"] == "20 times"
    assert says(facts["margin"], "3 more", "p + u", "17 times")
    assert facts["decided by"].startswith("the count")
    assert "same pair" in facts["tie rules"]


def test_a_pair_that_is_not_merged_says_what_is_instead():
    run = run_of_words()
    answer = answer_pair(run, pair_of(run, "u", "n"), 0)
    assert not answer.is_winner
    facts = texts(pair_facts(answer))
    assert facts["occurs"] == "16 times"
    assert says(facts["margin"], "4 fewer", "u + g", "20 times")


def test_a_tie_names_the_rule_and_what_each_other_rule_would_take():
    run = run_of_words({"ab": 3, "cd": 3, "ef": 3, "gh": 1})
    answer = answer_pair(run, None, 0)
    facts = texts(pair_facts(answer))
    assert (
        "3 equally frequent pairs" in facts["decided by"]
        and TIE_RULES["first-seen"].words in facts["decided by"]
    )
    assert says(facts["margin"], "2 others", "g + h", "2 fewer")
    rule = TIE_RULES["first-seen"].words
    assert pair_sentence(answer).endswith(f"2 other pairs; the tie rule takes {rule}.")
    groups = {tuple(map(run.token_name, pair)): rules for pair, rules in rule_groups(answer)}
    assert {"first-seen", "sentencepiece"} <= set(groups[("a", "b")])
    assert {"greatest-bytes", "subword-nmt"} <= set(groups[("e", "f")])
    assert "tie rules" not in facts
    behind = texts(pair_facts(answer_pair(run, pair_of(run, "c", "d"), 0)))
    assert behind["margin"].startswith("as frequent as a + b")


def test_what_a_person_decided_is_said():
    run = run_of_words()
    forced = branch(run, Override(0, OverrideKind.force, "b", "u"))
    forced.run()
    facts = texts(pair_facts(answer_pair(forced.run_record, None, 0)))
    assert facts["occurs"] == "4 times"
    assert facts["decided by"].startswith("an override")
    assert "forced" in facts["margin"]
    without = branch(run, Override(0, OverrideKind.forbid, "u", "g"))
    without.run()
    facts = texts(pair_facts(answer_pair(without.run_record, None, 0)))
    assert says(facts["excluded"], "u + g", "20 times", "forbidden")
    assert "no other pair that may be merged" in facts["decided by"]
    skipped = branch(run, Override(0, OverrideKind.skip, "u", "g"))
    skipped.run()
    facts = texts(pair_facts(answer_pair(skipped.run_record, None, 0)))
    assert says(facts["excluded"], "u + g", "20 times", "skipped")


def test_where_nothing_is_merged_it_says_why():
    run = run_of_words({"ab": 2, "cd": 1}, min_frequency=2)
    answer = answer_pair(run, None, 1)
    assert says(answer.trouble, "no pair occurs twice")
    run = run_of_words({"ab": 2})
    assert says(answer_pair(run, None, 1).trouble, "No pair is left")


def test_a_question_that_makes_no_sense_is_answered_in_words():
    run = run_of_words()
    late = run.token_of(3)
    assert "go to a later step" in answer_pair(run, (late, 0), 0).trouble
    assert "go to a later step" in answer_containing_words(run, late, 1).trouble
    assert answer_token(run, run.token_of(999), len(run.merges)).trouble


def test_words_are_shown_before_and_after_with_the_change_lit():
    run = run_of_words({"hug": 10, "hugging": 2, "pun": 1})
    pair = pair_of(run, "u", "g")
    rows = answer_pair(run, pair, 0).words
    assert (rows.n_words, rows.total) == (2, 12)
    row = rows.rows[1]
    assert names(run, row.before) == "h u g g i n g"
    assert [row.before[k].name for k in sorted(row.highlighted)] == ["u", "g"]
    assert [row.after[k].name for k in row.highlighted_after] == ["ug"]
    assert (row.count, row.times) == (2, 1)


def test_a_token_says_how_it_was_born_and_how_often_it_stands():
    run = run_of_words(merges=6)
    token = run.find_token("ug")
    answer = answer_token(run, token, 6)
    facts = texts(token_facts(answer, answer.life, 6))
    assert facts["created"].endswith("occurred 20 times")
    count = int(run.token_counts_at(6)[token])
    assert facts["now"].startswith(f"{count} time")
    assert facts["now"].endswith(f"of the {run.n_tokens_at(6)} tokens of the corpus")
    assert facts["bytes"] == "75 67"
    assert says(texts(token_facts(answer, answer.life, 0))["now"], "not", "step 0")
    letter = answer_token(run, run.find_token("h"), 6)
    assert texts(token_facts(letter, letter.life, 0))["created"].endswith("in the alphabet")


def test_the_words_that_hold_a_token_have_it_lit():
    run = run_of_words(merges=1)
    answer = answer_containing_words(run, run.find_token("ug"), 1)
    assert (answer.words.n_words, answer.words.total) == (3, 20)
    assert [names(run, row.before) for row in answer.words.rows] == ["h ug", "p ug", "h ug s"]
    assert all([row.before[k].name for k in row.highlighted] == ["ug"] for row in answer.words.rows)


def test_a_word_says_when_it_becomes_one_token_and_by_which_merges():
    run = run_of_words(merges=6)
    word = next(k for k in range(len(run.corpus)) if run.corpus.pre_token(k) == "hug")
    answer = answer_word(run, word, 1, 6)
    assert names(run, answer.cut) == "h ug"
    facts = texts(word_facts(answer))
    assert facts["occurs"] == "10 times in the corpus"
    assert facts["now"] == "2 tokens from 3 symbols"
    merges = [merge.rank for merge in answer.merges]
    assert merges == sorted(merges)
    assert answer.merges[-1].made.name == "hug"
    whole = answer.merges[-1].rank + 1
    assert answer.whole_at == whole
    assert run.words_at(whole).n_tokens(word) == 1 < run.words_at(whole - 1).n_tokens(word)
    assert texts(word_facts(answer_word(run, word, 1, whole - 1)))["one token"].startswith(
        "not within the"
    )
