"""A run as one HTML page that lives: readers type, move through the steps and train texts of their
own in it.

The page needs no network and no installation. Its parts are in `resources/living_page`: the engine,
the page around it, the dialog that trains, the game, the lessons, and the style. They are in
English; `files/languages.py` translates what is in double square brackets here, and the rest in the
page. Everything from the corpus is JSON data, never markup or script. The page's security policy
allows only its own scripts and style, by their hashes, and workers made of them.
`living_page_settings.py` says what the engine can do.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.options import OPTIONS, REGEX, capitalized
from bpe_studio.engine.presets import DROPPING_SPLITS, PRESETS
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.errors import BpeError, SaveError
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.exports.colours import GROUND_COLOURS, NAME_SEED, TOKEN_COLOURS
from bpe_studio.files.exports.living_page_settings import run_json, settings_json, tables_json
from bpe_studio.files.languages import ENGLISH, code_of, direction_of, in_language, language_json
from bpe_studio.files.samples import resources_folder

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_BYTES = 16_000_000
MOST_CHARACTERS = 200_000
"""The longest text: the page splits all of it at each key that is typed."""
WORDS_CHARACTERS = 500_000
"""The most characters of the words, most frequent first, in which the page counts candidates."""
USUAL_WORDS = 60
BEGINNING_CHARACTERS = 60
"""The length of the text that a page shows if none was typed."""

_FOLDER = "living_page"
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_TRAINED = ("split", "ties", "units")
"""The options that readers choose when they train, besides numbers."""


@dataclass(frozen=True)
class PageView:
    """The view of a page when it is opened.

    Attributes:
        title: the heading.
        text: the text, which readers can change.
        step: the step.
        n_words: the number of words that are shown, most frequent first.
        is_by_token: whether the same token has the same colour everywhere; otherwise colours go by
            place.
        language: the language of the page, by its English name.
    """

    title: str
    text: str = ""
    step: int = 0
    n_words: int = USUAL_WORDS
    is_by_token: bool = True
    language: str = ENGLISH


@dataclass(frozen=True)
class Page:
    """A run as one HTML file; a notebook shows it below the cell.

    Attributes:
        content: the bytes of the file.
    """

    content: bytes

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file."""
        atomic_write(path, self.content)

    def _repr_html_(self) -> str:
        # A document of its own: its style and its policy stay inside.
        source = escape(self.content.decode("utf-8"))
        return (
            f'<iframe srcdoc="{source}" title="A run"'
            ' style="width:100%;height:720px;border:0"></iframe>'
        )


def page(
    run: Run | Tokenizer,
    text: str = "",
    step: int = 0,
    title: str = "A run",
    language: str = ENGLISH,
    beside: Mapping[str, Run | Tokenizer] | None = None,
) -> Page:
    """A run or a tokenizer as a page in which people type, move through the steps and train texts
    of their own.

    Args:
        run: a run or a tokenizer, as `train` or `load` returns it.
        text: the text that the page shows first.
        step: the step that it shows first.
        title: its heading.
        language: "English" or "Persian".
        beside: other tokenizers by their names; the page shows the text in each of them.

    Raises:
        SaveError: the page cannot cut text as a tokenizer does, or would be too large.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("textbook", merges=3)
    >>> page(train(Corpus.from_text("hug pug hugs", config), config), "hug").content[:15]
    b'<!DOCTYPE html>'
    """
    view = PageView(title, text, step, language=language)
    others = [data_beside(name, each) for name, each in (beside or {}).items()]
    return Page(living_page(_run_of(run), view, beside=others))


def _run_of(given: Run | Tokenizer) -> Run:
    return SeededRun.of_merges(given.model) if isinstance(given, Tokenizer) else given


def living_page(
    run: Run,
    view: PageView,
    lesson: dict[str, Any] | None = None,
    links: Sequence[tuple[str, str]] = (),
    beside: Sequence[dict[str, Any]] = (),
) -> bytes:
    """The bytes of the page.

    Args:
        run: the run.
        view: the view when it is opened.
        lesson: a lesson that plays in it, as `explain/lesson_pages.py` writes it.
        links: (address, text) of the links below a lesson, to other pages beside it.
        beside: what `data_beside` gives for each tokenizer in which the page shows the text, too.

    Raises:
        SaveError: the page would be too large, the view has no such steps, or the page's engine
            cannot do what a run needs.
    """
    run = _own(run)
    if not len(run.columns):
        raise SaveError("A page needs a run with merges, and this one has none: train some first")
    if len(view.text) > MOST_CHARACTERS:
        raise SaveError(
            f"The text has {len(view.text):,} characters, and a page shows {MOST_CHARACTERS:,} at"
            " most: type fewer"
        )
    text = view.text
    if lesson is None and not text:
        text = _beginning(run, view.language)
    data = {
        "tables": tables_json() | {"language": language_json(view.language)},
        "run": run_data(run),
        "view": _view(view, text),
        "choices": _choices(),
        "lesson": lesson,
        "others": list(beside),
    }
    anchors = [
        f'<a dir="auto" href="{quote(address)}">{escape(text)}</a>' for address, text in links
    ]
    played = ("others.js", "game.js", "opening.js") if lesson is None else ("lesson.js",)
    scripts = ("engine.js", "page.js", "results.js", "check.js", "training.js", *played)
    values = {"title": view.title, "links": "".join(anchors), "data": as_data(data)}
    page = filled_page("page.html", values, scripts, view.language)
    if len(page) > MOST_BYTES:
        raise SaveError(
            f"The page would have {len(page) / 1e6:.1f} MB, and at most {MOST_BYTES / 1e6:.0f} MB"
            " open well: share fewer merges"
        )
    return page


def _own(run: Run) -> Run:
    """A run of ours: a tokenizer of another program that can be written as one of ours cuts text as
    that does.
    """
    return run if run.is_own else SeededRun.of_merges(run.tokenizer().model)


def data_beside(name: str, tokenizer: Run | Tokenizer) -> dict[str, Any]:
    """A tokenizer in which a page shows its text, too, as JSON values.

    Raises:
        SaveError: a page cannot cut text as it does; the error names it.
    """
    try:
        return {"name": _shown(name), "run": run_json(_own(_run_of(tokenizer)), 0)}
    except BpeError as error:
        raise SaveError(f"{name} cannot stand beside the run: {error}") from None


def usual_title(name: str, language: str = ENGLISH) -> str:
    """The heading of a page on a text of this name, whose suffix tells readers nothing."""
    return in_language(language, "What a tokenizer learns from {}").format(Path(name).stem)


def filled_page(
    template: str, values: dict[str, str], scripts: Sequence[str] = (), language: str = ENGLISH
) -> bytes:
    """A page in the program's colours, with a policy that allows its own scripts and style alone.

    Args:
        template: the file of the page.
        values: the values that are filled in, as HTML; the title is text.
        scripts: the files of its scripts, in order; each has its name as id, such as engine-script.
        language: the language of its words in double square brackets.
    """
    sources = {file: _part(file) for file in scripts}
    colours = {mode: _colours(mode) for mode in TOKEN_COLOURS}
    style = _fill(_part("page.css"), colours, language)
    allowed = " ".join(map(_hash, sources.values())) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; worker-src blob:;"
        " base-uri 'none'; form-action 'none'"
    )
    elements = [
        f'<script id="{Path(file).stem}-script">{source}</script>\n'
        for file, source in sources.items()
    ]
    own = {
        "policy": policy,
        "style": style,
        "scripts": "".join(elements),
        "title": escape(_shown(values["title"])),
    }
    direction = direction_of(language)
    title_direction = "rtl" if direction == "rtl" else "auto"
    own |= {
        "lang": code_of(language),
        "dir": direction,
        "title_dir": title_direction,
    }
    return _fill(_part(template), values | own, language).encode("utf-8")


def as_data(values: Any) -> str:
    """Values as JSON that is safe in a page: no character of it can end the element or begin a
    comment.
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _beginning(run: Run, language: str) -> str:
    """The first words of the corpus, each once: roughly the beginning of its text."""
    if not len(run.corpus):
        return in_language(language, "Every text is cut into tokens.")
    between = " " if run.config.split in DROPPING_SPLITS else ""
    found = ""
    for index in range(min(len(run.corpus), BEGINNING_CHARACTERS)):
        word = run.corpus.pre_token_bytes(index).decode("utf-8", "ignore")
        if found and len(found) + len(word) > BEGINNING_CHARACTERS:
            break
        found += between + word[:BEGINNING_CHARACTERS]
    return " ".join(found.split())


def _view(view: PageView, text: str) -> dict[str, Any]:
    return {
        "title": _shown(view.title),
        "text": text,
        "step": view.step,
        "words": view.n_words,
        "byToken": view.is_by_token,
        "seed": NAME_SEED,
    }


def run_data(run: Run) -> dict[str, Any]:
    """A run as the page opens it, with the explanations that its engine, which knows no overrides,
    could not give.
    """
    n_merges = len(run.columns)
    found = run_json(run, WORDS_CHARACTERS)
    found |= {"nWords": len(run.corpus), "vocabSize": run.vocab_size_at(n_merges) - n_merges}
    if isinstance(run, SeededRun):
        # The last one is that of the token -1.
        found["ids"] = [
            *run.external_ids(n_merges)[len(run.lone_specials) :].tolist(),
            run.model.unknown_id,
        ]
    if run.n_seed or run.plan.overrides or run.plan.force or run.plan.forbid:
        whys: dict[tuple[str, str], int] = {}
        found["why"] = [
            whys.setdefault(what_decided(run, rank), len(whys)) for rank in range(n_merges)
        ]
        found["whys"] = list(whys)
        found["forced"] = np.flatnonzero(run.columns.forced).tolist()
    return found


def what_decided(run: Run, rank: int) -> tuple[str, str]:
    """The reason for a merge, according to its record: the user, counts, or the tie rule.

    Returns:
        A sentence, in which {} are the number of pairs that tied and the rule; the rule, or "".
    """
    columns = run.columns
    if rank < run.n_seed:
        return "the tokenizer, to which this merge belongs", ""
    if bool(columns.forced[rank]):
        return "an override that forces this merge", ""
    if columns.tied[rank] > 1:
        rule = run.plan.ties_at(rank)
        return "a tie of {} pairs: the tie rule takes {}", TIE_RULES[rule].words
    if run.plan.skipped_at(rank) or run.plan.forbidden_at(rank):
        return "the count: no other pair that may be merged occurred as often", ""
    return "the count: no other pair occurred as often", ""


def _choices() -> dict[str, Any]:
    """The choices of readers who train."""
    labels = {name: OPTIONS[name].label for name in (*_TRAINED, "merges", "special")}
    numbers = {
        "vocabSize": OPTIONS["vocab_size"].label,
        "minFrequency": OPTIONS["min_frequency"].label,
    }
    options: dict[str, Any] = {}
    for name in _TRAINED:
        choices = OPTIONS[name].labelled_choices
        options[name] = {v: (label, about) for v, label, about in choices if v != REGEX}
    presets = {
        name: {
            "words": (capitalized(preset.title), preset.purpose),
            "settings": settings_json(TrainingConfig.preset(preset.name)),
        }
        for name, preset in PRESETS.items()
        if preset.values["superwords_from"] is None
    }
    return {"labels": labels | numbers, "options": options, "presets": presets}


def _colours(mode: str) -> str:
    tokens = "".join(f"--t{k}: {colour}; " for k, colour in enumerate(TOKEN_COLOURS[mode]))
    others = "".join(f"--{name}: {colour}; " for name, colour in GROUND_COLOURS[mode].items())
    return f"color-scheme: {mode}; {tokens}{others}"


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"  # noqa: E501


def _fill(template: str, values: dict[str, str], language: str) -> str:
    """The template with its placeholders filled in one pass, so that inserted text is never taken
    for a placeholder.
    """

    def value_of(found: re.Match[str]) -> str:
        return values[found[1]] if found[1] else in_language(language, found[2]).replace("&", "")

    return re.sub(r"\{\{(\w+)\}\}|\[\[(.+?)\]\]", value_of, template)


def _part(file: str) -> str:
    return (resources_folder() / _FOLDER / file).read_text(encoding="utf-8")
