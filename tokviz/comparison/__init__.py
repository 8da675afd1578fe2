"""Compares tokenizers: where they disagree and why, and whether two are the same. Also proves exports."""
