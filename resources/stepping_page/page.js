"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const number = (n) => BigInt(n).toLocaleString("en"); // counts of more than 53 bits are strings
  const { first, last, every, names, colours, merges } = data;
  const stops = [];
  for (let step = first; step < last; step += every) stops.push(step);
  stops.push(last);
  const OPEN = -1, UNKNOWN = 0;
  let place = 0, timer = 0, writing = 0;
  let shows = { white: false, apart: false };

  // Cutting: a gap is open at a step unless a merge before the step closes it.
  const isOpen = (gap, step) => gap === OPEN || gap >= step;
  const ranksOf = (gaps) => gaps.filter((gap) => gap !== OPEN).sort((a, b) => a - b);
  const nBelow = (ranks, step) => {
    let low = 0, high = ranks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranks[middle] < step) low = middle + 1; else high = middle;
    }
    return low;
  };

  function cut(pieces, step, before, after, from = 0, to = pieces.ids.length) {
    // Each piece's token; each token's name, whether it was just made and whether it is about to be joined.
    const tokenOf = new Int32Array(to - from), tokens = [];
    let token = null;
    for (let k = from; k < to; k++) {
      const gap = pieces.gaps[k];
      if (token === null || isOpen(gap, step)) {
        const closes = token !== null && gap !== OPEN && gap < after;
        if (closes) token.coming = true;
        token = { name: pieces.ids[k], rank: -1, made: false, coming: closes || (token === null && gap !== OPEN && gap >= step && gap < after) };
        tokens.push(token);
      } else if (gap >= first && gap > token.rank) {
        token.rank = gap;
        token.name = merges.token[gap - first];
        token.made = gap >= before;
      }
      tokenOf[k - from] = tokens.length - 1;
    }
    if (token !== null && to < pieces.ids.length) {
      const gap = pieces.gaps[to];
      if (gap !== OPEN && gap >= step && gap < after) token.coming = true;
    }
    return { tokenOf, tokens };
  }

  // By the place of a token, or by its name: then the same token has one colour everywhere.
  const colourOf = (token, order) => colours === null ? order % 6 : colours[token.name];
  const keepApart = (tokens, order, node) => {
    if (colours !== null && order > 0 && colourOf(tokens[order]) === colourOf(tokens[order - 1])) node.classList.add("near");
    return node;
  };

  function classes(token, order, kind) {
    const shown = [kind];
    shown.push(token.name === UNKNOWN ? "u" : "c" + colourOf(token, order));
    if (token.coming) shown.push("coming");
    if (token.made) shown.push("made");
    return shown.join(" ");
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function chip(token, order) {
    const made = element("bdi", classes(token, order, "chip t"), names[token.name]);
    made.dir = "auto";
    return made;
  }

  const RUNS_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g, STRAY = /\p{Surrogate}/gu;
  const visible = (text) => text
    .replace(CONTROL, (found) => found === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + found.charCodeAt(0)))
    .replace(STRAY, (found) => {
      const code = found.charCodeAt(0);
      const isByte = code >= 0xdc80 && code <= 0xdcff;
      return "\u27e8" + (isByte ? code - 0xdc00 : code).toString(16).toUpperCase() + "\u27e9";
    });

  function fillText(parent, text) {
    const clean = visible(text);
    if (!shows.white) { parent.append(clean); return; }
    for (const part of clean.split(/([ \t\n])/)) {
      if (part === "") continue;
      if (part !== " " && part !== "\t" && part !== "\n") { parent.append(part); continue; }
      if (part === "\n") parent.append(element("i", "break"), part);
      else parent.append(element("i", part === "\t" ? "w tab" : "w", part));
    }
  }

  // The text: one paragraph a line, each drawn again only where a merge changes it.
  const COLOURS = [0, 1, 2, 3, 4, 5].map((k) => "var(--t" + k + ")");
  let unit = 0;
  const lines = data.paragraphs.map((runs) => {
    const begin = unit;
    let from = Infinity, to = 0;
    for (const run of runs) {
      unit += run[0];
      for (let k = 1; k < run.length; k += 2) { from = Math.min(from, run[k]); to = Math.max(to, run[k] + 1); }
    }
    if (from === Infinity) from = to = 0;
    const gaps = data.pieces.gaps.slice(from, to + 1);
    return { runs, begin, from, to, ranks: ranksOf(gaps), node: element("div") };
  });

  function drawLine(line, step, before, after) {
    const { tokenOf, tokens } = cut(data.pieces, step, before, after, line.from, line.to);
    const shown = document.createDocumentFragment();
    line.node.dir = "auto";
    if (shows.apart) {
      tokens.forEach((token, order) => shown.append(chip(token, order)));
      line.node.replaceChildren(shown);
      return;
    }
    let at = line.begin, pending = "", open = -1, whole = true;
    const finish = () => {
      if (open < 0 || pending === "") return;
      const span = keepApart(tokens, open, element("span", classes(tokens[open], open, "t")));
      span.title = names[tokens[open].name];
      fillText(span, pending);
      shown.append(span);
      pending = "";
    };
    for (const run of line.runs) {
      const text = data.text.slice(at, at + run[0]);
      at += run[0];
      const orders = [];
      for (let k = 1; k < run.length; k += 2) orders.push([tokenOf[run[k] - line.from], run[k + 1]]);
      if (run[0] === 0) {
        const [order] = orders[0];
        if (order === open) continue;
        finish();
        open = order;
        const mark = element("span", classes(tokens[order], order, "t mark"));
        mark.title = names[tokens[order].name];
        shown.append(mark);
      } else if (orders.length && orders.every(([order]) => order === orders[0][0])) {
        if (orders[0][0] !== open) { finish(); open = orders[0][0]; }
        pending += text;
      } else {
        finish();
        open = -1;
        shown.append(striped(text, orders, tokens));
      }
    }
    finish();
    line.node.replaceChildren(shown);
  }

  function striped(text, orders, tokens) {
    // One grapheme of several tokens: a stripe for each, as wide as its share of the bytes.
    const span = element("span", "t part"), stops = [], said = [];
    let share = 0;
    for (const [order, part] of orders) {
      const token = tokens[order], colour = token.name === UNKNOWN ? "var(--line)" : COLOURS[colourOf(token, order)];
      stops.push(colour + " " + (100 * share).toFixed(1) + "% " + (100 * (share + part)).toFixed(1) + "%");
      share += part;
      if (said[said.length - 1] !== names[token.name]) said.push(names[token.name]);
      if (token.coming) span.classList.add("coming");
      if (token.made) span.classList.add("made");
    }
    const isLeft = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
    span.style.backgroundImage = "linear-gradient(to " + (isLeft ? "left" : "right") + ", " + stops.join(", ") + ")";
    span.title = said.join(" | ");
    fillText(span, text);
    return span;
  }

  // The words.
  const words = data.words.map((word) => {
    const node = element("div", "word"), cutting = element("bdi");
    node.setAttribute("role", "listitem");
    // Tokens are isolated from one another, so that "auto" would find no letter in them that has a direction.
    cutting.dir = RUNS_LEFT.test(word.word) ? "rtl" : "ltr";
    node.append(element("span", "num", number(word.count)), cutting);
    node.firstChild.title = "occurs " + number(word.count) + " times in the corpus";
    return { ids: word.ids, gaps: word.gaps, more: word.more, ranks: ranksOf(word.gaps), node, cutting };
  });

  function drawWord(word, step, before, after) {
    const { tokens } = cut(word, step, before, after);
    const shown = tokens.map((token, order) => chip(token, order));
    if (word.more) shown.push(element("span", "quiet", "\u2026"));
    word.cutting.replaceChildren(...shown);
  }

  // The merges before and behind the step.
  function drawMerge(node, rank, none) {
    node.replaceChildren();
    if (rank < first || rank >= last) { node.append(element("p", "quiet", none)); return; }
    const k = rank - first, pair = element("div", "pair");
    const as = (name, order) => chip({ name, made: false, coming: false }, order);
    pair.append(as(merges.left[k], 0), element("span", "sign", "+"), as(merges.right[k], 1), element("span", "sign", "\u2192"), as(merges.token[k], 3));
    const about = ["merge " + number(rank + 1)];
    if (data.hasCounts) about.push("occurred " + number(merges.count[k]) + (merges.count[k] === 1 ? " time" : " times"));
    about.push("decided by " + data.whys[merges.why[k]]);
    node.append(pair, element("div", "quiet num", about.join(" \u00b7 ")));
  }

  // The list of merges, of which the first is merge 1: only the rows in sight are there, for there may be thousands.
  const list = by("merges"), rows = by("merges-rows");
  const rowHeight = () => 2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  function drawRows() {
    const height = rowHeight(), n = last - first, step = stops[place];
    rows.style.height = n * height + "px";
    const from = Math.max(0, Math.floor(list.scrollTop / height) - 4);
    const to = Math.min(n, Math.ceil((list.scrollTop + list.clientHeight) / height) + 4);
    const shown = document.createDocumentFragment();
    for (let k = from; k < to; k++) {
      const row = element("div", first + k >= step ? "row later" : "row");
      row.setAttribute("role", "option");
      row.id = "merge-" + (first + k);
      row.setAttribute("aria-setsize", n);
      row.setAttribute("aria-posinset", k + 1);
      row.setAttribute("aria-selected", first + k + 1 === step ? "true" : "false");
      row.style.top = k * height + "px";
      row.dataset.step = first + k + 1;
      const what = element("span");
      const plus = element("span", "sign", " + "), arrow = element("span", "sign", " \u2192 ");
      what.append(element("bdi", "", names[merges.left[k]]), plus, element("bdi", "", names[merges.right[k]]), arrow, element("bdi", "", names[merges.token[k]]));
      const sign = merges.forced[k] ? "forced" : merges.tied[k] > 1 ? "tie " + number(merges.tied[k]) : "";
      row.title = sign ? sign + ": decided by " + data.whys[merges.why[k]] : "decided by " + data.whys[merges.why[k]];
      const count = element("span", "num", (data.hasCounts ? number(merges.count[k]) : "") + (sign === "forced" ? " !" : sign ? " =" : ""));
      row.append(element("span", "num", number(first + k + 1)), what, count);
      shown.append(row);
    }
    rows.replaceChildren(shown);
    const current = by("merge-" + (step - 1));
    if (current) list.setAttribute("aria-activedescendant", current.id); else list.removeAttribute("aria-activedescendant");
  }
  function showRow() {
    const height = rowHeight(), top = (stops[place] - first - 1) * height;
    rows.style.height = (last - first) * height + "px";
    if (top < list.scrollTop || top + 2 * height > list.scrollTop + list.clientHeight) {
      list.scrollTop = Math.max(0, top - list.clientHeight / 2);
    }
    drawRows();
  }

  function draw(was) {
    const step = stops[place], after = place + 1 < stops.length ? stops[place + 1] : step;
    const before = place > 0 ? stops[place - 1] : step;
    // What a merge between the two steps' neighbours touches is drawn again; the rest looks the same.
    const low = was < 0 ? -1 : Math.min(before, was > 0 ? stops[was - 1] : stops[was]);
    const high = was < 0 ? Infinity : Math.max(after, was + 1 < stops.length ? stops[was + 1] : stops[was]);
    const isTouched = (ranks) => was < 0 || nBelow(ranks, high) > nBelow(ranks, low);
    document.body.classList.toggle("moves", was >= 0 && place === was + 1);
    for (const line of lines) if (isTouched(line.ranks)) drawLine(line, step, before, after);
    for (const word of words) if (isTouched(word.ranks)) drawWord(word, step, before, after);
    by("step").textContent = "Step " + number(step) + " of " + number(last);
    const corpus = step === first ? data.corpusTokens : merges.tokens[step - first - 1];
    const sizes = ["vocabulary " + number(data.vocabSize + step - first)];
    if (data.hasCounts) sizes.push("corpus " + number(corpus) + " tokens");
    by("sizes").textContent = sizes.join(" \u00b7 ");
    const nText = data.pieces.ids.length - nBelow(textRanks, step);
    by("text-tokens").textContent = number(nText) + (nText === 1 ? " token" : " tokens");
    drawMerge(by("made"), step - 1, "The export begins here.");
    drawMerge(by("coming"), step, "The export ends here.");
    by("slider").value = place;
    by("slider").setAttribute("aria-valuetext", "step " + step + " of " + last);
    for (const [id, off] of [["to-first", place === 0], ["back", place === 0], ["next", place === stops.length - 1], ["to-last", place === stops.length - 1]]) by(id).disabled = off;
    const k = step - 1 - first;
    by("said").textContent = "Step " + step + " of " + last + (k >= 0 ? ": " + names[merges.left[k]] + " + " + names[merges.right[k]] + " make " + names[merges.token[k]] : "") + (data.text ? "; the text has " + nText + " tokens" : "");
    document.documentElement.dataset.step = step;
    showRow();
  }

  function go(to, isOfAddress = false) {
    const was = place;
    place = Math.max(0, Math.min(stops.length - 1, to));
    if (place !== was) draw(was);
    if (!isOfAddress && place !== was) {
      // At rest, as browsers let a page change its address only so often.
      clearTimeout(writing);
      writing = setTimeout(writeAddress, 300);
    }
  }
  function writeAddress() {
    try { history.replaceState(null, "", "#step=" + stops[place]); } catch { /* a page inside another may have none */ }
  }
  function placeOf(step) {
    let low = 0, high = stops.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stops[middle] < step) low = middle + 1; else high = middle;
    }
    return low;
  }
  function readAddress() {
    const found = /^#step=(\d{1,9})$/.exec(location.hash);
    return found ? placeOf(Number(found[1])) : 0;
  }

  function play(isOn) {
    clearTimeout(timer);
    timer = 0;
    const button = by("play");
    if (isOn && place === stops.length - 1) go(0);
    button.setAttribute("aria-pressed", isOn ? "true" : "false");
    button.setAttribute("aria-label", isOn ? "Pause" : "Play");
    by("said").setAttribute("aria-live", isOn ? "off" : "polite");
    if (isOn) timer = setTimeout(tick, Number(by("speed").value));
  }
  function tick() {
    go(place + 1);
    if (place === stops.length - 1) play(false); else timer = setTimeout(tick, Number(by("speed").value));
  }
  const isPlaying = () => timer !== 0;
  const move = (to) => { if (isPlaying()) play(false); go(to); };

  by("to-first").addEventListener("click", () => move(0));
  by("back").addEventListener("click", () => move(place - 1));
  by("next").addEventListener("click", () => move(place + 1));
  by("to-last").addEventListener("click", () => move(stops.length - 1));
  by("play").addEventListener("click", () => play(!isPlaying()));
  by("slider").max = stops.length - 1;
  by("slider").addEventListener("input", (event) => move(Number(event.target.value)));
  by("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  for (const id of ["white", "apart"]) {
    by(id).addEventListener("change", (event) => { shows[id] = event.target.checked; draw(-1); });
  }
  list.addEventListener("scroll", drawRows, { passive: true });
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) move(placeOf(Number(row.dataset.step)));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName, inList = event.target === list;
    if (tag === "SELECT" || event.target === by("slider")) return;
    const moves = { ArrowLeft: () => move(place - 1), ArrowRight: () => move(place + 1), Home: () => move(0), End: () => move(stops.length - 1) };
    if (inList) { moves.ArrowUp = moves.ArrowLeft; moves.ArrowDown = moves.ArrowRight; }
    if (event.key === " " && tag !== "BUTTON" && tag !== "INPUT") moves[" "] = () => play(!isPlaying());
    if (moves[event.key]) { moves[event.key](); event.preventDefault(); }
  });
  addEventListener("hashchange", () => { clearTimeout(writing); go(readAddress(), true); });
  addEventListener("resize", drawRows);

  const textRanks = ranksOf(data.pieces.gaps);
  by("text").append(...lines.map((line) => line.node));
  by("words").append(...words.map((word) => word.node));
  by("text-part").hidden = data.text === "";
  by("words-part").hidden = words.length === 0;
  by("merges-about").textContent = "in order" + (data.hasCounts ? ", with their counts; = a tie, ! forced" : "");
  by("words-about").textContent = (data.changing ? "that these merges change, " : "") + "the most frequent first, each cut as it stands at this step";
  place = readAddress();
  draw(-1);
})();
