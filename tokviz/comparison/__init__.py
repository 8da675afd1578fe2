"""Two tokenizers: where they disagree and why, whether they are the same, and the proof of an export."""
