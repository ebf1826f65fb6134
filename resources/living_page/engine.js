/* Byte-pair encoding for a page: it splits, trains and encodes as BPE Studio does, and needs nothing but this file.

   It mirrors bpe_studio/engine/textbook.py, which is the place to begin; the tests compare it with the program's engine.

   const engine = bpeEngine(tables)             what Python's `tables_json()` wrote: splits and properties of characters
   engine.normalize(text, settings)             the text that is split; `settings` is what `settings_json(config)` wrote
   engine.split(text, settings)                 the pre-tokens of a normalized text, as [start, end]
   engine.countWords(texts, settings)           Map: the pre-tokens of a text, or of several, and their counts
   engine.makeTrainer(corpus, settings)         a run that grows: `corpus` is a text, several texts, or such a Map
       .step()                                  trains and returns one merge; null if training has ended
       .stopReason, .target                     why it has ended, as a phrase ("" until then); the merges asked for
   engine.openRun(data)                         a finished run, which Python's `run_json(run)` wrote; a word may have its
                                                gaps besides, as a trainer leaves them

   Both are runs:
       .settings, .alphabet                     the settings; the code of each symbol (see "Symbols"), by id
       .merges                                  {left, right, token, count, tied, nTokens} each; `tied` pairs had `count`
       .words                                   {piece, count, symbols, gaps} for each distinct pre-token
       .nTokens                                 the tokens of the corpus before the first merge
       .name(token), .shown(token)              a token as files spell it (Ġthe), and as people read it (␣the)
       .symbolsOf(piece)                        the symbols of a pre-token
       .content(token)                          its bytes, without marks
       .id(token, step)                         its id in the tokenizer after so many merges; null for an unknown one
   engine.candidates(run, step, n)              {rows, reason}: the best n pairs of a step, and why the first one wins;
                                                rows: {left, right, count, tied, mark, obstacle}; mark: next, tied or ""
   engine.makeEncoder(run)
       .encode(text)                            [{piece, start, end, symbols, gaps}]; start and end in the normalized text
   engine.cut(word, step, run)                  [{token, start, end}]: a word's tokens after so many merges; start and end
                                                count symbols
   engine.say(sentence, ...values)              an English sentence in the language of `tables.language`, its {} filled in
   engine.number(value, digits), .counted(n, thing), .times(count), .pairName(left, right), .isolated(text)
                                                parts of such sentences

   Tokens are numbers: symbols from 0 on, then one for each merge; -1 is a character that the alphabet does not have.
   gaps[i] is the rank of the merge that closes the gap before symbol i: it is closed at a step if its rank is lower.
   So moving through a run needs no new encoding. Where no training is possible, an Error has a sentence that says why.
   A special token that occurs in a word is never made by merges; the program refuses such a corpus.
   In a worker, start this file and the page's part of the worker together from one Blob. */
"use strict";

function bpeEngine(tables) {
  const NEVER = 2 ** 31 - 1, UNKNOWN = -1, FUSED = -1;
  const { code: language = "en", isRightToLeft = false, words: translated = {} } = tables.language || {};
  const formats = [0, 1].map((digits) => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  const number = (value, digits = 0) => formats[digits].format(value);
  const isolated = (text) => `\u2068${text}\u2069`;
  const quoted = (text) => `“${text}”`;
  const hexOf = (value, digits) => value.toString(16).toUpperCase().padStart(digits, "0");
  const inOrderOf = (a, b) => a < b ? -1 : a > b ? 1 : 0;

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
  const decoders = { strict: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }) };
  decoders.lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  const decode = (bytes, kind) => decoders[kind].decode(Uint8Array.from(bytes));
  const charactersOf = (text) => [.../[\ud800-\udfff]/u.test(text) ? decode(utf8(text), "lenient") : text];

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
  const newer = new RegExp(`[${Object.keys(tables.nmt.newer).join("")}]`, "gu");
  changes["nmt-nfkc"] = (text) => inKnown(
    text.replace(newer, (character) => tables.nmt.newer[character]),
    (part) => part.split("\n").map(inTable).join("\n"),
  );

  /* SentencePiece goes through a text once, and takes at each place the longest entry of its table: characters that one
     composed character consists of, or one character. So it never changes the order of marks. */
  function inTable(line) {
    const characters = [...line], letters = characters.map(letterOf);
    let changed = "";
    for (let place = 0; place < characters.length;) {
      let n = Math.min(longestComposed, characters.length - place), composed;
      while (n > 1 && !(composed = compositions("").get(letters.slice(place, place + n).join("")))) n--;
      changed += n > 1 ? composed : ofTable(characters[place]);
      place += Math.max(n, 1);
    }
    return changed;
  }
  const longestComposed = 4;
  const compositions = remembered(() => {
    const found = new Map();
    for (let code = 0; code < 0x30000; code++) {
      const apart = String.fromCodePoint(code).normalize("NFKD"), composed = apart.normalize("NFC");
      if (composed !== apart && [...composed].length === 1) found.set(apart, composed);
    }
    return found;
  });

  /* What a character is in a composed one; a line break, which is in none, for what would be several. */
  function letterOf(character) {
    const apart = character.normalize("NFKD");
    return [...apart].length === 1 ? apart : "\n";
  }

  function ofTable(character) {
    if (nmt.dropped.test(character)) return "";
    if (nmt.spaces.test(character)) return " ";
    return character === tables.nmt.kept ? character : character.normalize("NFKC");
  }
  const nmt = { dropped: new RegExp(`[${tables.nmt.dropped}]`, "u"), spaces: new RegExp(`[${tables.nmt.spaces}]`, "u") };

  const normalize = (text, settings) => settings.normalize.reduce((changed, name) => changes[name](changed), text);

  /* The expression of a split: its parts are syntax, and a set of characters in every second place. */
  const expressionOf = remembered(({ parts, sets }) =>
    new RegExp(parts.map((part, place) => place % 2 ? `[${membersOf(sets[part])}]` : part).join(""), "gu"));
  const named = new Map(Object.entries(tables.patterns).map(([name, parts]) => [name, { parts, sets: tables.sets }]));

  /* WORKAROUND: webkit.org/b/319651. Safari 26 takes U+F800 to U+FBFF and then U+FC00 to U+FFFF for
     one character. The second is replaced by another one that is in the same sets: only places are wanted. */
  const misreads = /^.$/u.test("\uf900\ufe00");
  const standInsOf = remembered(({ parts, sets }) => {
    const tests = parts.filter((_, place) => place % 2).map((source) => new RegExp(`[${membersOf(sets[source])}]`, "u"));
    const kindOf = (character) => tests.map((each) => each.test(character)).join();
    return remembered((character) => {
      for (let code = 0x80; code < 0xd880; code++) { // ASCII comes last, for an expression may name its characters
        const other = String.fromCharCode(code % 0xd800);
        if (kindOf(other) === kindOf(character)) return other;
      }
      return character;
    });
  });
  const readable = (text, expression) => misreads
    ? text.replace(/([\ud800-\udbff\uf800-\ufbff])([\ufc00-\uffff])/g, (_, first, second) => first + standInsOf(expression)(second)) : text;

  function* split(text, settings) {
    if (settings.split === "none" && !settings.splitDigits) {
      if (text) yield [0, text.length];
      return;
    }
    const byName = (settings.splitDigits && named.get(`${settings.split} digits`)) || named.get(settings.split);
    const expression = settings.ownPattern || byName;
    for (const match of readable(text, expression).matchAll(expressionOf(expression))) {
      if (match[0]) yield [match.index, match.index + match[0].length];
    }
  }

  const pieceOf = (text, start, end, settings) => (settings.split === "sentencepiece" ? "▁" : "") + text.slice(start, end);

  /* The parts of a text that are split each by itself, normalized. */
  function partsOf(text, settings) {
    if (settings.documents === "separator" && settings.special.length) {
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
  const isContinuing = (code) => code < END_SYMBOL && Boolean(code & CONTINUING);
  const endsWord = (code) => code === END_SYMBOL || (code < END_SYMBOL && Boolean(code & ENDING));

  function codesOf(piece, settings) {
    const units = settings.units === "bytes" ? utf8(piece) : charactersOf(piece).map((one) => one.codePointAt(0));
    const codes = units.map((unit, place) => 4 * unit + (settings.continuing && place ? CONTINUING : 0));
    if (settings.wordEndAs === "own-symbol") codes.push(END_SYMBOL);
    else if (settings.wordEnd && codes.length) codes[codes.length - 1] += ENDING;
    return codes;
  }

  function nameOfCode(code, settings) {
    if (code === END_SYMBOL) return settings.wordEnd;
    if (code === LEFT_OUT) return settings.unknown;
    if (code >= FALLBACK) return `<0x${hexOf((code - FALLBACK) / 4, 2)}>`;
    const name = settings.units === "bytes" ? standIns[code >> 2] : String.fromCodePoint(code >> 2);
    return (isContinuing(code) ? settings.continuing : "") + name + (endsWord(code) ? settings.wordEnd : "");
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

  /* The codes of the symbols that a run starts from, in the order of their ids. */
  function alphabetOf(words, settings) {
    const totals = new Map(), units = new Map();
    const count = (counts, key, by) => counts.set(key, (counts.get(key) || 0) + by);
    for (const [piece, times] of words) {
      for (const code of codesOf(piece, settings)) {
        count(totals, code, times);
        if (code !== END_SYMBOL) count(units, code >> 2, times);
      }
    }
    const kept = keptUnits(units, settings);
    const seen = [...totals.keys()].filter((code) => code === END_SYMBOL || kept.has(code >> 2));
    const codes = new Set(seen), all = [0];
    if (settings.continuing) all.push(CONTINUING);
    if (settings.wordEndAs === "on-last-character") all.push(...all.map((marks) => marks + ENDING));
    if (settings.fullAlphabet && settings.units === "bytes") byteOf.forEach((byte) => all.forEach((marks) => codes.add(4 * byte + marks)));
    for (const name of settings.special) if (isPlainSymbol(name, settings)) codes.add(4 * name.codePointAt(0));
    checkMark(settings.continuing ? [...codes] : seen, codes, settings);
    if (settings.byteFallback) return [...fallbackCodes, ...inOrder([...codes], totals, settings)];
    const leavesOut = seen.length < totals.size;
    if (leavesOut && settings.unknown === null) {
      throw new Error(say("The character coverage leaves characters out, and no token stands for them: choose coverage 1"));
    }
    if (settings.unknown !== null && (leavesOut || isPlainSymbol(settings.unknown, settings))) checkCut(settings);
    return [...(leavesOut ? [LEFT_OUT] : []), ...inOrder([...codes], totals, settings)];
  }

  /* Refuses an unknown token from which as many bytes as the prefix has are no whole characters. */
  function checkCut({ merges, unknown, continuing }) {
    const prefix = continuing || "", cut = [...unknown].slice(0, [...prefix].length).join("");
    if (merges !== 0 && utf8(cut).length !== utf8(prefix).length) {
      throw new Error(say("The unknown token {} cannot stand inside a word, because merges cut the prefix {} from it; choose another one, such as [UNK]", quoted(unknown), quoted(prefix)));
    }
  }

  /* The most frequent bytes or characters, until they have their share; SentencePiece computes it with 32 bits. */
  function keptUnits(counts, settings) {
    const ranked = [...counts].sort(([a, n], [b, m]) => m - n || a - b), kept = new Set();
    const all = ranked.reduce((sum, [, count]) => sum + count, 0);
    let before = 0;
    for (const [unit, count] of ranked) {
      const isEnough = Math.fround(before / all) >= Math.fround(settings.characterCoverage);
      if (settings.characterCoverage < 1 && isEnough) break;
      kept.add(unit);
      before += count;
    }
    return kept;
  }

  /* Refuses a word-end mark that could be read as something else. */
  function checkMark(seen, codes, settings) {
    const mark = settings.wordEnd || "", names = [...codes].map((code) => nameOfCode(code, settings));
    const unit = settings.units === "bytes" ? byteOf.get(mark) : mark.codePointAt(0);
    if (settings.wordEndAs === "own-symbol" && !codes.has(END_SYMBOL)) names.push(mark);
    const isCharacter = [...mark].length === 1 && seen.some((code) => code !== END_SYMBOL && code >> 2 === unit);
    if (mark && (isCharacter || new Set(names).size < names.length)) {
      throw new Error(say("The word-end mark {} is also written in the text; choose another, such as </w>", quoted(mark)));
    }
  }

  /* Symbols in the order of their ids, which the tie rule decides. */
  function inOrder(codes, totals, settings) {
    const { units, special } = settings, rule = tables.ties[settings.ties], names = new Map(codes.map((code) => [code, nameOfCode(code, settings)]));
    const texts = new Map(codes.map((code) => [code, binary(utf8(names.get(code)))]));
    const byName = (a, b) => inOrderOf(texts.get(a), texts.get(b)) || a - b;
    const frequency = (code) => totals.get(code) || 0;
    if (rule.hasFrequentFirst) return codes.sort((a, b) => frequency(b) - frequency(a) || byName(a, b));
    if (!rule.hasSpecialFirst) return codes.sort(units === "characters" ? byName : (a, b) => a - b);
    // Special tokens have the lowest ids; bytes with marks follow those without.
    const place = (code) => special.includes(names.get(code)) ? special.indexOf(names.get(code)) : special.length;
    const marks = (code) => units === "bytes" ? code & 3 : 0;
    return codes.sort((a, b) => place(a) - place(b) || marks(a) - marks(b) || byName(a, b));
  }

  // --- Runs -----------------------------------------------------------------------------------------------------------

  /* A run without merges and words. */
  function makeRun(settings, alphabet) {
    const { special, units, unknown } = settings, rule = tables.ties[settings.ties], prefix = settings.continuing || "", size = alphabet.length;
    const cutOfText = utf8(prefix).length, hasPieces = settings.split === "sentencepiece";
    const comparesNames = units === "characters" || rule.comparesNames;
    const tokens = [], numbers = new Map(), taken = new Set(), idOfCode = new Map(alphabet.map((code, id) => [code, id]));
    function put(token) {
      if (!numbers.has(token.name)) numbers.set(token.name, tokens.length);
      taken.add(token.text);
      return tokens.push(token) - 1;
    }
    for (const name of special) {
      if (comparesNames) taken.add(binary(utf8(name)));
      else if ([...name].every((one) => byteOf.has(one))) taken.add(binary([...name].map((one) => byteOf.get(one))));
    }
    for (const code of alphabet) {
      const name = nameOfCode(code, settings), content = contentOfCode(code, settings);
      const before = isContinuing(code) ? prefix : "", after = endsWord(code) ? settings.wordEnd : "";
      const marked = binary(utf8(before)) + content + binary(utf8(after)), bare = name.slice(before.length);
      const isAlone = code > END_SYMBOL || (hasPieces && settings.splitDigits && /^[0-9０-９]$/.test(bare));
      const script = isAlone ? -1 : hasPieces && bare !== "▁" ? scriptOf([...bare][0]) : 0;
      // `text` is what rules compare; a token has as many characters as its name, and merges take none of script -1.
      put({ name, content, text: comparesNames ? binary(utf8(name)) : marked, length: 1, characters: [...bare].length,
        first: script, last: script });
    }
    // SentencePiece takes the limit as it is; Hugging Face stays below it.
    const longest = settings.maxTokenLength, own = longest === null ? NEVER : Math.max(2, longest - 1);
    const limit = hasPieces ? longest ?? 16 : own;

    // Ids in the tokenizer: special tokens, symbols that are none, merges; SentencePiece has merges before symbols.
    const isOwn = (id) => !special.includes(tokens[id].name);
    const isMoved = (id) => rule.hasFrequentFirst && isOwn(id) && alphabet[id] <= END_SYMBOL;
    const ids = [...alphabet.keys()], nOwn = ids.filter(isOwn).length, nMoved = ids.filter(isMoved).length;
    let nBefore = special.length;
    const idsOfSymbols = ids.map((id) => isOwn(id) ? nBefore++ : special.indexOf(tokens[id].name));

    const run = {
      settings, alphabet, merges: [], passed: [], words: [], nTokens: 0, nOwn,
      name: (token) => token < 0 ? unknown : tokens[token].name,
      content: (token) => bytesOf(tokens[token].content),
      shown: remembered((token) => shownName(run, token)),
      id(token, step) {
        if (token < 0) return unknown === null ? null : special.indexOf(unknown);
        if (token >= size) return special.length + nOwn - nMoved + token - size;
        return idsOfSymbols[token] + (isMoved(token) ? step : 0);
      },
      /* The symbols of a pre-token; in a corpus, what the alphabet leaves out has a symbol of its own. */
      symbolsOf(piece, isCorpus = false) {
        const symbols = [], leftOut = isCorpus ? idOfCode.get(LEFT_OUT) : UNKNOWN;
        for (const code of codesOf(piece, settings)) {
          if (idOfCode.has(code)) symbols.push(idOfCode.get(code));
          else if (settings.byteFallback) {
            for (const byte of utf8(String.fromCodePoint(code >> 2))) symbols.push(idOfCode.get(fallbackCodes[byte]));
          } else if (!isCorpus || !hasPieces || symbols[symbols.length - 1] !== leftOut) symbols.push(leftOut);
        }
        return symbols;
      },
      /* Whether the token that two tokens make is allowed: not too long, of one script, of no symbol that is alone, and
         with the limits of superwords under their split. */
      mayMerge(left, right) {
        if (settings.superwordsWords !== null) {
          const content = tokens[left].content + tokens[right].content, words = content.split(" ").filter(Boolean);
          if (words.length > settings.superwordsWords || content.includes(": ")) return false;
        }
        const { last, length } = tokens[left], { first } = tokens[right];
        const fits = last >= 0 && first >= 0 && (!last || !first || last === first);
        return fits && length + tokens[right].length <= limit;
      },
      nameOf: (left, right) => tokens[left].name + tokens[right].name.slice(prefix.length),
      textOf: (left, right) => tokens[left].text + tokens[right].text.slice(cutOfText),
      isNew: (left, right) => !taken.has(run.textOf(left, right)),
      /* The new token that two tokens make. */
      join(left, right) {
        const a = tokens[left], b = tokens[right];
        return put({ name: run.nameOf(left, right), content: a.content + b.content, text: run.textOf(left, right),
          length: a.length + b.length, characters: a.characters + b.characters, first: a.first || b.first, last: b.last || a.last });
      },
      /* Why a pair cannot become a token at a step, or "". */
      obstacle(left, right, step) {
        const name = run.nameOf(left, right), token = numbers.get(name);
        if (special.includes(name)) return "the result would be a special token";
        return token < size + step ? `token ${inSentence(run.shown(token))} exists already` : "";
      },
      /* Below 0 if the tie rule takes the first of two pairs {left, right, place} that occur equally often. */
      compare(a, b) {
        if (rule.order === "first-seen") return a.place - b.place;
        if (rule.order === "smallest-ids") return a.left - b.left || a.right - b.right;
        const [one, two, other, another] = [a.left, a.right, b.left, b.right].map((token) => tokens[token]);
        if (rule.order === "greatest-texts") return inOrderOf(other.text, one.text) || inOrderOf(another.text, two.text);
        return one.characters + two.characters - other.characters - another.characters
          || inOrderOf(one.text + two.text, other.text + another.text);
      },
    };
    return run;
  }

  /* How many merges the settings ask for. */
  function targetOf({ settings: { merges, vocabSize, special }, nOwn }) {
    if (merges !== null || vocabSize === null) return merges ?? Infinity;
    const least = nOwn + special.length;
    if (vocabSize >= least) return vocabSize - least;
    throw new Error(say("A vocabulary size of {} is too small; ask for at least {}", number(vocabSize), number(least)));
  }

  // --- Training -------------------------------------------------------------------------------------------------------

  /* `train` of the textbook. All words lie in one array. A pair keeps its places, all of which arise in one step; a place
     where it is no longer found is skipped. Pairs are filed by count; of those with the highest one, the tie rule takes one. */
  function makeTrainer(corpus, settings) {
    const counted = corpus instanceof Map ? corpus : countWords(corpus, settings);
    const run = makeRun(settings, alphabetOf(counted, settings)), least = Math.max(1, settings.minFrequency);
    const symbols = [...counted.keys()].map((piece) => run.symbolsOf(piece, true));
    const size = symbols.reduce((sum, one) => sum + one.length, 0);
    const tokens = new Int32Array(size), gaps = new Int32Array(size).fill(NEVER), weights = new Float64Array(size);
    const previous = new Int32Array(size).fill(-1), next = new Int32Array(size).fill(-1); // -1 at the ends of words
    let begin = 0;
    for (const [piece, count] of counted) {
      const own = symbols[run.words.length], end = begin + own.length;
      tokens.set(own, begin);
      weights.fill(count, begin, end);
      for (let place = begin + 1; place < end; place++) {
        previous[place] = place - 1;
        next[place - 1] = place;
      }
      run.words.push({ piece, count, symbols: Int32Array.from(own), gaps: gaps.subarray(begin, end) });
      run.nTokens += own.length * count;
      begin = end;
    }

    const pairs = [], filed = new Map(), touched = new Set(); // pairs[left].get(right); filed.get(count) is a Set
    let nTokens = run.nTokens;
    function change(left, right, by, place) {
      let pair = pairs[left]?.get(right);
      if (!pair) {
        if (by < 0 || !run.mayMerge(left, right)) return;
        pair = { left, right, count: 0, filedAs: 0, places: [], nGone: 0, place };
        (pairs[left] ??= new Map()).set(right, pair);
      }
      pair.count += by;
      if (by > 0) pair.places.push(place);
      touched.add(pair);
    }
    function takeOut(pair) {
      const alike = filed.get(pair.filedAs);
      if (alike?.delete(pair) && !alike.size) filed.delete(pair.filedAs);
    }
    function fileTouched() {
      for (const pair of touched) {
        takeOut(pair);
        pair.filedAs = pair.count;
        if (pair.count && !filed.has(pair.count)) filed.set(pair.count, new Set());
        filed.get(pair.count)?.add(pair);
      }
      touched.clear();
    }
    function drop(pair) {
      pairs[pair.left].delete(pair.right);
      takeOut(pair);
    }
    const isAt = (pair, place) => tokens[place] === pair.left && next[place] >= 0 && tokens[next[place]] === pair.right;
    function best() {
      let highest = 0, found = null;
      for (const count of filed.keys()) highest = Math.max(highest, count);
      if (highest < least) return null;
      for (const pair of filed.get(highest)) {
        while (!isAt(pair, pair.places[pair.nGone])) pair.nGone++;
        pair.place = pair.places[pair.nGone];
        if (!found || run.compare(pair, found) < 0) found = pair;
      }
      return found;
    }
    function merge(pair) {
      const { left, right, count } = pair, tied = filed.get(count).size, rank = run.merges.length;
      const token = run.join(left, right);
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
    next.forEach((second, first) => second >= 0 && change(tokens[first], tokens[second], weights[first], first));
    fileTouched();
    return run;
  }

  const noPair = (least) => least < 2 ? say("no pair is left") : least === 2 ? say("no pair occurs twice") : say("no pair occurs {} times", number(least));

  function openRun(data) {
    const run = makeRun(data.settings, data.alphabet);
    for (const [left, right, count, tied, nTokens] of data.merges) {
      run.merges.push({ left, right, token: run.join(left, right), count, tied, nTokens });
    }
    Object.assign(run, { passed: data.passed, nTokens: data.nTokens });
    const gapsOf = closer(run);
    run.words = data.words.map(([piece, count, gaps]) => { // a word is encoded when it is looked at
      let symbols;
      return {
        piece,
        count,
        get symbols() { return symbols ??= Int32Array.from(run.symbolsOf(piece, true)); },
        get gaps() { return gaps ??= gapsOf(this.symbols); },
      };
    });
    return run;
  }

  // --- Encoding -------------------------------------------------------------------------------------------------------

  /* `gap_ranks` of the textbook: the pair of lowest rank is merged, at all its places, until none is left. */
  function closer(run) {
    const ranks = [];
    run.merges.forEach(({ left, right }, rank) => (ranks[left] ??= new Map()).set(right, rank));
    return (symbols) => {
      const tokens = Int32Array.from(symbols), starts = tokens.map((_, place) => place), stale = -1;
      const gaps = tokens.map(() => NEVER), found = tokens.map(() => stale); // the rank of the pair that begins at each token
      for (let n = tokens.length; ;) {
        let best = NEVER;
        for (let i = 0; i < n; i++) {
          if (found[i] === stale) found[i] = (i + 1 < n ? ranks[tokens[i]]?.get(tokens[i + 1]) : NEVER) ?? NEVER;
          if (found[i] < best) best = found[i];
        }
        if (best === NEVER) return gaps;
        let to = 0;
        for (let i = 0; i < n; i++, to++) {
          const isMerged = found[i] === best;
          tokens[to] = isMerged ? run.merges[best].token : tokens[i];
          found[to] = isMerged ? stale : found[i];
          starts[to] = starts[i];
          if (!isMerged) continue;
          if (to) found[to - 1] = stale;
          gaps[starts[++i]] = best;
        }
        n = to;
      }
    };
  }

  function makeEncoder(run) {
    const { settings } = run;
    let nMerges = -1, word;
    const wordOf = (gapsOf) => (piece) => {
      const symbols = Int32Array.from(run.symbolsOf(piece)), gaps = gapsOf(symbols);
      // In SentencePiece, unknown characters side by side are one token.
      const isFused = (symbol, place) => place && symbol === UNKNOWN && symbols[place - 1] === UNKNOWN;
      if (settings.split === "sentencepiece") symbols.forEach((symbol, i) => isFused(symbol, i) && (gaps[i] = FUSED));
      return { symbols, gaps };
    };
    return {
      encode(text) {
        if (nMerges !== run.merges.length) word = remembered(wordOf(closer(run)));
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

  const times = (count) => count === 1 ? say("once") : say("{} times", number(count));

  function reasonOf(rows, run) {
    if (!rows.length) return run.words.length ? say("No pair is left: every word is a single token") : say("There are no words to count pairs in");
    const next = rows.find((row) => row.mark === "next"), first = next || rows[0];
    const pair = pairName(run.shown(first.left), run.shown(first.right)), count = times(first.count);
    if (!next && first.count < run.settings.minFrequency) return say("Training stops here: {}", noPair(run.settings.minFrequency));
    if (!next) return say("{} occurs {} and is not merged", pair, count);
    if (first.tied > 1) return say("{} pairs occur {}; the tie rule takes {}: {}", number(first.tied), count, say(tables.ties[run.settings.ties].takes), pair);
    const below = rows.find((row) => row.count < first.count);
    if (!below) return say("{} occurs {}, and no other pair is left", pair, count);
    return say("{} occurs {}, {} more than the next pair", pair, count, number(first.count - below.count));
  }

  // --- Sentences, which a table of words may translate ------------------------------------------------------------------

  /* In a sentence from right to left, each value keeps a direction of its own. */
  function say(sentence, ...values) {
    const parts = (translated[sentence] || sentence).split("{}");
    return parts.map((part, k) => k ? (isRightToLeft ? isolated(values[k - 1]) : values[k - 1]) + part : part).join("");
  }
  const counted = (n, thing) => `${number(n)} ${translated[thing] || thing + (n === 1 ? "" : "s")}`;
  const pairName = (left, right) => isRightToLeft ? `${left} + ${right}` : `${inSentence(left)} + ${inSentence(right)}`;

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
      shown += visible([...text]) + (stray.length ? `⟨${stray.map((byte) => hexOf(byte, 2)).join(" ")}⟩` : "");
      text = "", stray = [];
    };
    for (let i = 0; i < bytes.length;) {
      const size = bytes[i] < 0xc0 ? 1 : bytes[i] < 0xe0 ? 2 : bytes[i] < 0xf0 ? 3 : 4;
      try {
        const character = decode(bytes.slice(i, i + size), "strict");
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
    const code = character.codePointAt(0), hex = hexOf(code, 4);
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

  const speech = { say, number, counted, times, pairName, isolated };
  return { normalize, split, countWords, makeTrainer, openRun, candidates, makeEncoder, cut, inSentence, ...speech };
}

if (typeof module !== "undefined") module.exports = { bpeEngine };
