"""What is open now, and the jobs that change it. QtCore only; the one place with state."""
