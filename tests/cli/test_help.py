"""Help texts as a stranger reads them: every option says what it takes and its default, and every example runs."""

from __future__ import annotations

import csv
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click
import pytest

from newsdesk import samples, simulate
from newsdesk.cli.lazy import PlainVerb
from newsdesk.cli.main import main, newsdesk
from newsdesk.commenters.commenter import load_commenter
from newsdesk.jsonl import json_line
from newsdesk.records import write
from newsdesk.types import Judgment, Reference, References
from tests.cli.running import all_commands, run

# Options whose value is free text.
FREE_TEXT = {"--reason", "--title"}
# Examples that are parsed only: they start a server, need the network, or take minutes.
PARSED_ONLY = (
    "newsdesk demo ",
    "newsdesk serve ",
    "newsdesk simulate ",
    "newsdesk corpus archive ",
    'newsdesk rank fit --model "ranknet',
    "newsdesk study claims ",
    "newsdesk study table5 test.jsonl.gz ",  # tests/papers runs it on small files of that form
    "newsdesk campaign erase ",
    # tests/campaigns/test_upkeep.py runs those that change a campaign which runs.
    *(
        f"newsdesk campaign {verb} "
        for verb in ("add", "adjudicate", "assign", "forget", "notes", "payments", "release")
    ),
    "newsdesk campaign judge ",  # tests/campaigns/test_judges.py runs programs and models
    "newsdesk mcp ",
)


def command_of(words: tuple[str, ...]) -> tuple[click.Command, click.Context]:
    command: click.Command = newsdesk
    context = click.Context(newsdesk, info_name="newsdesk")
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None
        command, context = found, click.Context(found, info_name=word, parent=context)
    return command, context


def examples(words: tuple[str, ...]) -> list[str]:
    """The command lines below "Example:" in the help of a command."""
    text = command_of(words)[0].help or ""
    lines = text.partition("Example:\n")[2].splitlines()
    return [line.strip() for line in lines if line.strip().startswith("newsdesk ")]


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_every_option_says_what_it_takes_and_its_default(words: tuple[str, ...]) -> None:
    command, context = command_of(words)
    for option in command.params:
        if not isinstance(option, click.Option) or option.is_flag:
            continue
        assert option.help, option.opts
        assert option.help.endswith("."), option.opts
        metavar = option.make_metavar(context)
        assert "RANGE" not in metavar
        assert "%" not in metavar
        assert metavar != "TEXT" or set(option.opts) & FREE_TEXT, option.opts
        default = option.get_default(context)
        if isinstance(default, str | int | float) and default != "":
            assert option.show_default, option.opts


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_every_help_has_examples_that_parse(words: tuple[str, ...]) -> None:
    lines = examples(words)
    assert lines
    for line in lines:
        arguments = shlex.split(line)[1:]
        depth = 2 if tuple(arguments[:2]) in all_commands() else 1
        command, context = command_of(tuple(arguments[:depth]))
        command.parse_args(context, arguments[depth:])


def corpus_inputs(folder: Path) -> None:
    for name in ("pages", "crawl", "models"):
        (folder / name).mkdir()
    for page in samples.portal_pages():
        shutil.copy(page, folder / "pages")
    shutil.copy(samples.warc(), folder / "crawl")
    shutil.copy(samples.warc(), folder / "crawl.warc.gz")
    settings = '[events]\npages = ["pages/"]\n[articles]\ninputs = ["crawl/"]\n'
    (folder / "corpus.toml").write_text(settings)
    articles = [article for cluster in samples.clusters() for article in cluster.articles]
    for name, text in (("articles.csv", "text"), ("export.csv", "body")):
        rows = ([each.id, each.date, each.title, each.text] for each in articles)
        write_csv(folder / name, [["id", "created", "title", text], *rows])


def write_csv(path: Path, rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)


def write_texts(folder: Path, noun: str) -> None:
    threads, clusters = samples.threads("en"), samples.clusters()
    write(folder / "clusters.jsonl", clusters)
    write(folder / "outputs.jsonl", samples.outputs())
    (folder / "hyp.txt").write_text("A ferry sank.\nNobody won.\n")
    (folder / "ref.txt").write_text("The ferry sank.\tA ship went down.\nNo one won.\n")
    parts = threads if noun in ("rank", "comment") else clusters
    for name, part in (("train", parts[:6]), ("dev", parts[6:9]), ("test", parts[9:])):
        write(folder / f"{name}.jsonl", part)
    names = ["story", "id", "body"] if noun == "records" else ["article", "id", "text"]
    comments = ([t.article.id, c.id, c.text] for t in threads for c in t.comments)
    write_csv(folder / "comments.csv", [names, *comments])
    articles = [thread.article for thread in threads]
    texts = ([each.id, each.title, each.text] for each in articles)
    write_csv(folder / "articles.csv", [["id", "title", "text"], *texts])
    if noun == "score":
        model = load_commenter("sample-ir-t")
        rows = (
            suggestion.as_json() for article in articles for suggestion in model.suggest(article)
        )
        (folder / "suggestions.jsonl").write_bytes(b"".join(map(json_line, rows)))
    if noun == "rank":
        (folder / "styles.toml").write_text('[[style]]\nname = "own"\ntexts = ["Abra. Cadabra."]\n')
        votes = [(c.id, f"v{n}", n % 2) for n in range(4) for c in threads[0].comments]
        write_csv(folder / "votes.csv", [["comment", "voter", "vote"], *votes])
    if noun == "comment":
        write(folder / "articles.jsonl", articles)
        world = simulate.world(preset="commenting", events=30, comments=300, seed=0)
        write(folder / "threads.jsonl", world.threads(), overwrite=True)


def study_inputs(folder: Path) -> None:
    """References, grades of outputs, results to report, and threads with and without votes."""
    clusters, outputs = samples.clusters(), samples.outputs()
    references = [References(each.id, (Reference(each.summary or ""),)) for each in clusters]
    write(folder / "references.jsonl", references)
    grades = [(each.id, each.system, 1 + len(each.text) % 5) for each in outputs]
    write_csv(folder / "human.csv", [["id", "system", "quality"], *grades])
    judgments = [
        Judgment("pilot", id, id, system, "quality", grade + shift, f"annotator-{shift}")
        for id, system, grade in grades
        for shift in (0, 1)
    ]
    write(folder / "judgments.jsonl", judgments)
    scores = "score outputs.jsonl --references clusters.jsonl --metrics rouge-1 --json"
    (folder / "scores.json").write_text(run(*scores.split()).stdout)
    rankers = "rank compare threads.jsonl --models length,random --samples 100 --json"
    (folder / "rankers.json").write_text(run(*rankers.split()).stdout)
    judged, *waiting = samples.threads("en")
    unjudged = [
        replace(
            each,
            comments=tuple(replace(c, yes=None, votes=None, score=None) for c in each.comments),
        )
        for each in waiting[:4]
    ]
    write(folder / "threads.jsonl", [judged, *waiting[4:], *unjudged], overwrite=True)


def prepare(noun: str, folder: Path) -> None:
    """The files that the examples of a noun name, made from the sample newsroom."""
    if noun != "records":
        write(folder / "threads.jsonl", samples.threads("en"))
    if noun == "corpus":
        corpus_inputs(folder)
        return
    if noun == "desk":
        write(folder / "inbox.jsonl", [row for each in samples.clusters() for row in each.articles])
        (folder / "desk.toml").write_text('[articles]\ninputs = ["inbox.jsonl"]\n')
        return
    write_texts(folder, noun)
    if noun == "study":
        study_inputs(folder)


@pytest.mark.parametrize("noun", list(dict.fromkeys(words[0] for words in all_commands())))
def test_the_examples_of_a_noun_run_in_order(
    noun: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    lines = [
        line
        for words in all_commands()
        if words[0] == noun and (words != (noun,) or isinstance(command_of(words)[0], PlainVerb))
        for line in examples(words)
    ]
    lines = [line for line in lines or examples((noun,)) if not line.startswith(PARSED_ONLY)]
    if lines and noun != "samples":  # which writes what others read
        prepare(noun, tmp_path)
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0, line
