"""What every commenter of the registry keeps: seeded, saved without pickle, refitted cleanly, and unshaken by odd articles."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.commenters.generated import Generated
from newsdesk.commenters.texts import Reading
from newsdesk.registry import COMMENTERS
from tests.commenters.worlds import SMALL, new

NAMES = list(COMMENTERS)
ODD = {
    "no title": nd.Article("odd", "A text without a title. It goes on."),
    "empty text": nd.Article("odd", "", title="The dam again"),
    "nothing at all": nd.Article("odd", ""),
    "unknown words": nd.Article("odd", "zxqv wvut", title="qqqq"),
    "emoji": nd.Article("odd", "😀🤬 👍🏽", title="😀"),
    "10,000 words": nd.Article("odd", "word dam river " * 3_334, title="Long"),
    "another script": nd.Article("odd", "夜市搬走了", title="これはペンです"),
}


@pytest.fixture(scope="module")
def models() -> dict[str, nd.Commenter]:
    threads = samples.threads()
    return {name: new(name).fit(threads[:8], dev=threads[8:]) for name in NAMES}


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest, models: dict[str, nd.Commenter]) -> nd.Commenter:
    return models[request.param]


def test_every_commenter_has_a_small_form_for_tests() -> None:
    assert set(SMALL) == set(NAMES)


def test_fit_returns_self_and_settings_are_stored_untouched(model: nd.Commenter) -> None:
    fresh, again = new(model.name), new(model.name)
    assert again.fit(samples.threads()[:2]) is again
    assert fresh.settings == model.settings == again.settings
    learned = {name for name in vars(model) if name not in vars(fresh)}
    assert all(name.endswith("_") or name == "_digest" for name in learned)


def test_suggestions_are_labelled_different_and_say_where_they_come_from(
    model: nd.Commenter,
) -> None:
    article = samples.threads()[9].article
    suggestions = model.suggest(article, n=3, at="2026-01-02T03:04:05Z")
    assert 1 <= len(suggestions) <= 3
    assert len({each.text for each in suggestions}) == len(suggestions)
    scores = [each.score for each in suggestions]
    assert scores == sorted(scores, reverse=True)
    for each in suggestions:
        assert each.label == "machine-suggested" and each.system == model.name
        assert each.article == article.id and each.model == model.digest
        assert each.at == "2026-01-02T03:04:05Z" and each.seal is None
        assert each.signature.startswith(model.name) and "updates:" in each.signature
        assert each.source["kind"] in ("retrieved", "generated")
        assert "author" not in each.source
        json.dumps(each.as_json(), allow_nan=False)


def test_no_suggestion_is_from_the_article_s_own_thread(model: nd.Commenter) -> None:
    for thread in samples.threads()[:4]:
        for each in model.suggest(thread.article, n=5):
            assert each.source.get("article") != thread.article.id


def test_the_same_data_gives_the_same_model_byte_by_byte(
    model: nd.Commenter, tmp_path: Path
) -> None:
    threads = samples.threads()[:4]
    for name, order in (("a", threads), ("b", threads[::-1])):
        new(model.name).fit(order).save(tmp_path / name)
    files = sorted(each.relative_to(tmp_path / "a") for each in (tmp_path / "a").rglob("*.*"))
    assert files
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_a_saved_model_suggests_as_before_and_holds_no_pickle(
    model: nd.Commenter, tmp_path: Path
) -> None:
    model.save(tmp_path)
    loaded = nd.Commenter.load(tmp_path)
    assert type(loaded) is type(model)
    assert loaded.settings == model.settings and loaded.digest == model.digest
    for thread in samples.threads()[7:9]:
        assert loaded.suggest(thread.article) == model.suggest(thread.article)
    for path in (tmp_path / "arrays").iterdir():
        assert np.load(path, allow_pickle=False).dtype != object
    with pytest.raises(nd.FileError, match="holds a model already"):
        model.save(tmp_path, overwrite=False)


def test_refitting_forgets_what_was_learned_before(model: nd.Commenter) -> None:
    threads = samples.threads()
    once = new(model.name).fit(threads[:4])
    twice = new(model.name).fit(samples.threads("zh")).fit(threads[:4])
    assert once.suggest(threads[9].article) == twice.suggest(threads[9].article)


@pytest.mark.parametrize("article", ODD.values(), ids=ODD)
def test_odd_articles_get_finite_suggestions(model: nd.Commenter, article: nd.Article) -> None:
    for each in model.suggest(article, n=2):
        assert each.text.strip() and np.isfinite(each.score)


def test_one_training_article_is_enough(model: nd.Commenter) -> None:
    threads = samples.threads()
    assert new(model.name).fit(threads[:1]).suggest(threads[1].article, n=2)


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_other_languages_train_and_suggest(lang: str, model: nd.Commenter) -> None:
    threads = samples.threads(lang)
    assert new(model.name).fit(threads[:1]).suggest(threads[1].article, n=2)


def test_one_random_comment_of_each_article_can_be_the_training(model: nd.Commenter) -> None:
    threads = samples.threads()[:4]
    one: Any = type(model)(**{**model.settings, "pairs": "one"}).fit(threads)
    every: Any = new(model.name).fit(threads)
    assert "pairs='one'" in one.signature and one.digest != every.digest
    if isinstance(one, Generated):
        assert one.pairs_ == len(threads)
        assert every.pairs_ == sum(len(thread.comments) for thread in threads)
    else:  # all comments stay candidates
        assert len(one.corpus_.texts) == len(every.corpus_.texts)


def test_long_comments_are_cut_or_discarded(model: nd.Commenter) -> None:
    long, short = " ".join(f"w{n}" for n in range(30)), "a short one here"
    comments = (nd.Comment("1", long), nd.Comment("2", short))
    thread = nd.Thread(nd.Article("a", "Some text.", title="Title", lang="en"), comments)
    cut: Any
    discarded: Any
    cut, discarded = (
        type(model)(**{**model.settings, "max_words": 10, "too_long": way}).fit([thread])
        for way in ("truncate", "discard")
    )
    if isinstance(cut, Generated):
        assert (cut.pairs_, discarded.pairs_) == (2, 1)
        assert "w9" in cut.network_.vocabulary and "w10" not in cut.network_.vocabulary
        assert "w9" not in discarded.network_.vocabulary
    else:  # a candidate is shown whole, however much of it the network read
        assert list(cut.corpus_.texts) == [long, short] and list(discarded.corpus_.texts) == [short]


def test_the_whole_content_is_read_or_its_first_words() -> None:
    text = " ".join(f"w{number}" for number in range(300))
    article = nd.Article("a", text, title="Title", lang="en")
    read = [
        len(nd.commenter(spec)._source(article, Reading("en")))  # type: ignore[attr-defined]
        for spec in ("att-tc", "att-tc(max_content_words=7)", "att-tc(max_content_words=None)")
    ]
    assert read == [100, 7, 301]


def test_more_suggestions_than_there_are_can_be_asked_for(model: nd.Commenter) -> None:
    wanted = 40 if isinstance(model, Generated) else 2_000
    suggestions = model.suggest(samples.threads()[9].article, n=wanted)
    assert 0 < len(suggestions) <= 300  # comments that the sample has
    assert len({each.text for each in suggestions}) == len(suggestions)


def test_an_unfitted_commenter_says_so_and_empty_threads_are_refused(
    model: nd.Commenter, tmp_path: Path
) -> None:
    with pytest.raises(nd.ArgumentError, match="not fitted yet"):
        new(model.name).suggest(samples.threads()[0].article)
    with pytest.raises(nd.ArgumentError, match="not fitted yet"):
        new(model.name).save(tmp_path)
    with pytest.raises(nd.ArgumentError, match="to learn from"):
        new(model.name).fit([nd.Thread(nd.Article("a", "Text."), ())])


def test_damaged_models_are_refused_with_their_place(
    models: dict[str, nd.Commenter], tmp_path: Path
) -> None:
    models["att"].save(tmp_path)
    array = next((tmp_path / "arrays").glob("network.start.weight.npy"))
    array.write_bytes(array.read_bytes()[:-1] + b"?")
    with pytest.raises(nd.DataError, match=r"not the array that model.json was saved with"):
        nd.Commenter.load(tmp_path)
    array.unlink()
    with pytest.raises(nd.FileError, match=r"start.weight"):
        nd.Commenter.load(tmp_path)


def test_saved_models_suggest_without_torch_and_training_asks_for_it_in_one_sentence(
    models: dict[str, nd.Commenter], tmp_path: Path
) -> None:
    for name, model in models.items():
        model.save(tmp_path / name)
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import newsdesk as nd\nfrom newsdesk import samples\n"
        "threads = samples.threads()\n"
        f"for name in {NAMES!r}:\n"
        f"    assert nd.Commenter.load({str(tmp_path)!r} + '/' + name).suggest(threads[9].article)\n"
        "    try:\n        nd.commenter(name).fit(threads[:1])\n"
        "    except nd.MissingExtraError as error:\n        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install 'newsdesk[neural]'") == len(NAMES)
    assert len(done.stdout.splitlines()) == len(NAMES)  # one sentence each


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("ir-tx", "did you mean"),
        ("ir-t(neighbours=0)", "neighbours is 0"),
        ("ir-t(pairs='two')", "pairs is 'two'"),
        (
            "ir-t(relevance_model='cnn+words')",
            "not one of 'cnn', 'cnn\\+sum', 'cnn\\+sum\\+shared'",
        ),
        ("att-tc(max_content_words=0)", "max_content_words is 0"),
        ("att-tc(patience=0)", "patience is 0"),
        ("att(minutes=None)", "no end"),
        ("att(target='lead')", "target is 'lead'"),
        ("seq2seq(minutes=-1)", "minutes is -1"),
    ],
)
def test_what_cannot_be_made_is_refused(spec: str, reason: str) -> None:
    with pytest.raises(nd.NewsdeskError, match=reason):
        nd.commenter(spec)


def test_articles_without_comments_take_no_neighbour_s_place(model: nd.Commenter) -> None:
    threads = samples.threads()
    bare = [nd.Thread(replace(threads[9].article, id=f"bare{n}"), ()) for n in range(30)]
    fitted = new(model.name).fit([*threads[:4], *bare])
    assert len(fitted.suggest(threads[9].article, n=2)) == 2
