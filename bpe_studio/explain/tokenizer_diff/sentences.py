"""Sentences about the difference between two tokenizers: first about their parts, then about a text
that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.tokenizer_diff.blame import Part
from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    from bpe_studio.explain.tokenizer_diff.difference import TextDifference
    from bpe_studio.explain.tokenizer_diff.own_parts import OwnParts
    from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair

REASONS = {
    Part.template: "They differ because they put different tokens around a text",
    Part.added_token: "They differ because of an added token",
    Part.prefix_space: "They differ because only one puts a space before the text",
    Part.normalizer: "They differ because they normalize the text differently",
    Part.fallback: "They differ because they treat a character outside the alphabet differently",
    Part.cut: "They differ because they split the text differently",
    Part.merges: "They differ because they merge in another order",
    Part.vocabulary: "They differ because their vocabularies do",
}
OTHER_MERGES = "They differ because they have different merges"
_NAMES = {"pre_tokenizer": "split", "normalize": "normalizer"}
"""The names of settings in a sentence, where they differ from those in files."""
_MOST_NAMED = 6


def what_differs(pair: TokenizerPair, own: OwnParts) -> list[str]:
    """Sentences about the vocabularies and the ids in common, the settings, and the merges."""
    return [each for each in (_tokens(pair, own), _settings(own), _merges(own)) if each]


def _tokens(pair: TokenizerPair, own: OwnParts) -> str:
    sizes = [len(each) for each in pair.ids]
    n_common = sizes[0] - len(own.tokens[0])
    n_moved = len(own.values["ids"])
    ids = "all with the same ids"
    if n_moved:
        ids = f"{number(n_moved)} of them with different ids"
    if not any(own.tokens):
        return f"Both have the same {plural(n_common, 'token')}, {ids}."
    common = f"{number(n_common)} are in both, {ids}" if n_common else "none is in both"
    return f"A has {plural(sizes[0], 'token')} and B has {number(sizes[1])}; {common}."


def _settings(own: OwnParts) -> str:
    names = [_NAMES.get(each.name, each.name) for each in own.values["settings"]]
    if own.values["added_tokens"]:
        names.append("added tokens")
    if own.values["scores"]:
        names.append("scores")
    if not names:
        return ""
    n_more = len(names) - _MOST_NAMED
    more = f" and {number(n_more)} more" if n_more > 0 else ""
    return f"These parts differ: {', '.join(names[:_MOST_NAMED])}{more}."


def _merges(own: OwnParts) -> str:
    said = []
    for letter, ranks in zip("AB", own.merges, strict=True):
        if ranks:
            said.append(f"{plural(len(ranks), 'merge')} only in {letter}")
    if own.moved:
        said.append(f"{plural(len(own.moved), 'merge')} in another order")
    return f"{'; '.join(said)}." if said else ""


def kind_of_example(text: TextDifference) -> str:
    """A title for a text: "The shortest text …" only if no shorter text differs."""
    return "The shortest text with other ids" if text.is_shortest else "A short example"


def why(text: TextDifference) -> str:
    """Why two tokenizers differ on a text."""
    reason = OTHER_MERGES if text.blame.is_own_merge else REASONS[text.blame.part]
    return f"{reason}: {text.blame.because}."
