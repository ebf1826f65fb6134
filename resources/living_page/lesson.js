/* A lesson that plays in the page: its steps show the page's run at a step, and ask questions.

   What a sentence says of the run, such as {next}, is computed here, as `workspace/lessons/facts.py` does in the window. */
"use strict";
(() => {
  const { engine, exported, opened, by, element, step: stepOfPage, show } = livingPage;
  const { lesson } = JSON.parse(by("data").textContent);
  const others = [];
  const runAt = (number) => number ? others[number - 1] = others[number - 1] || opened(lesson.others[number - 1]) : exported;
  const ISOLATE = "\u2068", END_ISOLATE = "\u2069", NOTHING = "\u2014";
  const plain = (text) => text.replace(/[\u200e\u200f\u2066-\u2069]/g, "");
  const folded = (text) => plain(text).toLowerCase().trim().split(/\s+/).join(" ");
  const said = (text, ...values) => values.reduce((all, value) => all.replace("{}", () => ISOLATE + value + END_ISOLATE), (lesson.words[text] || text).replace("&", ""));
  const number = (value, digits = 0) => value.toLocaleString(lesson.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });

  // The values of a run at a step: {text, number} or {text, tokens}, where tokens has the accepted spellings of each.
  function factsOf(run, step, typed) {
    const encoder = engine.makeEncoder(run), bytes = (text) => new TextEncoder().encode(text);
    let rows = null;
    const candidates = () => rows = rows || engine.candidates(run, step, Infinity).rows;
    const cut = (text) => encoder.encode(text).flatMap((word) => engine.cut(word, step, run).map(({ token }) => token));
    const nameOf = (token) => token < 0 ? run.settings.unknown || "?" : run.shown(token);
    const contentOf = (token) => new TextDecoder().decode(Uint8Array.from(run.content(token)));
    function tokensOf(tokens, between) {
      const ways = tokens.map((token) => new Set([plain(nameOf(token)), ...(token < 0 ? [] : [run.name(token), contentOf(token)])]));
      return { text: tokens.map(nameOf).join(between), tokens: ways };
    }
    function next() {
      const merge = run.merges[step] || candidates().find((row) => row.mark === "next");
      return merge || null;
    }
    function countOf(of) {
      const names = of.split(" "), isNamed = (token, name) => run.name(token) === name || (run.settings.units === "bytes" && contentOf(token) === name);
      const row = candidates().find(({ left, right }) => isNamed(left, names[0]) && isNamed(right, names[1]));
      return row ? row.count : 0;
    }
    const merge = run.merges[step - 1], { special } = run.settings;
    function amount(name, of, text) {
      switch (name) {
        case "count": return of ? countOf(of) : next() ? next().count : null;
        case "ties": return candidates().length ? candidates()[0].tied : 0;
        case "last_count": return merge ? merge.count : null;
        case "bytes": return bytes(text).length;
        case "characters": return [...text].length;
        case "tokens": return cut(text).length;
        case "fertility": return text.trim() ? cut(text).length / text.trim().split(/\s+/).length : null;
        case "step": return step;
        case "alphabet": return run.alphabet.length;
        case "vocabulary": return special.length + run.nOwn + step;
        case "corpus_tokens": return step ? merge.nTokens : run.nTokens;
      }
    }
    function value(quantity) {
      const [, name, of = ""] = /^\s*(\w+)\s*(?: of (.*))?$/s.exec(quantity), text = of || typed;
      if (name === "next") return next() && tokensOf([next().left, next().right], " + ");
      if (name === "last") return merge ? tokensOf([merge.left, merge.right], " + ") : null;
      if (name === "made") return merge ? tokensOf([merge.token], "") : null;
      if (name === "cut") return tokensOf(cut(text), " \u00b7 ");
      const found = amount(name, of.trim().split(/\s+/).join(" "), text);
      return found === null ? null : { number: found, isRough: name === "fertility", text: number(found, name === "fertility" ? 1 : 0) };
    }
    const fill = (text) => text.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (brace, quantity) => {
      if (quantity === undefined) return brace[0];
      const found = value(quantity);
      return ISOLATE + (found ? found.text : NOTHING) + END_ISOLATE;
    });
    return { value, fill };
  }

  // Whether an answer is right.
  function numberIn(given) {
    const digits = String(given).replace(/[\s,\u066c\u2019']/g, "").replace(/\u066b/g, ".").replace(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => digit.charCodeAt(0) & 15);
    return /^\d{1,15}([.]\d{1,6})?$/.test(digits) ? Number(digits) : null;
  }
  function isValue(value, given) {
    if (value.number !== undefined) {
      const found = numberIn(given);
      return found !== null && Math.abs(found - value.number) < (value.isRough ? 0.06 : 1e-9);
    }
    const areTokens = (names) => names.length === value.tokens.length && names.every((name, k) => value.tokens[k].has(plain(name)));
    if (Array.isArray(given)) return areTokens(given);
    const text = plain(given).trim();
    return areTokens([text]) || text === plain(value.text).trim() || areTokens(text.split(/\s+/)) || areTokens(text.split(/[\s+|\u00b7,]+/));
  }
  function isRight(ask, given) {
    if (ask.kind === "choice") return plain(given).trim() === plain(ask.answer).trim();
    if (ask.value) return isValue(ask.value, given);
    if (ask.kind === "number" && numberIn(ask.answer) !== null) return numberIn(given) === numberIn(ask.answer);
    return folded(String(given)) === folded(ask.answer);
  }

  // A step: what the page shows, the sentences, and the question.
  const REVEALING = { pair: ["merge", "candidates-part", "lists", "skyline-part"], number: ["merge", "candidates-part", "growth-part"] };
  const LINES = ["text-tokens", "sizes"]; // numbers that answer a question for a number
  const PLACES = { text: "text-part", corpus: "words-part", words: "words-part", skyline: "skyline-part", growth: "growth-part", merges: "lists", candidates: "candidates-part", why: "merge" };
  const verdicts = new Map();
  const isWide = () => matchMedia("(min-width: 761px)").matches; // else a keyboard on the screen would cover the page
  let place = 0, step = null, ask = null;
  const latest = (name) => lesson.steps.slice(0, place + 1).map((each) => each[name]).reverse().find((value) => value !== null);
  function filled(raw, facts) {
    if (!raw) return null;
    const found = { ...raw, text: facts.fill(raw.text), why: facts.fill(raw.why), choices: raw.choices.map(facts.fill), answer: facts.fill(raw.answer) };
    if (raw.computed === null) return found;
    found.value = facts.value(raw.computed);
    if (!found.value) return null;
    found.answer = found.choices.length ? found.choices.find((choice) => isValue(found.value, choice)) : found.value.text;
    return found.answer === undefined ? null : found;
  }
  function go(to) {
    place = Math.max(0, Math.min(lesson.steps.length - 1, to));
    const run = runAt(latest("run")), at = latest("at"), typed = latest("typed") || "";
    show(run, at === "end" ? run.merges.length : at === "start" ? 0 : Math.min(at || 0, run.merges.length), typed);
    const facts = factsOf(run, stepOfPage(), typed);
    step = lesson.steps[place];
    ask = filled(step.ask, facts);
    by("lesson-first").value = by("lesson-second").value = "";
    by("lesson-head").textContent = step.heading;
    by("lesson-say").textContent = facts.fill(step.say);
    by("lesson-place").textContent = said("{} of {}", number(place + 1), number(lesson.steps.length));
    by("lesson-back").disabled = place === 0;
    by("lesson-next").disabled = place === lesson.steps.length - 1;
    for (const framed of document.querySelectorAll(".look")) framed.classList.remove("look");
    const looked = by(PLACES[step.look] || "");
    if (looked) looked.classList.add("look");
    if (looked && isWide()) looked.scrollIntoView({ block: "nearest" });
    drawQuestion(looked);
  }
  function drawQuestion(looked = by(PLACES[step.look] || "")) {
    const verdict = verdicts.get(place) || { wrong: [], isOver: false }, isOpen = ask !== null && !verdict.isOver;
    by("lesson-ask").hidden = ask === null;
    document.body.classList.toggle("asking", isOpen);
    for (const covered of document.querySelectorAll(".covered")) covered.classList.remove("covered");
    if (isOpen) for (const id of REVEALING[ask.kind] || []) if (by(id) !== looked) by(id).classList.add("covered");
    for (const id of LINES) by(id).classList.toggle("veiled", isOpen && ask.kind === "number");
    if (ask === null) return;
    by("lesson-text").textContent = ask.text;
    by("lesson-choices").replaceChildren(...(ask.kind === "choice" ? ask.choices : []).map((choice, k) => {
      const isAnswer = verdict.isOver && choice === ask.answer, isWrong = verdict.wrong.includes(choice);
      const button = element("button", isAnswer ? "answer" : "", (isAnswer ? "\u2713 " : isWrong ? "\u2717 " : k + 1 + "  ") + choice);
      button.type = "button";
      button.disabled = verdict.isOver || isWrong;
      button.addEventListener("click", () => answer(choice));
      return button;
    }));
    const hasFields = isOpen && ask.kind !== "choice";
    by("lesson-fields").hidden = !hasFields;
    by("lesson-second").hidden = by("lesson-plus").hidden = ask.kind !== "pair";
    by("lesson-first").placeholder = said({ pair: "Left token", number: "A number" }[ask.kind] || "Your answer");
    by("lesson-first").setAttribute("aria-label", by("lesson-first").placeholder);
    by("lesson-reveal").hidden = !isOpen;
    by("lesson-verdict").textContent = verdict.said || "";
    by("lesson-why").textContent = verdict.isOver ? ask.why : "";
    const asked = lesson.steps.filter((each) => each.ask).length, right = [...verdicts.values()].filter((each) => each.isRight).length;
    by("lesson-score").textContent = verdicts.size ? said("You answered {} of {} questions right.", number(right), number(asked)) : "";
  }
  function answer(given) {
    const before = verdicts.get(place) || { wrong: [] }, isOver = isRight(ask, given);
    const shown = Array.isArray(given) ? given.join(" + ") : given;
    const words = isOver ? "\u2713 " + (ask.kind === "choice" ? said("Right") : said("Right: {}", ask.answer)) : "\u2717 " + said("Not {}: try again", shown);
    verdicts.set(place, { wrong: isOver ? before.wrong : [...before.wrong, shown], isOver, isRight: isOver, said: words });
    drawQuestion();
    (isOver ? by("lesson-next") : by("lesson-first")).focus();
  }

  by("lesson").lang = lesson.lang;
  by("title").dir = by("lesson").dir = lesson.isRightToLeft ? "rtl" : "ltr";
  for (const [id, text] of [["lesson-back", "&Back"], ["lesson-next", "&Next"], ["lesson-check", "&Check"], ["lesson-reveal", "&Show the answer"]]) by(id).textContent = said(text);
  by("lesson-second").placeholder = said("Right token");
  by("lesson-second").setAttribute("aria-label", said("Right token"));
  by("lesson-back").addEventListener("click", () => go(place - 1));
  by("lesson-next").addEventListener("click", () => {
    go(place + 1);
    if (!by("lesson-ask").hidden && !by("lesson-fields").hidden && isWide()) by("lesson-first").focus({ preventScroll: true });
  });
  by("lesson-reveal").addEventListener("click", () => {
    verdicts.set(place, { ...(verdicts.get(place) || { wrong: [] }), isOver: true, isRight: false, said: said("\u2192 The answer is {}", ask.answer) });
    drawQuestion();
    by("lesson-next").focus();
  });
  by("lesson-fields").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = by("lesson-first").value, second = by("lesson-second").value;
    if (first && (second || ask.kind !== "pair")) answer(ask.kind === "pair" ? [first, second] : first);
    else by(first ? "lesson-second" : "lesson-first").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=checkbox])")) return;
    if (ask && ask.kind === "choice" && /^[1-9]$/.test(event.key)) {
      const button = by("lesson-choices").children[Number(event.key) - 1];
      if (button) button.click();
    }
  });
  by("lesson").hidden = false;
  document.body.classList.add("has-lesson");
  go(0);
})();
