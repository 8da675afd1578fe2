"""File formats: one module for each, which reads and writes it."""
