"""Measurements, not tests: `python -m tests.benchmarks`."""
