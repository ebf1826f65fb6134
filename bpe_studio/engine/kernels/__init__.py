"""Kernels: the inner loops, in plain Python that only indexes arrays; `loader` runs them as they
are or compiled.

`engine/textbook.py` is the definition of what they do; each file is a part of it, made fast. They
import only each other and allocate nothing: their callers pass all arrays.

Training:
    merging        the merge loop: takes the best pair, replaces it, and updates the counts around
                   it
    heap           a priority queue of the pairs, which orders equal counts by the tie rule
    tables         the hash tables of the merge loop: pairs, counts of counts, texts of tokens
    pair_counting  counts all pairs and their places before the loop, and refills tables that have
                   grown
    buffers        the arrays of these four modules, and the layout of their records
    laying_out     a corpus as one array of symbols

Splitting and counting text:
    scanning       the starts and ends of pre-tokens, found by an automaton
    windows        the same for the split `gpt2`, 64 bytes at a time
    counting       counts pre-tokens in a hash table
    measuring      counts the characters, words and lines of a text

Encoding:
    closing        the merge that closes each gap of a pre-token
    dividing       divides pre-tokens between characters that no token has next to each other
    encoding       the ids of a large text, in one pass
    states         the corpus at any step, from its gap ranks: tokens, pairs and their counts

All of these:
    instructions   instructions of the processor that no compiler makes of plain code
    kinds          the kinds of arrays, with which kernels that Python calls annotate arguments
    to_c           writes all of them as C, which begins with `instructions.h`
    built_ahead    kernels that `engine/build_kernels.py` has compiled ahead of time
"""
