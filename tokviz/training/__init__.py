"""From chunk counts to merges: rules, steps, records and what-ifs."""
