"""Opens any tokenizer: those of this program and of rank files for our engine, all others for their
library.
"""

from __future__ import annotations

import os
import re
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
from bpe_studio.files.json_parts import checked, parse_json
from bpe_studio.files.recognition import TOKENIZERS, Found, recognize
from bpe_studio.files.third_party import (
    exact_model,
    known,
    pickled_ranks,
    tekken,
    tiktoken_ranks,
    vocab_and_merges,
)
from bpe_studio.files.third_party.folders.files import SETTINGS, FolderFiles, files_of
from bpe_studio.files.third_party.folders.reading import FolderTokenizer
from bpe_studio.files.third_party.folders.reading import read as read_folder
from bpe_studio.files.third_party.folders.transformers import made_by_transformers
from bpe_studio.files.third_party.gguf import tokenizer as gguf
from bpe_studio.files.third_party.gguf.head import head_of
from bpe_studio.files.third_party.hugging_face import (
    HuggingFaceLibrary,
    check_json,
    read_piece_merges,
)
from bpe_studio.files.third_party.ranked_tokens import RankedTokens
from bpe_studio.files.third_party.self_check import checked_steps
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_Json = dict[str, Any]
_Written = Callable[[_Json, _Json], _Json]
_FASTBPE_LINE = re.compile(r"([^ ]+ [^ ]+) [0-9]{1,19}")
_OF_TRANSFORMERS = ("huggingface", "gpt2", "bert")
_BERT_ROLES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
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
    inside = os.path.dirname(file)
    unused = [name for name in SETTINGS if os.path.lexists(os.path.join(inside, name))]
    if is_folder and unused:
        only = f"Only {os.path.basename(file)} is used, and not {', '.join(unused)} in its folder"
        tokenizer.notices += (only,)
    return tokenizer


def _of_file(found: Found, split: str | None) -> Tokenizer:
    """The tokenizer of one file, whatever is beside it."""
    file = found.files[0]
    match found.kind:
        case "sentencepiece":
            return _of_model(contents(file))
        case "gguf":
            head = head_of(file)
            root, roles = gguf.as_tokenizer_json(head)
            tokenizer: Tokenizer = _of_json(
                check_json(root), roles, batch=folder.Batch.of(roles, root), is_ours=True
            )
            said = gguf.said_of_split(head)
            tokenizer.notices = (said,) if said else ()
            return tokenizer
        case "pickle":
            return _of_ranks(pickled_ranks.ranked(contents(file)))
        case "tekken":
            return _of_ranks(tekken.ranked(checked(json_of(file), dict, "the file")))
        case "fastbpe":
            return _of_fastbpe(lines_of(file))
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
            # No other kind of file needs its modules.
            from bpe_studio.files.document import studio

            return studio.load(file)


def _of_folder(found: Found, split: str | None) -> Tokenizer:
    """The tokenizer of a folder, with all of its files."""
    side = beside(found.files[0], found.files)
    files, wrong = files_of(found)
    if files.root is None:
        return _without_json(found, files, wrong, split, side)
    tokenizer = _with_json(files, wrong, side)
    tokenizer.folder = _folder_of(found)
    return tokenizer


def _folder_of(found: Found) -> str:
    return os.path.dirname(found.files[0]) or os.curdir


def _with_json(files: FolderFiles, wrong: str, side: SideFiles) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`, which is the truth, and of the files beside it."""
    root = check_json(files.root)
    own = folder.own_model(root, files.config)
    try:
        if wrong:
            raise TokenizerFormatError(wrong)
        read = read_folder(files, root)
    except TokenizerFormatError as error:
        tokenizer: Tokenizer
        if own is None:
            batch = folder.Batch.of(files.config, root)
            tokenizer = _of_json(root, files.config, side, batch, data=files.data)
        else:
            tokenizer = _own(own, files, side)
        tokenizer.notices += (
            f"Only tokenizer.json is used, and not the other files of its folder, because {error}",
        )
        return tokenizer
    if own is not None and read.is_as_in(root):
        return _own(own, files, side, read.roles)
    tokenizer = _of_read(read, files, side)
    if read.not_followed:
        named = " and ".join(map(repr, read.not_followed))
        tokenizer.notices += (
            f"{named} in tokenizer_config.json would change tokenizer.json, and is not followed",
        )
    return tokenizer


def _of_read(read: FolderTokenizer, files: FolderFiles, side: SideFiles) -> ThirdPartyTokenizer:
    root = check_json(read.root)
    data = files.data if read.is_as_in(files.root or {}) else b""
    return _of_json(
        root, files.config, side, read.batch, read.roles, data=data, written=read.written
    )


def _without_json(
    found: Found, files: FolderFiles, wrong: str, split: str | None, side: SideFiles
) -> Tokenizer:
    """The tokenizer of a folder without a `tokenizer.json`, which Transformers makes if one of its
    classes decides how the files are read.
    """
    own = None if wrong else _own_pair(files)
    if own is not None:
        return _own(own, files, side)
    says_nothing = not wrong and not files.says_something
    if says_nothing and found.kind != "sentencepiece":
        alone = _alone(found, files, split, side)
        if alone is not None:
            return alone
    try:
        if wrong:
            raise TokenizerFormatError(wrong)
        made = made_by_transformers(_folder_of(found), _for_transformers(found, files))
        root = _object_in(made.files, folder.TOKENIZER)
        converted = FolderFiles(config=_object_in(made.files, folder.CONFIG), root=root)
        tokenizer: Tokenizer = _of_read(read_folder(converted, root), converted, side)
        tokenizer.notices = (made.notice,) if made.notice else ()
        tokenizer.folder = _folder_of(found)
    except TokenizerFormatError as error:
        alone = _alone(found, files, split, side)
        if alone is None:
            raise
        if not says_nothing:
            name = os.path.basename(found.files[0])
            alone.notices += (
                f"Only {name} is used, and not the other files of its folder, because {error}",
            )
        return alone
    return tokenizer


def _object_in(files: Mapping[str, bytes], name: str) -> _Json:
    return checked(parse_json(files[name], name), dict, name)


def _for_transformers(found: Found, files: FolderFiles) -> dict[str, bytes]:
    """The files under the names that Transformers knows, with a class; empty if the folder has them
    so.
    """
    names = [os.path.basename(file) for file in found.files]
    is_usual = found.kind == "sentencepiece" or names in (
        ["vocab.json", "merges.txt"],
        ["vocab.txt"],
    )
    if is_usual and (files.names_class or found.kind == "sentencepiece"):
        return {}
    if found.kind == "bert":
        usual = _bert_config(files.lines, files.config)
    else:
        usual = vocab_and_merges.usual_config(files.vocab or {}, files.merges)
    return files.written({**usual, **files.config})


def _bert_config(lines: Sequence[str], config: _Json) -> _Json:
    """The settings of BERT's class for a `vocab.txt`, which does not say whether capitals are kept.

    If `tokenizer_config.json` does not say it either, they are kept if a token has one.

    Args:
        lines: the lines of the file, one token each.
        config: the `tokenizer_config.json` next to it; empty if there is none.

    Raises:
        TokenizerFormatError: a token occurs twice, or one that every text needs is missing.
    """
    vocab: dict[str, int] = {}
    for number, name in enumerate(lines):
        if vocab.setdefault(name, number) != number:
            raise TokenizerFormatError(f"line {number + 1:,} repeats the token {name[:40]!r}")
    for name in ("[UNK]", "[CLS]", "[SEP]"):
        if name not in vocab:
            raise TokenizerFormatError(
                f"no line is {name} alone, which every BERT vocabulary has: download it again"
            )
    # Marks such as [CLS] and <S> are not words.
    has_capitals = any(name != name.lower() for name in vocab if name.removeprefix("##").isalnum())
    flags = {
        "do_lower_case": not has_capitals,
        "tokenize_chinese_chars": True,
        "strip_accents": None,
    }
    said = {name: config[name] for name in flags if isinstance(config.get(name), bool)}
    roles = {}
    for role, name in _BERT_ROLES.items():
        roles[role] = name if name in vocab else None
    return {"tokenizer_class": "BertTokenizer", **roles, **flags, **said}


def _own_pair(files: FolderFiles) -> TokenizerModel | None:
    """The tokenizer of two files that this program wrote; `None` for any others, and if the files
    have changed since.
    """
    others = files.special, files.added, files.model_config
    if (
        files.vocab is None
        or any(others)
        or not vocab_and_merges.is_gpt2(files.vocab, files.merges)
    ):
        return None
    return gpt2.own_model(files.vocab, files.merges, files.config)


def _own(
    model: TokenizerModel,
    files: FolderFiles,
    side: SideFiles,
    roles: Mapping[str, str] | None = None,
) -> Tokenizer:
    """The tokenizer of our own folder, with the files that others have added there."""
    tokenizer = Tokenizer(replace(model, chat_template=side.chat_template(files.config)))
    tokenizer.roles = roles
    tokenizer.left_files = side.left
    return tokenizer


def _alone(
    found: Found, files: FolderFiles, split: str | None, side: SideFiles
) -> Tokenizer | None:
    """The tokenizer of its own file alone; `None` if a class of Transformers decides how it is
    read.
    """
    if found.kind == "sentencepiece":
        return _of_model(files.model)
    if files.vocab is None:
        return None
    vocab = dict(files.vocab)
    pairs = [list(pair) for pair in files.merges]
    if vocab_and_merges.is_gpt2(vocab, pairs):
        return _with_side_files(gpt2.model_of(vocab, pairs), files.config, side)
    if vocab_and_merges.usual_config(vocab, pairs):
        return None
    root = vocab_and_merges.as_tokenizer_json(vocab, pairs, split)
    check_json(root)
    tokenizer = _of_json(root, files.config, side, folder.Batch.of(files.config), is_ours=True)
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
    if written is not None:
        config = written(root, config)
    return folder.as_read(root, config) | side.written(added_ids)


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
    """A tokenizer of ours from third-party files, which its formats do not hold completely."""
    tokenizer = Tokenizer(
        replace(folder.with_config(model, config), chat_template=side.chat_template(config))
    )
    tokenizer.left_files = (*_left(config, side), *side.left)
    return tokenizer


def _left(config: _Json, side: SideFiles) -> tuple[str, ...]:
    """The parts of a folder's files that other formats leave out, as phrases."""
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
            (
                f"No merge of {os.path.basename(file)} ends a word: it is read as codes of"
                " subword-nmt; if it is the merges.txt of a pair, put its vocab.json into the same"
                " folder"
            ),
        )
    return tokenizer


def _of_fastbpe(lines: Sequence[str]) -> Tokenizer:
    """The tokenizer of codes like those of subword-nmt, with the count of a pair and no header."""
    pairs = ["#version: 0.2"]
    for place, line in enumerate(lines, 1):
        match = _FASTBPE_LINE.fullmatch(line)
        if match is None and line:
            raise TokenizerFormatError(f"line {place:,} is not two symbols and a count")
        if match is not None:
            pairs.append(match[1])
    return Tokenizer(subword_nmt.model_of(pairs))


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
    keeps = (
        f"{listed}, normalization, split, added tokens and the template, exactly as in its library"
    )
    kept = [keeps]
    if config:
        kept.append(folder.CONFIG)
    kept += side.texts
    return Kept("; ".join(kept), "; ".join(side.left))


def _article(what: str) -> str:
    return what if what.startswith("vocab") or what.endswith(("ranks", "codes")) else f"a {what}"
