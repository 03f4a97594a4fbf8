"""Tasks from files: what each protocol needs, and control questions mixed in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.campaigns.plans import TaskFiles, tasks_from_files
from newsdesk.campaigns.protocols import protocol
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import ControlQuestion, Output


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    records.write(tmp_path / "outputs.jsonl", samples.outputs())
    records.write(tmp_path / "clusters.jsonl", samples.clusters())
    records.write(tmp_path / "threads.jsonl", samples.threads("en"))
    records.write(tmp_path / "controls.jsonl", samples.controls())
    return TaskFiles(
        outputs=[tmp_path / "outputs.jsonl"],
        references=tmp_path / "clusters.jsonl",
        clusters=tmp_path / "clusters.jsonl",
        threads=tmp_path / "threads.jsonl",
        controls=tmp_path / "controls.jsonl",
    )


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("rank", "--references"),
        ("constructive", "--threads"),
        ("grade", "--threads"),
        ("relate", "--clusters"),
    ],
)
def test_a_protocol_names_the_file_it_needs(name: str, option: str) -> None:
    with pytest.raises(ArgumentError, match=f"protocol '{name}' needs {option} FILE"):
        tasks_from_files(protocol(name), TaskFiles())


def test_one_by_one_shows_the_real_comments_alone_as_well(files: TaskFiles, tmp_path: Path) -> None:
    articles = [thread.article for thread in samples.threads("en")]
    outputs = [Output(article.id, f"A reply to {article.id}.", "sys") for article in articles]
    records.write(tmp_path / "outputs.jsonl", outputs, overwrite=True)
    records.write(tmp_path / "articles.jsonl", articles)
    alone = replace(files, articles=tmp_path / "articles.jsonl", references=None, controls=None)
    form = protocol("grade")
    outputs_alone = tasks_from_files(form, alone, one_by_one=True)
    with_real = replace(alone, real_from=files.threads)
    tasks = tasks_from_files(form, with_real, one_by_one=True, seed=1)
    assert all(len(task.targets) == 1 for task in tasks)
    assert {task.id for task in outputs_alone} < {task.id for task in tasks}
    comments = {c.text: t.article.id for t in samples.threads("en") for c in t.comments}
    real = [task for task in tasks if task.targets[0].id.startswith("real:")]
    assert [comments[task.targets[0].text] for task in real] == [a.id for a in articles]


def test_a_control_question_sits_inside_the_bundles_of_its_article(
    files: TaskFiles, tmp_path: Path
) -> None:
    article = samples.threads("en")[0].article.id
    here, elsewhere = (
        ControlQuestion("Well said.", answer=True, article=each) for each in (article, "elsewhere")
    )
    records.write(tmp_path / "controls.jsonl", [here, elsewhere])
    tasks = tasks_from_files(protocol("constructive"), files, seed=3)
    for task in tasks:
        names = [target.id for target in task.targets if target.answer is not None]
        expected = {article: ["control-1"], "elsewhere": ["control-2"]}.get(task.item, [])
        assert names == expected


@pytest.mark.parametrize("settings", [{"controls_apart": True}, {"in_order": True}])
def test_control_questions_apart_are_called_after_their_lines(
    files: TaskFiles, settings: dict[str, bool]
) -> None:
    tasks = tasks_from_files(protocol("constructive"), files, seed=3, **settings)  # type: ignore[arg-type]
    controls = {task.id: task for task in tasks if task.control}
    assert sorted(controls) == sorted(f"control-{n}" for n in range(1, 11))
    titles = {thread.article.id: thread.article.title for thread in samples.threads("en")}
    for number, question in enumerate(samples.controls(), 1):
        task = controls[f"control-{number}"]
        (target,) = task.targets
        assert (task.item, target.text, target.answer) == (
            question.article,
            question.text,
            question.answer,
        )
        if task.item in titles:
            assert dict(task.context)["title"] == titles[task.item]


def test_a_control_question_without_an_article_sits_in_every_bundle(
    files: TaskFiles, tmp_path: Path
) -> None:
    assert files.controls == tmp_path / "controls.jsonl"
    records.write(tmp_path / "controls.jsonl", [ControlQuestion("Well said.", answer=True)])
    tasks = tasks_from_files(protocol("constructive"), files)
    assert all(task.control and task.targets[-1].id == "control-1" for task in tasks)


def test_an_answer_that_nobody_could_give_is_named_with_its_line(
    files: TaskFiles, tmp_path: Path
) -> None:
    questions = [ControlQuestion("x", answer=True), ControlQuestion("y", answer="maybe")]
    records.write(tmp_path / "controls.jsonl", questions)
    with pytest.raises(DataError, match=r"controls\.jsonl:2: an answer that nobody could give"):
        tasks_from_files(protocol("constructive"), files)
