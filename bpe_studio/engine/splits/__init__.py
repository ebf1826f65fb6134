"""splits."""
