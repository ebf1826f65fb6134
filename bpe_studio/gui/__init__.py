"""The window. It draws the workspace and sends it intents; one widget a file."""
