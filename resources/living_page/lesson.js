/* A lesson that plays in the page: its steps show the page's run at a step, and ask questions.

   What a sentence says of the run, such as {next}, is computed here, as `workspace/lessons/facts.py` does in the window. */
"use strict";
(() => {
  const { engine, exported, opened, by, element, runsLeft, setAsking, spellings, faultOf, step: shownStep, show, saveResults } = livingPage, { isolated, counted } = engine;
  const { lesson, tables } = JSON.parse(by("data").textContent);
  const others = [];
  const runAt = (number) => number ? others[number - 1] = others[number - 1] || opened(lesson.others[number - 1]) : exported;
  const NOTHING = "\u2014";
  const plain = (text) => text.replace(/[\u200e\u200f\u2066-\u2069]/g, "");
  const folded = (text) => plain(text).toLowerCase().trim().split(/\s+/).join(" ");
  const number = (value, digits = 0) => value.toLocaleString(lesson.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const say = (text, ...values) => engine.say(text, ...values.map(isolated));

  // The values of a run at a step: {text, number} or {text, tokens}, where tokens has the accepted spellings of each.
  function factsOf(run, step, typed) {
    const encoder = engine.makeEncoder(run), bytes = (text) => new TextEncoder().encode(text);
    let rows = null;
    const candidates = () => rows = rows || engine.candidates(run, step, Infinity).rows;
    const cut = (text) => encoder.encode(text).flatMap((word) => engine.cut(word, step, run).map(({ token }) => token));
    const nameOf = (token) => token < 0 ? run.settings.unknown || "?" : run.shown(token);
    const contentOf = (token) => new TextDecoder().decode(Uint8Array.from(run.content(token)));
    function tokensOf(tokens, between) {
      return { text: tokens.map(nameOf).join(between), tokens: tokens.map((token) => spellings(run, token)) };
    }
    function next() {
      const merge = run.merges[step] || candidates().find((row) => row.mark === "next");
      return merge || null;
    }
    const isNamed = (token, name) => run.name(token) === name || (run.settings.units === "bytes" && contentOf(token) === name);
    function countOf(of) {
      const names = of.split(" "), row = candidates().find(({ left, right }) => isNamed(left, names[0]) && isNamed(right, names[1]));
      return row ? row.count : 0;
    }
    const all = () => Array.from({ length: run.alphabet.length + step }, (_, token) => token);
    const tokensNamed = (names) => names.map((name) => all().find((token) => isNamed(token, name)));
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
    /* The tokens of the pair whose count a quantity is, or none. */
    function asked(quantity) {
      const [, name, of] = /^\s*(\w+)\s*(?: of (.*))?$/s.exec(quantity || "") || [];
      if (name !== "count") return [];
      return of ? tokensNamed(of.trim().split(/\s+/)) : next() ? [next().left, next().right] : [];
    }
    /* What a wrong number forgot, where that is known. */
    function forgotten(quantity, given) {
      const [, name, of = ""] = /^\s*(\w+)\s*(?: of (.*))?$/s.exec(quantity || "") || [], text = of || typed, found = [];
      const is = (other, sentence) => { if (other === given) found.push(sentence); };
      if (name === "count") {
        const [left, right] = asked(quantity), words = run.words.map((word) => engine.cut(word, step, run).map(({ token }) => token));
        const places = words.map((tokens) => tokens.flatMap((token, k) => token === left && tokens[k + 1] === right ? [k] : []));
        const apart = (all) => all.reduce((last, k) => k > last.at + 1 ? { n: last.n + 1, at: k } : last, { n: 0, at: -2 }).n;
        is(places.reduce((sum, all, k) => sum + (all.length ? run.words[k].count : 0), 0), "A pair that is in a word twice counts twice.");
        is(places.filter((all) => all.length).length, "That many different words have the pair: count each word as often as it occurs.");
        if (left === right) is(places.reduce((sum, all, k) => sum + apart(all) * run.words[k].count, 0), "Pairs that share a token count, too.");
        const before = engine.candidates(run, 0, Infinity).rows.find((row) => row.left === left && row.right === right);
        if (step && before) is(before.count, "That was its count before the first merge: merges take pairs away.");
      }
      if (name === "tokens") {
        is([...text].length, "That is the number of characters: a token may have several of them, or a part of one.");
        is(text.trim().split(/\s+/).length, "That is the number of words.");
        const dropsText = tables.droppingSplits.includes(run.settings.split) || run.settings.ownPattern;
        if (text.includes(" ") && !dropsText) is([...text].filter((char) => char !== " ").length, "A space is a symbol, too.");
        is(bytes(text).length, "That is the number of bytes: a token may have several of them.");
      }
      if (name === "bytes") is([...text].length, "That is the number of characters: one of them may have several bytes.");
      if (name === "characters") is(bytes(text).length, "That is the number of bytes: a character may have several of them.");
      if (name === "alphabet" && !run.settings.fullAlphabet) {
        const mark = run.settings.split === "sentencepiece" ? "\u2581" : ""; // a mark that is a symbol of its own has no bytes, unless it stands for a space
        const isEasilyMissed = (_, token) => ["", " ", mark].includes(contentOf(token));
        if (run.alphabet.some(isEasilyMissed)) is(run.alphabet.length - 1, "A mark and a space are symbols, too.");
        is(run.words.reduce((sum, { symbols }) => sum + symbols.length, 0), "Count each symbol only once.");
      }
      if (name === "vocabulary") {
        is(run.alphabet.length + step, "Special tokens are in the vocabulary, too.");
        is(step, "The alphabet is in the vocabulary, too.");
      }
      if (name === "ties") is(amount("ties") - 1, "The pair that wins is one of them.");
      return found.length ? engine.say(found[0]) : "";
    }
    const fill = (text) => text.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (brace, quantity) => {
      if (quantity === undefined) return brace[0];
      const found = value(quantity);
      return isolated(found ? found.text : NOTHING);
    });
    return { value, fill, asked, forgotten, tokensNamed };
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
  const PLACES = { text: "text-part", corpus: "words-part", words: "words-part", skyline: "skyline-part", growth: "growth-part", settings: "settings-part", branches: "runs-part", compare: "runs-part", lines: "words-part", merges: "lists", candidates: "candidates-part", why: "merge" };
  const verdicts = new Map(), nRight = () => [...verdicts.values()].filter(({ right }) => right).length;
  const nAsked = lesson.steps.filter(({ ask }) => ask).length;
  const isWide = () => matchMedia("(min-width: 761px)").matches; // else a keyboard on the screen would cover the page
  let place = 0, step = null, ask = null, hasBegun = false;
  const latest = (name) => lesson.steps.slice(0, place + 1).map((each) => each[name]).reverse().find((value) => value !== null);
  function filled(raw, facts) {
    if (!raw) return null;
    const found = { ...raw, asked: facts.asked(raw.computed), facts, text: facts.fill(raw.text), why: facts.fill(raw.why), choices: raw.choices.map(facts.fill), reasons: raw.reasons.map(facts.fill), answer: facts.fill(raw.answer) };
    if (raw.computed === null) return found;
    found.value = facts.value(raw.computed);
    if (!found.value) return null;
    found.answer = found.choices.length ? found.choices.find((choice) => isValue(found.value, choice)) : found.value.text;
    return found.answer === undefined ? null : found;
  }
  function go(to) {
    place = Math.max(0, Math.min(lesson.steps.length - 1, to));
    const run = runAt(latest("run")), wanted = latest("at"), typed = latest("typed") || "";
    const at = wanted === "end" ? run.merges.length : wanted === "start" ? 0 : Math.min(wanted || 0, run.merges.length);
    const facts = factsOf(run, at, typed);
    const pick = lesson.steps.slice(0, place + 1).reduce((kept, each) => each.pick || (each.run === null ? kept : null), null);
    show(run, at, typed, pick ? facts.tokensNamed(pick) : []);
    by("said").textContent = ""; // the lesson says what the step is
    drawRuns(typed, at);
    step = lesson.steps[place];
    ask = filled(step.ask, facts);
    by("lesson-first").value = by("lesson-second").value = "";
    by("lesson-head").textContent = step.heading;
    by("lesson-say").textContent = facts.fill(step.say);
    by("lesson-place").textContent = say("{} of {}", number(place + 1), number(lesson.steps.length));
    by("lesson-back").disabled = place === 0;
    by("lesson-next").disabled = place === lesson.steps.length - 1;
    for (const framed of document.querySelectorAll(".look")) framed.classList.remove("look");
    const looked = by(PLACES[step.look] || "");
    if (looked) looked.classList.add("look");
    by("lesson").scrollTop = 0;
    if (hasBegun) (isWide() && looked ? looked : by("lesson-head")).scrollIntoView({ block: "nearest" });
    hasBegun = true; // until then, it would also scroll a page that has this one in a frame
    drawQuestion(looked);
  }
  /* The lesson's run beside the other that is shown, or was last: a text in both, and the first merge that differs. */
  function drawRuns(text, at) {
    const shown = latest("run") || 0, other = shown || lesson.steps.slice(0, place + 1).map(({ run }) => run).reverse().find(Boolean);
    by("runs-part").hidden = !other;
    if (!other) return;
    const numbers = [0, other], runs = numbers.map(runAt), merges = (run) => run.merges.map(({ left, right }) => run.name(left) + " " + run.name(right));
    by("runs").replaceChildren(...numbers.map((each, k) => {
      const run = runs[k], tokens = engine.makeEncoder(run).encode(text).flatMap((word) => engine.cut(word, Math.min(at, run.merges.length), run));
      const row = element("tr", each === shown ? "next" : ""), cutting = element("bdi"), name = element("bdi", "", each ? lesson.names[each - 1] : say("The lesson's run"));
      if (each === shown) row.setAttribute("aria-current", "true");
      cutting.append(...tokens.map(({ token }, order) => element("bdi", "chip t " + (token < 0 ? "u" : "c" + order % 6), token < 0 ? run.settings.unknown || "?" : run.shown(token))));
      cutting.dir = runsLeft(text) ? "rtl" : "ltr";
      row.append(element("td"), element("td"));
      row.firstChild.append(name);
      row.lastChild.append(cutting);
      return row;
    }));
    const [mine, theirs] = runs.map(merges), first = mine.findIndex((merge, k) => merge !== theirs[k]), rank = first < 0 ? mine.length : first;
    const named = (run) => {
      const merge = run.merges[rank];
      return merge ? `${isolated(run.shown(merge.left) + " + " + run.shown(merge.right))} (${counted(merge.count, "time")})` : NOTHING;
    };
    by("runs-first").textContent = mine.length + theirs.length === 2 * rank ? say("All merges are the same.")
      : say("The first difference is merge {}: {} in the lesson's run, {} in the other.", number(rank + 1), ...runs.map(named));
  }
  function drawQuestion(looked = by(PLACES[step.look] || "")) {
    const verdict = verdicts.get(place) || { given: [], isOver: false }, isOpen = ask !== null && !verdict.isOver;
    by("lesson-ask").hidden = ask === null;
    // What the step points to may be read, but not which pair is next.
    setAsking(isOpen ? ask.asked : null, isOpen && ask.kind === "pair" ? null : looked);
    by("lesson-then").hidden = isOpen || place < lesson.steps.length - 1;
    by("lesson-save").hidden = place < lesson.steps.length - 1 || !verdicts.size;
    if (ask === null) return;
    by("lesson-text").textContent = ask.text;
    by("lesson-choices").replaceChildren(...(ask.kind === "choice" ? ask.choices : []).map((choice, k) => {
      const isAnswer = verdict.isOver && choice === ask.answer, isWrong = !isAnswer && verdict.given.includes(choice);
      const button = element("button", isAnswer ? "answer" : "", (isAnswer ? "\u2713 " : isWrong ? "\u2717 " : number(k + 1) + "  ") + choice);
      button.type = "button";
      button.disabled = verdict.isOver || isWrong;
      button.addEventListener("click", () => answer(choice));
      return button;
    }));
    const hasFields = isOpen && ask.kind !== "choice";
    by("lesson-fields").hidden = !hasFields;
    by("lesson-second").hidden = by("lesson-plus").hidden = ask.kind !== "pair";
    by("lesson-first").placeholder = say({ pair: "Left token", number: "A number" }[ask.kind] || "Your answer");
    by("lesson-first").setAttribute("aria-label", by("lesson-first").placeholder);
    by("lesson-reveal").hidden = !isOpen;
    by("lesson-verdict").textContent = verdict.said || "";
    by("lesson-why").textContent = verdict.isOver ? ask.why : "";
    by("lesson-score").textContent = verdicts.size ? say("You answered {} of {} questions right.", number(nRight()), number(nAsked)) : "";
  }
  function judge(given, isRight, said) {
    const before = verdicts.get(place), isOver = isRight || given === null;
    const answers = [...(before ? before.given : []), ...(given === null ? [] : [given])];
    verdicts.set(place, { question: ask.text, answer: ask.answer, given: answers, right: isRight, isOver, said });
    drawQuestion();
    (isOver ? by("lesson-next") : by("lesson-first")).focus({ preventScroll: true });
    for (const id of ["lesson-why", "lesson-verdict"]) by(id).scrollIntoView({ block: "nearest" });
  }
  function faultIn(given) {
    if (Array.isArray(given)) return ask.kind === "pair" ? faultOf(shownStep(), given) : "";
    if (ask.kind === "choice") return ask.reasons[ask.choices.indexOf(given)];
    return ask.kind === "number" ? ask.facts.forgotten(ask.computed, numberIn(given)) : "";
  }
  function answer(given) {
    const shown = Array.isArray(given) ? given.join(" + ") : given;
    if (!isRight(ask, given)) judge(shown, false, "\u2717 " + (faultIn(given) || say("Not {}: try again", shown)));
    else judge(shown, true, "\u2713 " + (ask.kind === "choice" ? say("Right") : say("Right: {}", ask.answer)));
  }

  by("lesson").lang = lesson.lang;
  by("lesson").dir = lesson.dir;
  by("lesson-back").addEventListener("click", () => go(place - 1));
  by("lesson-next").addEventListener("click", () => {
    go(place + 1);
    if (!by("lesson-ask").hidden && !by("lesson-fields").hidden && isWide()) by("lesson-first").focus({ preventScroll: true });
  });
  by("lesson-reveal").addEventListener("click", () => judge(null, false, say("→ The answer is {}", ask.answer)));
  by("lesson-save").addEventListener("click", () => {
    const answers = [...verdicts].sort(([one], [other]) => one - other).map(([, { question, answer, given, right }]) => ({ question, answer, given, right }));
    saveResults(lesson.id, lesson.title, nRight(), nAsked, answers);
  });
  by("lesson-fields").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = by("lesson-first").value, second = by("lesson-second").value;
    if (first && (second || ask.kind !== "pair")) answer(ask.kind === "pair" ? [first, second] : first);
    else by(first ? "lesson-second" : "lesson-first").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=checkbox])")) return;
    const button = by("lesson-choices").children[numberIn(event.key) - 1];
    if (ask && button) button.click();
  });
  for (const what of ["train", "check"]) {
    by("then-" + what).hidden = by(what).hidden;
    by("then-" + what).addEventListener("click", () => by(what).click());
  }
  by("lesson").hidden = false;
  document.body.classList.add("has-lesson");
  go(0);
})();
