"""The gaming test and the audit of likes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.arrays import Floats
from newsdesk.rankers.evaluation.audit import audit
from newsdesk.rankers.evaluation.gaming import KINDS, filler, game, read_fillers
from newsdesk.rankers.ranker import Ranker
from newsdesk.types import Thread
from tests.rankers.plain import thread


class Blind(Ranker):
    """Ranks by the comments' scores, whatever their text."""

    name = "blind"

    def scores(self, thread: Thread) -> Floats:
        return np.array([each.score for each in thread.comments], dtype=np.float64)


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("kind", KINDS)
def test_filler_is_about_fifty_words_and_seeded(kind: str, lang: str) -> None:
    text = samples.threads(lang)[0].comments[0].text
    first, second = (filler(kind, text, lang, np.random.default_rng(5)) for _ in range(2))
    assert first == second
    words = [w for w in nd.tokenizer(lang).words(first) if any(map(str.isalnum, w))]
    assert 38 <= len(words) <= 75
    if kind == "repeat":
        assert first[:15] == text[:15]


def test_a_text_without_words_is_filled_with_nothing_of_its_own() -> None:
    assert filler("repeat", "", "en", np.random.default_rng(0)) == ""


def test_a_ranker_that_does_not_read_cannot_be_gamed() -> None:
    for gamed in game(Blind(), samples.threads(), samples=50):
        assert (gamed.share, gamed.ci) == (0.0, (0.0, 0.0))
        assert gamed.pairs > 100


def test_length_is_gamed_by_every_filler_that_is_long_enough() -> None:
    weak, better, strong = "no " * 5, "word " * 20, "word " * 200
    threads = [thread("t", [weak, better, strong], [0.1, 0.9, 1.0])]
    for gamed in game(nd.ranker("length"), threads, samples=50):
        assert gamed.pairs == 2
        assert gamed.share == 0.5


def test_only_pairs_that_were_right_before_count() -> None:
    threads = [thread("t", ["w " * 90, "b", "middling"], [0.2, 0.8, 0.5])]
    (gamed,) = game(nd.ranker("length"), threads, ["bland"], samples=50)
    assert (gamed.share, gamed.ci, gamed.pairs) == (None, None, 0)
    # The weak comment passes the short better one before and after, and never the long one.
    threads = [thread("t", ["w " * 90, "b", "b " * 900], [0.2, 0.8, 0.8])]
    (gamed,) = game(nd.ranker("length"), threads, ["bland"], samples=50)
    assert (gamed.share, gamed.pairs) == (0.0, 1)


def test_a_tie_after_filling_counts_a_half() -> None:
    class Same(Blind):
        def scores(self, thread: Thread) -> Floats:
            filled = any(len(each.text) > 20 for each in thread.comments)
            return np.array([1.0 if filled else each.score for each in thread.comments])

    (gamed,) = game(Same(), [thread("t", ["w", "b"], [0.0, 1.0])], ["polite"], samples=50)
    assert gamed.share == 0.5


def test_an_unknown_kind_of_filler_is_named() -> None:
    with pytest.raises(nd.ArgumentError, match="no filler is called 'bald'; there are: bland"):
        game(nd.ranker("length"), samples.threads(), ["bald"])


def test_styles_of_ones_own_are_added_whole_in_every_place(tmp_path: Path) -> None:
    file = tmp_path / "styles.toml"
    file.write_text('[[style]]\nname = "spell"\ntexts = ["Abra. Cadabra.", "Hocus. Pocus."]\n')

    class Heard(Blind):
        """Keeps the texts it is asked about."""

        texts: list[str] = []  # noqa: RUF012

        def scores(self, thread: Thread) -> Floats:
            self.texts.append(thread.comments[0].text)
            return super().scores(thread)

    threads = [thread("t", ["Yes. No.", "b"], [0.0, 1.0])]
    gamed = game(Heard(), threads, own=read_fillers(file), samples=50)
    assert [each.kind for each in gamed] == ["spell:append", "spell:prepend", "spell:interleave"]
    first, last = ("Abra.", "Cadabra.") if "Abra." in Heard.texts[1] else ("Hocus.", "Pocus.")
    assert Heard.texts[1:] == [
        f"Yes. No. {first} {last}",
        f"{first} {last} Yes. No.",
        f"{first} Yes. {last} No.",
    ]
    assert "|texts:" in gamed[0].signature


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "style"),
        ("style = []", "there is no"),
        ('[[style]]\nname = "bland"\ntexts = ["x"]', "style 'bland' exists already"),
        ('[[style]]\nname = "a:b"\ntexts = ["x"]', "'a:b' cannot name a style"),
        ('[[style]]\nname = "a"\ntexts = [" "]', "style 'a' has no text to add"),
        ('[[style]]\nname = "a"\ntext = ["x"]', "unknown key"),
    ],
)
def test_a_file_of_styles_that_cannot_be_used_is_refused_with_its_name(
    content: str, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "styles.toml"
    file.write_text(content)
    with pytest.raises(nd.DataError, match=rf"styles\.toml: .*{reason}"):
        read_fillers(file)


def test_the_audit_finds_a_planted_correlation_and_none_where_there_is_none() -> None:
    rng = np.random.default_rng(0)

    def threads(tie: float) -> list[Thread]:
        threads = []
        for number in range(40):
            quality = rng.random(50)
            likes = np.round(100 * (tie * quality + (1 - tie) * rng.random(50))).astype(int)
            comments = tuple(
                nd.Comment(f"{place}", "x", likes=int(like), dislikes=0, score=round(10 * q))
                for place, (like, q) in enumerate(zip(likes, quality, strict=True))
            )
            threads.append(nd.Thread(nd.Article(str(number), ""), comments))
        return threads

    tied, loose = audit(threads(0.7), 500, samples=200), audit(threads(0.0), 500, samples=200)
    assert tied.pearson is not None
    assert tied.pearson > 0.8
    assert loose.ci is not None
    assert tied.liked_mean > tied.random_mean + 2
    assert loose.ci[0] < 0 < loose.ci[1]
    assert abs(loose.liked_mean - loose.random_mean) < 0.5
    assert [bar.low for bar in loose.bars] == list(range(11))
    for part in ("random", "liked"):
        assert sum(getattr(bar, part) for bar in loose.bars) == pytest.approx(1)


def test_the_audit_uses_dislikes_five_times_and_at_most_half_of_the_comments() -> None:
    comments = [
        nd.Comment("a", "", likes=100, dislikes=30, score=0.0),
        nd.Comment("b", "", likes=10, score=1.0),
        nd.Comment("c", "", likes=0, score=0.5),
        nd.Comment("d", "", score=0.5),
    ]
    result = audit([nd.Thread(nd.Article("t", ""), tuple(comments))], samples=10)
    assert (result.n, result.count, result.liked_mean) == (3, 1, 1.0)
    assert result.pearson is not None
    assert result.pearson > 0.5


@pytest.mark.parametrize(
    ("likes", "scores"),
    [
        ([3, 3, 3, 3], [0.1, 0.5, 0.2, 0.9]),
        ([0, 0, 0, 0], [0.0, 0.0, 0.0, 1.0]),
        ([1, 2, 3, 4], [0.3, 0.3, 0.1 + 0.2, 0.3]),
    ],
)
def test_a_constant_side_has_no_correlation(likes: list[int], scores: list[float]) -> None:
    comments = tuple(
        nd.Comment(str(place), "", likes=like, score=score)
        for place, (like, score) in enumerate(zip(likes, scores, strict=True))
    )
    result = audit([nd.Thread(nd.Article("t", ""), comments)], samples=10)
    assert (result.pearson, result.ci, result.spearman, result.n) == (None, None, None, 4)


def test_many_different_scores_are_shown_in_ten_bars() -> None:
    scores = np.random.default_rng(0).random(200).tolist()
    one = thread("t", ["x"] * 200, scores)
    result = audit([one], samples=10)
    assert len(result.bars) == 10
    assert sum(bar.liked for bar in result.bars) == pytest.approx(1)


def test_the_audit_needs_likes_and_scores() -> None:
    with pytest.raises(nd.ArgumentError, match="fewer than two comments have both"):
        audit([thread("t", ["a"], [1])])
    with pytest.raises(nd.ArgumentError, match="count is 0"):
        audit(samples.threads(), 0)
