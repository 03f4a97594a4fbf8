"""A thread as the filters see it: without comments that are empty or repeat an earlier one, and with words counted when somebody asks.

Neither paper says that it drops repeated comments; reposts of one text would otherwise be drawn for annotation several times and be on both sides of a
comparison. `duplicates=True` keeps them. Words are the tokens of the language's tokenizer (for Chinese the words of jieba, as in Qin et al. 2018) that hold a
letter or a digit.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from newsdesk.text import language, tokenizer_for
from newsdesk.types import Comment, Thread

EMPTY = "empty"
REPEATED = "repeats an earlier comment"


@dataclass(frozen=True)
class Clean:
    """A thread, its comments that are left, and how many were empty or repeated."""

    thread: Thread
    comments: tuple[Comment, ...]
    empty: int
    repeated: int

    @functools.cached_property
    def lang(self) -> str:
        """The language of the article, by its script where it is not given."""
        article = self.thread.article
        if article.lang:
            return article.lang
        text = f"{article.title or ''} {article.text}".strip()
        return language(text or " ".join(comment.text for comment in self.comments[:20]))

    def words(self, text: str) -> list[str]:
        """Return the words of a text in the thread's language."""
        return words_of(text, self.lang)

    @functools.cached_property
    def upvotes(self) -> int:
        """The up-votes of all comments."""
        return sum(comment.likes or 0 for comment in self.comments)


def cleaned(thread: Thread, *, duplicates: bool) -> Clean:
    """Return a thread without empty comments and, unless `duplicates` are to stay, without repeated ones.

    Case and white space make no difference.

    >>> from newsdesk.types import Article
    >>> texts = ["Yes.", "  yes. ", "", "No."]
    >>> comments = tuple(Comment(str(n), text) for n, text in enumerate(texts))
    >>> [each.id for each in cleaned(Thread(Article("a", ""), comments), duplicates=False).comments]
    ['0', '3']
    """
    seen: set[str] = set()
    comments: list[Comment] = []
    empty = repeated = 0
    for comment in thread.comments:
        key = folded(comment.text)
        if not key:
            empty += 1
        elif key in seen and not duplicates:
            repeated += 1
        else:
            comments.append(comment)
            seen.add(key)
    return Clean(thread, tuple(comments), empty, repeated)


def folded(text: str) -> str:
    """Return a text by which copies are recognised."""
    return " ".join(text.casefold().split())


def words_of(text: str, lang: str) -> list[str]:
    """Return the tokens of a text that hold a letter or a digit."""
    tokens = tokenizer_for(lang).words(text)
    return [token for token in tokens if token[0].isalnum() or any(map(str.isalnum, token))]
