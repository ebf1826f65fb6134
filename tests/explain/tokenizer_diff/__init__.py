"""Two tokenizers that differ in a known way, and in none."""
