"""Text files, read block by block as UTF-8. Imports nothing else of files.

sources         opens a file, a compressed file or a pipe, and reads its text
decoding        decodes the bytes in one pass, and decides on the encoding if they are not UTF-8
encodings       guesses an encoding from a sample; opens nothing
regular_files   opens regular files only, and never waits
"""
