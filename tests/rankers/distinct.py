"""Comments that all differ, in a language of the sample newsroom."""

from __future__ import annotations

import numpy as np

from newsdesk import samples


def distinct_texts(count: int, lang: str) -> list[str]:
    """Short comments of words of the sample's comments, drawn at random."""
    words = [
        word
        for thread in samples.threads(lang)
        for comment in thread.comments
        for word in (comment.text.split() if lang == "en" else comment.text)
    ]
    joint = " " if lang == "en" else ""
    rng = np.random.default_rng(0)
    return [joint.join(rng.choice(words, 12).tolist()) for _ in range(count)]
