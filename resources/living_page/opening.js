/* The first ten seconds of a page: its first merges play, then it asks for the next pair, then for the reader's own text.

   Whatever a reader does ends it, and it does not begin where less motion is asked for or the address says what is shown. */
"use strict";
(() => {
  const { engine: { say }, by, step, shownRun, play, ofAddress, askOnce } = livingPage;
  const N_PLAYED = 4, MEANT = ["pointerdown", "keydown", "click", "input", "paste", "drop", "hashchange"];
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || document.body.classList.contains("embed");
  const isAddressed = ["step", "text"].some((name) => ofAddress(name) !== undefined);
  const last = Math.min(N_PLAYED, shownRun().merges.length - 1);
  if (isStill || isAddressed || step() || last < 1 || !shownRun().words.length) return;
  let waiting = 0;
  function end() {
    clearTimeout(waiting);
    for (const name of MEANT) removeEventListener(name, stop, true);
  }
  function stop() {
    end();
    if (step() < last) play(false);
  }
  function watch() {
    if (step() < last) { waiting = setTimeout(watch, 100); return; }
    play(false);
    waiting = setTimeout(() => {
      end();
      askOnce(() => {
        by("about").textContent = say("Now type your own name.");
        by("typed").focus();
        by("typed").select();
      });
    }, 1000);
  }
  for (const name of MEANT) addEventListener(name, stop, true);
  waiting = setTimeout(() => { play(true); watch(); }, 1200);
})();
