"""huggingface."""
