"""Every lesson is played from beginning to end: all its questions can be answered, and all that it
says is true.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import train
from bpe_studio.files.lessons.reader import list_lessons, read_lesson, template_path
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.lessons.facts import find_token
from tests.published_lessons import PUBLISHED

PATHS = [entry.path for entry in list_lessons()]
_FACTS = json.loads(
    (Path(__file__).parents[2] / "engine" / "data" / "textbook_cases.json").read_text(
        encoding="utf-8"
    )
)
FACTS = {facts["name"]: facts for facts in _FACTS}


def lesson_of(name):
    return read_lesson(next(path for path in PATHS if name in path.stem))


def run_of(lesson, **options) -> Run:
    config = lesson.settings.replace(**options)
    corpus = (
        Backend().counted(lesson.counts, config)
        if lesson.counts
        else Corpus.from_text(lesson.text, config)
    )
    return train(corpus, config)


def n_tokens(run, text, step=None):
    return run.text_gaps(text).n_tokens(len(run.merges) if step is None else step)


def cut(run, text, step=None):
    ids = run.text_gaps(text).ids(len(run.merges) if step is None else step).tolist()
    return [run.token_content(token).decode() for token in ids]


@pytest.mark.parametrize("path", [*PATHS, template_path()], ids=lambda path: path.stem)
def test_a_lesson_from_beginning_to_end(make_workspace, qtbot, path):
    workspace = make_workspace(backend=Backend())
    notices = []
    workspace.noticed.connect(lambda notice: notices.append(notice.message))
    lesson = read_lesson(path)
    player = workspace.lesson
    looked = []
    player.look_requested.connect(looked.append)
    player.start(lesson)
    for place, written in enumerate(lesson.steps):
        if place:
            player.next()
        qtbot.waitUntil(lambda: not player.is_busy, timeout=20_000)
        step = player.step
        assert player.is_ready and player.place == place and step.heading == written.heading
        for said in (
            step.say,
            *(
                [
                    step.ask.text,
                    step.ask.why,
                    step.ask.answer,
                    *step.ask.choices,
                    *step.ask.reasons,
                ]
                if step.ask
                else []
            ),
        ):
            assert "{" not in said and "—" not in said, said
        assert (step.ask is None) == (written.ask is None)
        if isinstance(written.at, int):
            assert workspace.step == written.at
        if step.ask is not None:
            ask = step.ask
            assert ask.answer and not player.answer("no such answer").is_right
            assert not player.answer(10**9).is_right
            for choice in ask.choices:
                verdict = player.answer(choice)
                assert verdict.is_right == (choice == ask.answer) == (not verdict.reason)
            verdict = player.answer(ask.answer)
            assert verdict.is_right and verdict is player.verdict and verdict.right == ask.answer
            assert not player.reveal().is_right and player.verdict.is_revealed
    assert looked == [step.look for step in lesson.steps if step.look is not None]
    assert notices == []
    player.back()
    qtbot.waitUntil(lambda: not player.is_busy, timeout=20_000)
    assert player.place == len(lesson.steps) - 2 and player.is_ready


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_how_a_lesson_is_made(path):
    lesson = read_lesson(path)
    assert 6 <= len(lesson.steps) <= 12
    assert sum(step.ask is not None for step in lesson.steps) >= 2
    assert len({step.heading for step in lesson.steps}) == len(lesson.steps)
    for step in lesson.steps:
        look = {"English": "look", "Persian": "نگاه"}[lesson.language]
        assert look in step.say.lower() or step.other is not None or step.at is not None, (
            step.heading
        )
        assert len(step.say.split()) <= 75, step.heading
        assert step.ask is None or step.ask.why


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_example_comes_out_merge_for_merge(name):
    lesson = lesson_of(name)
    facts = FACTS[PUBLISHED[name]]
    run = run_of(lesson)
    expected = [
        (left, right, int(n)) for left, right, n in (line.split() for line in facts["merges"])
    ]
    assert [(merge.left, merge.right, merge.count) for merge in run.merges] == expected
    counted = [line.rsplit(" ", 1) for line in facts["counts"]]
    assert [(name, str(count)) for name, count in run.corpus.named_items()] == [
        (word, count) for word, count in counted
    ]
    assert sorted(run.token_name(i) for i in range(run.n_alphabet)) == sorted(
        facts["alphabet"].split()
    )
    assert set(PUBLISHED.values()) == set(FACTS)


def test_the_fixed_answers_of_hug_pug():
    lesson = lesson_of("hug-pug")
    counts = dict(lesson.counts)
    counts.pop("pug")
    first = train(Backend().counted(counts.items(), lesson.settings), lesson.settings).merges[0]
    assert (first.left + " " + first.right, first.count) == (lesson.steps[3].ask.answer, 16)
    known = set("".join(counts)) | set("pug")
    assert [word for word in ("bug", "mug", "thug") if set(word) <= known] == [
        lesson.steps[6].ask.answer
    ]


def test_the_fixed_answers_of_bytes_or_characters():
    lesson = lesson_of("bytes-or")
    run = run_of(lesson, units="characters", unknown="[UNK]")
    assert run.n_alphabet == len(set(lesson.text) - {"\n"}) + (
        "\n" in "".join(run.corpus.pre_tokens())
    )
    assert lesson.text.count("☕") == 4
    of_bytes = run_of(lesson)
    assert cut(of_bytes, " ☕") == [" ☕"]
    assert all(
        token < 256 for token in of_bytes.text_gaps("ñ水").ids(len(of_bytes.merges)).tolist()
    )
    tokenizer = run.tokenizer(0)
    assert tokenizer.decode(tokenizer.encode("水").ids) != "水"


def test_the_fixed_answers_of_the_split_is_a_choice():
    lesson = lesson_of("the-split-is")
    of_words = run_of(lesson, merges=100)
    superwords = run_of(lesson, split="superwords", merges=100)
    beginning = "Ann: by the way"
    assert cut(of_words, beginning) == ["Ann", ":", " by", " the", " way"]
    assert cut(superwords, beginning) == ["Ann:", " by the way"]
    assert " by the way, the" in cut(superwords, lesson.text.splitlines()[0])
    following = superwords.merges[lesson.steps[3].at]
    assert (following.left, following.right) == ("Ġby", "Ġthe")
    asked = [lesson.settings.merges, lesson.steps[2].other.config.merges]
    assert asked == [len(of_words.merges), len(superwords.merges)]


def test_the_fixed_answers_of_five_languages():
    lesson = lesson_of("five")
    lines = lesson.text.splitlines()
    assert len(lines) == 56 and sum(line.isascii() for line in lines[:24]) == 24
    english, spanish, persian, hindi, chinese = (lesson.steps[i].typed for i in (0, 2, 3, 4, 5))
    run = run_of(lesson)
    kinder = run_of(lesson, split="o200k")
    assert len(run.merges) == len(kinder.merges) == 300
    tokens = [n_tokens(run, text) for text in (english, spanish, persian, chinese, hindi)]
    assert min(tokens) == tokens[0] and max(tokens) == tokens[-1]
    assert len(spanish) < len(english)
    assert (
        "".join(cut(run, english)) == english and len(cut(run, english)) == len(english.split()) + 1
    )
    assert n_tokens(kinder, hindi) < n_tokens(run, hindi)
    assert n_tokens(kinder, english) == n_tokens(run, english)
    assert find_token(kinder, " हैं") is not None and find_token(run, " हैं") is None
    assert " su" not in set(run.corpus.pre_tokens())


def test_the_fixed_answers_of_the_lessons_on_common_mistakes():
    two_answers = lesson_of("two-right")
    rules = {
        ties: run_of(two_answers, ties=ties).merges for ties in ("first-seen", "greatest-bytes")
    }
    assert [(merges[0].left, merges[0].right, merges[0].count) for merges in rules.values()] == [
        ("e", "s", 9),
        ("s", "t", 9),
    ]
    of_course = [(merge.left, merge.right) for merge in rules["greatest-bytes"]]
    assert of_course == [("s", "t"), ("e", "st"), ("o", "w"), ("l", "ow"), ("w", "est"), ("n", "e")]
    thug = lesson_of("thug")
    assert set("thug") - set("".join(dict(thug.counts))) == {thug.steps[0].ask.answer}
    table = lesson_of("hug-pug").counts
    text = lesson_of("counts-and-text")
    assert tuple(run_of(text, split="words").corpus.named_items()) == table
    assert [name for name, _ in run_of(text).corpus.named_items()][:2] == ["hug", "Ġhug"]
    special = lesson_of("special")
    declared = {"special": ("<|endoftext|>",)}
    left = run_of(special, **declared)
    removed = run_of(special, **declared, documents="separator")
    assert [merge.right for merge in left.merges] == [
        merge.right for merge in run_of(special).merges
    ]
    assert not any("endoftext" in word for word in removed.corpus.pre_tokens())
    fallback = run_of(lesson_of("fallback"), merges=100)
    assert all(
        token < fallback.n_alphabet
        for token in fallback.text_gaps("水").ids(len(fallback.merges)).tolist()
    )
