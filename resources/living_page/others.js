/* The text in the tokenizers that the page was exported with, beside the run; a worker cuts it, as a long text or a hostile expression takes time. */
"use strict";
(() => {
  const { engine, tables, others, by, element, note, tokensNow, shownRun, engineWorker, runsLeft } = livingPage, { say, number } = engine;
  const MOST_SHOWN = 200, MOST_MS = 20000;
  if (!others.length) return;
  /* Of each tokenizer the number of tokens, and the names of the first ones. */
  function cutAll(engine, runs, text, most) {
    return runs.map((run) => {
      const tokens = engine.makeEncoder(run).encode(text).flatMap((word) => engine.cut(word, run.merges.length, run).map(({ token }) => token));
      return [tokens.length, tokens.slice(0, most).map((token) => token < 0 ? run.settings.unknown || "?" : run.shown(token))];
    });
  }
  let worker = null, opened = null, isAsking = false, asked = null, answered = null, counted = [];
  function take(text, found) {
    isAsking = false;
    answered = text;
    counted = found;
    drawOthers();
    if (asked !== answered) ask();
  }
  function ask() {
    const text = asked;
    isAsking = true;
    note("others-note", "");
    drawOthers();
    try {
      if (!worker) {
        worker = engineWorker("const cutAll = " + cutAll + ";let engine, runs;onmessage = ({ data: { tables, others, text, most } }) => { if (tables) { engine = bpeEngine(tables); runs = others.map(({ run }) => engine.openRun(run)); } else postMessage([text, cutAll(engine, runs, text, most)]); };");
        worker.onerror = (event) => { event.preventDefault(); here(text); };
        worker.postMessage({ tables, others });
      }
      const waiting = setTimeout(() => {
        worker.terminate();
        worker = null;
        take(text, []);
        note("others-note", say("The other tokenizers need too long for this text: use a part of it."));
      }, MOST_MS);
      worker.onmessage = ({ data }) => { clearTimeout(waiting); take(...data); };
      worker.postMessage({ text, most: MOST_SHOWN });
    } catch { here(text); }
  }
  function here(text) {
    opened = opened || others.map(({ run }) => engine.openRun(run));
    take(text, cutAll(engine, opened, text, MOST_SHOWN));
  }
  function drawOthers() {
    const own = tokensNow(), run = shownRun(), ownNames = own.slice(0, MOST_SHOWN).map(({ id }) => id < 0 ? run.settings.unknown || "?" : run.shown(id));
    const lines = [[say("This run"), own.length, ownNames], ...counted.map((each, k) => [others[k].name, ...each])];
    const most = Math.max(1, ...lines.map(([, n]) => n));
    by("others").replaceChildren(...lines.map(([name, n, names], place) => {
      const row = element("tr", place ? "" : "next"), cutting = element("bdi"), bar = element("meter");
      Object.assign(bar, { max: most, value: n });
      bar.setAttribute("aria-hidden", "true");
      cutting.dir = runsLeft(by("typed").value) ? "rtl" : "ltr";
      cutting.append(...names.map((token, k) => element("bdi", "chip t c" + k % 6, token)), names.length < n ? "\u2026" : "");
      row.append(element("td"), element("td", "num", number(n)), element("td"));
      row.firstChild.append(element("bdi", "", name), bar);
      row.lastChild.append(cutting);
      return row;
    }));
  }
  document.addEventListener("drawn", () => {
    asked = by("typed").value;
    if (asked === answered) drawOthers();
    else if (!isAsking) ask();
  });
  by("others-part").hidden = false;
  document.dispatchEvent(new Event("drawn"));
})();
