"""What is wrong with a corpus: characters, words, lines and documents that make strange tokens.

inspection      `inspect`: reads files, and returns the findings with their places
scanner         reads pieces of text, and gathers counts and places
code_points     what is to be noted of each code point
price           which merges of a run a finding caused
enough          how much of a text is enough to train on
spans           how far a finding reaches in its line
findings        the findings: their names, and a sentence for each
"""
