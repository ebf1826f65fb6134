/* Byte-pair encoding for a page: it splits, trains and encodes as BPE Studio does, and needs nothing but this file.

   It mirrors bpe_studio/engine/textbook.py, which is the place to begin; the tests compare it with the program's engine.

   const engine = bpeEngine(tables)             what Python's `tables_json()` wrote: splits and properties of characters
   engine.normalize(text, settings)             the text that is split; `settings` is what `settings_json(config)` wrote
   engine.split(text, settings)                 the pre-tokens of a normalized text, as [start, end]
   engine.countWords(texts, settings)           Map: the pre-tokens of a text, or of several, and their counts
   engine.makeTrainer(corpus, settings)         a run that grows: `corpus` is a text, several texts, or such a Map
       .step()                                  trains and returns one merge; null if training has ended
       .stopReason, .target                     why it has ended, as a phrase ("" until then); the merges asked for
   engine.openRun(data)                         a finished run, which Python's `run_json(run)` wrote

   Both are runs:
       .settings, .alphabet                     the settings; the code of each symbol (see "Symbols"), by id
       .merges                                  {left, right, token, count, tied, nTokens} each; `tied` pairs had `count`
       .words                                   {piece, count, symbols, gaps} for each distinct pre-token
       .nTokens                                 the tokens of the corpus before the first merge
       .name(token), .shown(token)              a token as files spell it (Ġthe), and as people read it (␣the)
       .content(token)                          its bytes, without marks
       .id(token, step)                         its id in the tokenizer after so many merges; null for an unknown one
   engine.candidates(run, step, n)              {rows, reason}: the best n pairs of a step, and why the first one wins;
                                                rows: {left, right, count, tied, mark, obstacle}; mark: next, tied or ""
   engine.makeEncoder(run)
       .encode(text)                            [{piece, start, end, symbols, gaps}]; start and end in the normalized text
   engine.cut(word, step, run)                  [{token, start, end}]: a word's tokens after so many merges; start and end
                                                count symbols

   Tokens are numbers: symbols from 0 on, then one for each merge; -1 is a character that the alphabet does not have.
   gaps[i] is the rank of the merge that closes the gap before symbol i: it is closed at a step if its rank is lower.
   So moving through a run needs no new encoding. Mistakes in settings or texts throw an Error whose message is a sentence.
   In a worker, start this file and the page's part of the worker together from one Blob. */
"use strict";

function bpeEngine(tables) {
  const NEVER = 2 ** 31 - 1, UNKNOWN = -1, FUSED = -1;
  const number = (value) => value.toLocaleString("en");
  const quoted = (text) => `“${text}”`;

  // --- Characters -----------------------------------------------------------------------------------------------------
  // Properties of characters come from the tables, not from the browser, whose version of Unicode may be another.

  /* The ranges [first, end, value] of a table: gap, length and perhaps a value, again and again, in base 36. */
  function rangesOf(table, width = 2) {
    const numbers = table.split(" ").map((digits) => parseInt(digits, 36)), ranges = [];
    for (let i = 0, end = 0; i + 1 < numbers.length; i += width) {
      const first = end + numbers[i];
      end = first + numbers[i + 1];
      ranges.push([first, end, numbers[i + 2]]);
    }
    return ranges;
  }

  const escaped = (code) => `\\u{${code.toString(16)}}`;
  const membersOf = (table) => rangesOf(table).map(([first, end]) => `${escaped(first)}-${escaped(end - 1)}`).join("");
  const remembered = (compute, known = new Map()) => (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
  const isIn = (property, character) => oneOf(property).test(character);
  const oneOf = remembered((property) => new RegExp(`[${membersOf(tables.properties[property])}]`, "u"));
  const scripts = remembered(() => rangesOf(tables.scripts, 3));

  /* The number of a character's script; 0 for marks, which go with any script. */
  const scriptOf = remembered((character) => {
    const code = character.codePointAt(0), ranges = scripts("");
    let low = 0, high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle][1] <= code) low = middle + 1; else high = middle;
    }
    return low < ranges.length && ranges[low][0] <= code ? ranges[low][2] : tables.commonScript;
  });

  /* The bytes of a text; U+DC80 to U+DCFF alone stand for bytes that are not UTF-8, as in Python. */
  function utf8(text) {
    const bytes = [];
    for (const character of text) {
      const code = character.codePointAt(0);
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | code >> 6, 0x80 | code & 63);
      else if (code >= 0xdc80 && code < 0xdd00) bytes.push(code - 0xdc00);
      else if (code < 0x10000) bytes.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63);
      else bytes.push(0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63);
    }
    return bytes;
  }

  /* Bytes as a string with one character for each, which `<` compares as Python compares bytes and code points. */
  const binary = (bytes) => bytes.map((byte) => String.fromCharCode(byte)).join("");
  const bytesOf = (content) => Array.from(content, (character) => character.charCodeAt(0));
  const decode = (bytes, fatal = false) => new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  const charactersOf = (text) => [.../[\ud800-\udfff]/u.test(text) ? decode(utf8(text)) : text];

  // GPT-2 writes a printable byte as the Latin-1 character, and the other 68 as characters from U+0100 on.
  const isPrintable = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0xad) || byte > 0xad;
  const standIns = [];
  for (let byte = 0, n = 0; byte < 256; byte++) standIns.push(String.fromCharCode(isPrintable(byte) ? byte : 0x100 + n++));
  const byteOf = new Map(standIns.map((name, byte) => [name, byte]));

  // --- Text and pre-tokens --------------------------------------------------------------------------------------------

  /* A change is made between code points that Python does not know yet: to it, they are characters that never change. */
  const known = remembered(() => new RegExp(`[^${membersOf(tables.properties.unassigned)}]+`, "gu"));
  const inKnown = (text, change) => text.replace(known(""), change);
  const changes = {
    lowercase: (text) => inKnown(text, (part) => part.replace(/./gsu, (character) => character.toLowerCase())),
    "strip-accents": (text) => inKnown(text, (part) => part.normalize("NFD")).replace(accents(""), ""),
  };
  const accents = remembered(() => new RegExp(oneOf("accent").source, "gu"));
  for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) {
    changes[form.toLowerCase()] = (text) => inKnown(text, (part) => part.normalize(form));
  }
  for (const [name, [characters, replacement]] of Object.entries(tables.replacements)) {
    const all = new RegExp(`[${characters}]`, "gu");
    changes[name] = (text) => text.replace(all, replacement);
  }

  const normalize = (text, settings) => settings.normalize.reduce((changed, name) => changes[name](changed), text);

  /* The expression of a split: its parts are syntax, and a set of characters in every second place. */
  const expressionOf = remembered(({ parts, sets }) =>
    new RegExp(parts.map((part, place) => place % 2 ? `[${membersOf(sets[part])}]` : part).join(""), "gu"));
  const named = new Map(Object.entries(tables.patterns).map(([name, parts]) => [name, { parts, sets: tables.sets }]));

  function* split(text, settings) {
    if (settings.split === "none" && !settings.splitDigits) {
      if (text) yield [0, text.length];
      return;
    }
    const expression = settings.ownPattern || named.get(settings.split + (settings.splitDigits ? " digits" : ""));
    for (const match of text.matchAll(expressionOf(expression))) {
      if (match[0]) yield [match.index, match.index + match[0].length];
    }
  }

  const pieceOf = (text, start, end, settings) => (settings.split === "sentencepiece" ? "▁" : "") + text.slice(start, end);

  /* The parts of a text that are split each by itself, normalized. */
  function partsOf(text, settings) {
    if (settings.documents === "separator") {
      const names = [...settings.special].sort((a, b) => b.length - a.length);
      const special = new RegExp(names.map((name) => name.replace(/[^\w]/gu, (c) => escaped(c.codePointAt(0)))).join("|"), "u");
      return text.split(special).filter((part) => part).map((part) => normalize(part, settings));
    }
    const whole = normalize(text, settings);
    return settings.documents === "line" ? whole.match(/[^\n]*\n|[^\n]+/g) || [] : [whole];
  }

  function countWords(texts, settings) {
    const words = new Map();
    for (const text of [texts].flat()) {
      for (const part of partsOf(text, settings)) {
        for (const [start, end] of split(part, settings)) {
          const piece = pieceOf(part, start, end, settings);
          words.set(piece, (words.get(piece) || 0) + 1);
        }
      }
    }
    return words;
  }

  // --- Symbols --------------------------------------------------------------------------------------------------------
  // A symbol's code is its byte or code point times four, plus 1 with the continuing prefix, plus 2 with the word end.

  const CONTINUING = 1, ENDING = 2, END_SYMBOL = 0x110000 * 4, LEFT_OUT = END_SYMBOL + 4, FALLBACK = END_SYMBOL + 8;
  const fallbackCodes = standIns.map((_, byte) => FALLBACK + 4 * byte);

  function codesOf(piece, settings) {
    const units = settings.units === "bytes" ? utf8(piece) : charactersOf(piece).map((character) => character.codePointAt(0));
    const codes = units.map((unit, place) => 4 * unit + (settings.continuing && place ? CONTINUING : 0));
    if (settings.wordEndAs === "own-symbol") codes.push(END_SYMBOL);
    else if (settings.wordEnd && codes.length) codes[codes.length - 1] += ENDING;
    return codes;
  }

  function nameOfCode(code, settings) {
    if (code === END_SYMBOL) return settings.wordEnd;
    if (code === LEFT_OUT) return settings.unknown;
    if (code >= FALLBACK) return `<0x${((code - FALLBACK) / 4).toString(16).toUpperCase().padStart(2, "0")}>`;
    const name = settings.units === "bytes" ? standIns[code >> 2] : String.fromCodePoint(code >> 2);
    return (code & CONTINUING ? settings.continuing : "") + name + (code & ENDING ? settings.wordEnd : "");
  }

  function contentOfCode(code, settings) {
    if (code === END_SYMBOL) return "";
    if (code === LEFT_OUT) return binary(utf8(settings.unknown));
    if (code >= FALLBACK) return String.fromCharCode((code - FALLBACK) / 4);
    return settings.units === "bytes" ? String.fromCharCode(code >> 2) : binary(utf8(String.fromCodePoint(code >> 2)));
  }

  /* Whether a special token is a symbol as well: one that is written like it, without marks, and means the same. */
  const isPlainSymbol = (name, settings) =>
    [...name].length === 1 && (settings.units === "characters" || (name < "\x80" && byteOf.has(name)));

  /* The bytes or characters that the alphabet keeps: those of `initialAlphabet`, then the most frequent ones. */
  function keptUnits(totals, settings) {
    const kept = new Set(charactersOf(settings.initialAlphabet).sort((a, b) => a.codePointAt(0) - b.codePointAt(0)).map(
      (character) => settings.units === "bytes" ? byteOf.get(character) : character.codePointAt(0)));
    const ranked = [...totals].sort(([a, n], [b, m]) => m - n || a - b);
    if (settings.limitAlphabet !== null) {
      return new Set([...new Set([...kept, ...ranked.map(([unit]) => unit)])].slice(0, settings.limitAlphabet));
    }
    const all = ranked.reduce((sum, [, count]) => sum + count, 0);
    let before = 0;
    for (const [unit, count] of ranked) {
      // SentencePiece computes shares with 32 bits.
      if (settings.characterCoverage < 1 && Math.fround(before / all) >= Math.fround(settings.characterCoverage)) break;
      kept.add(unit);
      before += count;
    }
    return kept;
  }

  function alphabetOf(words, settings) {
    const totals = new Map(), units = new Map();
    for (const [piece, count] of words) {
      for (const code of codesOf(piece, settings)) {
        totals.set(code, (totals.get(code) || 0) + count);
        if (code < END_SYMBOL) units.set(code >> 2, (units.get(code >> 2) || 0) + count);
      }
    }
    const kept = keptUnits(units, settings);
    const seen = [...totals.keys()].filter((code) => code === END_SYMBOL || kept.has(code >> 2));
    const codes = new Set(seen);
    if (settings.fullAlphabet) {
      for (let byte = 0; byte < 256; byte++) {
        for (let marks = 0; marks < 4; marks++) {
          const fits = (!(marks & CONTINUING) || settings.continuing) && (!(marks & ENDING) || settings.wordEndAs === "on-last-character");
          if (fits) codes.add(4 * byte + marks);
        }
      }
    }
    for (const unit of charactersOf(settings.initialAlphabet)) {
      const code = 4 * (settings.units === "bytes" ? byteOf.get(unit) : unit.codePointAt(0));
      if (kept.has(code >> 2)) codes.add(code);
    }
    for (const name of settings.special) if (isPlainSymbol(name, settings)) codes.add(4 * name.codePointAt(0));
    checkMark(settings.continuing ? codes : seen, codes, settings);
    const leavesOut = settings.limitAlphabet === null && seen.length < totals.size;
    if (leavesOut && !settings.byteFallback && settings.unknown === null) {
      throw new Error("The character coverage leaves characters out, and no token stands for them: choose a coverage of 1");
    }
    const others = settings.byteFallback ? fallbackCodes : leavesOut ? [LEFT_OUT] : [];
    const alphabet = [...others, ...inOrder([...codes], totals, settings)];
    for (const code of alphabet) {
      const name = nameOfCode(code, settings);
      if (code !== LEFT_OUT && settings.special.includes(name) && contentOfCode(code, settings) !== binary(utf8(name))) {
        throw new Error(`The special token ${quoted(name)} is also a symbol of the text's alphabet; choose another text for it`);
      }
    }
    return alphabet;
  }

  function checkMark(seen, codes, settings) {
    const mark = settings.wordEnd || "", names = [...codes].map((code) => nameOfCode(code, settings));
    if (settings.wordEndAs === "own-symbol" && !codes.has(END_SYMBOL)) names.push(mark);
    const unit = settings.units === "bytes" ? byteOf.get(mark) : mark.codePointAt(0);
    const isCharacter = [...mark].length === 1 && [...seen].some((code) => code < END_SYMBOL && code >> 2 === unit);
    if (mark && (isCharacter || new Set(names).size < names.length)) {
      throw new Error(`The word-end mark ${quoted(mark)} is also written in the text; choose a mark that is not, such as </w>`);
    }
  }

  /* Symbols in the order of their ids, which the tie rule decides. */
  function inOrder(codes, totals, settings) {
    const names = new Map(codes.map((code) => [code, nameOfCode(code, settings)]));
    const texts = new Map(codes.map((code) => [code, binary(utf8(names.get(code)))]));
    const byName = (a, b) => texts.get(a) < texts.get(b) ? -1 : texts.get(a) > texts.get(b) ? 1 : a - b;
    const marks = (code) => code === END_SYMBOL ? 0 : code & 3;
    let order = (a, b) => a - b;
    if (settings.ties === "sentencepiece") order = (a, b) => (totals.get(b) || 0) - (totals.get(a) || 0) || byName(a, b);
    else if (settings.units === "characters") order = byName;
    else if (settings.ties === "huggingface") order = (a, b) => marks(a) - marks(b) || byName(a, b);
    codes.sort(order);
    if (settings.ties !== "huggingface") return codes;
    const place = (code) => settings.special.includes(names.get(code)) ? settings.special.indexOf(names.get(code)) : settings.special.length;
    return codes.sort((a, b) => place(a) - place(b)); // special tokens have the lowest ids
  }

  // --- Runs -----------------------------------------------------------------------------------------------------------

  /* A run without merges and words: its tokens, which `add` makes of two others. */
  function makeRun(settings, alphabet) {
    const prefix = settings.continuing || "";
    const comparesNames = settings.units === "characters" || settings.ties === "subword-nmt" || settings.ties === "sentencepiece";
    const comparesBytes = !comparesNames, cutOfText = utf8(prefix).length;
    const names = [], contents = [], taken = new Set(), ids = new Map(), idOfCode = new Map();
    // What decides merges, of each token: how rules compare it, and its length and first and last script; -1: is alone.
    const texts = [], lengths = [], characters = [], firsts = [], lasts = [];
    const put = (name, content, text, length, nCharacters, first, last) => {
      names.push(name), contents.push(content), texts.push(text), taken.add(text), ids.set(name, ids.size);
      lengths.push(length), characters.push(nCharacters), firsts.push(first), lasts.push(last);
      return names.length - 1;
    };
    for (const name of settings.special) {
      if (comparesNames) taken.add(binary(utf8(name)));
      else if ([...name].every((character) => byteOf.has(character))) taken.add(binary([...name].map((c) => byteOf.get(c))));
    }
    alphabet.forEach((code, id) => {
      const name = nameOfCode(code, settings), content = contentOfCode(code, settings);
      const marked = binary(utf8(code < END_SYMBOL && code & CONTINUING ? prefix : "")) + content
        + binary(utf8(code === END_SYMBOL || (code < END_SYMBOL && code & ENDING) ? settings.wordEnd : ""));
      const bare = code < END_SYMBOL && code & CONTINUING ? name.slice(prefix.length) : name;
      let script = 0;
      if (settings.split === "sentencepiece" && bare !== "▁") script = scriptOf([...bare][0]);
      if (settings.split === "sentencepiece" && settings.splitDigits && /^[0-9０-９]$/.test(bare)) script = -1;
      if (code > END_SYMBOL) script = -1;
      put(name, content, comparesBytes ? marked : binary(utf8(name)), 1, [...bare].length, script, script);
      idOfCode.set(code, id);
    });
    const size = alphabet.length;
    const limit = settings.mostSymbols || (firsts.includes(-1) ? NEVER : 0);
    const nameOf = (left, right) => names[left] + names[right].slice(prefix.length);
    const textOf = (left, right) => texts[left] + texts[right].slice(cutOfText);

    /* The ids in the tokenizer: special tokens, then the symbols that are none; SentencePiece moves those behind merges. */
    const numbers = [];
    let nOwn = 0, nMoved = 0;
    alphabet.forEach((code, id) => {
      const special = settings.special.indexOf(names[id]);
      const isMoved = special < 0 && settings.ties === "sentencepiece" && code <= END_SYMBOL;
      numbers.push([special < 0 ? settings.special.length + nOwn : special, isMoved]);
      nOwn += special < 0;
      nMoved += isMoved;
    });
    const unknownId = settings.unknown === null ? null : settings.special.indexOf(settings.unknown);

    const run = {
      settings, alphabet, merges: [], passed: [], words: [], nTokens: 0, nOwn,
      name: (token) => token < 0 ? settings.unknown : names[token],
      content: (token) => bytesOf(contents[token]),
      shown: remembered((token) => shownName(run, token)),
      find: (name) => ids.has(name) ? ids.get(name) : null,
      id(token, step) {
        if (token < 0) return unknownId;
        if (token >= size) return settings.special.length + nOwn - nMoved + token - size;
        return numbers[token][0] + (numbers[token][1] ? step : 0);
      },
      /* The symbols of a pre-token; in a corpus, what the alphabet leaves out is dropped or has a symbol. */
      symbolsOf(piece, isCorpus = false) {
        const symbols = [];
        for (const code of codesOf(piece, settings)) {
          if (idOfCode.has(code)) symbols.push(idOfCode.get(code));
          else if (isCorpus && settings.limitAlphabet !== null) continue;
          else if (settings.byteFallback) symbols.push(...utf8(String.fromCodePoint(code >> 2)).map((b) => idOfCode.get(fallbackCodes[b])));
          else if (!isCorpus) symbols.push(UNKNOWN);
          else if (settings.split !== "sentencepiece" || symbols[symbols.length - 1] !== idOfCode.get(LEFT_OUT)) symbols.push(idOfCode.get(LEFT_OUT));
        }
        return symbols;
      },
      /* Whether the token that two tokens make is allowed: not too long, of one script, of no symbol that is alone. */
      mayMerge(left, right) {
        if (!limit) return true;
        const last = lasts[left], first = firsts[right];
        return lengths[left] + lengths[right] <= limit && last >= 0 && first >= 0 && (!last || !first || last === first);
      },
      isNew: (left, right) => !taken.has(textOf(left, right)),
      add: (left, right) => put(nameOf(left, right), contents[left] + contents[right], textOf(left, right), lengths[left] + lengths[right],
        characters[left] + characters[right], firsts[left] || firsts[right], lasts[right] || lasts[left]),
      /* Why a pair cannot become a token at a step, or "". */
      obstacle(left, right, step) {
        const name = nameOf(left, right), token = run.find(name);
        if (settings.special.includes(name)) return "the result would be a special token";
        return token !== null && token < size + step ? `token ${inSentence(run.shown(token))} exists already` : "";
      },
      /* Below 0 if the tie rule takes the first of two pairs {left, right, place} that occur equally often. */
      compare(a, b) {
        const order = (x, y) => x < y ? -1 : x > y ? 1 : 0;
        switch (settings.ties) {
          case "first-seen": return a.place - b.place;
          case "huggingface": case "raw-ids": return a.left - b.left || a.right - b.right;
          case "sentencepiece": return characters[a.left] + characters[a.right] - characters[b.left] - characters[b.right]
            || order(texts[a.left] + texts[a.right], texts[b.left] + texts[b.right]);
          default: return order(texts[b.left], texts[a.left]) || order(texts[b.right], texts[a.right]);
        }
      },
    };
    return run;
  }

  function targetOf(run) {
    const { merges, vocabSize, special } = run.settings, least = run.nOwn + special.length;
    if (merges !== null) return merges;
    if (vocabSize === null) return 10_000_000;
    if (vocabSize < least) {
      throw new Error(`A vocabulary size of ${number(vocabSize)} is too small: the alphabet and the special tokens alone have ${number(least)}`);
    }
    return vocabSize - least;
  }

  /* Refuses special tokens that merges could make from the words, as the program does. */
  function checkSpecial(run) {
    const { settings } = run, least = Math.max(1, settings.minFrequency), cut = (settings.continuing || "").length;
    for (const special of settings.merges === 0 ? [] : settings.special) {
      const characters = [...special], limit = settings.mostSymbols || NEVER;
      const itsScripts = new Set(characters.filter((character) => character !== "▁").map(scriptOf).filter((script) => script));
      if (characters.length > limit) continue;
      if (settings.split === "sentencepiece" && settings.units === "characters" && itsScripts.size > 1) continue;
      let found = 0;
      for (const { piece, count } of run.words) {
        const names = codesOf(piece, settings).map((code) => nameOfCode(code, settings));
        for (let i = 0; i < names.length; i++) {
          let name = names[i], end = i + 1;
          while (name !== special && special.startsWith(name) && end < names.length) name += names[end++].slice(cut);
          if (name === special && end > i + 1) found += count;
        }
      }
      if (found >= least) throw new Error(`The special token ${quoted(special)} occurs inside the words of the text; choose another text for it`);
    }
  }

  // --- Training -------------------------------------------------------------------------------------------------------

  /* `train` of the textbook. All words lie in one array. A pair keeps its places, all of which arise in one step; a place
     where it is no longer found is skipped. Pairs are filed by count: the highest count never rises, and of the pairs that
     have it, which are the tie, the rule takes one. */
  function makeTrainer(corpus, settings) {
    const counted = corpus instanceof Map ? corpus : countWords(corpus, settings);
    const run = makeRun(settings, alphabetOf(counted, settings));
    const parts = [], least = Math.max(1, settings.minFrequency);
    let size = 0;
    for (const [piece, count] of counted) {
      const symbols = run.symbolsOf(piece, true);
      parts.push([piece, count, symbols]);
      size += symbols.length;
    }
    const tokens = new Int32Array(size), gaps = new Int32Array(size).fill(NEVER);
    const previous = new Int32Array(size), next = new Int32Array(size), weights = new Float64Array(size);
    let begin = 0, highest = 0, nTokens = 0, passedAt = 0;
    for (const [piece, count, symbols] of parts) {
      const end = begin + symbols.length;
      for (let i = begin; i < end; i++) {
        tokens[i] = symbols[i - begin];
        previous[i] = i > begin ? i - 1 : -1;
        next[i] = i + 1 < end ? i + 1 : -1;
        weights[i] = count;
      }
      run.words.push({ piece, count, symbols: Int32Array.from(symbols), gaps: gaps.subarray(begin, end) });
      nTokens += symbols.length * count;
      begin = end;
    }
    run.nTokens = nTokens;

    const pairs = [], filed = new Map(); // pairs[left].get(right); filed.get(count) is a Set
    let touched = new Set();
    function change(left, right, by, place) {
      let pair = pairs[left]?.get(right);
      if (!pair) {
        if (by < 0 || !run.mayMerge(left, right)) return;
        pair = { left, right, count: 0, filedAs: 0, places: [], at: 0, place: 0 };
        (pairs[left] ??= new Map()).set(right, pair);
      }
      pair.count += by;
      if (by > 0) pair.places.push(place);
      touched.add(pair);
    }
    function file(pair) {
      if (pair.filedAs === pair.count) return;
      filed.get(pair.filedAs)?.delete(pair);
      if (pair.count > 0) {
        if (!filed.has(pair.count)) filed.set(pair.count, new Set());
        filed.get(pair.count).add(pair);
      }
      pair.filedAs = pair.count;
    }
    function fileTouched() {
      touched.forEach(file);
      touched = new Set();
    }
    function drop(pair) {
      pairs[pair.left].delete(pair.right);
      pair.count = 0;
      file(pair);
    }
    const isAt = (pair, place) => tokens[place] === pair.left && next[place] >= 0 && tokens[next[place]] === pair.right;
    function best() {
      while (highest >= least && !filed.get(highest)?.size) highest--;
      if (highest < least) return null;
      let found = null;
      for (const pair of filed.get(highest)) {
        if (settings.ties === "first-seen") {
          while (!isAt(pair, pair.places[pair.at])) pair.at++;
          pair.place = pair.places[pair.at];
        }
        if (!found || run.compare(pair, found) < 0) found = pair;
      }
      return found;
    }
    function merge(pair) {
      const { left, right, count } = pair, tied = filed.get(count).size, token = run.add(left, right), rank = run.merges.length;
      drop(pair);
      for (const place of pair.places) {
        if (!isAt(pair, place)) continue;
        const second = next[place], before = previous[place], after = next[second], weight = weights[place];
        if (before >= 0) {
          change(tokens[before], left, -weight);
          change(tokens[before], token, weight, before);
        }
        if (after >= 0) {
          change(right, tokens[after], -weight);
          change(token, tokens[after], weight, place);
          previous[after] = place;
        }
        tokens[place] = token;
        tokens[second] = -1;
        next[place] = after;
        gaps[second] = rank;
        nTokens -= weight;
      }
      fileTouched();
      run.merges.push({ left, right, token, count, tied, nTokens });
      return run.merges[rank];
    }

    checkSpecial(run);
    run.target = targetOf(run);
    run.stopReason = "";
    run.step = () => {
      if (run.merges.length >= run.target) run.stopReason = "the target is reached";
      while (!run.stopReason) {
        const pair = best();
        if (!pair) run.stopReason = noPair(settings.minFrequency);
        else if (run.isNew(pair.left, pair.right)) return merge(pair);
        else {
          run.passed.push([run.merges.length, pair.left, pair.right]);
          drop(pair);
        }
      }
      return null;
    };
    for (let i = 0; i < size; i++) if (next[i] >= 0) change(tokens[i], tokens[next[i]], weights[i], i);
    for (const pair of touched) highest = Math.max(highest, pair.count);
    fileTouched();
    return run;
  }

  const noPair = (least) => `no pair ${least < 2 ? "is left" : least === 2 ? "occurs twice" : `occurs ${number(least)} times`}`;

  function openRun(data) {
    const run = makeRun(data.settings, data.alphabet);
    for (const [left, right, count, tied, nTokens] of data.merges) {
      run.merges.push({ left, right, token: run.add(left, right), count, tied, nTokens });
    }
    run.passed = data.passed;
    run.nTokens = data.nTokens;
    const close = closer(run);
    for (const [piece, count] of data.words) {
      const symbols = Int32Array.from(run.symbolsOf(piece, true));
      run.words.push({ piece, count, symbols, gaps: close(symbols) });
    }
    return run;
  }

  // --- Encoding -------------------------------------------------------------------------------------------------------

  /* `gap_ranks` of the textbook: merges the pair of lowest rank, the leftmost among equals, until none is left. */
  function closer(run) {
    const ranks = [], PLACES = 2 ** 26;
    run.merges.forEach(({ left, right }, rank) => (ranks[left] ??= new Map()).set(right, rank));
    return (symbols) => {
      const n = symbols.length, tokens = Int32Array.from(symbols), gaps = new Int32Array(n).fill(NEVER);
      const next = tokens.map((_, i) => i + 1), previous = tokens.map((_, i) => i - 1), heap = [];
      const rankAt = (i) => i < 0 || next[i] >= n || tokens[i] < 0 ? undefined : ranks[tokens[i]]?.get(tokens[next[i]]);
      const push = (i) => {
        const rank = rankAt(i);
        if (rank === undefined) return;
        let place = heap.length;
        for (const entry = rank * PLACES + i; ; place = (place - 1) >> 1) {
          if (!place || heap[(place - 1) >> 1] <= entry) return void (heap[place] = entry);
          heap[place] = heap[(place - 1) >> 1];
        }
      };
      const pop = () => {
        const first = heap[0], last = heap.pop();
        for (let place = 0, child = 1; heap.length; place = child, child = 2 * place + 1) {
          if (heap[child + 1] < heap[child]) child++;
          if (!(heap[child] < last)) {
            heap[place] = last;
            break;
          }
          heap[place] = heap[child];
        }
        return first;
      };
      for (let i = 0; i < n; i++) push(i);
      while (heap.length) {
        const entry = pop(), rank = Math.floor(entry / PLACES), i = entry % PLACES;
        if (rankAt(i) !== rank) continue; // its tokens have merged with others
        const second = next[i], after = next[second];
        tokens[i] = run.merges[rank].token;
        tokens[second] = UNKNOWN;
        gaps[second] = rank;
        next[i] = after;
        if (after < n) previous[after] = i;
        push(previous[i]);
        push(i);
      }
      return gaps;
    };
  }

  function makeEncoder(run) {
    const { settings } = run;
    let nMerges = -1, word;
    const encodeWord = (close) => (piece) => {
      const symbols = Int32Array.from(run.symbolsOf(piece)), gaps = close(symbols);
      if (settings.split === "sentencepiece") { // unknown characters side by side are one token
        for (let i = 1; i < symbols.length; i++) if (symbols[i] === UNKNOWN && symbols[i - 1] === UNKNOWN) gaps[i] = FUSED;
      }
      return { symbols, gaps };
    };
    return {
      encode(text) {
        if (nMerges !== run.merges.length) word = remembered(encodeWord(closer(run)));
        nMerges = run.merges.length;
        const source = normalize(text, settings);
        return Array.from(split(source, settings), ([start, end]) => {
          const piece = pieceOf(source, start, end, settings);
          return { piece, start, end, ...word(piece) };
        });
      },
    };
  }

  /* `cut` of the textbook. The highest rank inside a token is that of the merge that made it. */
  function cut(word, step, run) {
    const { symbols, gaps } = word, found = [];
    for (let i = 0; i < symbols.length; i++) {
      if (!i || gaps[i] >= step) found.push({ token: symbols[i], start: i, end: i + 1 });
      else {
        const last = found[found.length - 1];
        if (gaps[i] >= 0) last.token = Math.max(last.token, run.alphabet.length + gaps[i]);
        last.end = i + 1;
      }
    }
    return found;
  }

  // --- Candidates, and why one of them wins ---------------------------------------------------------------------------

  function candidates(run, step, n = 50) {
    const counts = new Map(), least = Math.max(1, run.settings.minFrequency);
    let place = 0;
    for (const word of run.words) {
      let before = null;
      for (const { token } of cut(word, step, run)) {
        if (before !== null) {
          const key = before * 2 ** 26 + token, pair = counts.get(key);
          if (pair) pair.count += word.count;
          else counts.set(key, { left: before, right: token, count: word.count, place });
        }
        before = token;
        place++;
      }
    }
    const passed = new Set(run.passed.filter(([at]) => at < step).map(([, left, right]) => left * 2 ** 26 + right));
    const allowed = [...counts].filter(([key, pair]) => !passed.has(key) && run.mayMerge(pair.left, pair.right)).map(([, pair]) => pair);
    const tied = new Map();
    for (const { count } of allowed) tied.set(count, (tied.get(count) || 0) + 1);
    const top = allowed.sort((a, b) => b.count - a.count || run.compare(a, b)).slice(0, n);
    const isFree = ({ left, right, count }) => count >= least && !run.obstacle(left, right, step);
    const chosen = run.merges[step] || top.find(isFree);
    const rows = top.map(({ left, right, count }) => {
      const isNext = chosen !== undefined && left === chosen.left && right === chosen.right;
      const mark = isNext ? "next" : count === top[0].count && tied.get(count) > 1 ? "tied" : "";
      return { left, right, count, tied: tied.get(count), mark, obstacle: isNext ? "" : run.obstacle(left, right, step) };
    });
    return { rows, reason: reasonOf(rows, run) };
  }

  const times = (count) => count === 1 ? "once" : `${number(count)} times`;

  function reasonOf(rows, run) {
    if (!rows.length) return run.words.length ? "No pair is left: every word is a single token" : "There are no words to count pairs in";
    const next = rows.find((row) => row.mark === "next"), first = next || rows[0];
    const pair = `${inSentence(run.shown(first.left))} + ${inSentence(run.shown(first.right))}`;
    if (!next && first.count < run.settings.minFrequency) return `Training stops here: ${noPair(run.settings.minFrequency)}`;
    if (!next) return `${pair} occurs ${times(first.count)} and is not merged`;
    if (first.tied > 1) return `${number(first.tied)} pairs occur ${times(first.count)}; the tie rule takes ${tables.ties[run.settings.ties]}: ${pair}`;
    const below = rows.find((row) => row.count < first.count);
    if (!below) return `${pair} occurs ${times(first.count)}, and no other pair is left`;
    return `${pair} occurs ${times(first.count)}, ${number(first.count - below.count)} more than the next pair`;
  }

  // --- How people read tokens -----------------------------------------------------------------------------------------

  const MOST_BYTES = 800, WHITE = { " ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥", "\u00a0": "⍽" };
  const NAMED = {
    "\u00ad": "SHY", "\u034f": "CGJ", "\u061c": "ALM", "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM",
    "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO",
    "\u202e": "RLO", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
  };

  function shownName(run, token) {
    if (token < 0) return "unknown";
    const { units, wordEnd, continuing } = run.settings, name = run.name(token);
    if (units !== "bytes") return shownBytes(utf8(name));
    const content = run.content(token), spelled = content.map((byte) => standIns[byte]).join("");
    if (!wordEnd && !continuing) return shownBytes(content);
    const at = spelled ? name.indexOf(spelled) : 0;
    return name.slice(0, at) + shownBytes(content) + name.slice(at + spelled.length);
  }

  /* Bytes made visible: those that are no character are in hex, and a long token is shortened. */
  function shownBytes(bytes) {
    if (bytes.length > MOST_BYTES) {
      let head = MOST_BYTES / 2, tail = bytes.length - MOST_BYTES / 4;
      while (head && (bytes[head] & 0xc0) === 0x80) head--;
      while (tail < bytes.length && (bytes[tail] & 0xc0) === 0x80) tail++;
      return `${shownBytes(bytes.slice(0, head))}…${shownBytes(bytes.slice(tail))}`;
    }
    let shown = "", text = "", stray = [];
    const flush = () => {
      shown += visible([...text]) + (stray.length ? `⟨${stray.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ")}⟩` : "");
      text = "", stray = [];
    };
    for (let i = 0; i < bytes.length;) {
      const size = bytes[i] < 0xc0 ? 1 : bytes[i] < 0xe0 ? 2 : bytes[i] < 0xf0 ? 3 : 4;
      try {
        const character = decode(bytes.slice(i, i + size), true);
        if (stray.length) flush();
        text += character;
        i += size;
      } catch {
        stray.push(bytes[i++]);
      }
    }
    flush();
    return shown;
  }

  /* Characters with invisible ones named, and a mark without its letter on a dotted circle. */
  const visible = (characters) => characters.map((character, place) => {
    const code = character.codePointAt(0), hex = code.toString(16).toUpperCase().padStart(4, "0");
    const isSpace = (other) => other === undefined || isIn("space", other), before = characters[place - 1], isFirst = isSpace(before);
    if (WHITE[character]) return WHITE[character];
    if ((code === 0x200c || code === 0x200d) && !isFirst && !isSpace(characters[place + 1])) return character;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "␡";
    if (NAMED[character]) return `⟨${NAMED[character]}⟩`;
    if (code >= 0xfe00 && code <= 0xfe0f) return isFirst ? `⟨VS${code - 0xfe00 + 1}⟩` : character;
    if (isIn("mark", character)) return isFirst ? `◌${character}` : character;
    const isTag = code >= 0xe0020 && code <= 0xe007f; // of an emoji
    return isTag ? (isFirst ? `⟨U+${hex}⟩` : character) : isIn("hidden", character) ? `⟨U+${hex}⟩` : character;
  }).join("");

  /* A token's name for a sentence: isolated if it runs right to left, quoted if it is punctuation alone. */
  const inSentence = (name) => {
    const kinds = (property) => [...name].some((character) => isIn(property, character));
    const upright = kinds("rightToLeft") ? `\u2068${name.replace(/[!-~]{2,}/g, "\u2066$&\u2069")}\u2069` : name;
    return kinds("punctuation") && !kinds("letter") ? quoted(upright) : upright;
  };

  return { normalize, split, countWords, makeTrainer, openRun, candidates, makeEncoder, cut, inSentence };
}

if (typeof module !== "undefined") module.exports = { bpeEngine };
