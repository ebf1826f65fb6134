"""skyline."""
