"""What is open now: the corpus, the run, the step, and the jobs that change them. QtCore only; no widgets."""
