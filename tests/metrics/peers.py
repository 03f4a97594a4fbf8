"""What other tools say about the same items: each function returns their value per item, in the order given."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import sacrebleu
from pycocoevalcap.bleu.bleu import Bleu as CocoBleu
from pycocoevalcap.cider.cider import Cider as CocoCider
from pycocoevalcap.rouge.rouge import Rouge as CocoRouge
from rouge_score.rouge_scorer import RougeScorer

from tests.metrics.generated import Item


def _coco(items: Sequence[Item], scorer: Any) -> tuple[Any, Any]:
    references = {place: list(item.references) for place, item in enumerate(items)}
    candidates = {place: [item.candidate] for place, item in enumerate(items)}
    with contextlib.redirect_stdout(io.StringIO()):
        return scorer.compute_score(references, candidates)


def coco_bleu(items: Sequence[Item]) -> tuple[list[float], np.ndarray]:
    """BLEU-1…4 of the corpus, and of each item (4 × items)."""
    corpus, each = _coco(items, CocoBleu(4))
    return corpus, np.array(each)


def coco_rouge_l(items: Sequence[Item]) -> np.ndarray:
    return np.array(_coco(items, CocoRouge())[1])


def coco_cider_d(items: Sequence[Item]) -> np.ndarray:
    return np.array(_coco(items, CocoCider())[1])


def rouge_score(items: Sequence[Item], name: str, *, stem: bool) -> np.ndarray:
    """Items × (P, R, F) of the best reference."""
    scorer = RougeScorer([name], use_stemmer=stem)
    best = [scorer.score_multi(list(item.references), item.candidate)[name] for item in items]
    return np.array([[one.precision, one.recall, one.fmeasure] for one in best])


def sacrebleu_sentences(items: Sequence[Item], **settings: Any) -> np.ndarray:
    """Sentence BLEU of each item, from 0 to 1."""
    metric = sacrebleu.BLEU(**settings)
    return np.array(
        [metric.sentence_score(item.candidate, list(item.references)).score / 100 for item in items]
    )


def sacrebleu_chrf(items: Sequence[Item]) -> np.ndarray:
    metric = sacrebleu.CHRF()
    return np.array(
        [metric.sentence_score(item.candidate, list(item.references)).score / 100 for item in items]
    )


def nltk_meteor(items: Sequence[Item]) -> np.ndarray:
    """NLTK's METEOR without its WordNet stage, best over references."""
    from nltk.translate.meteor_score import meteor_score

    return np.array(
        [
            meteor_score(
                [r.split() for r in item.references], item.candidate.split(), wordnet=_NoWordNet()
            )
            for item in items
        ]
    )


class _NoWordNet:
    """A WordNet that knows no word."""

    def synsets(self, word: str) -> list[object]:
        return []
