"""What is derived of a run can be given up while other threads ask for it."""

from __future__ import annotations

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train

TEXT = "hug pug pun bun hugs hug hug pun bunny bus rub tub " * 20


class Asking(tuple):
    """A tuple that calls a function, as another thread would, before each element that it gives."""

    def __iter__(self):
        for element in super().__iter__():
            self.ask()
            yield element


def test_names_are_complete_though_others_are_asked_for_meanwhile():
    config = TrainingConfig.preset("textbook", merges=8)
    run = train(Corpus.from_text(TEXT, config), config)
    names = [run.token_name(token) for token in run.ids_at(8)]
    contents = Asking(run.layout.alphabet.contents)
    contents.ask = lambda: run.token_name(len(names) - 1)
    vars(run.layout.alphabet)["contents"] = contents
    run.forget_derived()
    assert [run.find_token(name) for name in names] == list(range(len(names)))
