"""The studio document: a corpus, its runs and branches, and the view of the window, in one file
NAME.bpestudio.

studio          describes the format, and reads and writes a document as a tokenizer format
records         the content of a document, as plain records; the names and limits of its parts
reading         reads a document, as untrusted input
writing         makes the bytes of a document
word_tables     reads the parts of the file, and the tables of counted words among them
seed_tokenizer  reads and makes the parts of a tokenizer that a run extends or prunes
embedded_text   the text of the corpus inside the document, if the user asked for it
"""
