"""The published recipes written out plainly: dense similarity matrices, PageRank on them, ROUGE recomputed for every candidate.

Slow on purpose and sharing no code with ours but the sentence splitter and the tokenizers, which define what a sentence and a word are.
`words` cuts a sentence into tokens; the bench puts NLTK's in, as the released code does.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from newsdesk.text import sentences, tokenizer
from newsdesk.types import Cluster

Words = Callable[[str], list[str]]
Matrix = NDArray[np.float64]


@dataclass
class Sentence:
    text: str
    tokens: list[str]
    article: int

    @property
    def words(self) -> int:
        return len([token for token in self.tokens if any(map(str.isalnum, token))])


def cut(cluster: Cluster, words: Words | None = None) -> list[Sentence]:
    """All sentences of a cluster."""
    words = words or tokenizer("en").words
    return [
        Sentence(text, words(text), number)
        for number, article in enumerate(cluster.articles)
        for text in sentences(article.text, "en")
    ]


def distinct(found: list[Sentence]) -> list[Sentence]:
    seen = set()
    kept = []
    for sentence in found:
        if sentence.text not in seen:
            seen.add(sentence.text)
            kept.append(sentence)
    return kept


def vectors(found: list[Sentence]) -> Matrix:
    try:
        fitted = TfidfVectorizer(lowercase=True, stop_words="english")
        return fitted.fit_transform([sentence.text for sentence in found])
    except ValueError:  # an empty vocabulary
        return np.zeros((len(found), 1))


def power_iteration(similarity: Matrix, damping: float = 0.85) -> Matrix:
    n = len(similarity)
    sums = similarity.sum(axis=1)
    walk = np.array(
        [
            row / total if total > 0 else np.full(n, 1 / n)
            for row, total in zip(similarity, sums, strict=True)
        ]
    )
    rank = np.full(n, 1 / n)
    for _ in range(1000):
        following = damping * rank @ walk + (1 - damping) / n
        if np.abs(following - rank).sum() < 1e-15:
            break
        rank = following
    return rank


def textrank_scores(
    found: list[Sentence], pagerank: Callable[[Matrix], Matrix] = power_iteration
) -> Matrix:
    return pagerank(cosine_similarity(vectors(found))) * len(found)


def centroid_scores(found: list[Sentence]) -> Matrix:
    rows = vectors(found)
    return cosine_similarity(rows, np.asarray(rows.mean(axis=0)).reshape(1, -1))[:, 0]


def bigrams(sentence: Sentence) -> list[tuple[str, str]]:
    lower = [token.lower() for token in sentence.tokens]
    return [(lower[i], lower[i + 1]) for i in range(len(lower) - 1)]


def is_redundant(new: Sentence, old: Sentence, threshold: float) -> bool:
    theirs = bigrams(old)
    matching = len([bigram for bigram in bigrams(new) if bigram in theirs])
    return matching > 0 and matching / len(bigrams(new)) >= threshold


def greedily(
    found: list[Sentence],
    scores: Matrix,
    max_words: int = 40,
    redundancy: float = 0.5,
    min_tokens: int = 7,
) -> list[str]:
    ranked = sorted(range(len(found)), key=lambda i: (-round(float(scores[i]), 9), i))
    selected: list[Sentence] = []
    length = 0
    for sentence in (found[i] for i in ranked):
        if length + sentence.words > max_words or len(sentence.tokens) < min_tokens:
            continue
        if not sentence.words or any(is_redundant(sentence, old, redundancy) for old in selected):
            continue
        selected.append(sentence)
        length += sentence.words
    return [sentence.text for sentence in selected]


def textrank(
    cluster: Cluster,
    words: Words | None = None,
    pagerank: Callable[[Matrix], Matrix] = power_iteration,
    **settings: float,
) -> list[str]:
    found = distinct(cut(cluster, words))
    return greedily(found, textrank_scores(found, pagerank), **settings) if found else []  # type: ignore[arg-type]


def centroid(cluster: Cluster, words: Words | None = None, **settings: float) -> list[str]:
    found = distinct(cut(cluster, words))
    return greedily(found, centroid_scores(found), **settings) if found else []  # type: ignore[arg-type]


def rouge_1_f(candidate: Sequence[str], reference: Sequence[str]) -> float:
    ours, theirs = Counter(candidate), Counter(reference)
    hits = sum(min(count, theirs[word]) for word, count in ours.items())
    return 2 * hits / max(len(candidate) + len(reference), 1)


def greedy_oracle(
    found: list[Sentence], reference: str, min_tokens: int = 7
) -> tuple[list[str], float]:
    """Adds the best sentence until F falls; the shortest beginning of highest F."""
    cut_words = tokenizer("rouge").words
    wanted = cut_words(reference)
    remaining = [s for s in found if len(s.tokens) >= min_tokens and s.words]
    selected: list[Sentence] = []
    scored: list[float] = []
    while remaining:
        so_far = [word for sentence in selected for word in cut_words(sentence.text)]
        values = [round(rouge_1_f(so_far + cut_words(s.text), wanted), 9) for s in remaining]
        best = max(range(len(values)), key=lambda i: values[i])
        if scored and values[best] < scored[-1]:
            break
        scored.append(values[best])
        selected.append(remaining.pop(best))
        if values[best] == 0:
            break
    if not scored:
        return [], -1.0
    kept = scored.index(max(scored)) + 1
    return [sentence.text for sentence in selected[:kept]], max(scored)


def oracle_multi(cluster: Cluster, words: Words | None = None) -> list[str]:
    return greedy_oracle(distinct(cut(cluster, words)), cluster.summary or "")[0]


def oracle_single(cluster: Cluster, words: Words | None = None) -> list[str]:
    by_article = defaultdict(list)
    for sentence in cut(cluster, words):
        by_article[sentence.article].append(sentence)
    tried = [greedy_oracle(distinct(found), cluster.summary or "") for found in by_article.values()]
    return max(tried, key=lambda each: each[1])[0] if tried else []


def submodular_value(
    similarity: Matrix, groups: Sequence[int], chosen: Sequence[int], a: float = 5.0, w: float = 6.0
) -> float:
    """The objective as printed."""
    n = len(similarity)
    sums = similarity.sum(axis=0)
    covered = 0.0
    for i in range(n):
        covered += min(sum(similarity[i, j] for j in chosen), a / n * sums[i])
    by_group: dict[int, float] = defaultdict(float)
    for i in chosen:
        by_group[groups[i]] += sums[i] / n
    return float(covered + w * sum(math.sqrt(value) for value in by_group.values()))


def submodular(
    found: list[Sentence],
    groups: Sequence[int],
    max_words: int = 40,
    min_tokens: int = 7,
    w: float = 6.0,
) -> list[str]:
    similarity = cosine_similarity(vectors(found))
    selected: list[int] = []
    length = 0
    while True:
        scored = [
            (-round(submodular_value(similarity, groups, [*selected, i], w=w), 9), i)
            for i, sentence in enumerate(found)
            if i not in selected
            and len(sentence.tokens) >= min_tokens
            and 0 < sentence.words <= max_words - length
        ]
        if not scored:
            return [found[i].text for i in selected]
        selected.append(min(scored)[1])
        length += found[selected[-1]].words
