"""marks."""
