"""What the game shows of a round: words as they are cut, names of pairs, and the effect of the merge.

It takes a few passes over the corpus, so call it outside the window's thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.presets import TIE_RULES
from bpe_studio.explain.names import elided, is_right_to_left, isolated
from bpe_studio.explain.why.answers import Names, PairAnswer, answer_pair, word_runs_left
from bpe_studio.explain.wording import number, times
from bpe_studio.workspace.game.rounds import GuessRound, Pair, Verdict, make_round

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.game.guessing import Guess

N_WORDS = 160
N_SEEN = 20
_HEX = re.compile("⟨[^⟩]*⟩")
MOST_TOKENS = 24
"""How many tokens of a word are shown."""


@dataclass(frozen=True)
class GameWord:
    """A word of the corpus with its tokens.

    Attributes:
        ids: its first tokens.
        names: their names, with an ellipsis if there are more.
        count: how often it occurs.
        is_rtl: whether it runs right to left, which the bytes of a single token may not show.
    """

    ids: tuple[int, ...]
    names: tuple[str, ...]
    count: int
    is_rtl: bool

    def places(self, pair: Pair | None) -> frozenset[int]:
        """The indices of the tokens that a merge of the pair would join."""
        found: set[int] = set()
        for place in range(len(self.ids) - 1 if pair is not None else 0):
            if self.ids[place : place + 2] == pair and place not in found:
                found |= {place, place + 1}
        return frozenset(found)


@dataclass(frozen=True)
class ShownRound:
    """A round and everything that is drawn of it.

    Attributes:
        round: the round.
        names: the names of the tokens.
        words: words of two or more tokens, the most frequent first; at most `N_WORDS`.
        n_words: the number of all such words.
        n_whole: the number of words that are a single token.
        why: the answer about the right pair, with the words that contain it.
    """

    round: GuessRound
    names: Names
    words: tuple[GameWord, ...]
    n_words: int
    n_whole: int
    why: PairAnswer

    @property
    def is_rtl(self) -> bool:
        """Whether most of the words run right to left."""
        first = self.words[:N_SEEN]
        return 2 * sum(word.is_rtl for word in first) > len(first)

    def runs_left(self, pair: Pair) -> bool:
        """Whether a pair runs right to left; for bytes, as the first word that contains them."""
        holding = next((word.is_rtl for word in self.words if word.places(pair)), self.is_rtl)
        return pair_runs_left(self.names, pair, otherwise=holding)

    def named(self, pair: Pair) -> str:
        """A pair, for use in a sentence."""
        return named(self.names, pair)


def named(names: Names, pair: Pair) -> str:
    """A pair, for use in a sentence."""
    return " + ".join(isolated(elided(names.of(token), 24)) for token in pair)


def pair_runs_left(names: Names, pair: Pair, *, otherwise: bool = False) -> bool:
    """Whether the letters of a pair run right to left; `otherwise` if it has no letters."""
    text = _HEX.sub("", names.joined(*pair))
    return is_right_to_left(text) if any(char.isalpha() for char in text) else otherwise


def show_round(run: Run, step: int, seed: int) -> ShownRound:
    """Everything that is shown of the round at a step; slow on a large corpus, so call it in a worker thread."""
    import numpy as np

    asked, why = make_round(run, step, seed), answer_pair(run, None, step)
    names, starts = Names(run), run.layout.word_starts
    is_open = run.gaps >= step
    # After each word there is a separator, which is not a token.
    n_tokens = np.add.reduceat(is_open, starts[:-1], dtype=np.int64) - is_open[starts[1:] - 1]
    cut = np.flatnonzero(n_tokens > 1)
    best = cut[np.argsort(-run.corpus.counts[cut], kind="stable")[:N_WORDS]]
    table, words = run.words_at(step), []
    for word in best.tolist():
        # This many symbols include the shown tokens, whatever was merged.
        ids = table.cut(word, 40 * MOST_TOKENS)
        more = ("…",) if n_tokens[word] > min(len(ids), MOST_TOKENS) else ()
        ids = ids[:MOST_TOKENS]
        shown = (*map(names.of, ids), *more)
        words.append(GameWord(tuple(ids), shown, int(run.corpus.counts[word]), word_runs_left(run, word)))
    for choice in asked.choices:
        named(names, choice.pair)
    return ShownRound(asked, names, tuple(words), len(cut), len(starts) - 1 - len(cut), why)


SIGNS = {Verdict.right: "✓", Verdict.tied: "≈", Verdict.wrong: "✗"}
HEADINGS = {Verdict.right: "Right", Verdict.tied: "Half right", Verdict.wrong: "Not this one"}


def verdict_text(guess: Guess, names: Names) -> str:
    """The text about a guess: the counts, the tie and its rule."""
    asked, decision = guess.round, guess.round.decision
    right, winner = asked.right, decision.winner
    assert right is not None and winner is not None
    wins = f"{named(names, right)} is merged next: it occurs {times(winner.count)}"
    mine = f"yours, {named(names, guess.pair)}, occurs {times(guess.count)}"
    rule = f"the rule “{decision.rule}” takes {TIE_RULES.get(decision.rule, decision.rule)}"
    if decision.by == "forced":
        wins = f"{named(names, right)} is merged next because an override forces it, whatever the counts"
        return f"{wins}." if guess.verdict is Verdict.right else f"{wins}; {mine}."
    tie = f"{number(decision.n_tied)} pairs occur equally often, and {rule}."
    if guess.verdict is Verdict.tied:
        return f"As frequent: both occur {times(winner.count)}. {tie}"
    if guess.verdict is Verdict.right:
        if decision.n_tied > 1:
            return f"{wins}. {tie}"
        after = decision.runner_up
        lead = f", {number(winner.count - after.count)} more than the next" if after is not None else ""
        return f"{wins}{lead}."
    if guess.count >= winner.count:
        return f"{wins}. {mine[:1].upper()}{mine[1:]}, but may not be merged here."
    end = f" {tie}" if decision.n_tied > 1 else ""
    return f"{wins}; {mine}.{end}"
