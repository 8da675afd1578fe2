"""What a text costs: figures, whole files and waste."""
