/* The game "Guess the next pair", on the run that the page shows, from its step on; its rules are those of the window. */
"use strict";
(() => {
  const { engine, by, element, step, setAsking: hideLater, shownRun, moveTo, whatDecided, saveResults } = livingPage;
  const { say, number, counted, isolated } = engine, isRightToLeft = document.documentElement.dir === "rtl";
  const N_ROUNDS = 10, POINTS = 10, HINT_POINTS = 2, BANDS = [[0, 9], [9, 60], [60, 400]];
  let nRounds = N_ROUNDS, atEnd = null, guesses = [], choices = [], hints = new Set(), isAsking = false;

  const nameOf = ({ left, right }) => {
    const { shown } = shownRun();
    return isRightToLeft ? isolated(`${shown(left)} + ${shown(right)}`) : `${isolated(shown(left))} + ${isolated(shown(right))}`;
  };
  const points = () => guesses.reduce((sum, each) => sum + each.points, 0);
  const isAtEnd = () => step() >= shownRun().merges.length;
  const drawn = (from) => from[Math.floor(Math.random() * from.length)];

  function setAsking(isOn) {
    isAsking = isOn;
    hideLater(isOn ? [] : null);
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
    by("said").textContent = ""; // the question is enough
    draw(say("Which pair is merged next? The words and their counts decide."), "");
    // A page does not take the focus by itself.
    if (!atEnd) by("lesson-choices").querySelector("button").focus({ preventScroll: true });
  }
  function draw(said, verdict) {
    by("lesson-head").textContent = say("Guess the next pair");
    by("lesson-say").textContent = said;
    by("lesson-verdict").textContent = verdict;
    by("lesson-place").textContent = say("{} of {}", number(Math.min(nRounds, guesses.length + (isAsking ? 1 : 0))), number(nRounds));
    by("lesson-place").hidden = by("lesson-score").hidden = nRounds === 1;
    by("lesson-score").textContent = counted(points(), "point");
    by("lesson-next").disabled = isAsking;
    by("lesson-next").textContent = isOver() ? (atEnd ? say("Now your own name") : say("Play again")) : say("&Next").replace("&", "");
    by("lesson-save").hidden = !isOver() || nRounds === 1;
    by("lesson-choices").replaceChildren(...choices.map(rowOf));
  }
  function rowOf(choice, k) {
    const row = element("div", "choice"), isShown = !isAsking || hints.has(k), isAnswer = choice.isRight && !isAsking;
    const button = (className, text, isHint) => {
      const made = element("button", className, text);
      made.type = "button";
      made.disabled = !isAsking;
      made.addEventListener("click", (event) => guess(k, isHint || event.shiftKey));
      row.append(made);
      return made;
    };
    const count = isShown ? `  (${counted(choice.count, "time")})` : "";
    button(isAnswer ? "answer guess" : "guess", `${isAnswer ? "\u2713" : number(k + 1)}  ${nameOf(choice)}${count}`, false);
    if (isShown) return row;
    const about = say("How often {} occurs, for {} points", nameOf(choice), number(HINT_POINTS));
    const price = say("Count −{}", number(HINT_POINTS)), hint = button("hint", price, true);
    hint.title = `${about} (Shift+${k + 1})`;
    hint.setAttribute("aria-label", `${price}: ${about}`);
    return row;
  }
  const isOver = () => !isAsking && (guesses.length >= nRounds || step() + 1 >= shownRun().merges.length);
  function guess(k, isHint) {
    if (!isAsking || !choices[k]) return;
    if (isHint) {
      hints.add(k);
      draw(by("lesson-say").textContent, "");
      by("lesson-choices").children[k].firstChild.focus();
      return;
    }
    const right = choices.find((choice) => choice.isRight), chosen = choices[k], worth = Math.max(0, POINTS - HINT_POINTS * hints.size);
    const isTied = !chosen.isRight && chosen.count === right.count && !chosen.obstacle, isRight = chosen === right;
    const question = say("Which pair is merged after {} merges?", number(step()));
    guesses.push({ points: isRight ? worth : isTied ? worth / 2 : 0, question, answer: nameOf(right), given: [nameOf(chosen)], right: isRight });
    setAsking(false);
    const verdict = isRight ? "\u2713 " + say("Right") : isTied ? "\u2248 " + say("Half right: equally frequent") : "\u2717 " + say("Not this one");
    const end = isOver() && nRounds > 1 ? [say("You have {} of {} points.", number(points()), number(guesses.length * POINTS))] : [];
    const why = say("{} is merged next: it occurs {}, {}.", nameOf(right), counted(right.count, "time"), whatDecided(step()));
    draw([why, ...end].join(" "), verdict);
    by("lesson-next").focus();
  }
  function begin(rounds, whenOver) {
    guesses = [];
    nRounds = rounds;
    atEnd = whenOver;
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
  by("lesson-back").textContent = say("Leave the game");
  by("lesson-back").addEventListener("click", leave);
  by("lesson-save").addEventListener("click", () => {
    saveResults("game", say("Guess the next pair"), points(), POINTS * nRounds, guesses.map(({ points: _, ...answer }) => answer));
  });
  by("lesson-next").addEventListener("click", () => {
    if (isOver() && atEnd) {
      moveTo(step() + 1);
      leave();
      atEnd();
      return;
    }
    if (isOver()) { begin(N_ROUNDS, null); return; }
    moveTo(step() + 1);
    ask();
  });
  by("game").addEventListener("click", () => begin(N_ROUNDS, null));
  livingPage.askOnce = (whenOver) => begin(1, whenOver);
  document.addEventListener("keydown", (event) => {
    const digit = /^Digit([1-4])$/.exec(event.code);
    if (isAsking && digit && !event.target.matches("textarea, input:not([type=checkbox])")) guess(Number(digit[1]) - 1, event.shiftKey);
  });
})();
