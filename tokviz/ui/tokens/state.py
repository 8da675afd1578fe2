"""What the Tokens page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field

from tokviz.ui.server.visitor import Own, PageState
from tokviz.ui.tokenview.choosing import OPENS_ON


@dataclass
class IdsField:
    """The field for ids: its text, and the key of the tokenizer that the ids belong to."""

    text: str = "13225, 11, 2375, 0"
    under: str = OPENS_ON


@dataclass
class ChatMessage:
    """A message in the chat editor. key: distinguishes its widgets from those of the other messages."""

    key: str
    role: str
    content: str


def opening_chat() -> list[ChatMessage]:
    return [
        ChatMessage("opening1", "system", "You are a librarian. Answer in one sentence."),
        ChatMessage("opening2", "user", "Where do I find books about parrots?"),
        ChatMessage("opening3", "assistant", "On the second floor, under birds."),
        ChatMessage("opening4", "user", "And the naïve ones? 🦜"),
    ]


@dataclass
class Chat:
    """The chat editor: the key of its format, and the messages in their order."""

    format: str = "gpt-4o"
    messages: list[ChatMessage] = field(default_factory=opening_chat)
    _added: int = 0

    def add(self) -> None:
        """Add a message at the end: the assistant's after one of the user's, else the user's."""
        self._added += 1
        role = "assistant" if self.messages and self.messages[-1].role == "user" else "user"
        self.messages = [*self.messages, ChatMessage(f"added{self._added}", role, "")]

    def remove(self, key: str) -> None:
        """Remove the message with this key."""
        self.messages = [message for message in self.messages if message.key != key]


@dataclass(eq=False)
class TokensState(PageState):
    """chosen: the names of what is shown, of models or tokenizers: see `choosing`. ids, chat: parts below the text, and
    below: which of them is open, "" for none. welcomed: whether the visitor has done something here, and meets the
    opening no more.
    """

    chosen: list[str] = field(default_factory=lambda: [OPENS_ON])
    ids: IdsField = field(default_factory=IdsField)
    chat: Chat = field(default_factory=Chat)
    below: str = ""
    welcomed: bool = False

    def tokenizer_added(self, own: Own) -> None:
        self.chosen = [own.key, *self.chosen]

    def tokenizer_dropped(self, key: str) -> None:
        self.chosen = [chosen for chosen in self.chosen if chosen != key]
