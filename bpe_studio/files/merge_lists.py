"""Reads a list of merges in any form that people write one: a tokenizer, lines of two tokens,
literals or JSON.

Nothing is unpickled, and the merges need not be a tokenizer: they may name tokens that no merge
makes.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from bpe_studio.engine.arguments import shown
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats.tokenizer_file import contents, lines_of
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import NAMED, recognize

Token = str | bytes
Pair = tuple[Token, Token]

MOST_MERGES = 1_000_000
MOST_IN_TOKEN = 1_000_000
_LITERAL = r"""(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")"""
_TWO_LITERALS = re.compile(rf"{_LITERAL}[ \t]+{_LITERAL}")
_ID = re.compile("[0-9]{1,8}")
_NO_LITERAL = (ValueError, SyntaxError, MemoryError, RecursionError, KeyError, TypeError)
_FORMS = (
    "two tokens a line, as in merges.txt; Python literals such as (b'h', b'e'); a JSON list of"
    " pairs; pairs of ids in which bytes are 0 to 255; or any tokenizer"
)


def read_merges(path: str | os.PathLike[str]) -> list[Pair]:
    """The merges of a file or folder, in their order.

    A token is text (in a file of byte tokens: with GPT-2's stand-ins), or bytes if the file says
    so.

    Raises:
        TokenizerFormatError: it does not exist, is not a list of merges, or has too many.
    """
    found = recognize(path)
    if found.is_tokenizer and found.kind != NAMED:
        try:
            tokenizer = load(path)
            tokens = tokenizer.tokens
            if tokenizer.why_no_merges:
                raise TokenizerFormatError(
                    f"{os.fspath(path)} has no merges to check: {tokenizer.why_no_merges}"
                )
            return [(tokens[left], tokens[right]) for left, right, _ in tokenizer.merges]
        except TokenizerFormatError:
            # Merges with a mistake in them may be no tokenizer, and still a list.
            if os.path.isdir(path):
                raise
    name = os.fspath(path)
    try:
        text = contents(path).decode()
    except UnicodeDecodeError:
        raise _no_merges(name, "it is not text in UTF-8") from None
    try:
        pairs = pairs_of(_of_text(text.strip("\n\r")))
    except TokenizerFormatError as error:
        raise _no_merges(name, str(error)) from None
    if not pairs:
        raise _no_merges(name, "it has no merges")
    return pairs


def pairs_of(pairs: Iterable[Any]) -> list[Pair]:
    """Pairs of tokens from pairs of texts, bytes or ids.

    Ids are those of minbpe: a byte is its value, and the merges follow from 256 on. An id that no
    merge before makes becomes a text such as "id 300", which is not a token either.

    Raises:
        TokenizerFormatError: one of them is something else, or there are too many.
    """
    if not isinstance(pairs, Iterable):
        raise TokenizerFormatError(f"{shown(pairs)} is not a list of merges")
    found: list[Pair] = []
    made: list[Token] = [bytes([byte]) for byte in range(256)]
    for rank, pair in enumerate(pairs, 1):
        if rank > MOST_MERGES:
            raise TokenizerFormatError(f"it has more than {MOST_MERGES:,} merges")
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TokenizerFormatError(f"merge {rank:,} is {shown(pair)}, not two tokens")
        tokens: list[Token] = []
        for token in pair:
            if isinstance(token, int) and not isinstance(token, bool):
                token = made[token] if 0 <= token < len(made) else f"id {shown(token)}"
            if not isinstance(token, str | bytes) or not 0 < len(token) <= MOST_IN_TOKEN:
                raise TokenizerFormatError(f"merge {rank:,} has {shown(token)} instead of a token")
            tokens.append(token)
        left, right = tokens
        found.append((left, right))
        if isinstance(left, bytes) and isinstance(right, bytes):
            made.append(left + right)
        else:
            made.append(f"id {len(made)}")
    return found


def read_encoded(path: str | os.PathLike[str]) -> list[tuple[str, list[Token] | list[int]]]:
    """Texts with their tokens or ids, from JSON lines with a `text` and `tokens` or `ids`.

    Raises:
        TokenizerFormatError: the file cannot be read, or has other lines.
    """
    encoded: list[tuple[str, list[Token] | list[int]]] = []
    for place, line in enumerate(lines_of(path), 1):
        try:
            entry = json.loads(line)
            text = entry["text"]
            tokens = entry["tokens"] if "tokens" in entry else entry["ids"]
            kinds = set(map(type, tokens))
            if not isinstance(text, str) or not (kinds <= {str} or kinds <= {int}):
                raise TypeError
        except _NO_LITERAL:
            raise TokenizerFormatError(
                f"{os.fspath(path)} has no texts with tokens: line {place:,} is {shown(line)}, not"
                " an object with a text and a list of tokens or ids"
            ) from None
        encoded.append((text, tokens))
    return encoded


def read_pieces(path: str | os.PathLike[str]) -> list[str]:
    """The pieces of a text: a list in JSON or Python, one literal a line, or one piece a line.

    Raises:
        TokenizerFormatError: the file cannot be read, or has something else.
    """
    name = os.fspath(path)
    try:
        text = contents(path).decode()
    except UnicodeDecodeError:
        raise TokenizerFormatError(f"{name} has no pieces: it is not text in UTF-8") from None
    lines = text.removesuffix("\n").split("\n")
    is_list = text.lstrip().startswith(("[", "("))
    try:
        pieces = _literal(text.strip()) if is_list else list(map(_literal, lines))
    except _NO_LITERAL:
        pieces = lines
    try:
        return texts_of_pieces(pieces)
    except TypeError:
        return lines


def texts_of_pieces(pieces: Iterable[str | bytes]) -> list[str]:
    """Pieces as texts, decoded if they are bytes.

    Raises:
        TypeError: one of them is something else.
    """
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, bytes):
            texts.append(piece.decode("utf-8", "surrogateescape"))
        elif isinstance(piece, str):
            texts.append(piece)
        else:
            raise TypeError(f"{shown(piece)} is not a piece")
    return texts


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


def _of_text(text: str) -> Iterable[Any]:
    """The pairs in a text, as they are written."""
    if not text:
        return []
    if text.startswith(("[", "{", "(")):
        return _of_literal(text)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0] == "minbpe v1" and len(lines) > 2 and lines[2].isdigit():
        lines = lines[3 + int(lines[2]) :]
    elif lines[0].startswith("#version"):
        lines = lines[1:]
    pairs = [_of_line(line, place) for place, line in enumerate(lines, 1) if line]
    tokens = chain.from_iterable(pairs)
    if not all(isinstance(token, str) and _ID.fullmatch(token) for token in tokens):
        return pairs
    return [list(map(int, pair)) for pair in pairs]


def _of_line(line: str, place: int) -> Any:
    line = line.strip("\r")
    try:
        if two := _TWO_LITERALS.fullmatch(line):
            return [ast.literal_eval(literal) for literal in two.groups()]
        if line.startswith(("(", "[")):
            return ast.literal_eval(line.rstrip(" ,"))
        if line.startswith("{"):
            entry = json.loads(line)
            return [entry["left"], entry["right"]]
    except _NO_LITERAL:
        pass  # a bracket or a quotation mark may be a token
    parts = line.split("\t") if "\t" in line else line.split(" ")
    if len(parts) != 2 or not all(parts):
        raise TokenizerFormatError(
            f"line {place:,} is {shown(line)}, not two tokens with a space between them"
        )
    return parts


def _of_literal(text: str) -> Iterable[Any]:
    """A whole list as JSON, or as a Python literal, or one literal a line."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text)
        except _NO_LITERAL:
            return [
                _of_line(line, place) for place, line in enumerate(text.splitlines(), 1) if line
            ]
    if isinstance(value, dict):
        value = value.get("merges", value.get("model"))
        value = value.get("merges") if isinstance(value, dict) else value
    if not isinstance(value, list | tuple):
        raise TokenizerFormatError('its JSON has no list of "merges"')
    if len(value) == 2 and all(isinstance(token, str | bytes) for token in value):
        value = [value]
    pairs = []
    for pair in value:
        parts = pair.split(" ") if isinstance(pair, str) else pair
        pairs.append(parts)
    return pairs


def _no_merges(name: str, why: str) -> TokenizerFormatError:
    return TokenizerFormatError(
        f"{name} cannot be read as a list of merges, because {why}: write {_FORMS}"
    )
