"""Compiles a split's regular expression to an automaton for `kernels/scanning.py`. Imports `text`
and `kernels`.

    regex_parser    parses an expression, if it is simple enough, into a tree
    regex_compiler  compiles the tree to an automaton
    automaton       the automaton as tables for the kernel; `find_automaton` is the entry point
"""
