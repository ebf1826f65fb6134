"""The format `huggingface`: a folder that Transformers reads, or a bare tokenizer.json.

folder          the format: its files, `content`, and `own_model` for a folder that this program
                wrote
side_files      the small files beside a third-party tokenizer.json, which are written again with it
reading         converts a third-party tokenizer.json to a `TokenizerModel`
writing         converts a `TokenizerModel` to tokenizer.json
splits          reads normalizers and pre-tokenizers as training options
word_end_mark   writes a word-end mark as a symbol of its own, which the format does not support
items           writes items, which the format does not support either
dialect         whether an expression means the same to Python's `regex` and to Oniguruma
"""
