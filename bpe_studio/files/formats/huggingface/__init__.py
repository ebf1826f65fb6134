"""The format `huggingface`: a folder that Transformers reads, or a bare tokenizer.json.

folder          writes the folder, and reads one that this program wrote
side_files      the small files beside a third-party tokenizer.json, which are written again with it
reading         converts a third-party tokenizer.json to a `TokenizerModel`
splits          reads normalizers and pre-tokenizers as training options
writing         converts a `TokenizerModel` to tokenizer.json
word_end_mark   writes a word-end mark as a symbol of its own, which the format does not support
items           writes items, which the format does not support either
dialect         compares the regular expressions of Python's `regex` and of Oniguruma
"""
