"""The studio document: a corpus, its runs and branches and the view, in one file NAME.bpestudio.

studio          the format described; the document as a tokenizer format
records         what a document holds, as plain records; names and limits of its parts
reading         reads one, as untrusted input
writing         makes the bytes of one
word_tables     the parts of the file, and the tables of counted words among them
embedded_text   the text of the corpus inside the document, where a person wants it there
"""
