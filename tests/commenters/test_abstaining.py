"""A commenter says nothing where it has nothing to say, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.cli.main import main
from newsdesk.commenters.abstaining import Abstention, Restrained, is_personal
from newsdesk.types import Article, Thread

SMALL = "(updates=3, filters=4, dimensions=6, units=5, batch=16)"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> list[Thread]:
    """Threads of a simulated world, and none of them about anything in the sample newsroom."""
    folder = tmp_path_factory.mktemp("world") / "w"
    words = "simulate --preset commenting --events 150 --comments 1500 --seed 3 --only threads"
    assert main([*words.split(), "-o", str(folder)]) == 0
    return list(nd.read(folder / "threads.jsonl", Thread))


def strangers() -> list[Article]:
    """Thirty articles about other things, some of them in other languages."""
    others = [thread.article for lang in ("zh", "ja") for thread in samples.threads(lang)]
    english = [article for cluster in samples.clusters() for article in cluster.articles]
    return [*english[: 30 - len(others)], *others]


def share_silent(commenter: Restrained, articles: Sequence[Article]) -> float:
    return sum(isinstance(commenter.suggest(a, 1), Abstention) for a in articles) / len(articles)


@pytest.mark.parametrize("name", ["ir-t", "ir-tc", "ir-quality"])
def test_strange_articles_get_no_suggestion_and_usual_ones_do(
    name: str, world: list[Thread]
) -> None:
    train = [thread for number, thread in enumerate(world) if number % 5]
    held_out = [thread.article for thread in world[::5]]
    commenter = Restrained(nd.commenter(name + SMALL).fit(train), personal=True)
    assert len(strangers()) == 30
    assert share_silent(commenter, strangers()) >= 0.9
    assert share_silent(commenter, held_out) <= 0.3
    always = Restrained(commenter.commenter, threshold=0, personal=True)
    assert share_silent(always, strangers()[:3]) == 0
    never = Restrained(commenter.commenter, threshold=2.0, personal=True)
    told = never.suggest(held_out[0])
    assert isinstance(told, Abstention) and "similarity" in told.reason and told.threshold == 2.0
    told = commenter.suggest(samples.threads("zh")[0].article)
    assert isinstance(told, Abstention) and "the article is in zh" in told.reason
    told = commenter.suggest(Article("bare", ""))
    assert isinstance(told, Abstention) and "nothing is known" in told.reason


@pytest.mark.parametrize(
    "text",
    [
        "I worked there for twelve years.",
        "My twins go to that school.",
        "As a nurse, this makes no sense.",
        "When I was young we had no harbour.",
        "We live beside the dam.",
        "我老公在那里工作。",
        "私の娘もその学校です。",
    ],
)
def test_a_comment_about_its_writers_life_is_personal(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I think the council should have asked first.",
        "In my opinion the dam was opened too late.",
        "We need a better bridge.",
        "The council closed it without asking anyone.",
        "我觉得应该先问居民。",
        "これはおかしいと思います。",
    ],
)
def test_an_opinion_lends_nobody_a_life(text: str) -> None:
    assert not is_personal(text)


def test_personal_comments_are_passed_over_unless_they_are_allowed(world: list[Thread]) -> None:
    def told(thread: Thread) -> Thread:
        comments = [nd.Comment(c.id, f"I worked there: {c.text}") for c in thread.comments]
        return Thread(thread.article, tuple(comments))

    fitted = nd.commenter("ir-tc" + SMALL).fit([told(thread) for thread in world[:20]])
    refused = Restrained(fitted, threshold=0).suggest(world[21].article)
    assert isinstance(refused, Abstention) and "--allow-personal" in str(refused)
    assert isinstance(
        Restrained(fitted, threshold=0, personal=True).suggest(world[21].article), list
    )


def test_table_json_and_page_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    nd.write("a.jsonl", strangers()[-2:])
    words = ["comment", "suggest", "sample-ir-tc", "a.jsonl"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert printed.out.count("no suggestion, because") == 2 and "because" in printed.err
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["suggestions"] == [] and len(result["abstained"]) == 2
    assert set(result["abstained"][0]) == {"article", "reason", "similarity", "threshold"}
    assert main([*words, "-o", "s.html"]) == 0
    assert Path("s.html").read_text("utf-8").count("no suggestion, because") == 2
    assert main([*words, "--threshold", "0", "--allow-personal", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["suggestions"]
