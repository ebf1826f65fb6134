"""command_palette."""
