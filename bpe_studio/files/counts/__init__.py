"""Counted pre-tokens in files, and counting with any executor.

head            the head of a counts file: how the text was cut, how much it was, and where it came
                from
tsv             `pre-token TAB count` lines
parquet         such counts as a Parquet table
files           saves and loads a `Counter` in either form
tasks           divides sources into tasks whose tables add up exactly
counting        runs the tasks on any executor of concurrent.futures
"""
