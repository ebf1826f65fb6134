"""Opens any tokenizer: those of this program and of rank files by our engine, all others by their library."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Kept, OwnFiles, TokenizerModel
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats import gpt2, minbpe, sentencepiece, subword_nmt
from bpe_studio.files.formats.huggingface import folder
from bpe_studio.files.formats.huggingface.side_files import NO_SIDE_FILES, SideFiles, beside
from bpe_studio.files.formats.tokenizer_file import contents, json_of, lines_of, reading
from bpe_studio.files.json_parts import checked
from bpe_studio.files.recognition import TOKENIZERS, Found, recognize
from bpe_studio.files.third_party import (
    bert_vocab,
    exact_model,
    fastbpe,
    known,
    pickled_ranks,
    tekken,
    tiktoken_ranks,
    vocab_and_merges,
)
from bpe_studio.files.third_party.auto_tokenizer import marian
from bpe_studio.files.third_party.auto_tokenizer.files import SETTINGS, FolderFiles, files_of
from bpe_studio.files.third_party.auto_tokenizer.folder import class_name
from bpe_studio.files.third_party.auto_tokenizer.folder import read as read_folder
from bpe_studio.files.third_party.auto_tokenizer.notice import notice
from bpe_studio.files.third_party.gguf import tokenizer as gguf
from bpe_studio.files.third_party.gguf.head import head_of
from bpe_studio.files.third_party.hugging_face import HuggingFaceLibrary, check_json, read_piece_merges
from bpe_studio.files.third_party.ranked_tokens import RankedTokens
from bpe_studio.files.third_party.self_check import checked_steps
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_Json = dict[str, Any]
_Written = Callable[[_Json, _Json], _Json]
_OF_TRANSFORMERS = ("huggingface", "gpt2", "bert")
_KEPT_OF_MODEL = Kept("ids, scores, normalization and special tokens, exactly as in its library")


def opened(path: str | os.PathLike[str], split: str | None = None) -> Tokenizer:
    """A tokenizer of any kind, as `files/loading` loads it."""
    found = recognize(path)
    if found.why_no_tokenizer:
        raise TokenizerFormatError(found.why_no_tokenizer)
    file = found.files[0]
    is_folder = os.path.isdir(path)
    with reading(file, _article(TOKENIZERS[found.kind])):
        if found.kind in _OF_TRANSFORMERS or (found.kind == "sentencepiece" and is_folder):
            return _of_folder(found, split)
        tokenizer = _of_file(found, split)
    unused = [name for name in SETTINGS if os.path.lexists(os.path.join(os.path.dirname(file), name))]
    if is_folder and unused:
        only = f"Only {os.path.basename(file)} is used, and not {', '.join(unused)} in its folder"
        tokenizer.notices += (notice(only, os.path.dirname(file), (), tokenizer),)
    return tokenizer


def _of_file(found: Found, split: str | None) -> Tokenizer:
    """A tokenizer that is one file, whatever is beside it."""
    file = found.files[0]
    match found.kind:
        case "sentencepiece":
            return _of_model(contents(file))
        case "gguf":
            head = head_of(file)
            root, roles = gguf.as_tokenizer_json(head)
            tokenizer: Tokenizer = _of_json(check_json(root), roles, batch=folder.Batch.of(roles, root), is_ours=True)
            said = gguf.said_of_split(head)
            tokenizer.notices = (said,) if said else ()
            return tokenizer
        case "pickle":
            return _of_ranks(pickled_ranks.ranked(contents(file)))
        case "tekken":
            return _of_ranks(tekken.ranked(checked(json_of(file), dict, "the file")))
        case "fastbpe":
            return fastbpe.tokenizer_of(lines_of(file))
        case "subword-nmt":
            return _of_codes(lines_of(file), file)
        case "tiktoken":
            name = known.name_of(file)
            ranked, is_guess = tiktoken_ranks.ranked(lines_of(file), name, split)
            tokenizer = _of_ranks(ranked)
            if is_guess:
                tokenizer.guessed_split = ranked.split
                tokenizer.notices = (
                    f"{name} does not say how text is split: {ranked.split} is used, which "
                    "divides the fewest of its tokens; --split NAME uses another",
                )
            return tokenizer
        case "minbpe":
            return minbpe.tokenizer_of(lines_of(file))
        case _:
            from bpe_studio.files.document import studio  # no other kind of file needs its modules

            return studio.load(file)


def _of_folder(found: Found, split: str | None) -> Tokenizer:
    """A tokenizer with all files of its folder, as Transformers reads them; by its own file alone if it does not."""
    file = found.files[0]
    side = beside(file, found.files)
    files, wrong = files_of(found)
    if files.root is not None:
        check_json(files.root)
    own = _own_model(files)
    try:
        if wrong:
            raise TokenizerFormatError(wrong)
        if files.target and class_name(files) == "MarianTokenizer":
            return marian.tokenizer_of(files, side)
        read = read_folder(files)
        is_as_in_file = read.is_as_in(files.root)
        if own is not None and (files.root is None or is_as_in_file):
            return _own(own, files, side, read.roles)
        written = partial(read.written, replace(files, data=b""))
        root, data = check_json(read.root), files.data if is_as_in_file else b""
        tokenizer: Tokenizer = _of_json(root, files.config, side, read.batch, read.roles, data=data, written=written)
        if read.unknown:
            how = f"Text is prepared as tokenizer.json says, because {read.unknown}"
            tokenizer.notices = (notice(how, os.path.dirname(file), files.names, tokenizer),)
        return tokenizer
    except TokenizerFormatError as error:
        why = str(error)
    tokenizer = _by_its_file(files, found.kind, split, side) if own is None else _own(own, files, side)
    if wrong or files.says_something:
        how = f"Only {os.path.basename(file)} is used, and not the other files of its folder, because {why}"
        tokenizer.notices += (notice(how, os.path.dirname(file), files.names, tokenizer),)
    return tokenizer


def _own_model(files: FolderFiles) -> TokenizerModel | None:
    """The tokenizer of a folder that this program wrote; `None` if it did not, or the files have changed since."""
    if files.root is not None:
        return folder.own_model(files.root, files.config)
    others = files.model, files.special, files.added, files.model_config
    if files.vocab is None or any(others) or not vocab_and_merges.is_gpt2(files.vocab, files.merges):
        return None
    return gpt2.own_model(files.vocab, files.merges, files.config)


def _own(
    model: TokenizerModel, files: FolderFiles, side: SideFiles, roles: Mapping[str, str] | None = None
) -> Tokenizer:
    """A tokenizer of our own folder, with what others have added to it."""
    tokenizer = Tokenizer(replace(model, chat_template=side.chat_template(files.config)))
    tokenizer.roles = roles
    tokenizer.left_files = side.left
    return tokenizer


def _by_its_file(files: FolderFiles, kind: str, split: str | None, side: SideFiles) -> Tokenizer:
    """A tokenizer by its own file alone."""
    config = files.config
    match kind:
        case "huggingface":
            root = files.root or {}
            return _of_json(root, config, side, folder.Batch.of(config, root), data=files.data)
        case "bert":
            of_bert = bert_vocab.usual_config(files.lines, config)
            root = read_folder(FolderFiles(config=of_bert, lines=files.lines, vocab_file="vocab.txt")).root
            return _of_json(root, config, side, folder.Batch.of(config))
        case "sentencepiece":
            return _of_model(files.model)
    vocab, pairs = dict(files.vocab or {}), [list(pair) for pair in files.merges or ()]
    if vocab_and_merges.is_gpt2(vocab, pairs):
        return _with_side_files(gpt2.model_of(vocab, pairs), config, side)
    usual = vocab_and_merges.usual_config(vocab, pairs)
    if usual is None:
        root = vocab_and_merges.as_tokenizer_json(vocab, pairs, split)
    else:
        alone = FolderFiles(config=usual, vocab=vocab, merges=pairs, vocab_file="vocab.json")
        root = read_folder(alone).root
    check_json(root)
    tokenizer = _of_json(root, config, side, folder.Batch.of(config), is_ours=True)
    said = vocab_and_merges.said_of_split(root, is_chosen=split is not None)
    tokenizer.notices = (said,) if said else ()
    return tokenizer


def _of_json(
    root: _Json,
    config: _Json,
    side: SideFiles = NO_SIDE_FILES,
    batch: folder.Batch | None = None,
    roles: Mapping[str, str] | None = None,
    *,
    is_ours: bool = False,
    data: bytes = b"",
    written: _Written | None = None,
) -> ThirdPartyTokenizer:
    library = HuggingFaceLibrary(root, is_ours=is_ours, data=data)
    files = OwnFiles(
        "huggingface",
        _kept_of_json(library.kind, config, side),
        partial(_written_json, root, config, side, written, library.added_ids),
        partial(_remade_json, config, side, batch, roles, written),
    )
    steps = partial(checked_steps, library, partial(read_piece_merges, root))
    model_of = partial(exact_model.of_json, root, library)
    template = side.chat_template(config)
    tokenizer = ThirdPartyTokenizer(
        library, steps, own_files=files, model_of=model_of, batch=batch, chat_template=template
    )
    tokenizer.roles = folder.roles_in(config) if roles is None else roles
    tokenizer.left_files = _left(config, side)
    return tokenizer


def _written_json(
    root: _Json,
    config: _Json,
    side: SideFiles,
    written: _Written | None,
    added_ids: Mapping[str, int],
) -> dict[str, str]:
    return folder.as_read(root, config if written is None else written(root, config)) | side.written(added_ids)


def _remade_json(
    config: _Json,
    side: SideFiles,
    batch: folder.Batch | None,
    roles: Mapping[str, str] | None,
    written: _Written | None,
    changed: _Json,
    number: Callable[[int], int],
) -> ThirdPartyTokenizer:
    return _of_json(changed, folder.renumbered(config, number), side, batch, roles, written=written)


def _with_side_files(model: TokenizerModel, config: dict[str, Any], side: SideFiles) -> Tokenizer:
    """A tokenizer of our own from third-party files, of which its formats do not hold all."""
    tokenizer = Tokenizer(replace(folder.with_config(model, config), chat_template=side.chat_template(config)))
    tokenizer.left_files = (*_left(config, side), *side.left)
    return tokenizer


def _left(config: _Json, side: SideFiles) -> tuple[str, ...]:
    """What other formats leave out of the files of a folder."""
    some = (f"other settings in {folder.CONFIG} than padding and truncation",) if config else ()
    return *some, *(f"its {name}" for name in side.texts if not name.endswith(".jinja"))


def _of_ranks(ranked: RankedTokens) -> Tokenizer:
    model = ranked.model()
    if model is None:
        return _of_json(check_json(ranked.as_tokenizer_json()), {}, is_ours=True)
    return Tokenizer(model)


def _of_codes(lines: Sequence[str], file: str) -> Tokenizer:
    tokenizer = Tokenizer(subword_nmt.model_of(lines))
    if not any("</w>" in line for line in lines):
        tokenizer.notices = (
            f"No merge of {os.path.basename(file)} ends a word: it is read as codes of subword-nmt; "
            "if it is the merges.txt of a pair, put its vocab.json into the same folder",
        )
    return tokenizer


def _of_model(data: bytes) -> Tokenizer:
    proto = sentencepiece.parsed(data)
    return Tokenizer(sentencepiece.model_of(proto)) if proto.is_ours else _of_pieces(data, proto)


def _of_pieces(data: bytes, proto: sentencepiece.Proto) -> ThirdPartyTokenizer:
    library = SentencePieceLibrary(data, proto)
    files = OwnFiles("sentencepiece", _KEPT_OF_MODEL, partial(bytes, data), _remade_pieces)
    steps = partial(checked_steps, library, library.read_piece_merges)
    model_of = partial(exact_model.of_sentencepiece, proto, library)
    return ThirdPartyTokenizer(library, steps, own_files=files, model_of=model_of)


def _remade_pieces(changed: bytes, _: Callable[[int], int]) -> ThirdPartyTokenizer:
    return _of_pieces(changed, sentencepiece.parsed(changed))


def _kept_of_json(kind: str, config: dict[str, Any], side: SideFiles) -> Kept:
    listed = {"BPE": "ids, merges", "Unigram": "ids, scores"}.get(kind, "ids")
    keeps = f"{listed}, normalization, split, added tokens and the template, exactly as in its library"
    names = (*([folder.CONFIG] if config else []), *side.texts)
    return Kept("; ".join((keeps, *names)), "; ".join(side.left))


def _article(what: str) -> str:
    return what if what.startswith("vocab") or what.endswith(("ranks", "codes")) else f"a {what}"
