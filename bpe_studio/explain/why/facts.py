"""The answers about a pair, a token and a word as rows of facts, without another pass."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.explain.facts import Fact
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import LEFT_OUT, bytes_in_brief, in_sentence, short_name
from bpe_studio.explain.wording import merge_name, number, percent, plural, times

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_life import TokenLife
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.why.answers import PairAnswer, TokenAnswer, WordAnswer

MOST_EXCLUDED = 5


def pair_name(run: Run, pair: tuple[int, int]) -> str:
    """Two tokens with a plus between them."""
    left, right = (short_name(run, token, 24) for token in pair)
    return f"{left} + {right}"


def rule_groups(answer: PairAnswer) -> list[tuple[tuple[int, int], list[str]]]:
    """The pairs that the tie rules would choose, each with its rules.

    The pair of the current rule comes first.
    """
    decision = answer.decision
    if decision is None:
        return []
    groups: dict[tuple[int, int], list[str]] = {}
    for rule in sorted(TIE_RULES, key=lambda rule: rule != decision.rule):
        choice = decision.choices.get(rule)
        if choice is not None:
            groups.setdefault((choice.left, choice.right), []).append(rule)
    return list(groups.items())


def pair_sentence(answer: PairAnswer) -> str:
    """Why the pair is merged or not, in one sentence; "" if that is not known."""
    decision = answer.decision
    if decision is None or answer.pair is None or answer.trouble:
        return ""
    run = answer.run
    named = in_sentence(pair_name(run, answer.pair))
    if not has_pairs(run):
        return f"{named} is a merge of the tokenizer."
    occurs = f"{named} occurs {times(answer.words.total)}"
    winner = decision.winner
    if not answer.is_winner:
        if winner is None:
            return f"{occurs}, and no pair is merged here."
        other = in_sentence(pair_name(run, (winner.left, winner.right)))
        if winner.count == answer.words.total:
            return f"{occurs}, as often as {other}, which the tie rule takes."
        return f"{occurs}; {other}, which occurs {times(winner.count)}, is merged instead."
    if decision.by == "forced":
        by = "you force it" if decision.step >= run.n_seed else "the tokenizer merges it"
        return f"{occurs}; {by} here."
    if decision.by == "tie":
        others = plural(decision.n_tied - 1, "other pair")
        rule = TIE_RULES[decision.rule].words
        return f"{occurs}, as often as {others}; the tie rule takes {rule}."
    if decision.runner_up is None:
        return f"{occurs}, and no other pair is left."
    more = number(answer.words.total - decision.runner_up.count)
    return f"{occurs}, {more} more than the next pair; every tie rule would take it."


def token_sentence(answer: TokenAnswer, step: int) -> str:
    """The merge of a token and its count at a step, in one sentence; "" if they are not known."""
    life = answer.life
    if life is None or answer.trouble:
        return ""
    run = answer.run
    named = in_sentence(short_name(run, answer.token))
    rank = answer.token - run.n_alphabet
    made = "is a symbol of the alphabet" if rank < 0 else f"was made by {merge_name(rank)}"
    if not has_pairs(run):
        return f"{named} {made}."
    if step < int(life.steps[0]):
        return f"{named} does not exist yet: {merge_name(rank)} makes it."
    return f"{named} {made} and occurs {times(life.count_at(step))} now."


def word_sentence(answer: WordAnswer) -> str:
    """The number of tokens of a word, and the step at which it becomes one, in one sentence."""
    cut = (
        f"This word occurs {times(answer.count)} and is cut into {plural(answer.n_tokens, 'token')}"
    )
    if answer.n_tokens == 1:
        cut = f"This word occurs {times(answer.count)} and is one token"
    if answer.whole_at is None:
        return f"{cut}; this run never makes it one token."
    if answer.whole_at > answer.step:
        return f"{cut}; it is one token from step {number(answer.whole_at)} on."
    return f"{cut}."


def pair_facts(answer: PairAnswer) -> list[Fact]:
    """The count of the pair, the margin by which it won or lost, and what decided.

    Without a corpus, only what decided.
    """
    decision = answer.decision
    assert decision is not None and answer.pair is not None
    if not has_pairs(answer.run):
        return [_what_decided(answer)]
    tip = "How often the pair occurs in the whole corpus at this step"
    facts = [Fact("occurs", times(answer.words.total), tip)]
    winner = decision.winner

    named = partial(pair_name, answer.run)
    margin_tip = "The difference to the next smaller count, or to the pair that was merged"
    if answer.is_winner:
        after = decision.runner_up
        margin = 0 if after is None else answer.words.total - after.count
        if decision.by == "forced":
            text = "none: it is forced"
            if decision.step < answer.run.n_seed:
                text = "none: it is a merge of the tokenizer"
        elif decision.n_tied > 1:
            next_pair = "no pair occurs less often"
            if after is not None:
                next_pair = (
                    f"the next pair, {named((after.left, after.right))}, has {number(margin)} fewer"
                )
            text = f"tied with {plural(decision.n_tied - 1, 'other')}; {next_pair}"
        elif after is None:
            text = "no other pair is left"
        else:
            text = (
                f"{number(margin)} more than {named((after.left, after.right))}, which occurs"
                f" {times(after.count)}"
            )
        facts.append(Fact("margin", text, margin_tip))
    elif winner is not None:
        behind = winner.count - answer.words.total
        taken = f"{named((winner.left, winner.right))}, which occurs {times(winner.count)}"
        text = f"as frequent as {taken}"
        if behind:
            compared = "fewer" if behind > 0 else "more"
            text = f"{number(abs(behind))} {compared} than {taken}"
        facts.append(Fact("margin", text, margin_tip))
    facts.append(_what_decided(answer))
    size = answer.run.config.superwords_from
    content = b"".join(map(answer.run.token_content, answer.pair)).strip(b" ")
    if size is not None and b" " in content:
        text = f"joins two words: allowed from size {number(size)} on"
        facts.append(Fact("superword", text, "Before that size, no merge crosses the split"))
    for out in decision.left_out[:MOST_EXCLUDED]:
        text = (
            f"{named((out.left, out.right))}, which occurs {times(out.count)}:"
            f" {LEFT_OUT.get(out.how, out.how)}"
        )
        facts.append(Fact("excluded", text, "Without the override, this pair would come first"))
    if len(rule_groups(answer)) == 1:
        facts.append(
            Fact(
                "tie rules",
                f"all {len(TIE_RULES)} take the same pair",
                "At this step, the tie rule makes no difference",
            )
        )
    return facts


def _what_decided(answer: PairAnswer) -> Fact:
    decision = answer.decision
    assert decision is not None
    tip = (
        "The highest count wins. The tie rule decides between equal counts; an override comes"
        " before both"
    )
    if decision.by == "forced":
        text = "an override that forces this merge"
        if decision.step < answer.run.n_seed:
            text = "the tokenizer: this is one of its merges"
    elif decision.by == "tie":
        rule = TIE_RULES[decision.rule].words
        text = f"the tie rule: of {number(decision.n_tied)} equally frequent pairs it takes {rule}"
    elif decision.by == "nothing":
        text = "nothing: no pair is merged here"
    else:
        others = "no other pair that may be merged" if decision.left_out else "no other pair"
        text = f"the count: {others} occurs as often"
    return Fact("decided by", text, tip)


def token_facts(answer: TokenAnswer, life: TokenLife, step: int) -> list[Fact]:
    """The token's id and bytes, its merge, and how often it occurs at the step."""
    run = answer.run
    token = answer.token
    shown = bytes_in_brief(run.token_content(token))
    rank = run.rank_of(token)
    facts = [
        Fact(
            "id",
            number(run.external_id(token, step)),
            "The token's id in the tokenizer of this step",
        )
    ]
    if shown:
        facts.append(Fact("bytes", shown, "The token's UTF-8 bytes, in hexadecimal"))
    if rank < 0:
        facts.append(Fact("created", "before the first merge: it is in the alphabet"))
    else:
        tip = "The merge that made the token, and how often its pair occurred then"
        text = f"by {merge_name(rank)}"
        if has_pairs(run):
            text = f"{text}, when its pair occurred {times(life.birth_count)}"
        facts.append(Fact("created", text, tip))
    birth = int(life.steps[0])
    if step < birth:
        facts.append(Fact("now", f"does not exist yet at step {number(step)}"))
    elif has_pairs(run):
        count = life.count_at(step)
        total = run.n_tokens_at(step)
        share = count / max(1, total)
        of = percent(share, 2) if share >= 0.0001 or not count else "less than 0.01 %"
        text = f"{times(count)}, {of} of the {number(total)} tokens of the corpus"
        facts.append(
            Fact(
                "now", text, "How often the token occurs in the corpus at this step, and its share"
            )
        )
    return facts


def word_facts(answer: WordAnswer) -> list[Fact]:
    """The count of the word, its tokens, and the step at which it becomes one."""
    if answer.whole_at is None:
        whole = f"not within the {plural(answer.n_merges, 'merge')} of this run"
    elif answer.whole_at == 0:
        whole = "from the beginning: it is in the alphabet"
    else:
        whole = f"from step {number(answer.whole_at)} on"
    return [
        Fact("occurs", f"{times(answer.count)} in the corpus"),
        Fact(
            "now", f"{plural(answer.n_tokens, 'token')} from {plural(answer.n_symbols, 'symbol')}"
        ),
        Fact("one token", whole, "The first step at which the whole word is a single token"),
    ]
