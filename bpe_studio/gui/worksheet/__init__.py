"""A worksheet as a PDF.

    pdf     draws a sheet; also without a window, for the command `worksheet`

`bpe_studio.explain.worksheet` makes the content of a sheet.
"""
