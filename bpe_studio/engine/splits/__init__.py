"""A split's regular expression as an automaton that `kernels/scanning.py` walks. Imports `text` and `kernels`.

regex_parser         an expression as a tree, where it is simple enough
regex_compiler       the tree as an automaton
automaton            the automaton as the tables that the kernel reads; `find_automaton` is the way in
whitespace_bounded   whether white space bounds an expression's matches
"""
