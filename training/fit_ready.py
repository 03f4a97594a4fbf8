"""Fits the ready models that ship with the package: `python -m training.fit_ready`.

English: UKPConvArg (Habernal and Gurevych 2016, CC BY 4.0), arguments of 16 topics ranked by how convincing they are; C3 is never read. The discount also sees the sample newsroom's
English comments, which are our own, as sentences that are no padding. Chinese and Japanese: the English model without vectors is adapted to the sample
newsroom's comments in that language, with features of its own word lists.
"""

from __future__ import annotations

import sys

import numpy as np

from bench._data import ABSENT, SHARED, debates
from newsdesk import packaged, samples
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.logistic import LengthCurve
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import Labels, Platt, RidgeRegression, Weights, scales
from newsdesk.rankers.ready import MODELS
from newsdesk.types import Thread

# Chosen by leaving debates out of UKPConvArg; on length a little more than fitted, on all else accordingly less.
WORDING, VECTOR, QUALITY = 200.0, 120_000.0, 1.0
# A Chinese or Japanese character says about as much as so many English ones.
CHARACTERS = 2.5


def english(vectors: str) -> Argument:
    """The English model, with vectors of a kind."""
    threads = [thread for some in debates().values() for thread in some]
    own = samples.threads("en")
    model = Argument(
        vectors=vectors, lang="en", wording=WORDING, vector=VECTOR, prior="none", quality=QUALITY
    )
    return fitted(model, threads, own)


def fitted(model: Argument, threads: list[Thread], own: list[Thread]) -> Argument:
    """The model fitted on threads, with a discount that knows the sentences of our own comments too."""
    features, _ = ArgumentFeatures.of([*threads, *own], vectors=model.vectors, lang=model.lang)
    listed = sorted(threads, key=lambda each: each.article.id)
    labels = Labels.of(listed, "score")
    comments = CommentRows.joined([features.of_thread(each) for each in listed]).part(labels.rows)
    regression = RidgeRegression(model.wording, model.vector, model.seed)
    weights, platt = regression.fit(comments, labels, model.quality)
    return model.hold(
        features_=features, weights_=weights, platt_=platt, articles_=len(listed), adapted_=False
    )


def weak(lang: str, plain: Argument) -> Argument:
    """The model of a language without votes of its own: English weights, its own word lists, and the lengths of its script."""
    threads = samples.threads(lang)
    model = Argument(vectors="none", lang=lang, prior="none", quality=QUALITY)
    features, talks = ArgumentFeatures.of(threads, vectors="none", lang=lang)
    comments = CommentRows.joined([features.of_talk(each) for each in talks])
    mean, scale = scales(comments.rows)
    # A sign that the sample hardly shows keeps the scale of English.
    scale = np.maximum(scale, plain.weights_.scale * 0.5)
    curve = plain.weights_.curve
    moved = LengthCurve(curve.logs - np.log(CHARACTERS), curve.odds)
    return model.hold(
        features_=features,
        weights_=Weights(moved, mean, scale, plain.weights_.coef, plain.weights_.bias),
        platt_=Platt(plain.platt_.slope, plain.platt_.bias),
        articles_=len(threads),
        adapted_=True,
    )


def main() -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    plain = english("none")
    models = {
        "ready-en": english("wordllama"),
        "ready-en-plain": plain,
        "ready-zh": weak("zh", plain),
        "ready-ja": weak("ja", plain),
    }
    for name in MODELS:
        models[name].save(packaged.path("rankers", "data", "ready", name), overwrite=True)
        print(f"{name}: {models[name].summary}")


if __name__ == "__main__":
    main()
