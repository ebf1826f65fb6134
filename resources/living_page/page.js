/* The page around the engine (engine.js): it shows one run at one step, encodes what is typed, and trains other texts.

   What the exporter knows comes as JSON. Text is only ever put in as text, so nothing in it can become markup. */
"use strict";
(() => {
  const { tables, run: data, view, choices, others } = JSON.parse(document.getElementById("data").textContent);
  const engine = bpeEngine(tables), opened = (json) => Object.assign(engine.openRun(json), { json, forced: new Set(json.forced) }), exported = opened(data);
  const by = (id) => document.getElementById(id);
  const { say, number, counted } = engine, isRightToLeft = document.documentElement.dir === "rtl";
  const MOST_TYPED = 200000, MOST_TRAINED = 1000000, SPLIT_MS = 3000, MOST_TREES = 400, MOST_CHIPS = 2000, MOST_LISTED_AT_ONCE = 300, MOST_SYMBOLS = 300, MOST_NAMED = 12, USUAL_WORDS = 60;
  const NEVER = 2 ** 31 - 1, SEPARATOR = " \u00b7 ";

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const tooLong = (length) => say("The text here can have {} characters, and this one has {}: use a part of it.", number(MOST_TYPED), number(length));
  const tooLarge = (size) => say("This text has {} MB, and this page trains on {} MB at most: choose a part of it, or use BPE Studio.", number(size / 1e6, 1), number(MOST_TRAINED / 1e6));
  /* The text of a file; the error of another file is the sentence that says why it has none. */
  async function textOf(file) {
    if (file.size > 4 * MOST_TRAINED) throw new Error(tooLarge(file.size));
    const given = await file.arrayBuffer().then((bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).catch(() => "\0");
    if (given.includes("\0")) throw new Error(say("{} is no text in UTF-8: choose another file.", engine.isolated(file.name)));
    return given;
  }
  const note = (id, said) => { by(id).textContent = said; by(id).hidden = !said; };
  function drawing(tag, values, parent) {
    const made = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
    if (parent) parent.append(made);
    return made;
  }

  // What is shown: a run, a step, a text and the words, each encoded once for all steps.
  let run, encoder, step = 0, text = view.text, encoded, chunks = [], words = [], endsOf, placesOf;
  let timer = 0, writing = 0, shows = { white: false, apart: false }, listed = "merges";
  const nMerges = () => run.merges.length, nAlphabet = () => run.alphabet.length;
  const hasCounts = () => run.words.length > 0 || run.json.nWords > 0;
  let asking = null; // while a question is open: the pair whose count it asks for, or none
  let picked = []; // a token, or the two of a pair, that is marked everywhere
  const isPicked = (...tokens) => tokens.length === picked.length && tokens.every((token, k) => token === picked[k]);

  // Names and colours of tokens; the same name has the same colour as in the program.
  let colours = new Map();
  const nameOf = (token) => run.shown(token), idOf = (token) => run.json.ids ? run.json.ids[token < 0 ? run.json.ids.length - 1 : token] : run.id(token, step);
  function colourOf(token, order) {
    if (token < 0) return -1;
    if (!view.byToken) return order % 6;
    if (!colours.has(token)) colours.set(token, crc32(new TextEncoder().encode(nameOf(token)), view.seed) % 6);
    return colours.get(token);
  }
  function crc32(bytes, seed) {
    let crc = ~seed;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return ~crc >>> 0;
  }

  // Cutting: a gap is open at a step unless a merge before the step closes it.
  const ranksOf = (gaps) => Int32Array.from(gaps).filter((gap) => gap < NEVER).sort();
  function nBelow(ranks, at) {
    let low = 0, high = ranks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranks[middle] < at) low = middle + 1; else high = middle;
    }
    return low;
  }
  function cut({ ids, gaps, heads }, from = 0, to = ids.length, before = -1) {
    // The token of each symbol; of each token its id and colour, whether it was just made, is about to be joined, and is picked.
    // Before is the colour of the token before them, as neighbours never have the same; last is that of the last one.
    const tokenOf = new Int32Array(to - from), tokens = [];
    const isComing = (gap) => gap === step;
    let token = null;
    for (let k = from; k < to; k++) {
      const gap = gaps[k];
      if (token === null || gap >= step) {
        if (token !== null && isComing(gap)) token.coming = true;
        token = { id: ids[k], at: k, rank: -1, made: false, coming: isComing(gap), picked: false };
        tokens.push(token);
      } else if (gap > token.rank) {
        token.rank = gap;
        token.id = nAlphabet() + gap;
        token.made = gap === step - 1;
      }
      tokenOf[k - from] = tokens.length - 1;
    }
    if (token !== null && to < ids.length && isComing(gaps[to])) token.coming = true;
    if (picked.length) tokens.forEach((one, k) => {
      const other = tokens[k + 1];
      if (isPicked(one.id)) one.picked = true;
      else if (other && isPicked(one.id, other.id) && !(heads && heads[other.at])) one.picked = other.picked = true;
    });
    let last = before;
    tokens.forEach((one, order) => {
      const own = colourOf(one.id, order);
      last = one.colour = own === last && own >= 0 ? (own + 1) % 6 : own;
    });
    return { tokenOf, tokens, last };
  }

  // The text: a node for each line, and in it one for each chunk. A chunk ends with the line, or where no merge ever joins.
  // Only chunks that change are laid out again, and only those in sight have their tokens drawn: a line may be long.
  const LEAST_CHUNK = 100, MOST_DRAWN_AT_ONCE = 30;
  // A grapheme always ends before these; Intl.Segmenter would need too long for a whole text at each key.
  const SURE = " -~\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff", BORDER = new RegExp(`[${SURE}]`), SECTION = new RegExp(`[^][^${SURE}]*`, "g");
  const segmenter = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
  const graphemes = (of) => segmenter ? Array.from(segmenter.segment(of), (each) => each.segment) : of.match(/\r\n|\P{M}[\p{M}\u200d\ufe0f]*|\p{M}+/gsu) || [];

  /* Where in a piece each of its symbols ends, in UTF-16 units; bytes share their character. */
  function endsIn(piece, hasWordStart) {
    const { units, byteFallback, split, wordEndAs } = run.settings, ends = [];
    let at = 0;
    for (const character of piece) {
      const code = character.codePointAt(0), isStray = code >= 0xdc80 && code < 0xdd00;
      const nBytes = code < 0x80 || isStray ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      const n = units === "bytes" ? nBytes : byteFallback ? run.symbolsOf(character).length : 1;
      const width = split === "sentencepiece" && !hasWordStart && !ends.length ? 0 : character.length;
      for (let k = 1; k <= n; k++) ends.push(at + width * k / n);
      at += width;
    }
    if (wordEndAs === "own-symbol") ends.push(at);
    return ends;
  }
  function encode(of) {
    const pieces = encoder.encode(of), placeOf = placesInText(of), n = pieces.reduce((sum, { symbols }) => sum + symbols.length, 0);
    const ids = new Int32Array(n), gaps = new Int32Array(n), starts = new Float64Array(n), ends = new Float64Array(n), heads = new Uint8Array(n);
    let from = 0;
    for (const word of pieces) {
      word.from = from;
      ids.set(word.symbols, from);
      gaps.set(word.gaps, from);
      heads[from] = 1;
      if (!endsOf.has(word.piece)) endsOf.set(word.piece, endsIn(word.piece, false));
      let at = word.start;
      for (const end of endsOf.get(word.piece)) {
        starts[from] = placeOf(at);
        ends[from++] = placeOf(at = word.start + end);
      }
    }
    return { ids, gaps, starts, ends, heads, pieces };
  }
  /* Places of a normalized text in the typed one: a grapheme is normalized by itself, or nothing is in its place. */
  function placesInText(of) {
    const normalized = engine.normalize(of, run.settings);
    if (normalized === of) return (place) => place;
    const places = [];
    let at = 0, whole = "";
    for (const section of of.match(SECTION) || []) {
      if (!placesOf.has(section)) placesOf.set(section, placesInSection(section));
      const [own, inSection] = placesOf.get(section);
      for (const place of inSection) places.push(at + place);
      whole += own;
      at += section.length;
    }
    places.push(at);
    if (whole !== normalized) return () => of.length;
    return (place) => {
      const low = Math.min(Math.floor(place + 1e-9), places.length - 1), high = Math.min(low + 1, places.length - 1);
      return places[low] + (places[high] - places[low]) * Math.max(0, place - low);
    };
  }
  function placesInSection(section) {
    const places = [];
    let at = 0, whole = "";
    for (const grapheme of graphemes(section)) {
      const own = engine.normalize(grapheme, run.settings);
      for (let k = 0; k < own.length; k++) places.push(at + grapheme.length * k / own.length);
      whole += own;
      at += grapheme.length;
    }
    return [whole, places];
  }

  /* A part of the text, in parts [length, symbol, share, symbol, share ...]: a grapheme is never divided, and shares add up to 1. */
  function layOut(begin, end, from, to) {
    const { starts, ends } = encoded, ids = encoded.ids.slice(from, to), gaps = encoded.gaps.slice(from, to), heads = encoded.heads.slice(from, to), runs = [];
    let at = begin, k = from;
    for (const grapheme of graphemes(text.slice(begin, end))) {
      const behind = at + grapheme.length, sharing = [], last = runs[runs.length - 1];
      while (k < to && ends[k] <= at) k++;
      for (let m = k; m < to && starts[m] < behind; m++) {
        const share = (Math.min(ends[m], behind) - Math.max(starts[m], at)) / grapheme.length;
        if (share > 0) sharing.push(m - from, share);
      }
      if (sharing.length === 2 && last && last.length === 3 && last[1] === sharing[0]) last[0] += grapheme.length;
      else runs.push([grapheme.length, ...sharing]);
      at = behind;
    }
    const node = element("span");
    return node.chunk = { text: text.slice(begin, end), ids, gaps, heads, ranks: ranksOf(gaps), runs, node, isSeen: false, last: -1 };
  }
  const isBorder = (k) => encoded.gaps[k] === NEVER && encoded.ends[k - 1] <= encoded.starts[k] && BORDER.test(text[encoded.starts[k]] || "");
  function* chunksBetween(begin, end, from) {
    const { gaps, starts } = encoded;
    while (begin < end) {
      let to = from, behind = Math.min(text.indexOf("\n", begin) + 1 || end, end);
      // What marks the end of the last word has no width.
      while (to < gaps.length && (starts[to] < behind || behind === text.length) && !(starts[to] >= begin + LEAST_CHUNK && isBorder(to))) to++;
      if (starts[to] < behind) behind = starts[to];
      yield layOut(begin, behind, from, to);
      begin = behind;
      from = to;
    }
  }

  /* A worker with the engine in it: a page that is a file can make one only from a Blob. */
  function engineWorker(program) {
    const source = by("engine-script").textContent + "\n;" + program;
    return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  const tooSlow = () => say("The regular expression of the split needs more than {} seconds for this text: change one of them.", number(SPLIT_MS / 1000));
  // A run's own expression may take for ever, and only a worker can be stopped: it splits what is typed first.
  let splitter = null, splitting = 0;
  function splitInTime(done) {
    if (!run.settings.ownPattern) { done(); return; }
    try {
      splitter = splitter || engineWorker("onmessage = ({ data: [tables, settings, text] }) => { bpeEngine(tables).countWords(text, settings); postMessage(text); };");
    } catch { done(); return; }
    splitter.onerror = done;
    splitter.onmessage = ({ data }) => {
      if (data !== typed.value) return;
      clearTimeout(splitting);
      done();
    };
    splitter.postMessage([tables, run.settings, typed.value]);
    clearTimeout(splitting);
    splitting = setTimeout(() => {
      splitter.terminate();
      splitter = null;
      typed.value = text;
      note("text-note", tooSlow());
    }, SPLIT_MS);
  }

  function setText(to) {
    text = to;
    encoded = encode(text);
    // Chunks before and after the change are kept.
    const { ids, gaps } = encoded, n = chunks.length;
    const isSame = (chunk, place, from) => text.startsWith(chunk.text, place) && chunk.ids.every((id, k) => id === ids[from + k] && chunk.gaps[k] === gaps[from + k]);
    let first = 0, last = 0, begin = 0, from = 0, end = text.length, behind = ids.length;
    for (; first < n && isSame(chunks[first], begin, from); first++) {
      const place = begin + chunks[first].text.length, next = from + chunks[first].ids.length;
      if (place < text.length && text[place - 1] !== "\n" && !(encoded.starts[next] === place && isBorder(next))) break;
      begin = place;
      from = next;
    }
    for (; last < n - first; last++) {
      const { text: { length }, ids: own } = chunks[n - 1 - last];
      if (end - length < begin || behind - own.length < from || !isSame(chunks[n - 1 - last], end - length, behind - own.length)) break;
      end -= length;
      behind -= own.length;
    }
    const made = [...chunksBetween(begin, end, from)];
    for (const { node } of chunks.splice(first, n - first - last, ...made)) {
      inSight.unobserve(node);
      detach(node);
    }
    putInLines();
    for (const chunk of made) {
      chunk.isSeen = made.length <= MOST_DRAWN_AT_ONCE;
      drawChunk(chunk);
    }
    if (chunks[first + made.length]) drawChunk(chunks[first + made.length]); // its neighbour may be another one
    for (const { node } of made) inSight.observe(node);
    drawTokens();
    nameUnknown();
    layTrees();
  }
  function nameUnknown() {
    const { ids, starts, ends } = encoded, found = new Set();
    for (let k = 0; k < ids.length && found.size <= MOST_NAMED; k++) if (ids[k] < 0) found.add(visible(text.slice(starts[k], ends[k])));
    const named = [...found].slice(0, MOST_NAMED).map(engine.isolated).join(", ") + (found.size > MOST_NAMED ? ", \u2026" : "");
    note("unknown", found.size ? say("This run does not know {}.", named) : "");
  }
  const inSight = new IntersectionObserver((entries) => {
    for (const { target: { chunk }, isIntersecting } of entries) {
      if (chunk.isSeen === isIntersecting) continue;
      chunk.isSeen = isIntersecting;
      drawChunk(chunk);
    }
  }, { root: by("editor"), rootMargin: "50%" });
  function detach(node, line = node.parentNode) {
    node.remove();
    if (line && !line.firstChild) line.remove();
  }
  function putInLines() {
    const parent = by("text"), newLine = (behind) => parent.insertBefore(element("div"), behind);
    let line = parent.firstChild || newLine(null), next = line.firstChild;
    for (const { node, text } of chunks) {
      if (node === next) next = node.nextSibling;
      else {
        if (node.parentNode) detach(node);
        line.insertBefore(node, next);
      }
      if (!text.endsWith("\n")) continue;
      const rest = line.nextSibling;
      line = next || !rest ? newLine(rest) : rest;
      for (let moved = next; moved; moved = next) {
        next = moved.nextSibling;
        line.append(moved);
      }
      next = line.firstChild;
    }
    while (line.nextSibling) line.nextSibling.remove();
  }

  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g, STRAY = /\p{Surrogate}/gu;
  const visible = (of) => of.replace(STRAY, "\ufffd")
    .replace(CONTROL, (found) => found === "\u007f" ? "\u2421" : found === "\r" ? found : String.fromCharCode(0x2400 + found.charCodeAt(0)));
  function fill(parent, of) {
    if (!shows.white) { parent.append(visible(of)); return; }
    for (const part of visible(of).split(/([ \t\n])/)) {
      if (part === "\n") parent.append(element("i", "break"), part);
      else if (part === " " || part === "\t") parent.append(element("i", part === "\t" ? "w tab" : "w", part));
      else parent.append(part);
    }
  }
  // WebKit shapes each element by itself, so that letters of one word would not join across tokens without a joiner.
  const JOINER = /Apple/.test(navigator.vendor) ? "\u200d" : "";
  const JOINS_NEXT = /[\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1]\p{M}*$/u;
  const JOINS_LAST = /^[\u0620\u0622-\u063f\u0641-\u064a\u066e-\u0673\u0675-\u06d3]/;
  function joined(of, from, to) {
    const joinerAt = (place) => JOINER && JOINS_NEXT.test(of.slice(0, place)) && JOINS_LAST.test(of.slice(place)) ? JOINER : "";
    return joinerAt(from) + of.slice(from, to) + joinerAt(to);
  }
  function classes(token, kind) {
    return [kind, token.id < 0 ? "u" : "c" + token.colour, token.coming && "coming", token.made && "made", token.picked && "picked"].filter(Boolean).join(" ");
  }
  function drawChunk(chunk) {
    if (!chunk.isSeen) {
      chunk.node.textContent = visible(chunk.text);
      chunk.last = -1;
      return;
    }
    const before = neighbour(chunk.node, "previousSibling", "lastChild"), behind = neighbour(chunk.node, "nextSibling", "firstChild");
    const { tokenOf, tokens, last } = cut(chunk, 0, chunk.ids.length, before ? before.last : -1);
    const shown = document.createDocumentFragment();
    let at = 0, begin = 0, open = -1;
    const finish = () => {
      if (open >= 0 && at > begin) {
        const span = element("span", classes(tokens[open], "t"));
        fill(span, joined(chunk.text, begin, at));
        shown.append(span);
      } else if (at > begin) fill(shown, chunk.text.slice(begin, at));
      begin = at;
    };
    for (const [length, ...sharing] of chunk.runs) {
      const orders = [];
      for (let m = 0; m < sharing.length; m += 2) orders.push([tokenOf[sharing[m]], sharing[m + 1]]);
      if (orders.every(([order]) => order === orders[0][0])) {
        const order = orders.length ? orders[0][0] : -1;
        if (order !== open) { finish(); open = order; }
      } else {
        finish();
        open = -1;
        shown.append(striped(joined(chunk.text, at, at + length), orders, tokens));
        begin += length;
      }
      at += length;
    }
    finish();
    chunk.node.replaceChildren(shown);
    if (last === chunk.last) return;
    chunk.last = last;
    if (behind && behind.isSeen) drawChunk(behind);
  }
  /* The chunk beside one, which may be at the end of the next line. */
  function neighbour(node, sibling, end) {
    const line = node.parentNode && node.parentNode[sibling], found = node[sibling] || (line && line[end]);
    return found ? found.chunk : null;
  }
  function striped(part, orders, tokens) {
    // One grapheme of several tokens: a stripe for each, as wide as its share of the bytes.
    const span = element("span", "t part"), bands = [];
    let share = 0;
    for (const [order, own] of orders) {
      const token = tokens[order], colour = token.id < 0 ? "var(--line)" : "var(--t" + token.colour + ")";
      bands.push(colour + " " + (100 * share).toFixed(1) + "% " + (100 * (share + own)).toFixed(1) + "%");
      share += own;
      if (token.coming) span.classList.add("coming");
      if (token.made) span.classList.add("made");
      if (token.picked) span.classList.add("picked");
    }
    span.style.backgroundImage = "linear-gradient(to " + (runsLeft(part) ? "left" : "right") + ", " + bands.join(", ") + ")";
    fill(span, part);
    return span;
  }
  const runsLeft = (of) => /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(of);

  function chip(token) {
    const made = element("bdi", classes(token, "chip t"), nameOf(token.id));
    made.dir = "auto";
    return made;
  }
  let listing = 0;
  const chipOf = (id, order) => chip({ id, colour: colourOf(id, order), made: false, coming: false });
  function drawTokens() {
    const n = chunks.reduce((sum, { ids, ranks }) => sum + ids.length - nBelow(ranks, step), 0);
    by("text-tokens").textContent = text ? counted(n, "token") + SEPARATOR + counted([...text].length, "character") : "";
    by("tokens").hidden = !shows.apart || !text;
    document.dispatchEvent(new Event("drawn"));
    clearTimeout(listing);
    if (by("tokens").hidden) return n;
    // A long list waits until a key or the slider rests.
    if (n > MOST_LISTED_AT_ONCE) listing = setTimeout(listTokens, 200); else listTokens();
    return n;
  }
  function listTokens() {
    const { tokens } = cut(encoded), nodes = tokens.slice(0, MOST_CHIPS).map((token) => {
      const node = element("span", "token");
      node.setAttribute("role", "listitem");
      node.append(chip(token), element("span", "quiet num", String(idOf(token.id) ?? "")));
      return node;
    });
    by("tokens").replaceChildren(...nodes, tokens.length > MOST_CHIPS ? "\u2026" : "");
  }

  // The words.
  function layWords() {
    words = [];
    for (const { piece, count, symbols, gaps } of [...run.words].sort((a, b) => b.count - a.count)) {
      if (words.length >= (run === exported ? view.words : USUAL_WORDS)) break;
      const ranks = ranksOf(gaps);
      const node = element("div", "word"), cutting = element("bdi");
      node.setAttribute("role", "listitem");
      // Tokens are isolated from one another, so that "auto" would find no letter in them that has a direction.
      cutting.dir = runsLeft(piece) ? "rtl" : "ltr";
      node.append(element("span", "num", number(count)), cutting);
      words.push({ ids: symbols.slice(0, MOST_SYMBOLS), gaps: gaps.slice(0, MOST_SYMBOLS), isLong: symbols.length > MOST_SYMBOLS, ranks, node, cutting });
    }
    by("words").replaceChildren(...words.map((word) => word.node));
    by("words-part").hidden = words.length === 0;
    by("words-about").textContent = say("the most frequent, with their counts");
  }
  function drawWord(word) {
    word.cutting.replaceChildren(...cut(word).tokens.map(chip), word.isLong ? "\u2026" : "");
  }

  // The skyline: each word of the text with its tree; the letters are laid out first, then measured.
  const HEIGHT = 100, FOOT = 14;
  let trees = [];
  const heightOf = (rank) => FOOT + (HEIGHT - FOOT) * Math.min(1, Math.log1p(Math.max(0, rank)) / Math.log1p(Math.max(1, nMerges()) - 0.5));
  function layTrees() {
    let n = 0;
    const pieces = encoded.pieces.filter(({ symbols }) => (n += symbols.length) <= MOST_TREES);
    by("skyline-part").hidden = pieces.length === 0;
    if (pieces.length === trees.length && pieces.every(({ piece }, k) => piece === trees[k].piece)) return;
    trees = [];
    for (const { piece, from, symbols } of pieces) {
      const node = element("div"), letters = element("div", "letters", visible(piece).replace(/ /g, "\u2423").replace(/\n/g, "\u23ce").replace(/\t/g, "\u21e5"));
      letters.dir = runsLeft(piece) ? "rtl" : "ltr";
      const picture = drawing("svg", {}, node);
      node.append(letters);
      trees.push({ piece, from, to: from + symbols.length, letters, picture, node });
    }
    // A row for each line of the text, in its direction.
    const rows = [element("div", "trees")];
    for (const tree of trees) {
      const row = rows[rows.length - 1];
      if (!row.dir && /\p{L}/u.test(tree.piece)) row.dir = tree.letters.dir;
      row.append(tree.node);
      if (tree.piece.includes("\n")) rows.push(element("div", "trees"));
    }
    by("skyline").replaceChildren(...rows);
    trees.forEach(measure);
    drawTrees();
  }
  function measure(tree) {
    // Where each symbol begins and ends; those that share a character divide it.
    const box = tree.letters.getBoundingClientRect(), range = document.createRange(), node = tree.letters.firstChild;
    const ends = endsIn(tree.piece, true), isLeft = tree.letters.dir === "rtl";
    let at = 0;
    tree.width = box.width;
    tree.spans = [];
    for (let k = tree.from; k < tree.to; k++) {
      const end = ends[k - tree.from] ?? at, own = end - at;
      const low = Math.min(node.length - 1, Math.floor(at + 1e-9)), high = Math.min(node.length, Math.max(low + 1, Math.ceil(end - 1e-9)));
      range.setStart(node, own ? low : node.length);
      range.setEnd(node, own ? high : node.length);
      const place = range.getBoundingClientRect(), x = place.left - box.left;
      const a = (at - low) / (high - low), b = own ? (end - low) / (high - low) : a;
      tree.spans.push(isLeft ? [x + place.width * (1 - b), x + place.width * (1 - a)] : [x + place.width * a, x + place.width * b]);
      at = end;
    }
  }
  function drawTrees() {
    const at = step, end = trees.length ? trees[trees.length - 1].to : 0, whole = cut(encoded, 0, end);
    for (const tree of trees) {
      const { tokenOf, tokens } = cut(encoded, tree.from, tree.to);
      const nodes = tree.spans.map(([x, end]) => ({ x: (x + end) / 2, y: 0 })), group = nodes.map((_, k) => k);
      const rootOf = (k) => { while (group[k] !== k) k = group[k]; return k; };
      const gaps = [];
      for (let k = 1; k < nodes.length; k++) if (encoded.gaps[tree.from + k] < NEVER) gaps.push([encoded.gaps[tree.from + k], k]);
      gaps.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      let solid = "", faint = "", fresh = "";
      const tops = new Map();
      for (const [rank, k] of gaps) {
        const a = nodes[rootOf(k - 1)], b = nodes[rootOf(k)], y = heightOf(rank);
        const path = `M${a.x} ${HEIGHT - a.y}V${HEIGHT - y}H${b.x}V${HEIGHT - b.y}`;
        if (rank < at) {
          if (rank === at - 1) fresh += path; else solid += path;
          tops.set(tokenOf[k], y);
        } else faint += path;
        group[rootOf(k)] = rootOf(k - 1);
        Object.assign(nodes[rootOf(k)], { x: (a.x + b.x) / 2, y });
      }
      tree.picture.replaceChildren();
      tree.picture.setAttribute("viewBox", `0 0 ${Math.max(1, tree.width)} ${HEIGHT}`);
      tree.picture.setAttribute("preserveAspectRatio", "none");
      tokens.forEach((token, order) => {
        const own = tree.spans.filter((_, k) => tokenOf[k] === order), x = Math.min(...own.map((span) => span[0]));
        const y = tops.get(order) || 0, width = Math.max(0, Math.max(...own.map((span) => span[1])) - x);
        drawing("rect", { x, y: HEIGHT - y - 3, width, height: y + 3, fill: token.id < 0 ? "var(--line)" : `var(--t${whole.tokens[whole.tokenOf[token.at]].colour})` }, tree.picture);
      });
      if (faint && !asking) drawing("path", { d: faint, class: "tree later", "vector-effect": "non-scaling-stroke" }, tree.picture);
      if (solid) drawing("path", { d: solid, class: "tree", "vector-effect": "non-scaling-stroke" }, tree.picture);
      if (fresh) drawing("path", { d: fresh, class: "tree fresh", "vector-effect": "non-scaling-stroke" }, tree.picture);
      const y = at ? HEIGHT - (heightOf(at - 1) + heightOf(at)) / 2 : HEIGHT - FOOT / 2;
      drawing("path", { d: `M-7 ${y}H${tree.width + 7}`, class: "now", "vector-effect": "non-scaling-stroke" }, tree.picture);
    }
  }

  /* The skyline as a picture that stands alone, in the colours of the page. */
  function skylinePicture() {
    const style = getComputedStyle(document.documentElement), LETTERS = 34, MARGIN = 12, colour = (name) => style.getPropertyValue("--" + name).trim();
    const sheet = by("skyline").getBoundingClientRect(), { namespaceURI } = document.querySelector("svg");
    const whole = drawing("svg", { xmlns: namespaceURI, "font-family": "sans-serif", "font-size": 20 }, null);
    const ground = drawing("rect", { width: "100%", height: "100%", fill: colour("sheet") }, whole);
    let width = 0, height = 0;
    for (const { picture, letters } of trees) {
      const own = picture.getBoundingClientRect(), below = letters.getBoundingClientRect(), x = own.left - sheet.left + MARGIN, y = own.top - sheet.top + MARGIN;
      const part = drawing("svg", { x, y, width: own.width, height: own.height, viewBox: picture.getAttribute("viewBox"), preserveAspectRatio: "none", overflow: "visible" }, whole);
      for (const node of picture.children) {
        const copy = node.cloneNode(), kind = node.classList.contains("now") ? "accent" : node.classList.contains("later") ? "line" : "ink";
        if (node.tagName === "path") for (const [name, value] of [["fill", "none"], ["stroke", colour(kind)], ["stroke-width", 2]]) copy.setAttribute(name, value);
        else copy.setAttribute("fill", colour(node.getAttribute("fill").slice(6, -1)));
        copy.removeAttribute("class");
        part.append(copy);
      }
      const word = drawing("text", { x: x + below.width / 2, y: y + own.height + LETTERS * 0.75, "text-anchor": "middle", fill: colour("ink"), textLength: below.width - 10, lengthAdjust: "spacingAndGlyphs" }, whole);
      word.textContent = letters.textContent;
      width = Math.max(width, x + own.width + MARGIN);
      height = Math.max(height, y + own.height + LETTERS + MARGIN);
    }
    for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) whole.setAttribute(name, value);
    ground.setAttribute("width", width);
    return new XMLSerializer().serializeToString(whole);
  }
  function saveFile(content, name, type) {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // The merges before and behind the step, and what else could be merged.
  function whatDecided(rank, sentence = "decided by {}") {
    if (!hasCounts()) return say("it came with the tokenizer: its counts are not known");
    const { tied } = run.merges[rank];
    const usual = tied > 1 ? ["a tie of {} pairs: the tie rule takes {}", tables.ties[run.settings.ties].takes] : ["the count: no other pair occurred as often", ""];
    const [what, rule] = run.json.whys ? run.json.whys[run.json.why[rank]] : usual;
    return say(sentence, say(what, number(tied), say(rule)));
  }
  /* Two tokens, and the one that they make, if it is given; they follow each other in the direction of their letters. */
  function pairOf(node, tokens, shown) {
    const isLeft = isRightToLeft && tokens.some((token) => runsLeft(nameOf(token))), signs = ["", " + ", isLeft ? " \u2190 " : " \u2192 "];
    node.dir = isLeft ? "rtl" : "ltr";
    tokens.forEach((token, k) => node.append(...(k ? [element("span", "sign", signs[k])] : []), shown(token, k)));
    return node;
  }
  function drawMerge(node, rank, none) {
    node.replaceChildren();
    if (!run.merges[rank]) { node.append(element("p", "quiet", none)); return; }
    const { left, right, token, count } = run.merges[rank], about = [say("merge {}", number(rank + 1))];
    if (hasCounts()) about.push(say("occurred {}", counted(count, "time")));
    node.append(pairOf(element("div", "pair"), [left, right, token], (each, k) => chipOf(each, k === 2 ? 3 : k)));
    node.append(element("div", "quiet num", [...about, whatDecided(rank)].join(SEPARATOR)));
  }
  function drawCandidates() {
    by("candidates-part").hidden = by("game").hidden = run.words.length === 0;
    if (by("candidates-part").hidden) return;
    const { rows, reason } = engine.candidates(run, step, 8), isPart = run.json.nWords > run.words.length;
    by("reason").textContent = run.json.whys && step < nMerges() ? whatDecided(step, "Decided by {}") : reason;
    by("candidates-about").textContent = isPart ? say("counted in the most frequent {} of {} words", number(run.words.length), number(run.json.nWords)) : "";
    by("candidates").replaceChildren(...rows.map((row) => {
      const node = element("tr", [row.mark === "next" && !asking && "next", isPicked(row.left, row.right) && "picked"].filter(Boolean).join(" ")), pair = element("td");
      pair.append(pairOf(element("bdi"), [row.left, row.right], chipOf));
      const isAsked = asking && asking[0] === row.left && asking[1] === row.right;
      node.append(pair, element("td", isAsked ? "num veiled" : "num", number(row.count)), element("td", asking ? "veiled" : "", say(row.mark)));
      return node;
    }));
  }

  // Growth: tokens in the corpus at each step.
  const tokensAt = (at) => at ? run.merges[at - 1].nTokens : run.nTokens;
  function drawGrowth() {
    by("growth-part").hidden = !hasCounts() || !nMerges();
    if (by("growth-part").hidden) return;
    const n = nMerges(), most = tokensAt(0), points = [];
    for (let k = 0; k <= 300; k++) {
      const at = Math.round(k * n / 300);
      points.push((100 * at / n).toFixed(2) + "," + (100 - 100 * tokensAt(at) / most).toFixed(2));
    }
    const picture = drawing("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": say("Tokens in the corpus: {} at first, {} after all merges", number(most), number(tokensAt(n))) }, null);
    drawing("path", { d: "M0 0V100H100", class: "tree later", "vector-effect": "non-scaling-stroke" }, picture);
    drawing("polyline", { points: points.join(" "), class: "curve" }, picture);
    const x = 100 * step / n;
    drawing("path", { d: `M${x} 0V100`, class: "now", "vector-effect": "non-scaling-stroke" }, picture);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      move(Math.round(n * (event.clientX - box.left) / box.width));
    });
    by("growth").replaceChildren(element("div", "quiet num", counted(most, "token")), picture, element("div", "quiet num", say("0 to {}; now {}", counted(n, "merge"), counted(tokensAt(step), "token"))));
  }

  // The list of merges, or of the vocabulary: only the rows in sight are there, for there may be thousands.
  const list = by("list"), rows = by("rows");
  let entries = [];
  const rowHeight = () => 2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  function fillList() {
    const wanted = by("filter").value, fits = (...tokens) => !wanted || tokens.some((token) => nameOf(token).includes(wanted.replace(/ /g, "\u2423")));
    entries = [];
    if (listed === "merges") {
      for (let k = 0; k < (asking ? step : nMerges()); k++) if (fits(nAlphabet() + k, run.merges[k].left, run.merges[k].right)) entries.push(k);
    } else for (let token = 0; token < nAlphabet() + step; token++) if (fits(token)) entries.push(token);
    const isMerges = listed === "merges", what = isMerges ? counted(entries.length, "merge") : counted(entries.length, "token");
    const about = !isMerges ? say("{} at this step, with their ids and merges", what) : hasCounts() ? say("{} with their counts; = a tie, ! forced", what) : what;
    by("list-about").textContent = about;
    list.setAttribute("aria-label", isMerges ? say("Merges; the current one is chosen") : say("Vocabulary at this step"));
  }
  function rowOf(entry) {
    const what = element("span"), bdi = (token) => element("bdi", "", nameOf(token));
    const rank = listed === "merges" ? entry : entry - nAlphabet(), { left, right } = run.merges[rank] || {};
    if (listed === "merges") what.append(pairOf(element("bdi"), [left, right, nAlphabet() + rank], bdi));
    else what.append(bdi(entry));
    const row = element("div", listed === "merges" && rank >= step ? "row later" : "row");
    if (listed === "merges" ? isPicked(left, right) || isPicked(nAlphabet() + rank) : isPicked(entry)) row.classList.add("picked");
    const mark = rank < 0 || listed !== "merges" ? "" : run.forced.has(rank) ? " !" : run.merges[rank].tied > 1 ? " =" : "";
    const end = listed === "merges" ? (hasCounts() ? number(run.merges[rank].count) + mark : "") : rank < 0 ? "" : say("merge {}", number(rank + 1));
    row.append(element("span", "num", listed === "merges" ? number(rank + 1) : String(idOf(entry))), what, element("span", "num", end));
    if (rank >= 0) {
      row.title = whatDecided(rank);
      row.dataset.step = rank + 1;
    }
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", rank >= 0 && rank + 1 === step ? "true" : "false");
    return row;
  }
  function drawRows() {
    const height = rowHeight(), shown = document.createDocumentFragment();
    rows.style.height = entries.length * height + "px";
    const from = Math.max(0, Math.floor(list.scrollTop / height) - 4), to = Math.min(entries.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 4);
    list.removeAttribute("aria-activedescendant");
    for (let k = from; k < to; k++) {
      const row = rowOf(entries[k]);
      row.id = "row-" + k;
      row.style.top = k * height + "px";
      row.setAttribute("aria-setsize", entries.length);
      row.setAttribute("aria-posinset", k + 1);
      if (row.getAttribute("aria-selected") === "true") list.setAttribute("aria-activedescendant", row.id);
      shown.append(row);
    }
    rows.replaceChildren(shown);
  }
  function showRow() {
    const wanted = listed === "merges" ? step - 1 : nAlphabet() + step - 1;
    const at = entries.indexOf(wanted), height = rowHeight(), top = at * height;
    rows.style.height = entries.length * height + "px";
    if (at >= 0 && (top < list.scrollTop || top + 2 * height > list.scrollTop + list.clientHeight)) list.scrollTop = Math.max(0, top - list.clientHeight / 2);
    drawRows();
  }

  const LATER = ["coming-part", "candidates-part", "growth-part"]; // what is hidden until an answer, besides what is not drawn
  function setAsking(pair, open = null) {
    asking = pair;
    // Counts may be read where the question points to them.
    for (const id of LATER) by(id).classList.toggle("covered", asking !== null && by(id) !== open);
    document.body.classList.toggle("asking", asking !== null);
    fillList();
    showRow();
    drawTrees();
    drawCandidates();
  }

  function drawSettings() {
    const { settings } = run, { labels, options } = choices, rows = [];
    for (const name of Object.keys(options)) rows.push([name, options[name][settings[name]] ? say(options[name][settings[name]][0]) : settings[name].replace("regex:", "")]);
    const target = settings.merges === null ? "vocabSize" : "merges";
    if (settings[target] !== null) rows.push([target, number(settings[target])]);
    rows.push(["minFrequency", number(settings.minFrequency)]);
    if (settings.special.length) rows.push(["special", settings.special.join(" ")]);
    by("settings").replaceChildren(...rows.flatMap(([name, value]) => [element("dt", "quiet", say(labels[name])), element("dd", "", engine.isolated(value))]));
  }

  // A step.
  let resting = 0;
  function draw(was) {
    const last = nMerges();
    // What a merge between the neighbours of the two steps touches is drawn again; the rest looks the same.
    const low = Math.min(step, was) - 1, high = Math.max(step, was) + 1;
    const isTouched = (ranks) => was < 0 || nBelow(ranks, high) > nBelow(ranks, low);
    document.body.classList.toggle("moves", was >= 0 && step === was + 1);
    for (const chunk of chunks) if (chunk.isSeen && isTouched(chunk.ranks)) drawChunk(chunk);
    for (const word of words) if (isTouched(word.ranks)) drawWord(word);
    const where = say("Step {} of {}", number(step), number(last));
    by("step").textContent = where;
    const sizes = [say("vocabulary {}", number((run.json.vocabSize ?? run.settings.special.length + run.nOwn) + step))];
    by("sizes").textContent = [...sizes, ...(hasCounts() ? [say("corpus {}", counted(tokensAt(step), "token"))] : [])].join(SEPARATOR);
    const nText = drawTokens();
    drawMerge(by("made"), step - 1, say("Nothing yet: each symbol is a token."));
    drawMerge(by("coming"), step, say("The run ends here."));
    drawTrees();
    by("slider").max = last;
    by("slider").value = step;
    by("slider").setAttribute("aria-valuetext", where);
    for (const id of ["to-first", "back"]) by(id).disabled = step === 0;
    for (const id of ["next", "to-last"]) by(id).disabled = step === last;
    // What has the focus says its own value.
    const focused = document.activeElement, made = run.merges[step - 1], news = focused === by("slider") || focused === list ? [] : [where];
    if (made && focused !== list) news.push(say("{} + {} make {}", nameOf(made.left), nameOf(made.right), nameOf(made.token)));
    if (text) news.push(say("the text has {}", counted(nText, "token")));
    by("said").textContent = news.join("; ");
    document.documentElement.dataset.step = step;
    drawGrowth();
    if (listed === "vocabulary" || asking) fillList();
    showRow();
    // Counting all pairs takes longer than a frame, so it waits until the slider rests.
    clearTimeout(resting);
    resting = setTimeout(drawCandidates, 60);
  }
  const within = (wanted) => Math.max(0, Math.min(nMerges(), wanted || 0));
  function go(to, isOfAddress = false) {
    const was = step;
    step = within(to);
    if (step === was) return;
    draw(was);
    if (isOfAddress) return;
    // At rest, as browsers let a page change its address only so often.
    clearTimeout(writing);
    writing = setTimeout(() => {
      const others = location.hash.slice(1).split("&").filter((part) => part && !part.startsWith("step="));
      try { history.replaceState(null, "", "#" + [...others, "step=" + step].join("&")); } catch { /* a page inside another may have none */ }
    }, 300);
  }
  const ofAddress = (name) => (new RegExp("[#&]" + name + "=([^&]*)").exec(location.hash) || [])[1];
  /* What the address says that cannot be shown is said. */
  function stepOfAddress(usual) {
    const wanted = ofAddress("step");
    if (wanted === undefined) return usual;
    if (!/^\d{1,15}$/.test(wanted) || Number(wanted) > nMerges()) note("text-note", say("The address asks for step {}, and this run has the steps 0 to {}.", engine.isolated(wanted.slice(0, 20)), number(nMerges())));
    return /^\d{1,15}$/.test(wanted) ? within(Number(wanted)) : usual;
  }
  function textOfAddress() {
    const wanted = ofAddress("text");
    if (wanted === undefined) return null;
    try {
      const given = wanted.length > 9 * MOST_TYPED ? wanted : decodeURIComponent(wanted);
      if (given.length <= MOST_TYPED) return given;
      note("text-note", tooLong(given.length));
    } catch { note("text-note", say("The text in the address cannot be read: write % as %25.")); }
    return null;
  }
  function openAddress() {
    note("text-note", "");
    const given = textOfAddress(), at = stepOfAddress(step);
    if (given !== null) {
      typed.value = given;
      splitInTime(() => setText(given));
    }
    go(at, true);
  }
  function play(isOn) {
    clearTimeout(timer);
    timer = 0;
    document.body.classList.remove("lights");
    if (isOn && step === nMerges()) go(0);
    by("play").classList.toggle("playing", isOn);
    by("play").setAttribute("aria-label", isOn ? say("Pause") : say("Play"));
    by("said").setAttribute("aria-live", isOn ? "off" : "polite");
    if (isOn) light();
  }
  /* The pair lights up for a third of the time, as in the window, and then it joins. */
  function tick() {
    const rest = Number(by("speed").value);
    document.body.classList.remove("lights");
    go(step + 1);
    if (step === nMerges()) play(false); else timer = setTimeout(light, 2 * rest / 3);
  }
  function light() {
    document.body.classList.add("lights");
    timer = setTimeout(tick, Number(by("speed").value) / 3);
  }
  function move(to) {
    if (timer) play(false);
    go(to);
  }

  function showRun(shown, name, at = 0, wanted = text) {
    run = shown;
    typed.value = text = wanted;
    encoder = engine.makeEncoder(run);
    colours = new Map();
    endsOf = new Map();
    placesOf = new Map();
    step = within(at);
    by("title").textContent = name;
    document.title = name;
    by("return").hidden = run === exported;
    inSight.disconnect();
    by("text").replaceChildren();
    chunks = [];
    trees = [];
    setText(text);
    layWords();
    fillList();
    drawSettings();
    draw(-1);
    by("said").prepend(name + "; ");
  }

  // What a person does.
  by("to-first").addEventListener("click", () => move(0));
  by("back").addEventListener("click", () => move(step - 1));
  by("next").addEventListener("click", () => move(step + 1));
  by("to-last").addEventListener("click", () => move(nMerges()));
  by("play").addEventListener("click", () => play(!timer));
  by("slider").addEventListener("input", (event) => move(Number(event.target.value)));
  by("return").addEventListener("click", () => showRun(exported, view.title, view.step, data.settings.ownPattern ? view.text : text));
  by("picture").addEventListener("click", () => saveFile(skylinePicture(), `${by("title").textContent.replace(/[^\p{L}\p{N} _.-]/gu, "_").slice(0, 100)}.svg`, "image/svg+xml"));
  by("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  by("white").addEventListener("change", (event) => { shows.white = event.target.checked; chunks.forEach(drawChunk); });
  by("apart").addEventListener("change", (event) => { shows.apart = event.target.checked; drawTokens(); });
  const typed = by("typed");
  typed.maxLength = MOST_TYPED;
  let telling = 0;
  function takeTyped() {
    note("text-note", "");
    splitInTime(() => {
      setText(typed.value);
      clearTimeout(telling);
      if (!asking) telling = setTimeout(() => { by("said").textContent = by("text-tokens").textContent; }, 700);
    });
  }
  typed.addEventListener("input", takeTyped);
  typed.addEventListener("paste", (event) => {
    const length = event.clipboardData ? event.clipboardData.getData("text").length : 0;
    if (length <= MOST_TYPED - typed.value.length) return;
    event.preventDefault();
    note("text-note", tooLong(length));
  });
  // A dropped file becomes the text, and a larger one the text to train on; the browser alone would leave the page.
  const hasFile = (event) => event.dataTransfer && event.dataTransfer.types.includes("Files");
  addEventListener("dragover", (event) => { if (hasFile(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer.files[0], { trainOn } = livingPage, isToTrain = by("training").open;
    textOf(file).then((given) => {
      if (trainOn && (isToTrain || given.length > MOST_TYPED)) trainOn(given, file.name);
      else if (given.length > MOST_TYPED) throw new Error(tooLong(given.length));
      else {
        typed.value = given;
        takeTyped();
      }
    }).catch((error) => note(isToTrain ? "training-note" : "text-note", error.message));
  });
  for (const kind of ["merges", "vocabulary"]) {
    by("kind-" + kind).addEventListener("click", () => {
      listed = kind;
      for (const other of ["merges", "vocabulary"]) by("kind-" + other).setAttribute("aria-pressed", other === kind ? "true" : "false");
      fillList();
      showRow();
    });
  }
  by("filter").addEventListener("input", () => { fillList(); list.scrollTop = 0; drawRows(); });
  list.addEventListener("scroll", drawRows, { passive: true });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-step]");
    if (row) move(Number(row.dataset.step));
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target, isField = target.matches("textarea, select, input:not([type=checkbox])");
    if (event.key === "Escape" && isField && !by("training").open) { target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || isField || by("training").open || by("controls").inert) return;
    const moves = { ArrowLeft: () => move(step - 1), ArrowRight: () => move(step + 1), Home: () => move(0), End: () => move(nMerges()) };
    if (target === list) Object.assign(moves, { ArrowUp: moves.ArrowLeft, ArrowDown: moves.ArrowRight });
    if (event.key === " " && !target.matches("button, input")) moves[" "] = () => play(!timer);
    if (moves[event.key]) { moves[event.key](); event.preventDefault(); }
  });
  addEventListener("hashchange", () => { clearTimeout(writing); openAddress(); });
  addEventListener("beforeprint", () => chunks.forEach((chunk) => { chunk.isSeen = true; drawChunk(chunk); }));
  addEventListener("resize", () => { trees.forEach(measure); drawTrees(); drawRows(); });

  if (/^(light|dark)$/.test(ofAddress("theme") || "")) document.documentElement.dataset.theme = ofAddress("theme");
  if (/[#&]embed\b/.test(location.hash)) {
    document.body.classList.add("embed");
    by("cuts").prepend(by("controls"), by("where"));
  }
  showRun(exported, view.title, view.step);
  openAddress();
  by("blocked").remove();
  // For the other scripts, which train texts and play lessons in the page.
  globalThis.livingPage = {
    engine, tables, others, exported, opened, by, element, note, runsLeft, step: () => step, setAsking, saveFile, ofAddress, showRun, whatDecided, engineWorker, textOf, tooLarge, tooSlow, MOST_TRAINED, SPLIT_MS,
    shownRun: () => run,
    tokensNow: () => cut(encoded).tokens,
    moveTo: move,
    play,
    pause: () => play(false),
    show(shown, at, wanted, pick) {
      picked = pick;
      if (shown !== run) { showRun(shown, view.title, at, wanted); return; }
      typed.value = wanted;
      setText(wanted);
      step = within(at);
      draw(-1);
    },
  };
})();
