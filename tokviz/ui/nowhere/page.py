"""Says that an address is no page, which one may be meant, and what each page is for."""

from __future__ import annotations

import streamlit as st

from tokviz.base.wording import alike, tidy_name
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.shell import PAGES, enter

TITLES = {one.path: one.title for one in PAGES}


def page() -> None:
    """Draw the page."""
    enter()
    asked = st.query_params.get("path", "")
    st.title(plain(f"There is no page at /{tidy_name(asked)}" if asked else "There is no page here"), anchor=False)
    for path in alike(asked, TITLES)[:1]:
        with st.container(key="nowhere.meant"):
            st.page_link(f"pages/{path}.py", label=f"Did you mean {TITLES[path]}?")
    with st.container(key="nowhere.pages", gap="small", width=560):
        for one in PAGES:
            if one.in_navigation:
                label = f"**{one.title}** :gray[{one.about}]"
                st.page_link(f"pages/{one.path}.py", label=label, width="stretch")
