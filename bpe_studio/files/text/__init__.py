"""Text files, read block by block as UTF-8. Imports nothing else of files.

sources         opens a file, a packed file or a pipe, and reads its text
decoding        one passage through the bytes; decides about the encoding where UTF-8 does not hold
encodings       guesses an encoding from a sample; opens nothing
regular_files   opens regular files only, and never waits
"""
