"""The format `huggingface`: a folder that Transformers reads, or a bare tokenizer.json.

folder          the format: its files, `content` and `load`
side_files      the small files beside a tokenizer.json of others, which are written again with it
reading         converts tokenizer.json to a `TokenizerModel`
writing         converts a `TokenizerModel` to tokenizer.json
splits          reads normalizers and pre-tokenizers as training options
word_end_mark   writes a word-end mark as a symbol of its own, which the format does not support
onig            rewrites regular expressions between Python's `regex` and Oniguruma
onig_classes    the same for the inside of [...]
"""
