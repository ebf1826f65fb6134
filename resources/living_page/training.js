/* The dialog in which a reader trains a text of their own: its form, and the worker that trains. */
"use strict";
(() => {
  const { engine, opened, by, element, note, showRun, pause, engineWorker, textOf, tooLarge, tooSlow, MOST_TRAINED, SPLIT_MS } = livingPage, { say, number, counted } = engine;
  const { tables, run: { settings: own }, view, choices } = JSON.parse(by("data").textContent);
  const MOST_PASTED = 20000, MOST_MERGES = 5000, USUAL_MERGES = 500, SLICE_MS = 50;
  let chosen = null, stopTraining = null;

  // Training: in a worker where the browser allows one, else here in slices. Both run this function.
  async function trainInSlices(engine, corpus, settings, ms, tell) {
    const run = engine.makeTrainer(corpus, settings);
    while (!run.stopReason) {
      for (const end = Date.now() + ms; Date.now() < end && run.step(););
      tell(run.merges.length / run.target);
      await new Promise((resume) => setTimeout(resume));
    }
    const merges = run.merges.map((merge) => [merge.left, merge.right, merge.count, merge.tied, merge.nTokens]);
    return { settings, alphabet: run.alphabet, merges, passed: run.passed, nTokens: run.nTokens, words: run.words.map((word) => [word.piece, word.count, word.gaps]) };
  }
  function train(corpus, settings, tell) {
    return new Promise((resolve, reject) => {
      const inPage = () => {
        let isStopped = false;
        stopTraining = () => { isStopped = true; reject(new Error("")); };
        trainInSlices(engine, corpus, settings, SLICE_MS, (share) => { if (isStopped) throw new Error(""); tell(share); }).then(resolve, reject);
      };
      try {
        const worker = engineWorker("const trainInSlices = " + trainInSlices + ";onmessage = ({ data }) => trainInSlices(bpeEngine(data.tables), data.corpus, data.settings, data.ms, (share) => postMessage({ share })).then((run) => postMessage({ run }), (error) => postMessage({ trouble: error.message }));");
        const stop = (why) => { worker.terminate(); reject(new Error(why)); };
        const splitting = settings.ownPattern ? setTimeout(() => stop(tooSlow()), SPLIT_MS) : 0;
        stopTraining = () => stop("");
        worker.onmessage = ({ data }) => {
          clearTimeout(splitting);
          if (data.share !== undefined) tell(data.share);
          else if (data.trouble !== undefined) stop(data.trouble);
          else {
            worker.terminate();
            resolve(data.run);
          }
        };
        worker.onerror = (event) => { event.preventDefault(); clearTimeout(splitting); worker.terminate(); inPage(); };
        worker.postMessage({ tables, corpus, settings, ms: SLICE_MS });
      } catch { inPage(); }
    });
  }
  function choose(corpus, name) {
    const isLarge = corpus.length > MOST_TRAINED;
    chosen = isLarge ? null : { corpus, name };
    note("training-note", isLarge ? tooLarge(corpus.length) : say("{}: {}", name, counted(corpus.length, "character")));
    if (!isLarge) by("corpus").value = "";
  }
  function makeForm() {
    const field = (name, label, control) => {
      const wrapped = element("label", "", say(label));
      control.id = "option-" + name;
      wrapped.append(control);
      by("options").append(wrapped);
      return control;
    };
    const select = (values) => {
      const made = element("select");
      for (const [value, [label, about]] of Object.entries(values)) {
        const option = element("option", "", say(label));
        option.value = value;
        option.title = say(about);
        made.append(option);
      }
      return made;
    };
    const whole = (least) => { const made = element("input"); made.type = "number"; made.min = least; made.required = true; return made; };
    const preset = field("preset", "Settings", select({ "": ["As in this page's run", ""], ...Object.fromEntries(Object.entries(choices.presets).map(([name, each]) => [name, each.words])) }));
    if (own.ownPattern) choices.options.split[own.split] = [own.split.replace("regex:", ""), ""];
    for (const [name, values] of Object.entries(choices.options)) field(name, choices.labels[name], select(values));
    field("merges", choices.labels.merges, whole(0)).max = MOST_MERGES;
    field("minFrequency", choices.labels.minFrequency, whole(1));
    const fields = [...Object.keys(choices.options), "merges", "minFrequency"].map((name) => [name, by("option-" + name)]);
    const base = () => preset.value ? choices.presets[preset.value].settings : own;
    const take = () => { for (const [name, control] of fields) control.value = name === "merges" ? Math.min(USUAL_MERGES, base().merges || USUAL_MERGES) : base()[name]; };
    preset.addEventListener("change", take);
    take();
    return () => {
      const settings = { ...base(), vocabSize: null };
      for (const [name, control] of fields) settings[name] = control.type === "number" ? Number(control.value) : control.value;
      settings.ownPattern = settings.split === own.split ? own.ownPattern : null;
      if (settings.units === "bytes") settings.byteFallback = false;
      return settings;
    };
  }

  for (const [name, data] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) {
    by("corpus").addEventListener(name, (event) => {
      const given = event[data] ? event[data].getData("text") : "";
      if (given.length <= MOST_PASTED) return;
      event.preventDefault(); // a field with so much text in it would be slow
      choose(given, name === "paste" ? say("Pasted text") : say("Dropped text"));
    });
  }
  by("corpus").addEventListener("input", () => { chosen = null; note("training-note", ""); });
  by("file").addEventListener("change", () => {
    const file = by("file").files[0];
    if (!file) return;
    textOf(file).then((corpus) => choose(corpus, file.name)).catch((error) => {
      chosen = null;
      note("training-note", error.message);
    });
  });
  const dialog = by("training"), settings = makeForm();
  by("train").hidden = !dialog.showModal; // in browsers before 2022
  by("train").addEventListener("click", () => { pause(); dialog.showModal(); });
  livingPage.trainOn = (corpus, name) => {
    if (!dialog.open) by("train").click();
    choose(corpus, name);
  };
  by("cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => { if (stopTraining) stopTraining(); });
  by("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const corpus = chosen ? chosen.corpus : by("corpus").value;
    if (!corpus.trim()) { note("training-note", say("Type or paste a text, or choose a file.")); return; }
    if (corpus.length > MOST_TRAINED) { note("training-note", tooLarge(corpus.length)); return; }
    const isBusy = (is) => { by("start").disabled = is; by("progress").hidden = !is; by("progress").value = 0; };
    isBusy(true);
    note("training-note", "");
    train(corpus, settings(), (share) => { by("progress").value = share; }).then((found) => {
      stopTraining = null;
      dialog.close();
      // The text is shown as well, unless the reader has typed one.
      const isTyped = by("typed").value !== view.text, beginning = corpus.slice(0, 120);
      showRun(opened(found), chosen ? chosen.name : say("Your text"), 0, isTyped ? by("typed").value : beginning);
      by("play").focus();
    }).catch((error) => note("training-note", error.message)).finally(() => { stopTraining = null; isBusy(false); });
  });
})();
