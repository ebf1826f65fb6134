"""Texts and options that the tests of formats share."""

from __future__ import annotations

import random
from functools import lru_cache

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.training.trainer import train

TEXT = (
    """The quick brown fox doesn't jump over 123 lazy dogs! It's the "low lower lowest" newest widest, low, newest.
Äpfel und Öl; naïve café. سلام دنیا می‌شود. 今天天气很好。Здравствуй мир 12345 ½ ² 😀👍🏽 é </w> <b>bold</b>
   three spaces\t\ttabs\r\n\r\nend  \u00a0 nbsp ##hash_tag under_score low low lower newest.
"""
    * 3
)


def texts(n: int = 60) -> list[str]:
    """Texts that are hard to cut alike: white space, marks in the text, unknown characters, changes
    of case.
    """
    rng = random.Random(7)
    letters = sorted(set(TEXT)) + list("☃\ue000ꀀ\u0300\u0903\u20e3▁ſK")
    made = ["".join(rng.choice(letters) for _ in range(rng.randint(1, 40))) for _ in range(n)]
    given = [
        "",
        " ",
        "a",
        "low lower\n",
        "İstanbul ΑΣ ς ß",
        "☃ <w> /w> </w></w> low</w> <",
        "  x  ",
        "▁ ▁▁a b▁c",
        "##a ##",
    ]
    return [
        TEXT,
        *given,
        "DON'T don'T",
        "12345678 ½²",
        "\ue000 \ua000 \ua001 \ue001",
        "aaaa aaaaa",
        "\r\n \n\n\t a",
        *made,
    ]


@lru_cache(maxsize=64)
def trained(preset: str, **options: object) -> Tokenizer:
    """A small tokenizer trained on the shared text."""
    config = TrainingConfig.preset(preset, **options)
    return train(Corpus.from_text(TEXT, config), config).tokenizer()
