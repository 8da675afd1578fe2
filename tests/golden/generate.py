"""Makes the golden files of this folder from the packages themselves. Nobody writes them by hand.

    python -m tests.golden.generate

encodings.jsonl: what tiktoken makes of each edge case. trainings.jsonl: the tokens, in the order learned, that other
people's trainers find in each corpus. A test makes them anew and compares, so that they cannot go stale unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.oracles import REFERENCES, train_educational, train_hf, train_rustbpe, witness

HERE = Path(__file__).parent

EDGE_CASES = {
    "nothing": "",
    "one byte": "a",
    "hello": "Hello, world!",
    "accents": "naïve café, ÀÉÎÕÜ, Straße",
    "combining marks": "cafe\u0301 n\u0303o\u0302 Z\u0351\u036b\u0343A\u0321\u034aL\u0322\u0352G\u0354O\u0348",
    "spaces": "a  b   c    d",
    "space at the end": "the end ",
    "spaces at the end": "the end    ",
    "only spaces": " " * 17,
    "tabs and line ends": "\tif x:\n\t\treturn\r\n\r\n  \n \t \n",
    "old line ends": "one\rtwo\r\rthree\n\rfour",
    "odd spaces": "a\u00a0b\u2003c\u3000d\u200be\u2028f\x85g\x0bh\x1ci",
    "contractions": "I'm, you're, she'll, they've, he'd, don't, it's",
    "contractions in capitals": "I'M YOU'RE SHE'LL THEY'VE HE'D DON'T IT'S",
    "contractions that are none": "'sand 'tis rock'n'roll ''s x'ſ y'K O'Reilly 'll'll",
    "curly apostrophe": "I’m sure it’s don’t",
    "numbers": "1 12 123 1234 12345 123456 1234567 3.14159 1,000,000 -7 1e10 0x1F",
    "other numbers": "½ ² Ⅷ ٣٤٥٦٧ 一二三 ①② ൫൬൭൮",
    "case": "camelCase HTTPServer iPhone McDonald's ǅungla ΑΒΓαβγ ЖЗИжзи ªº ʰʷ",
    "underscores": "test_123 __init__ a_b_c",
    "punctuation": '!?... --- (a) [b] {c} <d> "e" `f` #g @h $i %j ^k &l *m',
    "slashes after line ends": "end.\n/\n//\r\n/// path/to/it",
    "code": 'def f(x: int) -> str:\n    return f"{x!r:>10}"  # why\n',
    "address": "https://example.org/a/b?c=d&e=%20#f",
    "chinese": "你好，世界。今天天气很好！",
    "japanese": "こんにちは、世界。カタカナとｶﾅ",
    "korean": "안녕하세요 세계",
    "arabic": "السلام عليكم ١٢٣",
    "hebrew": "שָׁלוֹם עוֹלָם",
    "hindi": "नमस्ते दुनिया",
    "nepali": "म नेपाली केटा हुँ",
    "thai": "สวัสดีชาวโลก",
    "emoji": "👍 👍🏽 👩‍👩‍👧‍👦 🇳🇵 ❤️ ☃ 1️⃣",
    "many of one letter": "a" * 300,
    "many of one mark": "=" * 100 + "\n" + "-" * 81,
    "many digits": "0123456789" * 13,
    "many line ends": "\n" * 33 + "x",
    "spaces before a word": " " * 300 + "x",
    "a long word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3,
    "byte order mark": "\ufefftext\ufeff",
    "replacement": "\ufffd\ufffd a\ufffd",
    "controls": "\x00\x01\x02\x1b[31mred\x1b[0m\x7f\x80\x9f",
    "last code points": "\U0010ffff\U0001ffff\ue000\uffff\ufdd0",
    "lone surrogates": "a\ud800b\udfff",
    "a surrogate pair": "\ud83d\udc4d",
    "surrogates the wrong way round": "\udc4d\ud83d!",
    "special token as text": "<|endoftext|> <|endofprompt|><|fim_prefix|>",
    "markup": "<script>alert('x')</script> &amp; <!-- no --> ]]>",
    "right to left": "\u202eabc\u202c \u200fdef\u200e",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\u00adf",
    "letters that grow in capitals": "ß ŉ ǰ ΐ ﬁ ﬃ ﬗ İ ı",
    "between versions of Unicode": "\u0558's \U0001e5d0\U00010d4a \u088f \U00016d63",
}

NOVEL = (
    "It was a bright cold morning in April, and the clocks were late. Nobody had wound them since Tuesday; "
    "nobody, it's true, had asked what time it was since then.\n\n\"Don't you think,\" said the clockmaker's niece, "
    "\"that they're waiting for us?\" She'd set out 12 candles, 144 matches and 1,728 reasons to stay.\n"
)
CODE = "for i in range(10):\n    for j in range(i):\n        print(i, j, i * j)\n    total += i\nreturn total\n"
LANGUAGES = "Über Äpfel und Öl. L'été dernier, déjà vu! Ça va? 你好你好世界。 Добрый день, день добрый. 👍👍👍\n"
CORPORA = {
    "novel": NOVEL * 2,
    "code": CODE * 2,
    "languages": LANGUAGES * 2,
    "runs": "aaaa aaa aaaaaa aa aaaaaaa bbbb abab ababab\n" * 2,
}
MERGES = {"novel": 60, "code": 36, "languages": 60, "runs": 12}  # as many as all patterns leave pairs for


def encodings() -> Iterator[dict]:
    for encoding in REFERENCES:
        for case, text in EDGE_CASES.items():
            ids = witness(encoding).encode(text, disallowed_special=())
            yield {"encoding": encoding, "case": case, "ids": ids}


def trainings() -> Iterator[dict]:
    trainers = {
        "first": ("tiktoken._educational", train_educational),
        "lowest": ("rustbpe", lambda text, merges, pattern: train_rustbpe([text], merges, pattern)),
        "hf": ("tokenizers", train_hf),
    }
    for tie, (package, train) in trainers.items():
        for corpus, text in CORPORA.items():
            for pattern in ("gpt2", "cl100k", "o200k", "none"):
                if pattern == "none" and package != "tiktoken._educational":
                    continue  # the others are of use with a pattern only
                tokens = [token.hex() for token in train(text, MERGES[corpus], pattern)]
                yield {"trainer": package, "tie": tie, "corpus": corpus, "pattern": pattern, "tokens": tokens}


def lines(rows: Iterator[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {"encodings.jsonl": encodings, "trainings.jsonl": trainings}


def read(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="ascii").splitlines()]


if __name__ == "__main__":
    for name, rows in FILES.items():
        (HERE / name).write_text(lines(rows()), encoding="ascii", newline="\n")
