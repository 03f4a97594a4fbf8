"""Fits the ready models that ship with the package: `python -m training.fit_ready`.

English: UKPConvArg (Habernal and Gurevych 2016, CC BY 4.0), arguments of 16 topics ranked by how convincing they are; C3 is never read. The discount also sees the sample newsroom's
English comments, which are our own, as sentences that are no padding. Chinese and Japanese: the English model without vectors is adapted to the votes of the sample
newsroom, which are our own, in all three languages, with features of own word lists.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from bench._data import ABSENT, SHARED, debates
from newsdesk import packaged, samples
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.linked import Linked
from newsdesk.rankers.argument.logistic import LengthCurve
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
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
    talks = [Talk.of(thread, features.reader) for thread in [*whole_debates(), *own]]
    features = replace(features, linked=Linked.of(talks, features.reader))
    listed = sorted(threads, key=lambda each: each.article.id)
    labels = Labels.of(listed, "score")
    comments = CommentRows.joined([features.of_thread(each) for each in listed]).part(labels.rows)
    regression = RidgeRegression(model.wording, model.vector, model.seed)
    weights, platt = regression.fit(comments, labels, model.quality)
    return model.hold(
        features_=features, weights_=weights, platt_=platt, articles_=len(listed), adapted_=False
    )


def whole_debates() -> list[Thread]:
    """The debates with both sides in one thread: an answer to the other side belongs there."""
    return [
        Thread(sides[0].article, tuple(each for side in sides for each in side.comments))
        for sides in debates().values()
    ]


def weak(plain: Argument) -> dict[str, Argument]:
    """The models of languages without votes of readers: English weights adapted to our own newsroom, own word lists and lengths.

    Its votes are ours. Signs mean the same in all languages, so the comments of all three teach, each in deviations from the usual comment of its language.
    """
    models = {lang: own_features(lang, plain) for lang in ("zh", "ja")}
    threads = [thread for lang in ("en", "zh", "ja") for thread in samples.threads(lang)]
    rows = [in_english_units(thread, models.get(str(thread.article.lang)), plain) for thread in threads]  # fmt: skip
    labels = Labels.of(threads, "score")
    comments = CommentRows.joined(rows).part(labels.rows)
    model = Argument()
    regression = RidgeRegression(model.wording, model.vector, model.seed, plain.weights_)
    weights, platt = regression.fit(comments, labels)
    for fitted_model in models.values():
        own = fitted_model.weights_
        curve = LengthCurve(weights.curve.logs - np.log(CHARACTERS), weights.curve.odds)
        fitted_model.hold(
            weights_=Weights(curve, own.mean, own.scale, weights.coef, weights.bias),
            # Not calibrated: no reader cast these votes.
            platt_=Platt(platt.slope, platt.bias),
            articles_=len(threads),
            adapted_=True,
        )
    return models


def own_features(lang: str, plain: Argument) -> Argument:
    """A model with the features of a language, the usual values of its signs, and no weights of its own yet."""
    features, talks = ArgumentFeatures.of(samples.threads(lang), vectors="none", lang=lang)
    # Two threads do not tell what belongs to one: here every sentence does.
    features = replace(features, linked=Linked.nothing(0))
    comments = CommentRows.joined([features.of_talk(each) for each in talks])
    mean, scale = scales(comments.rows)
    # A sign that the sample hardly shows keeps the scale of English.
    scale = np.maximum(scale, plain.weights_.scale * 0.5)
    model = Argument(vectors="none", lang=lang, prior="none")
    return model.hold(features_=features, weights_=replace(plain.weights_, mean=mean, scale=scale))


def in_english_units(thread: Thread, model: Argument | None, plain: Argument) -> CommentRows:
    """The rows of a thread, as deviations and lengths that an English comment would have."""
    if model is None:
        return plain.features_.of_thread(thread)
    comments, own, english = model.features_.of_thread(thread), model.weights_, plain.weights_
    return replace(
        comments,
        rows=(comments.rows - own.mean) / own.scale * english.scale + english.mean,
        logs=comments.logs + np.log(CHARACTERS),
        whole_logs=comments.whole_logs + np.log(CHARACTERS),
    )


def main() -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    plain = english("none")
    others = {f"ready-{lang}": model for lang, model in weak(plain).items()}
    models = {"ready-en": english("wordllama"), "ready-en-plain": plain, **others}
    for name in MODELS:
        models[name].save(packaged.path("rankers", "data", "ready", name), overwrite=True)
        print(f"{name}: {models[name].summary}")


if __name__ == "__main__":
    main()
