"""Makes merges from chunk counts: rules, steps, records and what-ifs."""
