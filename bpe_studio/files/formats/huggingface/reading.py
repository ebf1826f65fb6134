"""Reads a Hugging Face `tokenizer.json` that another program made into a `TokenizerModel`.

Only byte-pair encodings that BPE Studio can repeat exactly are read. For any other, the error names
the part that has no counterpart. Inconsistent files (wrong types, ids that are repeated or missing,
merges of tokens that do not exist) are errors too. `splits` reads normalizers and pre-tokenizers.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.encoding.tokenizer_model import Part, Template, TokenizerModel
from bpe_studio.engine.text.alphabet import FALLBACK_NAMES, are_stand_ins, byte_to_stand_in
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.tokenizer_file import check_token_lengths, config_as_read
from bpe_studio.files.json_parts import checked, member, optional

JsonObject = dict[str, Any]


def model_from_json(root: object) -> TokenizerModel:
    """The tokenizer that the content of a `tokenizer.json` describes.

    Raises:
        TokenizerFormatError: it is not valid, or describes a tokenizer that cannot be represented
            exactly.
    """
    from bpe_studio.files.formats.huggingface.splits import read_normalizers, read_pre_tokenizers

    parts = checked(root, dict, "the file")
    bpe = member(parts, "model", dict, "the file")
    kind = optional(bpe, "type", str, "the model")
    if kind not in (None, "BPE"):
        raise TokenizerFormatError(f"its model is of the type {kind}; only BPE can be read")
    vocab = read_vocab(member(bpe, "vocab", dict, "the model"))
    special_ids = add_tokens(parts, vocab)
    for token in parts.get("added_tokens") or ():
        flag = next((flag for flag in ("lstrip", "rstrip", "single_word") if token.get(flag)), None)
        if token.get("special") is False or flag:
            what = f"has the flag {flag}" if flag else "is found in any text without being special"
            raise TokenizerFormatError(
                f"its added token {token['content'][:40]!r} {what}, which is not supported"
            )
    tokens = tokens_in_order(vocab)
    _refuse_settings(bpe, vocab)
    prefix = optional(bpe, "continuing_subword_prefix", str, "the model") or None
    suffix = optional(bpe, "end_of_word_suffix", str, "the model") or None
    unknown = optional(bpe, "unk_token", str, "the model")
    if unknown is not None and unknown not in vocab:
        raise TokenizerFormatError(f"its unknown token {unknown!r} is not in its vocabulary")
    merges = read_merges(member(bpe, "merges", list, "the model"), vocab, len(prefix or ""))
    normalize = read_normalizers(parts.get("normalizer"))
    split = read_pre_tokenizers(parts.get("pre_tokenizer"))
    falls_back = optional(bpe, "byte_fallback", bool, "the model") is True
    if split.is_bytes:
        _check_stand_ins(tokens, special_ids, prefix or "", suffix or "")
    units = "bytes" if split.is_bytes else "characters"
    word_end_as = "on-last-character" if suffix else None
    config = config_as_read(
        units=units,
        split=split.split,
        split_digits=split.splits_digits,
        byte_fallback=falls_back and vocab.keys() >= set(FALLBACK_NAMES),
        normalize=normalize,
        word_end=suffix,
        word_end_as=word_end_as,
        continuing=prefix,
        full_alphabet=split.is_bytes and set(byte_to_stand_in) <= vocab.keys(),
        special=tuple(special_ids),
        unknown=unknown,
        merges=len(merges),
    )
    fuses = optional(bpe, "fuse_unk", bool, "the model") is True
    if unknown is not None and fuses != config.fuses_unknown:
        how = "joins" if fuses else "does not join"
        raise TokenizerFormatError(
            f"it {how} neighbouring unknown characters (fuse_unk), unlike ours with this split"
        )
    _refuse_unreachable(bpe, tokens, merges, special_ids, prefix, suffix)
    unknown_id = None if unknown is None else vocab[unknown]
    return TokenizerModel(
        config,
        tuple(tokens),
        tuple(merges),
        special_ids,
        unknown_id,
        read_template(parts.get("post_processor"), vocab),
    )


def read_vocab(entries: JsonObject) -> dict[str, int]:
    """The id of each token.

    Raises:
        TokenizerFormatError: an id is not a whole number, or negative.
    """
    vocab = dict(entries)
    for name, number in vocab.items():
        if type(number) is not int:
            checked(number, int, f"the id of {name[:40]!r}")
        if number < 0:
            raise TokenizerFormatError(f"the id of {name[:40]!r} is {number}, below 0")
    return vocab


def add_tokens(parts: JsonObject, vocab: dict[str, int]) -> dict[str, int]:
    """The special tokens and their ids.

    Adds those that are missing to the vocabulary.

    Raises:
        TokenizerFormatError: an entry is not an added token, or a token has two ids.
    """
    special_ids: dict[str, int] = {}
    for entry in optional(parts, "added_tokens", list, "the file") or []:
        token = checked(entry, dict, "an added token")
        name = member(token, "content", str, "an added token")
        number = member(token, "id", int, "an added token")
        if not name or number < 0:
            raise TokenizerFormatError(f"the added token {name!r} with the id {number} is not one")
        if vocab.setdefault(name, number) != number:
            raise TokenizerFormatError(
                f"the added token {name[:40]!r} has two ids, {vocab[name]} and {number}"
            )
        special_ids[name] = number
    return special_ids


def tokens_in_order(vocab: dict[str, int]) -> list[str]:
    """The tokens in the order of their ids.

    Raises:
        TokenizerFormatError: an id occurs twice or is missing, a token is not valid text, or all
            together are too long.
    """
    text = "".join(vocab)
    check_token_lengths([text])
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TokenizerFormatError(
            f"one of its tokens holds {error.object[error.start]!r}, half of a surrogate pair,"
            " which is not a character"
        ) from None
    if vocab and list(vocab.values()) == list(range(len(vocab))):
        return list(vocab)
    names: dict[int, str] = {}
    for name, number in vocab.items():
        if names.setdefault(number, name) != name:
            raise TokenizerFormatError(
                f"the id {number} stands for two tokens, {names[number][:40]!r} and {name[:40]!r}"
            )
    missing = next((number for number in range(len(names)) if number not in names), None)
    if missing is not None:
        raise TokenizerFormatError(
            f"its ids have gaps: there are {len(names):,} tokens, but none has the id {missing}"
        )
    if not names:
        raise TokenizerFormatError("its vocabulary is empty")
    return [names[number] for number in range(len(names))]


def read_merges(entries: list[Any], vocab: dict[str, int], cut: int) -> list[tuple[int, int, int]]:
    """The merges as (left id, right id, new id).

    Args:
        entries: the pairs, each as two texts or as one text with a space in it.
        vocab: the id of each token.
        cut: the length of the continuing prefix, which the right part has and the new token lacks.

    Raises:
        TokenizerFormatError: an entry is not a pair, or a token is not in the vocabulary.
    """
    found: list[tuple[int, int, int]] = []
    try:
        for entry in entries:
            left, right = entry.split(" ") if type(entry) is str else entry
            found.append((vocab[left], vocab[right], vocab[left + right[cut:]]))
    except (TypeError, ValueError):
        raise TokenizerFormatError(f"merge {len(found):,} is not a pair of tokens") from None
    except KeyError as error:
        name = str(error.args[0])[:40]
        raise TokenizerFormatError(
            f"merge {len(found):,} needs the token {name!r}, which its vocabulary lacks"
        ) from None
    if len({new for _, _, new in found}) < len(found):
        # The `tokenizers` library takes the later rank of a pair that occurs twice.
        last = {(left, right): new for left, right, new in reversed(found)}
        found = [(left, right, new) for (left, right), new in reversed(last.items())]
    return found


def _refuse_settings(bpe: JsonObject, vocab: dict[str, int]) -> None:
    dropout = bpe.get("dropout")
    if dropout not in (None, 0):
        raise TokenizerFormatError(
            f"it drops merges at random (dropout {str(dropout)[:20]}), which is not supported"
        )
    n_bytes = len(vocab.keys() & set(FALLBACK_NAMES))
    if optional(bpe, "byte_fallback", bool, "the model") and 0 < n_bytes < len(FALLBACK_NAMES):
        raise TokenizerFormatError(
            f"it encodes unknown characters as bytes (byte fallback), but only {n_bytes} of the 256"
            " bytes have a token"
        )


def _refuse_unreachable(
    bpe: JsonObject,
    tokens: list[str],
    merges: list[tuple[int, int, int]],
    special_ids: dict[str, int],
    prefix: str | None,
    suffix: str | None,
) -> None:
    """Makes sure that `ignore_merges`, which takes a pre-token that is a token whole, makes no
    difference.

    Raises:
        TokenizerFormatError: it does: there are marks, or the merges alone do not make a token.
    """
    if not optional(bpe, "ignore_merges", bool, "the model"):
        return
    if prefix or suffix:
        raise TokenizerFormatError(
            "it takes whole words first (ignore_merges) and has marks, which is not possible here"
        )
    from bpe_studio.engine.encoding.gap_closing import close_word
    from bpe_studio.engine.kernels.buffers import NEVER

    ranks = {left << 32 | right: rank for rank, (left, right, _) in enumerate(merges)}
    made = [new for _, _, new in merges]
    numbers = {name: number for number, name in enumerate(tokens)}
    for number, name in enumerate(tokens):
        if len(name) < 2 or name in special_ids:
            continue
        joined = [numbers.get(char, UNKNOWN) for char in name]
        gaps: list[int] = []
        if UNKNOWN not in joined:
            gaps, joined = close_word(joined, ranks, made)
        if joined[0] != number or NEVER in gaps[1:]:
            raise TokenizerFormatError(
                "it takes whole words first (ignore_merges), and its merges alone do not make the"
                f" token {name[:40]!r}"
            )


def _check_stand_ins(
    tokens: list[str], special_ids: dict[str, int], prefix: str, suffix: str
) -> None:
    for name in tokens:
        content = name.removeprefix(prefix).removesuffix(suffix)
        if name not in special_ids and not are_stand_ins(content):
            raise TokenizerFormatError(
                f"its token {name[:40]!r} does not stand for bytes, although its text is split into"
                " bytes"
            )


def read_template(part: object, vocab: dict[str, int]) -> Template | None:
    """The special tokens that a post-processor puts around a text; `None` if it puts none.

    Raises:
        TokenizerFormatError: it does something else, or a token is not in the vocabulary.
    """
    if part is None:
        return None
    one = checked(part, dict, "the post-processor")
    kind = member(one, "type", str, "the post-processor")
    if kind == "ByteLevel":
        return None
    if kind == "Sequence":
        processors = member(one, "processors", list, "the post-processor")[:20]
        found = []
        for inner in processors:
            if checked(inner, dict, "a post-processor").get("type") != "ByteLevel":
                found.append(inner)
        if len(found) > 1 or (found and found[0].get("type") == "Sequence"):
            raise TokenizerFormatError("it has several post-processors, which is not supported")
        return read_template(found[0], vocab) if found else None
    if kind in ("RobertaProcessing", "BertProcessing"):
        first = _first_text(one, "cls")
        last = _first_text(one, "sep")
        pair = None
        if kind == "RobertaProcessing":
            pair = ((first, 0), (0, 0), (last, 0), (last, 0), (1, 0), (last, 0))
        template = Template((first,), (last,), pair)
    elif kind == "TemplateProcessing":
        template = _template(one)
    else:
        raise TokenizerFormatError(f"its post-processor {kind} is not supported")
    missing = next((name for name in template.names if name not in vocab), None)
    if missing is not None:
        raise TokenizerFormatError(
            f"its post-processor adds the token {missing[:40]!r}, which its vocabulary lacks"
        )
    return template if template.names else None


def _first_text(part: JsonObject, key: str) -> str:
    pair = member(part, key, list, "the post-processor")
    first = pair[0] if pair else None
    return checked(first, str, f"{key!r} of the post-processor")


def _parts_of(post_processor: JsonObject, key: str) -> list[Part]:
    """The parts of an input, each with its type id: the name of a special token, or the number of
    a text.
    """
    found: list[Part] = []
    for entry in member(post_processor, key, list, "the post-processor")[:100]:
        piece = checked(entry, dict, "a piece of the post-processor")
        is_text = "Sequence" in piece
        kind = "Sequence" if is_text else "SpecialToken"
        inside = member(piece, kind, dict, "a piece of the post-processor")
        name = member(inside, "id", str, "a piece of the post-processor")
        type_id = member(inside, "type_id", int, "a piece")
        text_or_token: str | int = name
        if is_text:
            text_or_token = 0 if name == "A" else 1
        found.append((text_or_token, type_id))
    return found


def _template(post_processor: JsonObject) -> Template:
    single = _parts_of(post_processor, "single")
    if [name for name, _ in single if isinstance(name, int)] != [0]:
        raise TokenizerFormatError(
            "its post-processor does not put special tokens around exactly one text"
        )
    pair = _parts_of(post_processor, "pair")
    if sorted(name for name, _ in pair if isinstance(name, int)) != [0, 1]:
        raise TokenizerFormatError(
            "its post-processor does not put special tokens around exactly two texts"
        )
    if any(type_id for _, type_id in single):
        raise TokenizerFormatError(
            "its post-processor gives a single text token type ids other than 0"
        )
    place = single.index((0, 0))
    before = tuple(str(name) for name, _ in single[:place])
    after = tuple(str(name) for name, _ in single[place + 1 :])
    usual = Template(before, after)
    return usual if usual.parts(2) == tuple(pair) else Template(before, after, tuple(pair))
