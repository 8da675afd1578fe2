"""Pictures and accessibility trees of every page in each of its states, and what differs between two sets of them.

`python -m tests.looks OUT` draws all states, `python -m tests.looks OUT 'tokens.*'` some of them, and
`python -m tests.looks --against OLD NEW` compares two such folders.
"""
