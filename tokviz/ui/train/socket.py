"""The Train page's socket: the browser sends what is written as small patches, and gets the merges that they changed.

A connection holds one corpus of one visitor and its settings. The browser speaks first, and numbers its changes:

    {"view", "settings", "length", "sum"}    the text area, the settings, and the length and CRC-32 of the text in it,
                                             in UTF-16-LE; the answer is {"hello", "same"}
    {"v", "from", "to", "insert"}            change number v: replace these UTF-16 units by `insert`
    {"v", "settings"}                        change number v: train with these settings from now on
    {"step"}                                 the chosen step, kept for the visitor; there is no answer
    {"keep": n, "replay"}                    make the training a tokenizer of the visitor's; if `replay`, Replay shows
                                             it next

"same" says whether the server has the text of the browser already. If so, the whole training follows as the answer to
change 0. If not, the server begins with an empty text, and the browser sends all of its own as the first patch.

Settings have the fields of `TrainSettings` without `sample`; `custom` is the split pattern if `pattern` is "custom",
and `special` has one special token in each line. The answer to "keep" is {"keep": n, "key", "name"}, or
{"keep": n, "error"} with a message for the reader, if there is no room for it or nothing to keep. The same training is
not kept twice.

The answer to a change counts for all changes before it too, which may have no answer of their own. It is the header's
length as uint32, the header in JSON, spaces up to a multiple of four, and then integers as int32. If the text cannot
be trained on with these settings, the header is {"v", "length", "error"} and nothing follows it. The last training
stays then, and the next answer tells what changed since that one. In other cases the header has these fields:

    v, length       the number of the change, and the length of the text in UTF-16 units
    bytes, tokens   of the corpus, before the first merge
    stopped         why there are no more merges: "size", "no_pairs" or "min_count"
    merges          how many there are
    edit            [first, removed, added]: at this byte, so many bytes were replaced by so many
    kept            [[rank, old, number], ...]: so many rows of the last ladder, from rank `old` on, are rows of this
                    one from `rank` on: the same token, made of the same two tokens, with the same figures
    gone            the old ranks of tokens that are no longer made
    up, down, new   how many rows moved up, how many moved down, and how many are new
    specials        the special tokens of the settings; the id of each is 256 + merges + its index
    rows, runs, seams, whole    how many there are below

and these integers follow, in this order:

    rows            of 7: rank, old, left, right, count, replaced, tied. All rows that are not kept, by rank. old: the
                    rank of the same token in the last ladder, -1 if it is new. left, right: ids, a byte or 256 + rank
                    in the new ladder. The tokens after a merge are those before it less `replaced`
    runs, seams     runs are of 2: first byte and number of seams; each takes the next so many of `seams`
    whole           of 2: first byte and index of each special token in the corpus, all of them each time

A token is known by its bytes: its row is new if the last ladder did not make these bytes, and moved up by old - rank.
To get the new seams: give each old seam the new rank of its token (-9 if it is gone; OPEN, SPLIT and WHOLE stay),
replace the `removed` seams from `first` on by `added` others, and overwrite the runs. Seams are as in
`tokviz.encoding`: a chunk begins where one is SPLIT, and so does a special token.

Above `LIVE_LIMIT` bytes the browser sends a patch only when the typing rests for `REST_S`. A text of more than
`CORPUS_LIMIT` UTF-16 units is refused, so the browser does not send one.
"""

from __future__ import annotations

LIVE_LIMIT = 20_000  # bytes of a corpus that is trained at each key
REST_S = 0.15  # without a key, after which a longer corpus is trained
CORPUS_LIMIT = 200_000  # UTF-16 units
MESSAGE_LIMIT = 1_500_000  # characters; JSON writes a unit in up to six
