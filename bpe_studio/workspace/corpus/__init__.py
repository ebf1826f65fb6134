"""opening."""
