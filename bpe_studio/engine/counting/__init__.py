"""Text to a table of counted pre-tokens. Imports `splits`, `text` and `kernels`.

corpus              `Corpus`, the finished table, and `CorpusBuilder`, which chooses one of these ways to count:
plain_counting      a small text, by `regex`; nothing needs to be compiled
fast_counting       a large text, by kernels: blocks of text, special tokens, normalization
counting_thread       the thread that counts blocks while the caller reads
word_table            the hash table of words, and the blocks
pattern_counting    a large text whose expression only `regex` understands
pattern_processes     the processes that cut it, and why they are no ProcessPoolExecutor
pattern_worker        what runs in them
"""
