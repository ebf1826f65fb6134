"""Ranks that merges alone do not make: a piece that is a token is taken whole, as by `tiktoken`, without a library.

`tiktoken` looks a piece up first, and then joins any two neighbours that spell a token, the lowest rank first. Where
each token is made of two that rank before it, these are merges (`formats/ranked_pieces`), and the tokenizer is one of
our own. In Llama 3's file, 588 tokens are not; for such a file this class takes the place of a library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from bpe_studio.engine.counting.plain_counting import specials_pattern
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Part, Template, TokenizerModel
from bpe_studio.engine.text.alphabet import byte_to_stand_in, from_stand_ins, to_stand_ins
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.foreign.borders import Cutting, spaces_in_split, without_spaces_in
from bpe_studio.files.foreign.native_library import Pieces
from bpe_studio.files.foreign.piece_merges import PieceMerges, one_for_each_token
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer
from bpe_studio.files.formats.ranked_pieces import NotMergeable, recover_merges
from bpe_studio.files.formats.tokenizer_file import config_as_read


class RankLibrary:
    """Ranked tokens with a split.

    Args:
        names: the tokens by rank, which is their id, as byte stand-ins; all 256 bytes are among them.
        special_ids: the id of each special token.
        split: how a text is split.
    """

    name = "BPE Studio"
    kind = "BPE"
    units = "bytes"
    takes_whole_pieces = True
    prefixes_parts = False
    most_characters = 1 << 23
    finds_special = True
    unknown_id: int | None = None
    fused: int | None = None
    has_prefix = False

    def __init__(self, names: Mapping[int, str], special_ids: Mapping[str, int], split: str) -> None:
        self._split = split
        self._ranks = {name: number for number, name in names.items()}
        self._bytes = [self._ranks[char] for char in byte_to_stand_in]
        self.special_ids: Mapping[str, int] = special_ids
        self.added_ids: Mapping[str, int] = special_ids
        self._specials = specials_pattern(tuple(special_ids)) if special_ids else None
        every = {**names, **{number: name for name, number in special_ids.items()}}
        self.tokens: Mapping[int, str] = {number: every[number] for number in sorted(every)}
        self.unmerged: Mapping[int, Sequence[int]] = {}
        self.hidden: Mapping[int, str] = {}
        merges = one_for_each_token(_every_pair(names, self._ranks), self._ranks)
        ranks = {(left, right): rank for rank, (left, right, _) in enumerate(merges)}
        self.merges = PieceMerges([new for _, _, new in merges], ranks)
        self._all = ForeignTokenizer(self, self.merges)

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text; ranks have no template."""
        return self._all.encode(text, step=len(self.merges), recognize_special=recognize_special)

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text."""
        found: list[int] = self._all.encode_ids(
            text, step=len(self.merges), recognize_special=recognize_special
        ).tolist()
        return found

    def template(self, n_texts: int) -> Sequence[Part]:
        """The texts without special tokens: ranks have no template."""
        return Template().parts(n_texts)

    def ids_of(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each of several texts, without special tokens."""
        return [self.ids(text, recognize_special=False) for text in texts]

    def cutting(self) -> Cutting:
        """The split of the ranks."""
        return Cutting(self._split)

    def symbols_of(self, char: str) -> Sequence[int]:
        """The symbols of a character's bytes."""
        return [self._bytes[byte] for byte in char.encode()]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids."""
        special = set(self.special_ids.values()) if skip_special_tokens else set()
        return b"".join(self.content(number) for number in ids if number not in special).decode("utf-8", "replace")

    def id_of(self, token: str) -> int | None:
        """The id of a token; `None` if there is no such token."""
        return self.special_ids.get(token, self._ranks.get(token))

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for."""
        name = self.tokens[number]
        return name.encode() if name in self.special_ids else from_stand_ins(name)

    @cached_property
    def cuts_before(self) -> str:
        """The white space before which a text can be cut."""
        return without_spaces_in(self.special_ids, spaces_in_split(self._split))

    def normalized(self, text: str) -> str:
        """The text: ranks have no normalization."""
        return text

    def n_pieces(self, text: str) -> int:
        """Into how many pieces a text is cut."""
        return len(self.pieces(text, recognize_special=False).firsts)

    def pieces(self, text: str, *, recognize_special: bool, begins_text: bool = True) -> Pieces:
        """The pieces of a text."""
        found = Pieces([], [], [], [])
        begin = 0
        for match in self._specials.finditer(text) if recognize_special and self._specials is not None else ():
            self._split_into(found, text[begin : match.start()], begin)
            found.firsts.append(len(found.symbols))
            found.wholes.append(None)
            found.symbols.append(self.special_ids[match.group()])
            found.offsets.append(match.span())
            begin = match.end()
        self._split_into(found, text[begin:], begin)
        return found

    def _split_into(self, found: Pieces, text: str, begin: int) -> None:
        for start, end in spans(text, self._split, budget=TimeBudget()):
            content = text[start:end].encode()
            found.firsts.append(len(found.symbols))
            found.wholes.append(self._ranks.get(to_stand_ins(content)) if len(content) > 1 else None)
            found.symbols.extend([self._bytes[byte] for byte in content])
            for place, char in enumerate(text[start:end], begin + start):
                found.offsets.extend([(place, place + 1)] * len(char.encode()))


def tokenizer_of_ranks(
    names: Mapping[int, str], special_ids: Mapping[str, int], split: str, *, by_library: bool = False
) -> Tokenizer:
    """The tokenizer of ranked tokens.

    Args:
        names: the tokens by id, in the order of their ranks, as byte stand-ins.
        special_ids: the id of each special token; every id is a token's.
        split: how a text is split.
        by_library: whether to make no tokenizer of our own, even if it would be the same.

    Raises:
        TokenizerFormatError: a token can never be made, as a byte is missing.
    """
    numbers = {name: number for number, name in names.items()}
    merged = [name for name in names.values() if len(name) > 1]
    n_bytes = len(names) - len(merged)
    try:
        merges = recover_merges(merged, numbers)
    except NotMergeable as piece:
        merges = None
        if n_bytes < len(byte_to_stand_in):
            raise TokenizerFormatError(
                f"its token {str(piece)[:40]!r} is not made from two that rank before it, and not every byte is a token"
            ) from None

    def model_of() -> TokenizerModel:
        if merges is None:
            raise SaveError(
                "Some of its ranked tokens are not made by merges, so it cannot be written or trained further"
            )
        every = {**names, **{number: name for name, number in special_ids.items()}}
        config = config_as_read(
            units="bytes", split=split, full_alphabet=n_bytes == 256, special=tuple(special_ids), merges=len(merges)
        )
        return TokenizerModel(
            config, tuple(every[number] for number in range(len(every))), tuple(merges), dict(special_ids)
        )

    if merges is None or (by_library and n_bytes == len(byte_to_stand_in)):
        library = RankLibrary(names, special_ids, split)
        return ForeignTokenizer(library, library.merges, model_of=model_of)
    return Tokenizer(model_of())


def _every_pair(names: Mapping[int, str], ranks: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Every two tokens that spell a token, in the order of the ranks."""
    merges = []
    for number, name in names.items():
        halves = ((ranks.get(name[:at]), ranks.get(name[at:])) for at in range(1, len(name)))
        merges += [(left, right, number) for left, right in halves if left is not None and right is not None]
    return merges
