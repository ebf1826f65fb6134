"""Reads the texts out of records: JSON lines and arrays, CSV and TSV, Parquet and Arrow.

A reader is given the bytes of one file, whatever it was packed in, and yields pieces of several
texts each. It does not know where the file is; `files/text/sources.py` opens it. The package
imports nothing else of files.

pieces              `Piece`, text with the ends of documents, and `PieceBuilder`, which gathers many
                    short texts in one
text_columns        the usual names of the column with the text
recognition         tells by the content of a file, then by its name, whether it holds records, and
                    which column is text
broken_records      counts and names the records that could not be read
json_lines          one JSON object a line
json_array          makes such lines of an array of objects
separated_values    CSV and TSV
first_rows          the columns and first rows, of which a person can choose one
arrow_tables        Parquet, and Arrow files and streams, if pyarrow is installed
"""
