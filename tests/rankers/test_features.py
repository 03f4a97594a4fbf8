"""The features of Fujita et al. (2019), section 3.2, column by column, in three languages."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import newsdesk as nd
from newsdesk.rankers.features import Bags, LinearFeatures
from tests.rankers.plain import thread


def columns_of(features: LinearFeatures, words: list[str]) -> list[int]:
    return [int(number) - 1 for number in features.vocabulary_.ids(words)]


@pytest.fixture
def fitted() -> tuple[LinearFeatures, np.ndarray]:
    features = LinearFeatures(min_count=2)
    one = thread("t", ["The ferry, the FERRY!", "It sank in 1999", "It sank in 12 days."], [1, 2, 3], title="Ferry sank")  # fmt: skip
    return features, features.fit_transform([one]).toarray()


def test_words_are_counted_in_lower_case_with_stop_words_and_one_token_for_numbers(
    fitted: tuple[LinearFeatures, np.ndarray],
) -> None:
    features, rows = fitted
    the, ferry, number = columns_of(features, ["the", "ferry", "<num>"])
    assert rows[0, [the, ferry, number]].tolist() == [2, 2, 0]
    assert rows[1:, number].tolist() == [1, 1]


def test_words_shared_with_the_title_are_kept_apart(
    fitted: tuple[LinearFeatures, np.ndarray],
) -> None:
    features, rows = fitted
    known = len(features.vocabulary_) - 1
    assert features.columns == rows.shape[1] == 2 * known + 2
    the, ferry, sank = columns_of(features, ["the", "ferry", "sank"])
    assert rows[0, known + ferry] == 2
    assert rows[0, known + the] == 0
    assert rows[1, [sank, known + sank]].tolist() == [1, 1]


def test_the_last_columns_are_unique_words_and_the_cosine_with_the_title(
    fitted: tuple[LinearFeatures, np.ndarray],
) -> None:
    _, rows = fitted
    # the, ferry, "," and "!"; the title is two words of which one is here twice.
    assert rows[0, -2] == 4
    assert rows[0, -1] == pytest.approx(2 / math.sqrt((4 + 4 + 1 + 1) * 2))


def test_rare_words_are_cut_but_still_counted_as_words() -> None:
    features = LinearFeatures()
    texts = ["common"] * 4 + ["rare"] * 3
    matrix = features.fit_transform([thread("t", texts, range(7))]).toarray()
    assert features.vocabulary_.words == ("<unk>", "common")
    assert matrix[:, -2].tolist() == [1] * 7


def test_the_body_of_the_article_is_never_read() -> None:
    one = thread("t", ["a b", "c d"], [0, 1], title="a")
    other = nd.Thread(nd.Article("t", "c d e f", title="a"), one.comments)
    features = LinearFeatures(min_count=1)
    assert (features.fit_transform([one]) != features.fit_transform([other])).nnz == 0


def test_an_unknown_word_an_empty_comment_and_no_title_are_rows_of_their_own() -> None:
    features = LinearFeatures(min_count=1)
    features.fit_transform([thread("t", ["a b"], [1], title="a")])
    rows = features.transform([thread("u", ["zzz", ""], [None, None])]).toarray()
    assert rows[0].tolist() == [0, 0, 0, 0, 1, 0]
    assert not rows[1].any()


def test_width_is_full_in_japanese_and_nfkc_elsewhere_unless_named() -> None:
    assert Bags().words("ABC 東京", "ja")[0] == "ａｂｃ"
    assert Bags().words("ＡＢＣ 北京", "zh")[0] == "abc"
    assert Bags("nfkc").words("ＡＢＣ 東京", "ja")[0] == "abc"
    assert Bags("full").words("abc", "en") == ["ａｂｃ"]


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_every_language_has_its_own_words(lang: str) -> None:
    from newsdesk import samples

    threads = samples.threads(lang)
    features = LinearFeatures()
    matrix = features.fit_transform(threads)
    assert matrix.shape == (sum(len(each.comments) for each in threads), features.columns)
    assert 30 < len(features.vocabulary_) < 600
    assert "<num>" in features.vocabulary_


def test_the_language_is_named_or_the_article_s_or_found_by_script() -> None:
    assert Bags().language(thread("t", ["夜市搬走了"], [1])) == "zh"
    assert Bags().language(thread("t", ["夜市"], [1], lang="ja")) == "ja"
    assert Bags().language(thread("t", ["夜市"], [1], lang="zh-Hant")) == "zh"
    assert Bags(lang="en").language(thread("t", ["夜市"], [1], lang="ja")) == "en"


def test_the_order_of_threads_and_comments_does_not_change_the_columns() -> None:
    first = thread("a", ["x y y z"] * 4, range(4))
    second = thread("b", ["z w x", "w"] * 3, range(6))
    words = []
    for threads in ([first, second], [second, first]):
        features = LinearFeatures()
        features.fit_transform(threads)
        words.append(features.vocabulary_.words)
    assert words[0] == words[1]
    assert Counter(words[0]) == Counter(["<unk>", "x", "y", "z", "w"])


def test_bad_settings_are_named() -> None:
    with pytest.raises(nd.ArgumentError, match="min_count is 0"):
        LinearFeatures(min_count=0)
    with pytest.raises(nd.ArgumentError, match="width is 'half'"):
        nd.ranker("ranksvm(width='half')")
