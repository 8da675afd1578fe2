"""What Hypothesis draws: texts that are hard on a tokenizer, corpora full of ties, and whole settings of a training.

And the naive side of each: chunks cut in plain steps, a training with every state it went through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from hypothesis import strategies as st

import tokviz
from tests import naive
from tokviz.split.cutting import cut
from tokviz.training import rules

CUSTOM = r"\w+|\W+"
PATTERNS = ["none", "gpt2", "cl100k", "o200k", CUSTOM]
TIES = list(rules.TIES)
SPECIALS = ["<|e|>", "a b", "é!", "<|e|><|e|>"]

# Few different characters make many ties; the last ones bring characters of two to four bytes.
ALPHABETS = ["a", "ab", "ab c", "hugpns ", "01 ,'s", "ab\n\té ", "abé日👍 ", "\u0301e\u200dſ👍🏽 "]

CONTRACTIONS = ["'s", "'S", "'ll", "'LL", "'re", "'ſ", "don't", "I'M", "it's", "''s"]
NUMBERS = ["1", "12", "123", "1234567", "½", "Ⅷ", "٣٤٥٦", "²", "3.14", "1,000"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u3000", "\u200b", "\x0b", "\x85", "\u2028", " \n ", "\x1c"]
SCRIPTS = ["naïve", "你好", "नमस्ते", "สวัสดี", "안녕", "ÇA VA", "Straße", "ǅ", "ﷺ", "e\u0301", "MiXeD", "camelCase", "ʰ"]
SYMBOLS = ["👍🏽", "👩‍👩‍👧", "🇳🇵", "\ufeff", "\ufffd", "\x00", "\x7f", "!!!", "//", "\r\n/", "###", "<|endoftext|>"]
WORDS = ["a", "the", " cat", "Z", "hello", "aaaa", " ", "_", "http://x.y/?q=1"]
SURROGATES = ["\ud800", "\udfff", "\ud83d\udc4d", "\udc4d\ud83d", "x\ud83d"]

any_character = st.characters(exclude_categories=())  # surrogates too
fragments = st.one_of(
    st.sampled_from(CONTRACTIONS + NUMBERS + SPACES + SCRIPTS + SYMBOLS + WORDS + SURROGATES),
    st.text(any_character, max_size=4),
    st.builds(str.__mul__, st.sampled_from([" ", "\n", "a", "0", "!", "\t", "é"]), st.integers(1, 40)),
)
wild_texts = st.lists(fragments, max_size=12).map("".join)
small_texts = st.sampled_from(ALPHABETS).flatmap(lambda alphabet: st.text(alphabet, max_size=60))


def cut_naively(text: str, special_tokens: tuple[str, ...]) -> list[tuple[str, bool]]:
    """(stretch, is it special): at each character, is there a special token? The longest is taken."""
    pieces, plain, i = [], "", 0
    while i < len(text):
        here = max((token for token in special_tokens if text.startswith(token, i)), key=len, default="")
        if here and plain:
            pieces.append((plain, False))
            plain = ""
        if here:
            pieces.append((here, True))
        else:
            plain += text[i]
        i += len(here) or 1
    return pieces + ([(plain, False)] if plain else [])


def chunks_of(texts: tuple[str, ...], pattern: str, special_tokens: tuple[str, ...]) -> list[tuple[int, bytes, bool]]:
    """(byte offset in the corpus, bytes, is it special) of every chunk, in order."""
    chunks, offset = [], 0
    for text in texts:
        for stretch, special in cut_naively(text, special_tokens):
            data = stretch.encode()
            ends = [len(data)] if special else cut(stretch, pattern).tolist()
            for start, end in pairwise([0, *ends]):
                chunks.append((offset + start, data[start:end], special))
            offset += len(data)
    return chunks


@dataclass(frozen=True)
class Setting:
    """A corpus and all that one can ask of a training; both trainers, ours and the naive one."""

    texts: tuple[str, ...]
    merges: int
    pattern: str = "none"
    special_tokens: tuple[str, ...] = ()
    tie: str = "first"
    min_count: int = 1
    ban: tuple[bytes, ...] = ()
    prefer: str = "frequent"

    @property
    def how(self) -> dict:
        return {"tie": self.tie, "min_count": self.min_count, "ban": self.ban, "prefer": self.prefer}

    @property
    def data(self) -> bytes:
        return "".join(self.texts).encode()

    def train(self) -> tokviz.Training:
        return tokviz.train(
            self.texts, 256 + self.merges, pattern=self.pattern, special_tokens=self.special_tokens, **self.how
        )

    def train_in_shards(self, at: int) -> tokviz.Training:
        count = lambda texts: tokviz.count_chunks(texts, self.pattern, self.special_tokens)  # noqa: E731
        return tokviz.train(count(self.texts[:at]) + count(self.texts[at:]), 256 + self.merges, **self.how)

    @cached_property
    def chunks(self) -> list[tuple[int, bytes]]:
        return [(at, data) for at, data, special in self._all_chunks if not special]

    @cached_property
    def _all_chunks(self) -> list[tuple[int, bytes, bool]]:
        return chunks_of(self.texts, self.pattern, self.special_tokens)

    @cached_property
    def naive(self) -> tuple[list[tuple[int, ...]], str, list[list[list[int]]]]:
        """The records, why it stopped, and the chunks as ids at every step."""
        specials = sum(special for _, _, special in self._all_chunks)
        chunks = [data for _, data in self.chunks]
        how = (self.merges, self.tie, self.min_count, self.ban, self.prefer, specials)
        return naive.train(chunks, *how)

    @cached_property
    def vocab(self) -> dict[int, bytes]:
        vocab = {byte: bytes([byte]) for byte in range(256)}
        for rank, (left, right, *_) in enumerate(self.naive[0]):
            vocab[256 + rank] = vocab[left] + vocab[right]
        return vocab

    def naive_places(self, k: int) -> list[list[tuple[int, int]]]:
        """For each chunk its tokens at step k: (byte offset in the corpus, id)."""
        return [
            list(zip(accumulate([at, *(len(self.vocab[id]) for id in ids)]), ids, strict=False))
            for (at, _), ids in zip(self.chunks, self.naive[2][k], strict=True)
        ]

    def naive_tokens(self) -> list[tuple[int, int]]:
        """(byte offset in the corpus, id) of every token in the end, special tokens too."""
        first_free = 256 + len(self.naive[0])
        tokens = [token for chunk in self.naive_places(-1) for token in chunk]
        for at, data, special in self._all_chunks:
            if special:
                tokens.append((at, first_free + self.special_tokens.index(data.decode())))
        return sorted(tokens)

    def naive_candidates(self, k: int) -> list[tuple[int, int, int, int]]:
        """(left, right, count, first byte offset) of every pair that may merge at step k, the winner first."""
        stats = naive.pair_counts(self.naive[2][k])
        firsts: dict[tuple[int, int], int] = {}
        for tokens in self.naive_places(k):
            for (at, left), (_, right) in pairwise(tokens):
                firsts.setdefault((left, right), at)
        pairs = naive.ranked(stats, self.vocab, **self.how)
        return [(*pair, stats[pair], firsts[pair]) for pair in pairs]

    def naive_seams(self) -> list[int]:
        """The seams of the whole corpus, read off the states: the step at which each boundary went away."""
        seams = [tokviz.WHOLE] * len(self.data)
        for at, data, special in self._all_chunks:
            seams[at] = tokviz.SPLIT
            if not special:
                seams[at + 1 : at + len(data)] = [tokviz.OPEN] * (len(data) - 1)
        for rank in range(len(self.naive[0])):
            before, after = ({at for tokens in self.naive_places(k) for at, _ in tokens} for k in (rank, rank + 1))
            for at in before - after:
                seams[at] = rank
        return seams


@st.composite
def settings_of_training(draw: st.DrawFn, max_merges: int = 40) -> Setting:
    alphabet = draw(st.sampled_from(ALPHABETS))
    special_tokens = tuple(draw(st.sampled_from([(), (), SPECIALS[:1], SPECIALS[1:3], SPECIALS])))
    piece = st.text(alphabet, max_size=30)
    if special_tokens:
        piece = st.one_of(piece, st.sampled_from(special_tokens))
    texts = draw(st.lists(st.lists(piece, max_size=4).map("".join), max_size=4))
    return Setting(
        tuple(texts),
        merges=draw(st.integers(0, max_merges)),
        pattern=draw(st.sampled_from(PATTERNS)),
        special_tokens=special_tokens,
        tie=draw(st.sampled_from(TIES)),
        min_count=draw(st.sampled_from([1, 1, 1, 2, 3])),
        ban=tuple(draw(st.sampled_from([(), (), (b"ab",), (b"aa", b"aba", b" a"), ("é".encode(),)]))),
        prefer=draw(st.sampled_from(["frequent", "frequent", "frequent", "rarest"])),
    )


# Tokenizers that no training makes


HOSTILE_PATTERNS = [*PATTERNS, r" ?\w+ | \n|\r\n|[\s\S]", " |[\\s\\S]", '"é\\u2028👍"|[\\s\\S]', "é\u2028👍|[\\s\\S]"]
HOSTILE_PATTERNS += ["\\\\|[\\s\\S]", "\x00|[\\s\\S]", "a\n|[\\s\\S]", "(?s:.) ", r"\p{L}+|\P{L}", r"\s+(?!\S)|\S+|\s+"]
HOSTILE_SPECIALS = [
    "<|e|>",
    " a b ",
    "\n",
    "é\u2028",
    '"\\"',
    "\x00",
    "\u00a0",
    "a",
    "ab",
    "Ġ",
    "Ġa",
    "#",
    "0 1",
    "\ufeff",
]


@st.composite
def hostile_tokenizers(draw: st.DrawFn, plain_ids: bool | None = None) -> tokviz.Tokenizer:
    """Any alphabet, ids with gaps, merges of any parts, patterns and special tokens that files find hard to hold.

    plain_ids: the ids of bytes are 0 to 255, and those of merges 256, 257, and so on; None: sometimes.
    """
    plain = draw(st.booleans()) if plain_ids is None else plain_ids
    alphabet = list(range(256)) if plain else draw(st.permutations(range(256)))
    tokens = {
        alphabet[byte]: bytes([byte]) for byte in draw(st.sampled_from([b"ab", b"a \n", b"ab\xc3\xa9\x00#", b" '0"]))
    }
    merges, minted, next_id = [], [], 256
    for _ in range(draw(st.integers(0, 8))):
        left, right = (draw(st.sampled_from(list(tokens))) for _ in range(2))
        if tokens[left] + tokens[right] not in tokens.values():
            next_id += 0 if plain else draw(st.integers(0, 3))
            tokens[next_id] = tokens[left] + tokens[right]
            merges.append((left, right))
            minted.append(next_id)
            next_id += 1
    if not plain and draw(st.booleans()):  # ids that do not rise with the ranks
        moved = dict(zip(minted, draw(st.permutations(minted)), strict=True))
        merges = [(moved.get(left, left), moved.get(right, right)) for left, right in merges]
        minted = [moved[id] for id in minted]
    specials = draw(st.lists(st.sampled_from(HOSTILE_SPECIALS), unique=True, max_size=4))
    return tokviz.Tokenizer(
        draw(st.sampled_from(["hug", "", "../a b", "naïve 👍"])),
        merges,
        pattern=draw(st.sampled_from(HOSTILE_PATTERNS)),
        special_tokens={token: next_id + draw(st.integers(0, 2)) * 10 + i for i, token in enumerate(specials)},
        alphabet=alphabet,
        merge_ids=minted,
    )
