"""Lesson files: YAML that a teacher writes by hand. Every error names its line.

reader         reads a lesson, and lists those that come with the program
records        a lesson as plain records
settings       the settings of a training in a lesson
placeholders   `{next}`, `{count of u g}` and the like, which a lesson leaves to the run
yaml_nodes     reads YAML that may be anything
"""
