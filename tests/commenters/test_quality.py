"""`ir-quality`: rated comments come first, what does not fit is dropped, suggestions vary; and names are told from words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.arrays import Floats
from newsdesk.cli.comment.fit import RankerByName
from newsdesk.commenters.quality import IrQuality
from newsdesk.text.names import name_words
from tests.commenters.worlds import new

SMALL: dict[str, Any] = {"updates": 15, "filters": 4, "dimensions": 6, "units": 5, "batch": 16}


class LastIsBest:
    """A ranker that likes the last comment of a thread."""

    name = "last"

    def scores(self, thread: nd.Thread) -> Floats:
        return np.arange(len(thread.comments), dtype=np.float64)


def thread(number: int, text: str, *comments: str) -> nd.Thread:
    said = tuple(nd.Comment(f"{number}/{n}", each) for n, each in enumerate(comments))
    return nd.Thread(nd.Article(f"a{number}", text, title=text[:30], lang="en"), said)


FERRY = thread(
    1,
    "The ferry hit the wall near Marrow, and captain Solvane told 214 people to leave the ferry.",
    "The ferry was old and the wall was dark.",
    "I always said captain Solvane was careless.",
    "There were 214 people on that ferry.",
    "God help the people on the ferry, in this town and in every other.",
    "Pay for the repair of the ferry before it hits a wall again.",
)
OTHER = thread(
    2,
    "The school strike goes on, and teacher Ruth said so to the council.",
    "Pay the teachers, for God and all of us.",
    "A strike is a strike.",
    "Ruth is right about the school.",
)
NEW = nd.Article("n", "A ferry hit a wall at night, and people had to leave it.", lang="en")


def fit(**settings: Any) -> IrQuality:
    return IrQuality(**SMALL, **settings).with_ranker(LastIsBest()).fit([FERRY, OTHER])


def test_candidates_with_names_or_numbers_of_their_article_are_dropped() -> None:
    texts = {each.text for each in fit(least_quality=0.0).suggest(NEW, n=9)}
    assert texts >= {FERRY.comments[0].text, FERRY.comments[3].text, FERRY.comments[4].text}
    assert not any("Solvane" in text or "214" in text or "Ruth" in text for text in texts)
    kept = {each.text for each in fit(least_quality=0.0, fitting=False).suggest(NEW, n=9)}
    assert any("Solvane" in text for text in kept) and any("214" in text for text in kept)


def test_a_name_that_the_article_mentions_fits() -> None:
    article = nd.Article("n", "Captain Solvane's ferry hit a wall again.", lang="en")
    texts = {each.text for each in fit(least_quality=0.0).suggest(article, n=9)}
    assert FERRY.comments[1].text in texts and FERRY.comments[2].text not in texts


def test_where_nothing_fits_the_source_says_what_does_not() -> None:
    only = thread(3, "Then captain Solvane sailed.", "I knew captain Solvane well.")
    model = IrQuality(**SMALL).fit([only, nd.Thread(OTHER.article, ())])
    (suggestion,) = model.suggest(NEW, n=3)
    assert suggestion.source["unfitting"] == ["solvane"]


def test_predicted_quality_moves_comments_up_and_the_worst_out() -> None:
    without, with_it = fit(quality=0.0, least_quality=0.0), fit(quality=9.0)
    best = FERRY.comments[4].text
    places = [[s.text for s in model.suggest(NEW, n=9)].index(best) for model in (without, with_it)]
    assert places[1] == 0 <= places[0]
    qualities = [s.source["quality"] for s in with_it.suggest(NEW, n=9)]
    assert min(qualities) >= 0.25 and "rated:last" in with_it.signature


def test_own_scores_stand_in_for_a_ranker() -> None:
    scored = [
        nd.Thread(each.article, tuple(replace(c, score=float(n)) for n, c in enumerate(each.comments)))
        for each in (FERRY, OTHER)
    ]  # fmt: skip
    model = IrQuality(**SMALL).fit(scored)
    assert "rated:scores" in model.signature
    assert np.array_equal(model.quality_, fit().quality_)
    assert "rated:none" in IrQuality(**SMALL).fit([FERRY, OTHER]).signature


def test_suggestions_vary() -> None:
    twins = ["The ferry hit the wall and people left.", "And people left, the ferry hit the wall."]
    some = thread(1, FERRY.article.text, *twins, "Somebody must pay for a lamp on that wall.")
    settings: dict[str, Any] = {"quality": 0.0, "specificity": 0.0, "nearness": 0.0}
    model = IrQuality(**SMALL, **settings, diversity=1.0).fit([some, OTHER])
    chosen = [each.text for each in model.suggest(NEW, n=2)]
    assert len(set(chosen) & set(twins)) <= 1
    for diversity in (0.0, 0.5, 1.0):
        varied = model.with_settings(diversity=diversity)
        scores = [each.score for each in varied.suggest(NEW, n=9)]
        assert scores == sorted(scores, reverse=True)


def test_a_comment_that_fits_many_articles_gives_way() -> None:
    everywhere = "The council is to blame for the ferry, the school and the bridge."
    some = [
        thread(n, f"The ferry, the school and the bridge: the council met, part {n}.", f"Number {word} is what I think of the ferry.")
        for n, word in enumerate(("red", "blue", "green", "brown", "white"), 10)
    ]  # fmt: skip
    hub = thread(20, "The council, the ferry, the school and the bridge.", everywhere)
    model = IrQuality(**SMALL, specificity=0.0).fit([*some, hub])
    place = list(model.corpus_.texts).index(everywhere)
    assert model.common_[place] == model.common_.max() > 0
    before = {each.text: each.score for each in model.suggest(NEW, n=9)}[everywhere]
    model = model.with_settings(specificity=3.0)
    assert {each.text: each.score for each in model.suggest(NEW, n=9)}[everywhere] < before


def test_a_saved_ranker_is_named_by_its_digest(tmp_path: Path) -> None:
    nd.ranker("ranksvm(cost=0.01)").fit(samples.threads()[:3]).save(tmp_path)
    first, ready = RankerByName(str(tmp_path)), RankerByName("ready")
    assert first.name.startswith("saved.") and ready.name == "ready"
    assert len(ready.scores(samples.threads("zh")[0])) == len(samples.threads("zh")[0].comments)
    with pytest.raises(nd.ArgumentError, match="ir-tc uses no ranker"):
        nd.commenter("ir-tc").with_ranker(first)


def test_names_are_told_by_capitals_or_by_the_dictionary() -> None:
    english = ["We met Ann in May, and Ann may go. The dam broke."]
    assert name_words(["we", "ann", "the", "dam", "go"], english, "en") == {"ann"}
    assert name_words(["北京", "学校", "周杰伦"], [], "zh") == {"北京", "周杰伦"}
    assert name_words(["東京", "学校"], [], "ja") == {"東京"}
    assert name_words(["haus"], ["Wir sahen das Haus."], "de") == set()


def test_what_retrieval_learns_is_what_ir_tc_learns() -> None:
    threads = samples.threads()[:5]
    ours, theirs = new("ir-quality").fit(threads), new("ir-tc").fit(threads)
    own = ours.learned()[1]
    for name, array in theirs.learned()[1].items():
        np.testing.assert_array_equal(own[name], array, err_msg=name)
