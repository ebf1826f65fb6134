"""Lesson files: YAML that a teacher writes by hand. Every error names its line.

reader         reads a lesson, and lists those of the program
records        a lesson as plain records
placeholders   `{next}`, `{count of u g}` and the like, whose values come from the run
results        the answers of a learner, as a file to hand in
yaml_parts     reads untrusted YAML
"""
