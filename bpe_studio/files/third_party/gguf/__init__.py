"""GGUF files, the format of llama.cpp.

head        reads the keys before the tensors
splits      the splits of llama.cpp, by the name of the pre-tokenizer
tokenizer   makes the content of a `tokenizer.json` of the keys about the tokenizer
"""
