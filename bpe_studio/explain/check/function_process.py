"""The program of the process in which `function` runs somebody's trainer or split.

It imports nothing of BPE Studio. It reads a marshalled request from a file in the folder that is
its argument, and writes a marshalled (message, answer) there: the error, or "", and the result of
the function. It also tries an encoder and a decoder beside a trainer. Printed output is lost.

People hand in functions, classes and notebooks whose arguments have many names. The name of an
argument decides its value: see `ARGUMENTS`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import marshal
import operator
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from types import ModuleType
from typing import Any, NamedTuple

PARTED = "é中😀"
"""Characters of several bytes, whole and in parts."""
MOST_DECODED = 2000
MOST_MERGES = 1_000_001
"""One more than can be checked."""
ARGUMENTS = {
    "special": re.compile(r".*(special|reserved|extra).*"),
    "n_merges": re.compile(
        r"k|((n|num|number|max|total)_?(of_?)?)?"
        r"(merges?|symbols|iters?|iterations?|operations|ops|steps|rounds)"
    ),
    "vocab_size": re.compile(
        r"(.*_)?vocab(ulary)?_?size|((n|num|max|target)_?)?(vocab|tokens)|(target_?)?size"
    ),
    "min_frequency": re.compile(r"min.*(freq|count|pair).*"),
    "text_path": re.compile(r"(.*_)?(?!profile)\w*(path|file|filename|fname)s?"),
    "lines": re.compile(r"(.*_)?(lines|sentences|texts|docs|documents)"),
    "text": re.compile(r".*(text|corpus|data|string|content|input).*|s"),
}
"""The value of an argument, by its name; the first that fits."""
CODING = {
    "special": ARGUMENTS["special"],
    "merges": re.compile(r".*(merge|rule|rank).*"),
    "vocabulary": re.compile(r".*(vocab|token|id).*"),
}
"""The value of an argument of an encoder or a decoder, by its name."""
_OF_TEXTS = re.compile(r"(?i)(list|iterable|iterator|sequence)\[str\]")
"""The annotation of an argument that takes several texts."""
BY_PLACE = ("text", "vocab_size", "special")
"""The value of an argument with any other name, by its place."""
METHODS = {
    "train": ("train", "fit", "learn"),
    "split": ("split", "pretokenize", "pre_tokenize", "tokenize"),
}
"""The names of methods that train or split; the first is also a part of the names of functions."""
_OTHER_NAMES = {"train": ("bpe",), "split": ("pretoken", "pre_token", "tokeni", "words", "pieces")}
"""Other parts of the names of such functions."""


def main(folder: str) -> None:
    """Runs the trainer and writes its result."""
    own = os.getpid()
    with open(os.path.join(folder, "request"), "rb") as stream:
        *request, memory_bytes, cpu_s = marshal.load(stream)
    path = request[1]
    sys.argv = [path]
    _limit(memory_bytes, cpu_s)
    with open(os.devnull, "w") as nowhere:
        for standard in (1, 2):
            os.dup2(nowhere.fileno(), standard)
    try:
        answer = "", _answer(*request)
    except BaseException as error:
        answer = _message(error, path), None
    if os.getpid() != own:  # a copy of this process, which the function made
        os._exit(0)
    with open(os.path.join(folder, "answer"), "wb") as stream:
        marshal.dump(answer, stream)
    os._exit(0)  # threads of the function may still run


def _answer(
    wanted: str, path: str, name: str, task: dict[str, Any], words: list[str], texts: list[str]
) -> Any:
    """The pieces of a function that splits; or the merges of a trainer, the size of its vocabulary,
    encoded texts (or the reason why there are none), and decoded tokens.
    """
    module, failure = _module(path)
    try:
        function = function_in(module, name, wanted)
    except AttributeError:
        if failure is not None:  # the function may come after it
            raise failure from None
        raise
    if wanted == "split":
        return split_by(function, task)
    made = trained_by(function, task)
    size = size_of(made.vocabulary)
    coder = made.coder or _coder_in(module, made, task)
    tokens_by_id = _tokens_by_id(made)
    encode = _coding(coder, "encode", made)
    encoded: list[tuple[str, list[str | bytes]]] = []
    results: list[list[Any]] = []
    if encode is None:
        words = []
    elif not _takes_words(coder):
        words = [*words, *texts]
    doing = ""
    try:
        for text in words:
            doing = f", given {_shown(text)} to encode"
            result: Any = encode(text) if encode else None
            if hasattr(result, "__iter__"):
                result = list(result)  # not an iterator
            encoded.append((text, _tokens(result, tokens_by_id)))
            results.append(result)
    except Exception as error:
        return made.pairs, size, _message(error, path) + doing, []
    decode = _coding(coder, "decode", made)
    if decode is None:
        return made.pairs, size, encoded, []
    special = [*task["special"], *map(str.encode, task["special"])]
    ids: dict[Any, Any] = {
        number: token for number, token in tokens_by_id.items() if token not in special
    }
    if results and not any(isinstance(token, int) for token in chain.from_iterable(results)):
        ids = {token: token for token in ids.values()}  # it decodes tokens
    return made.pairs, size, encoded, list(_decoded(decode, ids, results, tokens_by_id))


def _decoded(
    decode: Callable[[Any], Any], ids: dict[Any, Any], results: list[Any], tokens_by_id: Any
) -> Iterator[tuple[list[str | bytes], str | None]]:
    """Tokens with the text that a decoder returns, or `None` if it fails: every token, parts of
    characters, and the encoded texts.
    """
    by_token = {token: number for number, token in ids.items()}
    cases = [[number] for number in list(ids)[:MOST_DECODED]]
    for character in PARTED:
        whole = [by_token.get(bytes([byte])) for byte in character.encode()]
        cases += [whole, [by_token.get(b"a"), whole[0], by_token.get(b"b")]]
    cases += [list(map(_plain, result)) for result in results[-MOST_DECODED:]]
    for case in cases:
        try:
            tokens = _tokens(case, tokens_by_id)
        except TypeError:  # not all of them are in the vocabulary
            continue
        text = None
        with contextlib.suppress(Exception):
            text = decode(case)
        if not isinstance(text, str):
            text = None
        yield tokens, text


class Made(NamedTuple):
    """The result of a trainer.

    Attributes:
        pairs: the merges, as lists of two tokens.
        vocabulary: the vocabulary as it was returned; `None` for none.
        merges: the merges as they were returned.
        coder: the object that trained, if it can encode; else `None`.
    """

    pairs: list[list[str | bytes | int]]
    vocabulary: Any
    merges: Any
    coder: Any = None


def function_in(module: ModuleType, name: str = "", wanted: str = "train") -> Any:
    """The function or the class of a module that trains or splits.

    Args:
        module: the module.
        name: its name; "" for a function or class whose name says so, or the only function.
        wanted: "train" or "split".

    Raises:
        AttributeError: there is none.
    """
    if name:
        if not callable(getattr(module, name, None)):
            raise AttributeError(f"it has no function {name}")
        return getattr(module, name)
    own = [
        each
        for each in vars(module).values()
        if getattr(each, "__module__", None) == module.__name__
    ]
    functions = [each for each in own if inspect.isfunction(each)]
    only_function = functions if len(functions) == 1 else []
    classes = [each for each in own if inspect.isclass(each) and _method(each, wanted)]
    usual = METHODS[wanted][0]

    def called(part: str) -> list[Any]:
        return [each for each in functions if part in each.__name__.lower()]

    candidates: list[Any] = [each for each in functions if each.__name__ == usual]
    candidates += [*called(usual), *classes[-1:]]
    for other in _OTHER_NAMES[wanted]:
        candidates += called(other)
    candidates += only_function
    if candidates:
        return candidates[0]
    names = ", ".join(each.__name__ for each in functions) or "no functions"
    last = functions[-1].__name__ if functions else "your_function"
    arguments = {"train": "text, vocab_size, special_tokens", "split": "text"}[wanted]
    given = arguments.removesuffix(", special_tokens")
    raise AttributeError(
        f"it has {names}, and none that {wanted}s; add “def {wanted}({arguments}):” and below it"
        f" “    return {last}({given})”"
    )


def _method(made: Any, wanted: str) -> Any:
    methods = (getattr(made, name, None) for name in METHODS[wanted])
    return next(filter(callable, methods), None)


def split_by(splitter: Any, task: dict[str, Any]) -> list[str | bytes]:
    """The pieces into which a function, or the method of a class, cuts a text.

    A piece is a text, bytes, a match, a tuple of symbols, or a pair of a text and its place. Pieces
    may be in lists, for example a list for each line.

    Args:
        splitter: the function or the class.
        task: the values for its arguments, as in `trained_by`.

    Raises:
        TypeError: it returns something else.
    """
    values = _values(task)
    if inspect.isclass(splitter):
        splitter = _method(_called(splitter, values, ()), "split")
    result = _called(splitter, values, ("text", "special"))
    if isinstance(result, dict | set | str | bytes) or not hasattr(result, "__iter__"):
        raise TypeError(f"it returns {_shown(result)}, not a list of the pieces in their order")
    most = 2 * len(values["text"]) + 1000
    return list(islice(_pieces(result), most))


def _pieces(result: Any) -> Iterator[str | bytes]:
    for entry in result:
        piece: Any = entry
        if isinstance(entry, list):
            yield from _pieces(entry)
            continue
        if hasattr(entry, "group"):
            piece = entry.group()
        elif isinstance(entry, tuple) and entry:
            has_place = len(entry) == 2 and not isinstance(entry[1], str | bytes)
            piece = entry[0] if has_place else _joined(entry)
        if not isinstance(piece, str | bytes):
            raise TypeError(f"it returns {_shown(entry)} as a piece, not a text")
        yield piece


def _joined(symbols: Any) -> Any:
    if all(isinstance(symbol, int) for symbol in symbols):
        return bytes(symbols)
    return type(symbols[0])().join(symbols)


def trained_by(trainer: Any, task: dict[str, Any]) -> Made:
    """The result of a function or a class that trains.

    Args:
        trainer: the function; or the class, whose method `train` is called.
        task: the values for its arguments, by the keys of `ARGUMENTS`, without "text".

    Raises:
        TypeError: an argument has no value, or the result has no merges.
    """
    values = _values(task)
    if not inspect.isclass(trainer):
        return made_of(_called(trainer, values, BY_PLACE))
    made = _called(trainer, values, ())
    result = _called(_method(made, "train"), values, BY_PLACE)
    if result is None:
        result = made
    coder = made if callable(getattr(made, "encode", None)) else None
    return made_of(result)._replace(coder=coder)


def _values(task: dict[str, Any]) -> dict[str, Any]:
    """The values for arguments, with the text."""
    with open(task["text_path"], encoding="utf-8", errors="surrogateescape", newline="") as stream:
        text = stream.read()
    lines = list(io.StringIO(text, newline="\n")) if task["by_line"] else [text]
    return {**task, "text": text, "lines": lines}


def _called(function: Any, values: dict[str, Any], by_place: Sequence[str]) -> Any:
    """The result of a function; the names and places of its arguments decide their values."""
    parameters = inspect.signature(function).parameters.values()
    kinds = {each.kind for each in parameters}
    others = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    named = [each for each in parameters if each.kind not in others]
    given = []
    keywords = {}
    if not named or kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY}:
        given = list(map(values.__getitem__, by_place))
    for place, each in enumerate(named):
        key = next(
            (key for key, names in ARGUMENTS.items() if names.fullmatch(each.name.lower())), None
        )
        is_needed = each.default is each.empty
        if key is None and is_needed and place < len(by_place):
            key = by_place[place]
        if key == "text" and _OF_TEXTS.search(str(each.annotation)):
            key = "lines"
        is_taken = key in ("text", "text_path", "lines") and place > 0
        if not is_needed and (is_taken or isinstance(each.default, list | dict)):
            key = None  # such as data=None or merges=[], which mean something else
        if key is None and is_needed:
            raise TypeError(f"its argument {each.name} has no default value")
        if key is None:
            continue
        if each.kind is each.POSITIONAL_ONLY:
            given.append(values[key])
        else:
            keywords[each.name] = values[key]
    return function(*given, **keywords)


def made_of(result: Any) -> Made:
    """The vocabulary and the merges in the result of a trainer.

    A result is the merges alone, the merges and the vocabulary in either order, or an object or a
    dictionary that has both.

    Raises:
        TypeError: there are no merges in it.
    """
    vocabulary = None
    merges = result
    if hasattr(result, "merges"):
        merges = result.merges
        vocabulary = getattr(result, "vocab", None)
    elif not isinstance(result, list | tuple | dict) and hasattr(result, "__dict__"):
        attributes = vars(result)
        merges = next(filter(_has_pairs, attributes.values()), None)
        vocabulary = attributes.get("vocab")
    elif isinstance(result, dict) and "merges" in result:
        merges = result["merges"]
        vocabulary = result.get("vocab")
    elif isinstance(result, tuple) and len(result) > 1 and not _is_pair(result[0]):
        place = next((k for k, part in enumerate(result) if _has_pairs(part)), len(result) - 1)
        merges = result[place]
        vocabulary = next((part for part in result if part is not merges), None)
    if merges is None or isinstance(merges, str | bytes) or not hasattr(merges, "__iter__"):
        raise TypeError(f"it returns {_shown(result)}, not the vocabulary and a list of merges")
    pairs: list[list[str | bytes | int]] = []
    for entry in merges:
        if len(pairs) == MOST_MERGES:
            break
        try:
            left, right = _pair_of(entry)
            pairs.append([_plain(left), _plain(right)])
        except (TypeError, ValueError):
            raise TypeError(
                f"it returns {_shown(entry)} as merge {len(pairs) + 1}, not two tokens"
            ) from None
    return Made(pairs, vocabulary, merges)


def _pair_of(entry: Any) -> Any:
    """The two tokens of a merge, which is a pair or a line, perhaps with an id or a count."""
    if isinstance(entry, str) and " " in entry.strip():
        return entry.split()[:2]
    if isinstance(entry, list | tuple) and _is_pair(entry[0]):
        return entry[0]
    if isinstance(entry, list | tuple) and len(entry) == 3:
        return entry[:2]
    return entry


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and not hasattr(entry[0], "keys")


def _has_pairs(part: Any) -> bool:
    """Whether the first entry of a list or a dictionary is a merge."""
    if not isinstance(part, list | tuple | dict):
        return False
    first = next(iter(part), None)
    if isinstance(first, str):
        return len(first.split()) == 2
    return isinstance(first, list | tuple) and len(first) in (2, 3)


def _coder_in(module: ModuleType, made: Made, task: dict[str, Any]) -> Any:
    """The encoder and decoder beside a trainer: the module, or an object of a class that takes the
    vocabulary or the merges.
    """
    if _coding(module, "encode", made) or _coding(module, "decode", made):
        return module
    values = {"vocabulary": made.vocabulary, "merges": made.merges, "special": task["special"]}
    for each in vars(module).values():
        is_own = inspect.isclass(each) and each.__module__ == module.__name__
        if is_own and callable(getattr(each, "encode", None)):
            with contextlib.suppress(TypeError, ValueError):
                given = _given(inspect.signature(each), values)
                if {"vocabulary", "merges"} & set(given):
                    return each(**{name: values[key] for name, key in given.values()})
    return module


def _given(signature: inspect.Signature, values: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The arguments whose names decide their values: each name with the key of its value.

    Raises:
        TypeError: another argument needs a value.
    """
    given = {}
    for name, parameter in signature.parameters.items():
        key = next((key for key, names in CODING.items() if names.fullmatch(name.lower())), None)
        if key in values:
            given[str(key)] = name, str(key)
        elif parameter.default is parameter.empty:
            raise TypeError
    return given


def _coding(coder: Any, name: str, made: Made) -> Callable[[Any], Any] | None:
    """The method `encode` or `decode` of an object, or the function of a module, which gets the
    vocabulary or the merges; `None` if there is none.
    """
    function: Callable[..., Any] | None = getattr(coder, name, None)
    if not callable(function):
        return None
    if not isinstance(coder, ModuleType):
        return function
    values = {"vocabulary": made.vocabulary, "merges": made.merges}
    try:
        signature = inspect.signature(function)
        others = list(signature.parameters.values())[1:]
        given = _given(signature.replace(parameters=others), values)
        by_name = {argument: values[key] for argument, key in given.values()}
        if by_name:
            return lambda what: function(what, **by_name)
        signature.bind("", made.vocabulary, made.merges)
    except (TypeError, ValueError):  # it is for something else
        return None
    return lambda what: function(what, made.vocabulary, made.merges)


def _takes_words(coder: Any) -> bool:
    """Whether an encoder takes words only, as the name of its argument says."""
    first = next(iter(inspect.signature(coder.encode).parameters), "")
    return bool(re.fullmatch(r".*(word|piece|chunk).*", first.lower()))


def _tokens_by_id(made: Made) -> dict[int, str | bytes]:
    """The tokens of a vocabulary {id: token}, {token: id} or [token].

    Without a vocabulary, bytes are 0 to 255, and the merges follow.
    """
    vocabulary = made.vocabulary
    if isinstance(vocabulary, list | tuple):
        vocabulary = dict(enumerate(vocabulary))
    if isinstance(vocabulary, dict) and vocabulary:
        if not all(isinstance(key, int) for key in vocabulary):
            vocabulary = {number: token for token, number in vocabulary.items()}
        if all(isinstance(token, str | bytes) for token in vocabulary.values()):
            return vocabulary
    tokens: dict[Any, Any] = {byte: bytes([byte]) for byte in range(256)}
    with contextlib.suppress(TypeError):
        for left, right in made.pairs:
            tokens[len(tokens)] = tokens.get(left, left) + tokens.get(right, right)
    return tokens


def size_of(vocabulary: Any) -> int | None:
    """The size of a vocabulary; `None` if it has none."""
    return len(vocabulary) if hasattr(vocabulary, "__len__") else None


def _tokens(encoded: Any, tokens_by_id: dict[int, str | bytes]) -> list[str | bytes]:
    """The tokens in the result of an encoder, which is tokens or ids."""
    tokens: list[str | bytes] = []
    try:
        for token in encoded:
            if not isinstance(token, str | bytes):
                token = tokens_by_id[operator.index(token)]
            tokens.append(token)
        return tokens
    except (TypeError, LookupError):
        raise TypeError(
            f"it returns {_shown(encoded)}, not tokens or ids of the vocabulary"
        ) from None


def _plain(token: object) -> str | bytes | int:
    if isinstance(token, str):
        return str(token)
    return bytes(token) if isinstance(token, bytes | bytearray) else operator.index(token)  # type: ignore[arg-type]


def _module(path: str) -> tuple[ModuleType, BaseException | None]:
    """The module of a Python file or of a notebook, and the first error that it raised, if any."""
    folder, file = os.path.split(path)
    sys.path.insert(0, folder)
    module = ModuleType(file.partition(".")[0])
    module.__file__ = path
    sys.modules[module.__name__] = module
    failure: BaseException | None = None
    for source in sources_of(path):
        try:
            exec(compile(source, path, "exec"), vars(module))
        except BaseException as error:
            failure = failure or error
    return module, failure


def sources_of(path: str) -> list[str | bytes]:
    """The code of a Python file, or of the cells of a notebook without the commands of IPython.

    Raises:
        ValueError: the file is no notebook.
    """
    with open(path, "rb") as stream:
        content = stream.read()
    if not path.endswith(".ipynb"):
        return [content]
    try:
        cells = [
            "".join(cell["source"])
            for cell in json.loads(content)["cells"]
            if cell["cell_type"] == "code"
        ]
    except (LookupError, TypeError, ValueError, RecursionError):
        raise ValueError("it is no notebook") from None
    return [re.sub(r"(?m)^([ \t]*)[%!].*", r"\1pass", cell) for cell in cells]


def _message(error: BaseException, path: str) -> str:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    if isinstance(error, SyntaxError):
        lines = [error.lineno or 0]
    if not lines and isinstance(error, TypeError | AttributeError):
        return str(error)
    what = (
        "not enough memory" if isinstance(error, MemoryError) else str(error).split("\n")[0][:200]
    )
    where = f" in line {lines[-1]}" if lines else ""
    message = f"it raises {type(error).__name__}{where}"
    return f"{message}: {what}" if what else message


def _shown(value: object) -> str:
    with contextlib.suppress(Exception):
        return repr(value)[:60]
    return f"a {type(value).__name__}"


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Limits this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = [
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
    ]
    for kind, most in (*limits, (resource.RLIMIT_NPROC, 4096)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
