"""GGUF files, the format of llama.cpp.

head        the keys before the tensors
splits      how a text is cut, by the name of the pre-tokenizer
tokenizer   the keys about the tokenizer, as the content of a `tokenizer.json`
"""
