/* The game "Guess the next pair", on the run that the page shows, from its step on; its rules are those of the window. */
"use strict";
(() => {
  const { engine, by, element, counted, step, shownRun, moveTo, whatDecided } = livingPage;
  const N_ROUNDS = 10, POINTS = 10, HINT_POINTS = 2, BANDS = [[0, 9], [9, 60], [60, 400]];
  let guesses = [], choices = [], hints = new Set(), isAsking = false;

  const nameOf = ({ left, right }) => [left, right].map((token) => "\u2068" + shownRun().shown(token) + "\u2069").join(" + ");
  const points = () => guesses.reduce((sum, each) => sum + each, 0);
  const isAtEnd = () => step() >= shownRun().merges.length;
  const drawn = (from) => from[Math.floor(Math.random() * from.length)];

  function setAsking(isOn) {
    isAsking = isOn;
    document.body.classList.toggle("asking", isOn);
    by("controls").inert = isOn;
  }
  function ask() {
    const { left, right, count } = shownRun().merges[step()], isRight = (row) => row.left === left && row.right === right;
    const others = engine.candidates(shownRun(), step(), BANDS[2][1] + 1).rows.filter((row) => !isRight(row));
    // A close one, and rarer ones that the words can rule out; of few candidates, the best of the rest.
    const some = BANDS.map(([low, high]) => drawn(others.slice(low, high))).filter(Boolean);
    choices = [{ left, right, count, isRight: true }, ...some, ...others.filter((row) => !some.includes(row))].slice(0, 4);
    for (let k = choices.length - 1; k > 0; k--) {
      const other = Math.floor(Math.random() * (k + 1));
      [choices[k], choices[other]] = [choices[other], choices[k]];
    }
    hints = new Set();
    setAsking(true);
    draw("Which pair is merged next? The words and their counts decide. With Shift, a choice shows its count, for 2 points.", "");
    by("lesson-choices").firstChild.focus({ preventScroll: true });
  }
  function draw(said, verdict) {
    by("lesson-head").textContent = "Guess the next pair";
    by("lesson-say").textContent = said;
    by("lesson-verdict").textContent = verdict;
    by("lesson-place").textContent = `${Math.min(N_ROUNDS, guesses.length + (isAsking ? 1 : 0))} of ${N_ROUNDS}`;
    by("lesson-score").textContent = counted(points(), "point");
    by("lesson-next").disabled = isAsking;
    by("lesson-next").textContent = isOver() ? "Play again" : "Next";
    by("lesson-choices").replaceChildren(...choices.map((choice, k) => {
      const isShown = !isAsking || hints.has(k), count = isShown ? `  (${counted(choice.count, "time")})` : "";
      const button = element("button", choice.isRight && !isAsking ? "answer" : "", `${choice.isRight && !isAsking ? "\u2713" : k + 1}  ${nameOf(choice)}${count}`);
      button.type = "button";
      button.disabled = !isAsking;
      button.addEventListener("click", (event) => guess(k, event.shiftKey));
      return button;
    }));
  }
  const isOver = () => !isAsking && (guesses.length >= N_ROUNDS || step() + 1 >= shownRun().merges.length);
  function guess(k, isHint) {
    if (!isAsking || !choices[k]) return;
    if (isHint) {
      hints.add(k);
      draw(by("lesson-say").textContent, "");
      by("lesson-choices").children[k].focus();
      return;
    }
    const right = choices.find((choice) => choice.isRight), chosen = choices[k], worth = Math.max(0, POINTS - HINT_POINTS * hints.size);
    const isTied = !chosen.isRight && chosen.count === right.count && !chosen.obstacle;
    guesses.push(chosen.isRight ? worth : isTied ? worth / 2 : 0);
    setAsking(false);
    const verdict = chosen.isRight ? "\u2713 Right" : isTied ? "\u2248 Half right: equally frequent" : "\u2717 Not this one";
    const end = isOver() ? ` You have ${points()} of ${guesses.length * POINTS} points.` : "";
    draw(`${nameOf(right)} is merged next: it occurs ${counted(right.count, "time")}, ${whatDecided(step())}.${end}`, verdict);
    by("lesson-next").focus();
  }
  function begin() {
    guesses = [];
    if (isAtEnd()) moveTo(0);
    by("lesson").hidden = false;
    document.body.classList.add("in-game");
    ask();
  }
  function leave() {
    setAsking(false);
    by("lesson").hidden = true;
    document.body.classList.remove("in-game");
    dispatchEvent(new Event("resize")); // what was hidden is measured again
    by("game").focus();
  }

  for (const id of ["lesson-fields", "lesson-reveal", "lesson-text", "lesson-why"]) by(id).hidden = true;
  by("lesson-back").textContent = "Leave";
  by("lesson-back").addEventListener("click", leave);
  by("lesson-next").addEventListener("click", () => {
    if (isOver()) { begin(); return; }
    moveTo(step() + 1);
    ask();
  });
  by("game").addEventListener("click", begin);
  document.addEventListener("keydown", (event) => {
    const digit = /^Digit([1-4])$/.exec(event.code);
    if (isAsking && digit && !event.target.matches("textarea, input:not([type=checkbox])")) guess(Number(digit[1]) - 1, event.shiftKey);
  });
})();
