"""The values that a lesson takes from a run at one step: the next pair, a count, tokens; and the
check of an answer.

Computing them takes a pass over the corpus, so the worker does it. `files/lessons/placeholders.py`
lists the quantities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from bpe_studio.engine.analysis.words_containing import words_with_pair
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.candidates import count_pair
from bpe_studio.files.languages import in_language
from bpe_studio.files.lessons.placeholders import QUANTITIES, Quantity, fill_placeholders
from bpe_studio.workspace.lessons.language import directed, inserted

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.decision import Decision
    from bpe_studio.engine.arrays import Int32Array
    from bpe_studio.engine.run import Run
    from bpe_studio.files.lessons.records import LessonStep, Question

Spell = Callable[["Run", int], str]
"""Formats a token for display."""

_ENGLISH = QLocale(QLocale.Language.English)

NOTHING = "—"
"""The text for a missing value."""

_BETWEEN = re.compile(r"[\s+|·,]+")
_ISOLATES = re.compile("[\u200e\u200f\u2066-\u2069]")


@dataclass(frozen=True)
class Value:
    """The value of a quantity.

    Attributes:
        text: its text.
        number: its number, if it is one.
        tokens: if it consists of tokens, the accepted spellings of each.
    """

    text: str
    number: float | None = None
    tokens: tuple[frozenset[str], ...] = ()


class StepFacts:
    """The quantities of a run at one step.

    Args:
        run: the run; it may grow meanwhile.
        step: the number of merges that apply.
        typed: the typed text.
        spell: formats a token for display.
        locale: the locale of the lesson's sentences, which decides their digits.
    """

    def __init__(
        self,
        run: Run,
        step: int,
        typed: str = "",
        spell: Spell | None = None,
        locale: QLocale = _ENGLISH,
    ) -> None:
        self._run = run
        self._step = step
        self._typed = typed
        self._spell = spell if spell is not None else type(run).token_name
        self._locale = locale

    def value(self, quantity: Quantity) -> Value | None:
        """The value of a quantity; `None` for none, such as the next pair at the very end."""
        name = quantity.name
        text = quantity.of or self._typed
        kind = QUANTITIES[name].kind
        if kind == "pair" or name == "made":
            tokens = self._pair(name)
            return None if tokens is None else self._tokens(tokens, " + ")
        if name == "cut":
            return self._tokens(self._cut(text).tolist(), " · ")
        number = self._number(name, quantity.of, text)
        if number is None:
            return None
        if name == "fertility":
            return Value(self._locale.toString(number, "f", 1), number)
        return Value(self._locale.toString(round(number)), number)

    def fill(self, text: str) -> str:
        """A sentence with its placeholders filled in."""

        def value_of(quantity: Quantity) -> str:
            value = self.value(quantity)
            shown = NOTHING if value is None else value.text
            return inserted(shown, self._locale)

        return directed(fill_placeholders(text, value_of), self._locale)

    @cached_property
    def _decision(self) -> Decision:
        from bpe_studio.engine.analysis.decision import decide

        return decide(self._run, self._step)

    def _pair(self, name: str) -> tuple[int, ...] | None:
        """The tokens of the pair, or the single token, that a name denotes."""
        if name == "next":
            winner = self._decision.winner
            return None if winner is None else (winner.left, winner.right)
        rank = self._step - 1
        if rank < 0:
            return None
        if name == "made":
            return (self._run.token_of(rank),)
        return int(self._run.columns.left[rank]), int(self._run.columns.right[rank])

    def _number(self, name: str, of: str, text: str) -> float | None:
        run = self._run
        step = self._step
        if name == "count" and of:
            return self._count_of(*of.split())
        if name == "count":
            winner = self._decision.winner
            return None if winner is None else winner.count
        if name == "ties":
            return self._decision.n_tied
        if name == "last_count":
            return int(run.columns.count[step - 1]) if step else None
        if name == "bytes":
            return len(text.encode("utf-8", "surrogatepass"))
        if name == "characters":
            return len(text)
        if name == "tokens":
            return len(self._cut(text))
        if name == "fertility":
            n_words = len(text.split())
            return len(self._cut(text)) / n_words if n_words else None
        return {
            "step": step,
            "alphabet": run.n_alphabet,
            "vocabulary": run.vocab_size_at(step),
            "corpus_tokens": run.n_tokens_at(step),
        }[name]

    def _count_of(self, left: str, right: str) -> float | None:
        pair = find_token(self._run, left), find_token(self._run, right)
        end = self._run.token_of(self._step)
        if pair[0] is None or pair[1] is None or max(pair[0], pair[1]) >= end:
            return None
        return count_pair(self._run, (pair[0], pair[1]), self._step)

    def _cut(self, text: str) -> Int32Array:
        """(m,) the token ids of a text."""
        # A segmenter of its own, because the run's belongs to the window's thread.
        return self._run.new_segmenter().text_gaps(text).ids(self._step)

    def forgotten(self, quantity: Quantity, given: object) -> str:
        """The thing that a wrong answer forgot; "" if that is not known.

        The page of a lesson says the same (`resources/living_page/lesson.js`).
        """
        if isinstance(given, tuple | list):
            return self._fault_of(*map(str, given)) if quantity.name == "next" else ""
        number = _number_in(given)
        return "" if number is None else self._said(dict(self._mistaken(quantity)).get(number, ""))

    def _said(self, sentence: str, *values: str) -> str:
        """A sentence in the language of the lesson, with values in it."""
        language = QLocale.languageToString(self._locale.language())
        shown = [inserted(value, self._locale) for value in values]
        return directed(in_language(language, sentence).format(*shown), self._locale)

    def _fault_of(self, left: str, right: str) -> str:
        """Why a pair is not the one that is merged next; the right one is not told."""
        shown = f"{left} + {right}"
        pairs = product(self._named(left), self._named(right))
        count = max((count_pair(self._run, pair, self._step) for pair in pairs), default=0)
        winner = self._decision.winner
        if winner is None:
            return ""
        if not count:
            return self._said("{} are nowhere neighbours at this step.", shown)
        times = "once" if count == 1 else "{} times"
        language = QLocale.languageToString(self._locale.language())
        times = in_language(language, times).format(self._locale.toString(int(count)))
        if count < winner.count:
            return self._said("{} occurs {}, and another pair occurs more often.", shown, times)
        if count > winner.count:
            sentence = "{} occurs {}, but here it is not the count that decides."
            return self._said(sentence, shown, times)
        return ""

    def _mistaken(self, quantity: Quantity) -> Iterator[tuple[float, str]]:
        """Numbers that are given by mistake, the last one of which counts, and what each forgot."""
        run = self._run
        text = quantity.of or self._typed
        n_characters = len(text)
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
        if quantity.name == "tokens":
            yield n_bytes, "That is the number of bytes: a token may have several of them."
            if " " in text and not run.config.drops_text:
                yield n_characters - text.count(" "), "A space is a symbol, too."
            yield len(text.split()), "That is the number of words."
            yield (
                n_characters,
                "That is the number of characters: a token may have several of them, or a part of"
                " one.",
            )
        elif quantity.name == "bytes":
            yield (
                n_characters,
                "That is the number of characters: one of them may have several bytes.",
            )
        elif quantity.name == "characters":
            yield n_bytes, "That is the number of bytes: a character may have several of them."
        elif quantity.name == "alphabet" and not run.config.full_alphabet:
            symbols = run.layout.symbols
            yield int((symbols >= 0).sum()), "Count each symbol only once."
            # A mark that is a symbol of its own has no bytes, unless it stands for a space.
            easily_missed = {b"", b" ", run.config.word_start.encode()}
            if easily_missed.intersection(map(run.token_content, range(run.n_alphabet))):
                yield run.n_alphabet - 1, "A mark and a space are symbols, too."
        elif quantity.name == "vocabulary":
            yield self._step, "The alphabet is in the vocabulary, too."
            yield run.n_alphabet + self._step, "Special tokens are in the vocabulary, too."
        elif quantity.name == "ties":
            yield self._decision.n_tied - 1, "The pair that wins is one of them."
        elif quantity.name == "count":
            yield from self._mistaken_counts(quantity.of)

    def _mistaken_counts(self, of: str) -> Iterator[tuple[float, str]]:
        run = self._run
        pair: Sequence[int | None] = self._pair("next") or ()
        if of:
            pair = [find_token(run, name) for name in of.split()]
        if len(pair) != 2 or pair[0] is None or pair[1] is None:
            return
        left = pair[0]
        right = pair[1]
        found = words_with_pair(run, left, right, self._step, len(run.corpus)).words
        if self._step and max(left, right) < run.token_of(0):
            before = count_pair(run, (left, right), 0)
            yield before, "That was its count before the first merge: merges take pairs away."
        if left == right:
            apart = sum(each.count * len(each.after_places) for each in found)
            yield apart, "Pairs that share a token count, too."
        yield (
            len(found),
            "That many different words have the pair: count each word as often as it occurs.",
        )
        yield sum(each.count for each in found), "A pair that is in a word twice counts twice."

    def _tokens(self, tokens: tuple[int, ...] | list[int], between: str) -> Value:
        names = [self._name(token) for token in tokens]
        ways = tuple(self._ways(token, name) for token, name in zip(tokens, names, strict=True))
        return Value(between.join(names), tokens=ways)

    def _name(self, token: int) -> str:
        if token == UNKNOWN:
            return self._run.config.unknown or "?"
        return self._spell(self._run, token)

    def _named(self, name: str) -> list[int]:
        """The tokens that a name in an answer can mean."""
        name = _plain(name)
        tokens = range(self._run.token_of(self._step))
        return [token for token in tokens if name in self._ways(token, self._name(token))]

    def _ways(self, token: int, shown: str) -> frozenset[str]:
        ways = {_plain(shown)}
        if token >= 0:
            ways |= {
                self._run.token_name(token),
                self._run.token_content(token).decode("utf-8", "replace"),
            }
        return frozenset(ways)


def find_token(run: Run, name: str) -> int | None:
    """The token that a lesson names in the spelling of logs, or with byte units as text.

    `None` for none.
    """
    from bpe_studio.engine.text.alphabet import to_stand_ins

    found = run.find_token(name)
    if found is None and run.config.units == "bytes":
        found = run.find_token(to_stand_ins(name.encode("utf-8", "surrogatepass")))
    return found


def filled_step(step: LessonStep, facts: StepFacts) -> tuple[LessonStep, Value | None, str]:
    """A step with all placeholders filled in, the value of its question's answer, and a problem
    or "".

    A question is left out if its answer has no value at this step.
    """
    said = replace(step, say=facts.fill(step.say))
    ask = step.ask
    if ask is None:
        return said, None, ""
    choices = tuple(facts.fill(choice) for choice in ask.choices)
    reasons = tuple(facts.fill(reason) for reason in ask.reasons)
    ask = replace(
        ask, text=facts.fill(ask.text), why=facts.fill(ask.why), choices=choices, reasons=reasons
    )
    if ask.computed is None:
        return replace(said, ask=replace(ask, answer=facts.fill(ask.answer))), None, ""
    value = facts.value(ask.computed)
    if value is None:
        problem = (
            f"line {ask.line:,} of the lesson: {ask.computed} has no value here, so the question is"
            " skipped"
        )
        return replace(said, ask=None), None, problem
    answer = value.text
    if choices:
        right = [choice for choice in choices if is_value(value, choice)]
        if not right:
            problem = (
                f"line {ask.line:,} of the lesson: {ask.computed} is “{answer}”, which is not one"
                " of the choices, so the question is skipped"
            )
            return replace(said, ask=None), None, problem
        answer = right[0]
    return replace(said, ask=replace(ask, answer=answer)), value, ""


def is_right(question: Question, value: Value | None, given: object) -> bool:
    """Whether an answer is right.

    Args:
        question: the question, filled in.
        value: the value of its answer, if the run gives it.
        given: a text, a number, or the names of two tokens.
    """
    if question.kind == "choice":
        # Case counts, because the question may be about the case of letters.
        return _plain(str(given)).strip() == _plain(question.answer).strip()
    if value is not None:
        return is_value(value, given)
    right = _number_in(question.answer)
    number = _number_in(given)
    if question.kind == "number" and right is not None:
        return number == right
    return _folded(str(given)) == _folded(question.answer)


def is_value(value: Value, given: object) -> bool:
    """Whether an answer gives the value of a quantity, in any accepted spelling."""
    if value.number is not None:
        number = _number_in(given)
        tolerance = 0.06 if "." in value.text else 1e-9
        return number is not None and abs(number - value.number) < tolerance
    if len(value.tokens) == 1 and _plain(str(given)).strip() in value.tokens[0]:
        return True
    if isinstance(given, tuple | list):
        return _are_tokens(given, value)
    text = _plain(str(given)).strip()
    # A token may look like the signs that people type between tokens.
    is_shown = bool(value.tokens) and text == _plain(value.text).strip()
    return is_shown or _are_tokens(text.split(), value) or _are_tokens(_BETWEEN.split(text), value)


def _are_tokens(names: Sequence[object], value: Value) -> bool:
    if len(names) != len(value.tokens):
        return False
    pairs = zip(names, value.tokens, strict=True)
    return all(_plain(str(name)) in ways for name, ways in pairs)


def _number_in(given: object) -> float | None:
    if isinstance(given, int | float):
        return float(given)
    text = re.sub(r"[\s,٬’']", "", str(given)).replace("٫", ".")
    return float(text) if re.fullmatch(r"\d{1,15}([.]\d{1,6})?", text) else None


def _plain(text: str) -> str:
    return _ISOLATES.sub("", text)


def _folded(text: str) -> str:
    return " ".join(_plain(text).casefold().split())
