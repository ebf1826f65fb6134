"""The engine: text and numbers in, merges and tokens out. It knows no Qt, no files and no screen."""
