"""Opens the files of a corpus and reads their text as UTF-8, piece by piece.

Uses `records`, and nothing else of files.

    sources         opens a file, whatever it is packed in, or a pipe, and reads its texts;
                    `Sources`: all files that were named
    record_texts    the texts of records with the values of another column
    reading         the user's choices about how files are read
    columns         the columns of a corpus if it is not certain which of them is the text
    places          the files of a folder, a pattern or an address
    addresses       recognizes addresses; opens nothing
    byte_stream     the base of the streams of the next three modules
    remote          addresses that fsspec knows
    packing         unpacks gzip, bzip2, xz and Zstandard
    archives        the files in zip and tar archives
    decoding        decodes the bytes in one pass, and decides on the encoding if they are not UTF-8
    encodings       guesses an encoding from a sample; opens nothing
    regular_files   opens regular files only, and never waits
"""
