"""Files with a normalizer in a real browser: their tokens are those of the changed text, each with its tree."""

from __future__ import annotations

import random
import re
from functools import partial

from playwright.sync_api import Browser, expect

from tests.e2e.browser import Server, eventually, settled, visiting
from tests.e2e.test_library import note
from tests.e2e.typing import answered, area, choose, head, opened, replace, shows, spans, token_from, view
from tests.test_characters import model_of
from tests.test_normalizing import CLAUDE
from tokviz.formats import dump, load

FILES = {"qwen.json": dump(CLAUDE, "hf")["tokenizer.json"]}
LLAMA = {"llama.model": model_of(random.Random(5), user_defined_symbols=[], add_dummy_prefix=True)}
TEXT = "  The ﬁrst Cafe\u0301 of the CATS"


def test_a_file_with_a_normalizer_is_opened_typed_under_and_compared(browser: Browser, server: Server) -> None:
    tok = load(FILES)
    with visiting(browser, server) as page:
        page.goto("/library")
        settled(page)
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
            [{"name": name, "mimeType": "application/json", "buffer": data} for name, data in FILES.items()]
        )
        expect(note(page, "qwen.json")).to_be_visible()
        page.get_by_role("button", name="Add it").first.click()
        expect(page.get_by_role("table", name="Tokenizers")).to_contain_text("qwen")

        opened(page)
        choose(page, ["qwen"])
        replace(page, TEXT)
        for more in ("", " Go", " on ﬁ", "e\u0301"):
            area(page).press("End")
            page.keyboard.insert_text(more)
            answered(page)
            tokens = tok.explain(area(page).input_value()).tokens()
            eventually(partial(spans, page, "qwen"), [(token.start, token.end) for token in tokens])
        expect(head(page, "qwen")).to_contain_text(f"{len(tokens)} tokens")
        expect(page.get_by_text(re.compile("qwen changes this text before it cuts it.*becomes “fi”"))).to_be_visible()

        the = next(token for token in tokens if token.data == b" the")
        token_from(view(page, "qwen"), the.start).click()
        card = page.get_by_role("region", name=re.compile("^Pinned token"))
        expect(card).to_contain_text("merge")

        # the page of another visit has the same tokens, and so has the page after an empty text
        page.reload()
        settled(page)
        eventually(partial(spans, page, "qwen"), [(token.start, token.end) for token in tokens])
        replace(page, "plain text")
        tokens = tok.explain("plain text").tokens()
        eventually(partial(spans, page, "qwen"), [(token.start, token.end) for token in tokens])

        choose(page, ["qwen", "GPT-2"])
        replace(page, TEXT)
        eventually(partial(spans, page, "qwen"), [(token.start, token.end) for token in tok.explain(TEXT).tokens()])
        page.goto("/compare")
        settled(page)
        expect(page.get_by_role("region", name="Why they disagree")).to_be_visible()
        expect(page.get_by_text("a fault of tokviz itself")).to_have_count(0)


def test_a_model_of_characters_is_opened_typed_under_and_compared(browser: Browser, server: Server) -> None:
    tok = load(LLAMA)
    known = tok.vocab[int(tok.merge_ids[0])].decode()
    with visiting(browser, server) as page:
        page.goto("/library")
        settled(page)
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
            [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in LLAMA.items()]
        )
        expect(note(page, "llama.model")).to_be_visible()
        page.get_by_role("button", name="Add it").first.click()
        expect(page.get_by_role("table", name="Tokenizers")).to_contain_text("llama")

        opened(page)
        choose(page, ["llama"])
        for text in ("the cat", "日本 é ☃ the", "the"):
            replace(page, text)
            area(page).press("End")
            page.keyboard.insert_text(f" the {known}")
            answered(page)
            tokens = tok.explain(area(page).input_value()).tokens()
            eventually(partial(spans, page, "llama"), [(token.start, token.end) for token in tokens])
        the = tokens[0]
        assert the.data == b" the" and tok.rank_of(the.data) is not None
        token_from(view(page, "llama"), 0).click()
        card = page.get_by_role("region", name=re.compile("^Pinned token"))
        expect(card).to_contain_text(re.compile(f"by merge {the.rank + 1:,} of"))
        expect(page.get_by_text("“·” is put before byte 0")).to_be_visible()
        last = tokens[-1]
        token_from(view(page, "llama"), last.start).click()
        expect(card).to_contain_text(re.compile("A character: |by merge"))

        # at the smallest size, the characters are there
        shows(page, "Vocabulary size", on=True)
        page.get_by_label("Vocabulary size, as a number").fill("256")
        page.get_by_label("Vocabulary size, as a number").press("Enter")
        first = tok.explain(area(page).input_value()).at(0).tokens()
        eventually(partial(spans, page, "llama"), [(token.start, token.end) for token in first])

        choose(page, ["llama", "GPT-2"])
        replace(page, "unlike 日本 ☃ unbelievable")
        page.goto("/compare")
        settled(page)
        expect(page.get_by_role("region", name="Why they disagree")).to_be_visible()
        page.goto("/vocabulary")
        settled(page)
        expect(page.get_by_text("a fault of tokviz itself")).to_have_count(0)
