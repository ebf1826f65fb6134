"""A worksheet as a PDF.

    pdf     draws it; also without a window, for the command `worksheet`

What a sheet holds is made by `bpe_studio.explain.worksheet`.
"""
