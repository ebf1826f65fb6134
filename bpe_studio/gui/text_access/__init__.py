"""The permission to read the files that a studio document names, as panels that need the text of the corpus ask for it.

Modules:
    box: says which files they are, with the buttons to allow reading them and to choose others.
    paths_view: full paths, in which nothing is hidden or reordered.
"""
