"""Tokenizers of others in a real browser: opened in the library, typed under, looked into and compared."""

from __future__ import annotations

import re
from functools import partial

from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import DESKTOP, Server, axe, eventually, fits, settled, visiting
from tests.e2e.test_library import note
from tests.e2e.typing import answered, area, choose, head, opened, panel, replace, shows, spans, token_from, view
from tests.peers_cases import file_of, peer
from tokviz.tokenizer.peers import size_in_words

PEERS = {"word_piece": "WordPiece", "spiece": "SentencePiece BPE with byte fallback"}
TEXT = "☃ The ﬁrst Cats sat, 1234 🎉.\nUnbelievable  नमस्ते!"


def looks_right(page: Page) -> None:
    """On a wide page in the light, and on a phone in the dark."""
    axe(settled(page))
    fits(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    axe(settled(page))
    fits(page)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)
    settled(page)


def test_a_peer_is_opened_typed_under_and_compared(browser: Browser, server: Server) -> None:
    tokenizers = {name: peer(kind) for name, kind in PEERS.items()}
    with visiting(browser, server) as page:
        page.goto("/library")
        settled(page)
        files = [file_of(kind) for kind in PEERS.values()]
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
            [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
        )
        for name, kind in PEERS.items():
            expect(note(page, f"can be opened: {kind}, {size_in_words(tokenizers[name])}")).to_be_visible()
        for left in (1, 0):
            settled(page)
            page.get_by_role("button", name="Add it").first.click()
            expect(page.get_by_role("button", name="Add it")).to_have_count(left)
        expect(page.get_by_role("table", name="Tokenizers")).to_contain_text("WordPiece")

        # typed: each key encodes the whole text anew, as the package does
        opened(page)
        choose(page, list(PEERS))
        replace(page, TEXT)
        for name, tok in tokenizers.items():
            eventually(partial(spans, page, name), [(token.start, token.end) for token in tok.explain(TEXT).tokens()])
            expect(head(page, name)).to_contain_text(f"{len(tok.encode(TEXT))} tokens")
        area(page).press("End")
        page.keyboard.type(" Go on ☃")
        answered(page)
        typed = area(page).input_value()
        for name, tok in tokenizers.items():
            eventually(partial(spans, page, name), [(token.start, token.end) for token in tok.explain(typed).tokens()])
        expect(page.get_by_text("word_piece changes this text before it cuts it")).to_be_visible()
        expect(page.get_by_text(re.compile(r"1 of the \d+ tokens of spiece has no bytes"))).to_be_visible()
        shows(page, "Vocabulary size", on=True)
        expect(
            page.get_by_text("No merges of this tokenizer are known, so it has no smaller vocabulary.")
        ).to_be_visible()

        # the card says why there is no tree, and what the token stands for in the vocabulary
        token_from(view(page, "word_piece"), 4).click()
        n_tokens = len(tokenizers["word_piece"].encode(typed))
        expect(panel(page, "word_piece")).to_contain_text(f"token 2 of {n_tokens}")  # the gap before it is none
        card = page.get_by_role("region", name=re.compile("^Pinned token"))
        expect(card).to_contain_text("No merges of a tokenizer like this (WordPiece) are known")
        expect(card).to_contain_text(re.compile("Its vocabulary has .*the.* for it"))
        expect(card.get_by_role("button", name="More")).to_be_visible()
        token_from(view(page, "word_piece"), 3).click()
        expect(card).to_contain_text("no token covers these bytes")
        looks_right(page)

        # beside a tokenizer of merges
        choose(page, [*PEERS, "GPT-2"])
        expect(page.get_by_text("GPT-2 with all 50,000 merges.")).to_be_visible()
        page.goto("/compare")
        settled(page)
        why = page.get_by_role("region", name="Why they disagree")
        expect(why).to_contain_text("Why does ")
        expect(page.get_by_text("word_piece changes this text before it cuts it")).to_be_visible()
        looks_right(page)
