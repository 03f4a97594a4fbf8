"""Control questions: inside tasks, made from the data, and not to be told from the rest by how they look."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from newsdesk.campaigns.assign import assign
from newsdesk.campaigns.control import audit, exclude_failed, failed, known_answers
from newsdesk.campaigns.controls import known_answer, made_controls, recognisable, with_controls
from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.sheets import Sheet, SheetRow
from newsdesk.campaigns.sheets.layout import columns, lines
from newsdesk.campaigns.sheets.page import height
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.registry import PROTOCOLS
from newsdesk.types import ControlQuestion, Judgment, Value
from tests.campaigns.worlds import AT, VOTE, vote_tasks

CAMPAIGNS = 300
UNMADE = ("spans", "multi-label")  # nobody knows the answers of a text that was made
MADE = [form for form in PROTOCOLS if form not in UNMADE]
TEXTS = {"rank": 4, "constructive": 5, "best-worst": 4, "pairwise": 2}  # of a task


def text(rng: random.Random) -> str:
    """A comment of one to three lines; lengths differ as those of comments do."""
    count = max(1, int(rng.lognormvariate(3, 0.7)))
    words = ("".join(rng.choices("abcdefghij", k=rng.randint(2, 9))) for _ in range(count))
    return "".join(word + rng.choice((" ", " ", " ", " ", "\n")) for word in words).strip()


def world(form: str, seed: int) -> list[Task]:
    """The tasks of a small campaign, some with links."""
    rng = random.Random(f"{form} {seed}")
    tasks = []
    titles = [text(rng)[:80] for _ in range(4)]
    for number in range(8):
        count = TEXTS.get(form, 1)
        targets = tuple(Target(f"{number}-{n}", text(rng)) for n in range(count))
        context = [("title", titles[number // 2])]
        context += [("url", "https://example.org/")] if len(titles[number // 2]) % 2 else []
        tasks.append(Task(f"t{number}", f"i{number // 2}", targets, tuple(context), text(rng)))
    return tasks


def layout(form: str, seed: int) -> tuple[list[list[float]], list[bool]]:
    """What can be seen of every row of a sheet without reading a word, and whether it is a control."""
    rules = protocol(form)
    tasks = world(form, seed)
    every = 1 if form in TEXTS else 2
    made = made_controls(rules, tasks, every=every, seed=seed)
    questions = [(f"control-{n}", each) for n, each in enumerate(made)]
    tasks = with_controls(tasks, questions, rules, seed=seed)
    assert any(task.control for task in tasks)
    slots = sorted(
        assign(tasks, ["ann"], 1, seed, secret=f"secret {seed}"), key=lambda s: s.position
    )
    of = {task.id: task for task in tasks}
    articles = {task.item: task.article for task in tasks}
    rows = tuple(SheetRow(of[s.task], s.order, article=articles[of[s.task].item]) for s in slots)
    sheet = Sheet("c", "ann", rules, rows, b"key")
    known = known_answers(tasks)
    features, controls = [], []
    names = columns(sheet)
    context = [column for column in names if column.role == "context"]
    before = ""
    for line in lines(sheet):
        assert line.place is not None
        target = line.row.shown[line.place]
        title = line.texts(context, line.separator)[0]
        features.append(
            [
                line.number, line.place, len(line.row.order), len(line.key),
                len(target.text), target.text.count("\n"), height([(target.text, 60)]),
                len(title), title == before, len(line.row.task.context), bool(line.row.article),
                len(line.row.article), bool(line.answer(names[-2])),
            ]
        )  # fmt: skip
        before = title
        controls.append((line.row.task.id, target.id) in known)
    return features, controls


# What is asked about a text of its own, on whatever scale, is laid out as grades are.
@pytest.mark.parametrize("form", [*TEXTS, "grade", "relate"])
def test_the_looks_of_a_control_do_not_give_it_away(form: str) -> None:
    sheets = [layout(form, seed) for seed in range(CAMPAIGNS)]
    features = np.array([row for rows, _ in sheets for row in rows], dtype=float)
    controls = np.array([control for _, each in sheets for control in each])
    groups = np.repeat(np.arange(CAMPAIGNS), [len(rows) for rows, _ in sheets])
    model = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, random_state=0)
    scores = cross_val_predict(
        model, features, controls, groups=groups, cv=GroupKFold(5), method="predict_proba"
    )[:, 1]
    rng = np.random.default_rng(0)
    of_group = [np.flatnonzero(groups == group) for group in range(CAMPAIGNS)]
    aucs = []
    for _ in range(200):
        drawn = np.concatenate([of_group[g] for g in rng.integers(CAMPAIGNS, size=CAMPAIGNS)])
        aucs.append(roc_auc_score(controls[drawn], scores[drawn]))
    low, high = np.quantile(aucs, (0.025, 0.975))
    assert low <= 0.5 <= high < 0.55, f"{form}: AUC of controls from {low:.3f} to {high:.3f}"


@pytest.mark.parametrize("form", UNMADE)
def test_controls_are_not_made_where_nobody_knows_their_answers(form: str) -> None:
    with pytest.raises(ArgumentError, match="nobody knows their answers"):
        made_controls(protocol(form), world(form, 0))


@pytest.mark.parametrize(
    ("form", "answer", "reason"),
    [
        ("spans", "none", "passages have no control questions"),
        ("best-worst", "best", "is not 'worst'"),
        ("da", 101, "not a whole number from 0 to 100"),
        ("pairwise", 2, "is not 'last'"),
    ],
)
def test_a_control_of_another_form_is_refused(form: str, answer: Value, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        known_answer(ControlQuestion("text", answer), protocol(form))


def test_a_control_of_a_pair_is_a_pair_of_its_own() -> None:
    tasks = world("pairwise", 0)
    control = ControlQuestion("lorem", "last", article="i0")
    mixed = with_controls(tasks, [("control-1", control)], protocol("pairwise"), seed=0)
    assert [len(task.targets) for task in mixed] == [2] * (len(tasks) + 1)
    [pair] = [task for task in mixed if task.control]
    assert pair.item == "i0"
    assert recognisable(mixed) == []


@pytest.mark.parametrize("form", MADE)
def test_made_controls_have_answers_of_their_form_and_texts_of_their_own(form: str) -> None:
    tasks = world(form, 0)
    rules = protocol(form)
    questions = made_controls(rules, tasks, seed=1)
    assert questions == made_controls(rules, tasks, seed=1)
    shown = {target.text for task in tasks for target in task.targets}
    for question in questions:
        known_answer(question, rules)
        assert (question.text in shown) == (form == "relate")
    # One a task, and of single targets one an item, of which each has two.
    assert len(questions) == (8 if form in TEXTS else 4)
    assert len(made_controls(rules, tasks, every=2)) == 4
    if form == "relate":
        unused = [replace(task, id=f"unused {task.id}") for task in world(form, 1)]
        questions = made_controls(rules, tasks, unused=[*tasks, *unused])
        texts = {task.targets[0].text for task in unused}
        assert all(question.text in texts for question in questions)


MARKS = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")


@pytest.mark.parametrize("form", ["grade", "constructive"])
def test_a_made_control_has_the_punctuation_and_capitals_of_a_judged_text(form: str) -> None:
    texts = [
        "No. The bus, they said, is late!",
        "Why (again)? Ask the Mayor…",
        "What a day; we won.",
    ]
    count = 3 if form == "constructive" else 1
    tasks = [
        Task(f"t{n}", f"i{n}", tuple(Target(f"{n}-{at}", texts[n]) for at in range(count)))
        for n in range(3)
    ]
    questions = made_controls(protocol(form), tasks, every=1)
    for number, question in enumerate(questions):
        assert question.text.translate(MARKS) == texts[number].translate(MARKS)
        assert question.text[0].isupper()
        assert question.text not in texts


def test_a_chinese_control_is_garbled_and_as_long_as_a_judged_text() -> None:
    texts = [
        "我觉得这个政策很好,因为孩子们需要时间。",
        "今天的球赛太精彩了!",
        "房价为什么还在涨?谁来管管?",
    ]
    tasks = [Task(f"t{n}", f"i{n}", (Target(f"{n}", text),)) for n, text in enumerate(texts)]
    for text, question in zip(texts, made_controls(protocol("grade"), tasks, every=1), strict=True):
        assert len(question.text) == len(text)
        assert question.text not in texts


def test_unrelated_texts_of_labels_are_lent_by_every_item_as_often_as_it_has_tasks() -> None:
    items = [0, 0, 0, 1, 1, 2]
    tasks = [
        Task(f"t{n}", f"i{item}", (Target(f"x{n}", f"text {n} of {item}"),), (("event", "e"),))
        for n, item in enumerate(items)
    ]
    questions = made_controls(protocol("relate"), tasks, every=1)
    lent = [question.text[-1] for question in questions]
    assert sorted(lent) == list(map(str, items))
    assert all(str(item) != text for item, text in zip(items, lent, strict=True))


def test_controls_need_a_second_item() -> None:
    with pytest.raises(ArgumentError, match="there is one item"):
        made_controls(VOTE, vote_tasks(1))


@pytest.mark.parametrize(
    ("form", "question"),
    [
        ("rank", ControlQuestion("x", 1)),
        ("rank", ControlQuestion("x", "last", up_to=2)),
        ("grade", ControlQuestion("x", 4, up_to=2)),
        ("grade", ControlQuestion("x", 1, up_to=9)),
        ("relate", ControlQuestion("x", "perhaps")),
        ("constructive", ControlQuestion("x", answer=False, up_to=1)),
    ],
)
def test_an_answer_that_nobody_could_give_is_refused(form: str, question: ControlQuestion) -> None:
    with pytest.raises(DataError, match="an answer that nobody could give"):
        known_answer(question, protocol(form))


def test_what_gives_controls_away_is_said() -> None:
    tasks = vote_tasks(4)
    general = [("control-1", ControlQuestion("x", answer=False))]
    assert recognisable(with_controls(tasks, general, VOTE, seed=0)) == [
        "1 are shown in several tasks"
    ]
    apart = with_controls(tasks, general, VOTE, seed=0, apart=True)
    assert recognisable(apart) == ["1 stand alone among tasks of several texts"]
    bound = [("control-1", ControlQuestion("x", answer=False, article="article0"))]
    assert recognisable(with_controls(tasks, bound, VOTE, seed=0)) == [
        "3 of 4 tasks have no control question"
    ]
    titled = [("control-1", ControlQuestion("x", 1, title="Elsewhere", article="other"))]
    grades = with_controls(world("grade", 0), titled, protocol("grade"), seed=0)
    assert recognisable(grades) == ["1 have another title, link or article than any task"]


def ranked(name: str, ranks: dict[str, Value]) -> list[Judgment]:
    return [
        Judgment("c", "t", "i", target, "overall", rank, name) for target, rank in ranks.items()
    ]


def test_a_range_and_a_last_place_are_known_answers() -> None:
    rows = ranked("ann", {"x": 1, "y": 2, "control": 3}) + ranked(
        "ben", {"x": 1, "y": 3, "control": 2}
    )
    rows += ranked("cy", {"x": 1, "y": 2, "control": 2})
    assert [each.correct for each in audit(rows, {("t", "control"): "last"})] == [1, 0, 1]
    grades = [Judgment("c", "t", "i", "x", "grade", value, f"p{value}") for value in (1, 2, 3)]
    audits = audit(grades, {("t", "x"): (1.0, 2.0)})
    assert [each.correct for each in audits] == [1, 1, 0]
    assert [each.annotator for each in failed(audits)] == ["p3"]
    with pytest.raises(ArgumentError, match="min_right is 0"):
        failed(audits, 0)


def test_who_failed_a_control_is_excluded_and_others_are_kept(store: Store) -> None:
    tasks = with_controls(
        vote_tasks(4), [("control-1", ControlQuestion("x", answer=False))], VOTE, seed=0
    )
    store.create("v", VOTE, tasks, ["ann", "ben", "cy"], per_item=3, seed=0)
    for name in ("ann", "ben", "cy"):
        for number, task in enumerate(tasks):
            wrong = name == "ben" or (name == "cy" and number == 0)
            votes: dict[tuple[str, str], Value] = {("control-1", "constructive"): wrong}
            store.answer("v", name, task.id, votes, at=AT)
    assert [each.annotator for each in exclude_failed(store, "v", at=AT, min_right=0.5)] == ["ben"]
    assert [each.annotator for each in exclude_failed(store, "v", at=AT)] == ["cy"]
    left = {each.name: each.reason for each in store.status("v").annotators}
    assert left == {
        "ann": None,
        "ben": "0 of 4 control questions right",
        "cy": "3 of 4 control questions right",
    }
    assert not any(each.control for each in store.judgments("v", control=False))
