"""The inner loops. A module here is plain Python that only indexes; `loader` runs it as it is, or compiled by numba.

The definition of what they do is `engine/textbook.py`; each file here is a part of that, fast. They import only each
other, and allocate nothing: who calls them makes room.

Training:
    merging        the merge loop: takes the best pair, replaces it, corrects the counts around it
    heap           the pairs by how good they are; decides between equal counts as the tie rule says
    tables         the hash tables of the merge loop: pairs, counts of counts, the tokens' texts
    pair_counting  what goes before the loop: all pairs and their places; and filling larger tables
    buffers        the arrays that those four work on, and how their records are laid out
    laying_out     a corpus as one array of symbols

Cutting and counting text:
    scanning       where pre-tokens end, found by an automaton
    counting       pre-tokens counted in a hash table
    measuring      characters, words and lines of a text

Encoding:
    closing        which merge closes each gap of a pre-token
    encoding       the ids of a large text in one pass
    states         the corpus at any step, cut by its gap ranks: tokens, pairs and their counts
"""
