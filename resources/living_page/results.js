/* Results of a lesson or a game, as the file that students hand in; the window writes the same (`files/lessons/results.py`). */
"use strict";
livingPage.saveResults = (() => {
  const { by, saveFile } = livingPage, dialog = by("saving");
  let results = null;
  const two = (n) => String(n).padStart(2, "0");
  const dateOf = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;

  by("saving-cancel").addEventListener("click", () => dialog.close());
  by("saving-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = by("student").value.trim(), { lesson, title, score, outOf, answers } = results;
    const content = JSON.stringify({ name, lesson, title, date: dateOf(new Date()), score, out_of: outOf, answers }, null, 1);
    // Marks of direction belong to the page.
    const file = content.replace(/[\u200e\u200f\u2066-\u2069]/g, "") + "\n";
    saveFile(file, `${lesson}-${name.replace(/[^\p{L}\p{N} _.-]/gu, "_").slice(0, 100) || "results"}.json`, "application/json");
    dialog.close();
  });
  /* Asks for the name, then saves; each answer is {question, answer, given, right}. */
  return (lesson, title, score, outOf, answers) => {
    results = { lesson, title, score, outOf, answers };
    dialog.showModal();
  };
})();
