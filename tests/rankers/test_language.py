"""A model knows the language it was fitted on, refuses one that nothing supports, and warns where a thread is in another."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers import Ranker
from newsdesk.rankers.ranker import warn_of_other_language
from newsdesk.text.language import language_of, main_language
from newsdesk.types import Thread
from tests.rankers.plain import thread

SMALL = "iterations=3, units=4, dimensions=4, epochs=1, min_count=2"
SPECS = ("svr(cost=0.1)", "ranksvm(cost=0.1)", f"ranknet({SMALL})", "argument(vectors='none')")


def warnings_of(
    threads: list[Thread], fitted: str | None, caplog: pytest.LogCaptureFixture
) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="newsdesk"):
        assert list(warn_of_other_language(threads, fitted)) == threads
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("spec", SPECS)
def test_a_saved_model_keeps_the_language_of_its_training_comments(
    spec: str, tmp_path: Path
) -> None:
    model = nd.ranker(spec)
    assert model.language is None
    model.fit(samples.threads("zh")[:3]).save(tmp_path)
    assert model.language == Ranker.load(tmp_path).language == "zh"


def test_a_model_saved_without_its_language_loads_and_never_warns(tmp_path: Path) -> None:
    nd.ranker("svr(cost=0.1)").fit(samples.threads()[:3]).save(tmp_path)
    header = json.loads((tmp_path / "model.json").read_text("utf-8"))
    del header["learned"]["lang"]
    (tmp_path / "model.json").write_text(json.dumps(header), "utf-8")
    assert Ranker.load(tmp_path).language is None


def test_the_first_thread_in_another_language_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    threads = [
        thread("a", ["fine words"], [1]),
        thread("b", ["夜市搬走了"], [1]),
        thread("c", ["また夜市"], [1]),
    ]
    (warning,) = warnings_of(threads, "en", caplog)
    assert warning.startswith(
        "the model was fitted on comments in 'en', but article 'b' is in 'zh'"
    )


def test_undeclared_latin_text_and_text_without_letters_agree(
    caplog: pytest.LogCaptureFixture,
) -> None:
    latin, marks = thread("a", ["schöne Worte"], [1]), thread("b", ["!!! 😀"], [1])
    assert warnings_of([latin, marks], "de", caplog) == []
    assert warnings_of([marks], "zh", caplog) == []
    assert warnings_of([latin], "zh", caplog)
    assert warnings_of([thread("c", ["words"], [1], lang="en")], "de", caplog)
    assert warnings_of([latin], None, caplog) == []


def test_a_language_that_nothing_supports_is_refused_with_the_article() -> None:
    khmer = thread("k", ["a", "b"], [0, 1], lang="km")
    with pytest.raises(nd.ArgumentError, match="article 'k': language 'km' is written without"):
        language_of(khmer)
    for spec in SPECS:
        with pytest.raises(nd.ArgumentError, match="language 'km'"):
            nd.ranker(spec).fit([*samples.threads()[:2], khmer])
        with pytest.raises(nd.ArgumentError, match="language 'xx' is not an ISO 639-1 code"):
            nd.ranker(spec, lang="xx")


def test_the_main_language_is_that_of_most_comments() -> None:
    threads = [thread("a", ["x"], [1]), thread("b", ["夜市", "夜市"], [1, 1])]
    assert main_language(threads) == "zh"
    assert (main_language(threads, "pt-BR"), main_language([])) == ("pt", None)
