"""Text files in, tokenizers in and out. One module a format; nothing here knows Qt."""
