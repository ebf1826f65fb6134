"""Problems in a corpus: characters, words, lines and documents that make strange tokens.

inspection      `inspect`: reads files, and returns the findings with their places
scanner         reads pieces of text, and gathers counts and places
code_points     the findings and properties of each code point, in a table
price           the merges of a run that a finding caused
enough          the share of a text that is enough to train on
findings        the findings: their names, a sentence for each, and their extent in a line
"""
