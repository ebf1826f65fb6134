"""A share of the text held out before training: which lines it is, and what becomes of the run."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_studio.engine.analysis.size_curves import table_curve
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.held_out import BlockChooser

CONFIG = TrainingConfig.preset("gpt2", vocab_size=257 + 20)
CHANCE = random.Random(4)
LINES = [
    " ".join(CHANCE.choices(["hug", "pug", "pun", "bun", "hugs", "1234", "été", "日本"], k=9))
    + "\n"
    for _ in range(400)
]
TEXT = "".join(LINES)


@pytest.fixture
def opened(make_workspace, watched, wait_for):
    workspace = make_workspace(config=CONFIG)
    workspace.watch = watched(workspace)
    workspace.changes = []
    workspace.undo_step_added.connect(workspace.changes.append)
    workspace.opener.open_text(TEXT, "Words")
    wait_for(workspace, "ready")
    return workspace


def held_out(workspace, wait_for, share):
    workspace.settings.hold_out(share)
    wait_for(workspace, "ready")
    return workspace.corpus.held_out


def chosen(
    content: bytes, share: float, size: int, cuts: list[int]
) -> tuple[list[tuple[bool, bytes]], int]:
    """The parts of a text that comes in pieces."""
    chooser = BlockChooser(share, size)
    ends = [*sorted({min(cut, len(content)) for cut in cuts}), len(content)]
    found = [
        part for a, b in zip([0, *ends], ends, strict=False) for part in chooser.parts(content[a:b])
    ]
    found += chooser.last()
    return found, sum(len(part) for is_held, part in found if is_held)


@given(
    lines=st.lists(
        st.binary(max_size=30).map(lambda line: line.replace(b"\n", b" ") + b"\n"),
        min_size=2,
        max_size=60,
    ),
    share=st.sampled_from([0.01, 0.05, 0.2, 0.5]),
    cuts=st.lists(st.integers(0, 900), max_size=6),
)
@example(lines=[b"a\n", b"b\n"], share=0.01, cuts=[1, 3])
def test_whole_lines_however_the_text_comes(
    lines: list[bytes], share: float, cuts: list[int]
) -> None:
    content = b"".join(lines)
    found, n_held = chosen(content, share, len(content), cuts)
    assert b"".join(part for _, part in found) == content
    at_breaks = set(accumulate(map(len, lines)))
    assert set(accumulate(len(part) for _, part in found)) <= at_breaks
    # Which bytes are held hangs on nothing but the text and the share.
    by_byte = [is_held for is_held, part in found for _ in part]
    at_once = [
        is_held for is_held, part in chosen(content, share, len(content), [])[0] for _ in part
    ]
    assert by_byte == at_once
    longest = max(map(len, lines))
    assert 0 < n_held <= share * len(content) + longest


def test_a_run_on_the_rest_and_its_curve_of_what_was_set_aside(opened, wait_for):
    held = held_out(opened, wait_for, 0.2)
    opened.transport.run_training()
    wait_for(opened, "done")
    curve = table_curve(opened.run, held.corpus, 20).tolist()
    tokenizer = opened.run.tokenizer()
    counted = [(word, n) for word, n in held.corpus.items()]
    assert curve[20] == sum(len(tokenizer.encode(word).ids) * n for word, n in counted)
    assert curve[0] == held.n_bytes and curve == sorted(curve, reverse=True)


def test_setting_aside_is_undone_with_the_merges_that_it_cost(opened, wait_for):
    opened.transport.run_training()
    wait_for(opened, "done")
    run = opened.run
    corpus = opened.corpus
    held = held_out(opened, wait_for, 0.05)
    assert opened.n_merges == 0 and opened.run is not run
    change = opened.changes[-1]
    assert change.text == "Hold out 5 %"
    change.undo()
    assert (opened.run, opened.corpus, opened.n_merges, opened.state.name) == (
        run,
        corpus,
        20,
        "done",
    )
    change.redo()
    assert opened.corpus.held_out is held and opened.n_merges == 0


def test_a_document_with_a_part_set_aside_opens_as_it_was(
    opened, make_workspace, wait_for, qtbot, tmp_path
):
    held = held_out(opened, wait_for, 0.1)
    opened.transport.run_training()
    wait_for(opened, "done")
    path = tmp_path / "held.bpestudio"
    opened.saver.save_document(path)
    qtbot.waitUntil(path.exists)
    again = make_workspace(backend=Backend())
    again.opener.open_files([path])
    wait_for(again, "done")
    other = again.corpus.held_out
    assert other is not None and other.share == 0.1 == again.corpus.request.held_out
    assert dict(other.corpus.items()) == dict(held.corpus.items())
    assert other.n_bytes == held.n_bytes
