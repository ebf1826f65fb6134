"""merges."""
