/* What is wrong with a pair, and the dialog that finds the first wrong one of pasted merges. */
"use strict";
(() => {
  const { engine, by, note, shownRun, moveTo, pause } = livingPage, { say, number, counted, isolated } = engine;
  const { tables } = JSON.parse(by("data").textContent);
  const plain = (text) => text.replace(/[\u200e\u200f\u2066-\u2069]/g, "");
  const pairName = (names) => isolated(names.join(" + "));

  /* All ways in which people write a token. */
  livingPage.spellings = (run, token) => {
    const content = token < 0 ? "" : new TextDecoder().decode(Uint8Array.from(run.content(token)));
    return new Set(token < 0 ? [run.settings.unknown || "?"] : [plain(run.shown(token)), run.name(token), content]);
  };
  const isNamed = (token, name) => livingPage.spellings(shownRun(), token).has(plain(name));
  /* Why a pair, given by its names, is not merged at a step; the right one is not told. */
  livingPage.faultOf = (at, names) => {
    const run = shownRun(), { rows } = engine.candidates(run, at, Infinity), right = run.merges[at] || rows.find(({ mark }) => mark === "next");
    const found = rows.find(({ left, right: other }) => isNamed(left, names[0]) && isNamed(other, names[1])), pair = pairName(names);
    if (!run.words.length || !right) return "";
    if (!found) return say("{} are nowhere neighbours at this step.", pair);
    if (found.obstacle) return say("{} cannot be merged: {}.", pair, found.obstacle);
    const times = engine.times(found.count);
    if (found.count < right.count) return say("{} occurs {}, and another pair occurs more often.", pair, times);
    if (found.count > right.count) return say("{} occurs {}, but here it is not the count that decides.", pair, times);
    return say("{} is as frequent as the right one, and the tie rule takes {}.", pair, say(tables.ties[run.settings.ties].takes));
  };

  // Merges as people write them: two tokens a line, or pairs in quotes; numbers are ids.
  const QUOTED = /b?'((?:\\.|[^'\\])*)'|b?"((?:\\.|[^"\\])*)"/g, MOST_PASTED = 1000000;
  const unquoted = (text) => text.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gi, (_, byte, code, char) => char ? { n: "\n", t: "\t", r: "\r" }[char] || char : String.fromCharCode(parseInt(byte || code, 16)));
  function pairsIn(given) {
    const pairs = [];
    const quoted = /[[(]\s*b?['"]/.test(given) && given.match(/[[(][^[\]()]*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")\s*[\])]/g);
    for (const part of quoted || given.split("\n")) {
      if (!part.trim() || part.startsWith("#version")) continue;
      const strings = [...part.matchAll(QUOTED)].map(([, one, other]) => unquoted(one ?? other));
      const ids = /^\W*(\d+)\s*,\s*(\d+)\W/.exec(part);
      const words = part.trim().split(/\s+/).filter((word) => word !== "+");
      const names = strings.length >= 2 ? strings : ids ? [ids[1], ids[2]] : words;
      pairs.push([names[0], names[1] ?? ""]);
    }
    return pairs;
  }
  /* Numbers of bytes, and from 256 on of merges, as most trainers of bytes count them. */
  function isNumbered(token, name) {
    const run = shownRun(), n = Number(name), first = run.alphabet.length;
    if (run.settings.units !== "bytes" || !/^\d{1,7}$/.test(name)) return false;
    return n < 256 ? token < first && run.content(token)[0] === n : token === first + n - 256;
  }
  const isToken = (token, name) => isNamed(token, name) || isNumbered(token, name);
  /* [sentence, the step of the first wrong merge or null] */
  function checked(given) {
    const run = shownRun(), pairs = pairsIn(given), n = run.merges.length;
    if (!pairs.length) return [say("Paste merges: a pair in each line, such as u g."), null];
    const wrong = pairs.slice(0, n).findIndex(([left, right], k) => !(isToken(run.merges[k].left, left) && isToken(run.merges[k].right, right)));
    if (wrong >= 0) {
      const { left, right, count } = run.merges[wrong], name = pairName([run.shown(left), run.shown(right)]);
      const isCounted = run.words.length > 0, merge = isCounted ? say("Merge {} should be {}, which occurs {}.", number(wrong + 1), name, counted(count, "time")) : say("Merge {} should be {}.", number(wrong + 1), name);
      return [[merge, livingPage.faultOf(wrong, pairs[wrong]), wrong ? say("All merges before it are right.") : ""].filter(Boolean).join(" "), wrong];
    }
    if (pairs.length > n) return [say("The {} of this run are right, and merge {} is one too many.", counted(n, "merge"), number(n + 1)), null];
    if (pairs.length < n) return [say("The first {} are right; the run makes {}.", counted(pairs.length, "merge"), number(n)), null];
    return [say("All {} are right.", counted(n, "merge")), null];
  }

  const dialog = by("checking");
  by("check").hidden = !dialog.showModal;
  by("check").addEventListener("click", () => { pause(); note("checking-note", ""); dialog.showModal(); });
  by("checking-close").addEventListener("click", () => dialog.close());
  by("checking-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const [sentence, at] = by("checked").value.length > MOST_PASTED ? [livingPage.tooLarge(by("checked").value.length), null] : checked(by("checked").value);
    note("checking-note", sentence);
    if (at !== null) moveTo(at);
  });
})();
