"""Help inside the program.

window  the window with the pages of the manual: a list, a search and the page
"""
