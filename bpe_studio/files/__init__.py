"""Files in and out: texts, tokenizers, documents, lessons, exports.

It uses the engine, but no Qt and no workspace.

    text/         the files of a corpus in any encoding, packed or not, block by block
    records/      the texts in JSON lines, CSV, Parquet and Arrow
    counts/       counted pre-tokens in files, and counting with any executor
    formats/      tokenizers in seven formats
    third_party/  third-party tokenizers, run by their libraries
    changes/      extends and prunes tokenizers of both kinds
    loading       a tokenizer of any kind, as all callers load it
    saving        a tokenizer in any format, as all callers save it
    recognition   what a file or folder is, by its content
    merge_lists   merges in any form that people write, even without a tokenizer
    document/     the studio document: corpus, runs and view in one file
    lessons/      lesson files
    languages     the languages of lessons and pages, and their words
    exports/      pages, tables and scripts made from a run
    atomic_file   writes a file: whole or not at all
    atomic_folder writes the files of a folder: all or none
    own_marks     the marks at the beginning of our own files
    remembered    the answers of checks of files, in the user's cache folder
    private_folder temporary folders of this process, and how those of killed processes are found
    chat_templates chats as text, by a template that runs in `chat_process`
    extras        packages that may not be installed
    json_parts    reads JSON that may be anything
    samples       the sample texts, and where the program's resources are
    manual        the pages of the manual, and the terms of the glossary

exports, lessons and formats do not know each other; formats knows document, which is one of the
formats, and third_party knows formats; changes knows third_party.
"""
