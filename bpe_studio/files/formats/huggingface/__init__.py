"""The format `huggingface`: a folder that Transformers reads, or a bare tokenizer.json.

folder          the format: its files, `load`, `recognizes`, `save`
reading         converts tokenizer.json to a `TokenizerModel`
writing         converts a `TokenizerModel` to tokenizer.json
splits          reads normalizers and pre-tokenizers as training options
word_end_mark   writes a word-end mark as a symbol of its own, which the format does not support
onig            rewrites regular expressions between Python's `regex` and Oniguruma
onig_classes    the same for the inside of [...]
"""
