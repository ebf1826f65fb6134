"""The words of each language are those that the window's lessons and the pages say, and no
others.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.files.exports import living_page
from bpe_studio.files.languages import translations
from bpe_studio.files.lessons.reader import list_lessons
from bpe_studio.files.samples import resources_folder

_PAGE = "".join(path.read_text("utf-8") for path in (resources_folder() / "living_page").iterdir())
_PANELS = Path("bpe_studio/gui/views/layouts.py"), Path("bpe_studio/gui/views/covers.py")
_OTHERS = [
    *Path("bpe_studio/gui/lessons").glob("*.py"),
    *_PANELS,
    Path("bpe_studio/files/exports/living_page.py"),
    Path("bpe_studio/explain/worksheet.py"),
    *Path("bpe_studio/gui/worksheet").glob("*.py"),
]
_PROGRAM = "\n".join(
    each.value
    for path in _OTHERS
    for each in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(each, ast.Constant) and isinstance(each.value, str)
)

_NAME = r"GPT-\w+( \(\w+\))?$|(Llama|Qwen) \d$|Sennrich et al|SentencePiece|[Ss]ubword-nmt$|CS336$"
"""What is a name in any language."""


def _labels() -> set[str]:
    """What comes from Python as a whole: options and presets that readers choose, tie rules, groups
    of lessons.
    """
    choices = living_page._choices()
    named = [
        *choices["options"].values(),
        {name: each["words"] for name, each in choices["presets"].items()},
    ]
    words = {word for each in named for pair in each.values() for word in pair} | set(
        choices["labels"].values()
    )
    tie_rules = {rule.words for rule in TIE_RULES.values()}
    return words | tie_rules | {entry.group for entry in list_lessons()}


@pytest.mark.parametrize("language", translations())
def test_a_language_has_all_words_and_none_that_nobody_says(language: str) -> None:
    words = translations()[language]
    labels = _labels()
    said = set(
        re.findall(r'\[\[([^"\[\]]+)\]\]|\bsay\("(.+?)"[,)]|counted\([^;]*?, "(\w+)"\)', _PAGE)
    )
    needed = {text for texts in said for text in texts if text} | labels
    assert {text for text in needed - set(words) if not re.match(_NAME, text)} == set()
    assert {text for text in words if text not in _PAGE + _PROGRAM and text not in labels} == set()
    assert all(text.count("{}") == word.count("{}") for text, word in words.items())
