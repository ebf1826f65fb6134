"""Third-party tokenizers: pieces from the library, merges from us.

The library that defines a tokenizer does what comes before and after byte-pair encoding:
`tokenizers` for `tokenizer.json` (normalizer, pre-tokenizer, added tokens, post-processor,
decoder), `sentencepiece` for `.model` (normalization, and everything of a Unigram model). Our
engine merges inside the pieces, which gives the tokens at any step and the gap ranks. So nothing of
a library is imitated, and whatever it runs can be opened.

- **Initial symbols.** A `tokenizer.json` is loaded a second time without its merges. It then
  returns the initial symbols, as ids, with the number of the piece and the place in the text of
  each. Characters with prefix or suffix, byte fallback, unknown and added tokens come out as the
  library makes them. For a SentencePiece model the normalized text comes from the library, and the
  symbols are its characters, or the bytes of one that is not a piece.
- **Whole pieces.** With `ignore_merges`, a piece that is a token is taken whole. A third copy of
  the library, which looks whole pieces up and has no merges, says which. At a step, the token must
  have been made before.
- **Ids** are those of the library, gaps and all: tokens are a mapping, not a list.
- **A folder is all of its files.** Its `tokenizer.json` is the truth, and `folders` adds what the
  files beside it say. Where there is none and a class of Transformers decides, Transformers makes
  it, in a process of its own.
- **Self-check.** When merges are first asked for, they are read, and a broad text is encoded both
  ways. If the ids are equal, `merges` is there. If they are not, or if the model is not a BPE,
  `merges` is empty, everything else comes from the library, and `why_no_merges` says why. Ids
  without a step are always the library's, and need none of this.
- **Rank files** (tiktoken, tekken) and codes (subword-nmt, fastBPE) come without a library: our
  engine splits, too. Ranks that merges alone do not make become a `tokenizer.json`.
- **Hostile files.** Sizes are limited before anything is parsed, and nothing is unpickled. A
  library loads a file in a process of its own first, with limits of time and memory. Its errors, a
  panic included, become one sentence. Of a BPE, that process has the characters only: all that can
  do harm is in the other parts.
- **Remembered.** The answers of this process and of the self-check are kept in the user's cache
  folder, under a checksum of the content, the library's version and our code.
- Folders that this program wrote carry a mark, by which they are read without a library.

The rest of the program uses the same interface for every tokenizer,
`engine/encoding/tokenizer.Tokenizer`, of which `ThirdPartyTokenizer` is one.
`files/loading.load(path)` returns it:

    kind, why_no_merges, n_merges         the type of model; why there are no steps; the last step
    tokens, vocab_size                    {id: token as the file writes it}; ids may have gaps
    special_ids, added_ids, unknown_id    {text: id}, {text: id}, an id or `None`
    content(id)                           the bytes that a token stands for
    merges                                [(left id, right id, new id)] in rank order
    encode(text, step=), encode_ids(...)  tokens, or ids alone; the library's own without a step
    gap_ranks(text)                       the rank that closes each gap, one array for each piece
    at(step)                              the tokenizer as it was after `step` merges
    around                                the special tokens before and after a text, on request
    model                                 the tokenizer as our data; SaveError if that cannot be

A `ThirdPartyTokenizer` has also `native`, the library that defines it (its `name`), and
`piece_merges`.

    opening             opens any tokenizer, for `files/loading`
    opened_run          a third-party tokenizer as a run, for the window
    folders/            a folder with all of its files
    exact_model         a third-party tokenizer as our data, if that gives the same ids
    hub                 `hf:OWNER/NAME`, by the package huggingface_hub
    known               tokenizers by name: those in caches of other programs, and published ones
    tokenizer           `ThirdPartyTokenizer`: ids, text, steps and gap ranks
    self_check          a broad text, encoded both ways; the text is in `formats/broad_text`
    piece_merges        merges inside a piece, at any step
    piece_counting      the tokens of a corpus, each distinct piece encoded once
    borders             the places to cut a text, and how our engine cuts as a library does
    native_library      the interface to a library: `Library`, `Pieces`; its errors as ours
    trial               loads a file in a process of its own, whose program is `trial_process`
    text_growth         refuses replacements that make a text too long
    hugging_face        the library `tokenizers`
    vocab_and_merges    vocab.json and merges.txt for which no class is named
    sentencepiece_model the library `sentencepiece`
    tekken              Mistral's tekken JSON, with our split
    pickled_ranks       a pickled encoding of tiktoken, without unpickling it
    gguf/               GGUF files, as a tokenizer.json
    tiktoken_ranks      ranks of tiktoken: the split and the special tokens of the published files
    ranked_tokens       ranks as one of our tokenizers, or as a tokenizer.json

It imports `formats`; `changes` extends and prunes what it opens. Both libraries are imported when
they are needed.
"""
