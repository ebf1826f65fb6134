"""Calls with mistakes that a type checker must find, each marked with what it is.

The other lines are right.
"""

from __future__ import annotations

import bpe_studio as bpe

config = bpe.TrainingConfig.preset(
    "gpt2", vocab_size=1000, normalize=["nfc", "lowercase"], force=[("t", "h"), "i n"]
)
config = bpe.TrainingConfig.preset("gtp2")  # wrong preset
config = bpe.TrainingConfig.preset("gpt2", vocab_sise=1000)  # wrong option
config = bpe.TrainingConfig.preset("gpt2", vocab_size="1000")  # wrong type
config = config.replace(split=r"regex:\w+", special="<pad>", clean="urls", word_end=None)
config = config.replace(units="byte")  # wrong value
config = config.replace(ties="first_seen")  # wrong value
config = config.replace(normalize=["nfx"])  # wrong value
config = config.replace(normalise="nfc")  # wrong option
config = bpe.TrainingConfig(documents="lines")  # wrong value
corpus = bpe.Corpus.from_text("low low lower", config)
run = bpe.train(corpus, "gpt2")  # wrong type
run = bpe.train(corpus, config, pad_token="<pad>", template="<s> $A")
run = bpe.train(corpus, config, pad_tokens="<pad>")  # wrong option
tokenizer = run.tokenizer(step=2)
tokenizer.save("out", format="tiktoken")
tokenizer.save("out", format="tictoken")  # wrong format
bpe.Override(1, bpe.OverrideKind.ties, ties="sentence-piece")  # wrong value
run.tokeniser()  # wrong name
