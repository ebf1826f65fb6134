"""The format `huggingface`: a folder that Transformers reads, or a bare tokenizer.json.

folder          the format: its files, `load`, `recognizes`, `save`
reading         tokenizer.json into a `TokenizerModel`
writing         a `TokenizerModel` into tokenizer.json
splits          normalizers and pre-tokenizers, read as our options
word_end_mark   a word-end mark that is a symbol of its own, which the format does not know
onig            regular expressions between Python's `regex` and Oniguruma
onig_classes    the same for what is inside [...]
"""
