"""Models and programs as judges: asked twice, stored apart, resumed, and believed as far as they agree with people."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsdesk import campaigns
from newsdesk.campaigns import Store, Target, Task
from newsdesk.campaigns.judges import CommandJudge, ModelJudge, ask_judge, judge_result
from newsdesk.campaigns.judges.model import read_values
from newsdesk.campaigns.judges.sheet import JudgeSheet, sheets_of
from newsdesk.campaigns.protocols import protocol
from newsdesk.cli.main import main
from newsdesk.errors import NewsdeskError
from newsdesk.types import Value
from tests.llm.endpoint import INJECTIONS, endpoint, outside_data

NOW = "2026-11-18T12:00:00Z"
# A program that answers all tasks; `value` gives the value of a text at its place.
_PROGRAM = """
import json, sys
def value(kind, place, text, texts): {body}
for number, line in enumerate(sys.stdin):
    task = json.loads(line)
    with open({log!r}, "a") as log: log.write(task["task"] + "\\n")
    texts = task["texts"]
    values = {{letter: {{q["name"]: value(task["kind"], place, text, texts) for q in task["questions"]}} for place, (letter, text) in enumerate(texts.items())}}
    if number >= {most}: sys.exit(7)
    print(json.dumps({{"task": task["task"], "values": values}}), flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/s.db") as opened:
        yield opened


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., str]:
    """Return the command of a judge that answers with the value of an expression."""

    def command(body: str, most: int = 10**9) -> str:
        file = tmp_path / "judge.py"
        log = str(tmp_path / "asked.txt")
        file.write_text(_PROGRAM.format(body=body, log=log, most=most))
        return f"{sys.executable} {file}"

    return command


def _grading(store: Store, items: int = 120, judged: int = 30, seed: int = 1) -> list[int]:
    """Create a campaign of grades in which people judged some items only; return the true grades, which stand in the texts."""
    rng = np.random.default_rng(seed)
    true = rng.integers(1, 6, items).tolist()
    tasks = [Task(f"t{n}", f"i{n}", (Target(f"c{n}", f"quality {true[n]} of {n}"),)) for n in range(items)]  # fmt: skip
    store.create("pilot", protocol("grade"), tasks, ["ann"], per_item=1, seed=0)
    for n in range(judged):
        grade = int(np.clip(true[n] + rng.integers(-1, 2), 1, 5))
        store.answer("pilot", "ann", f"t{n}", {(f"c{n}", "grade"): grade}, at=NOW)
    return true


def _ranking(store: Store, items: int = 20) -> None:
    tasks = [Task(f"t{n}", f"i{n}", tuple(Target(system, f"{system} {'x' * (7 * n % 5)}") for system in ("a", "b", "c"))) for n in range(items)]  # fmt: skip
    form = protocol("rank").asking(["overall"])
    store.create("ranks", form, tasks, ["ann"], per_item=1, seed=0)
    for n in range(items // 2):
        ranks: dict[tuple[str, str], Value] = {("a", "overall"): 1, ("b", "overall"): 2, ("c", "overall"): 3}  # fmt: skip
        store.answer("ranks", "ann", f"t{n}", ranks, at=NOW)


def _asked(tmp_path: Path) -> list[str]:
    return (tmp_path / "asked.txt").read_text().split()


_READ = "return int(text.split()[1])"
_ALWAYS_FIRST = "return place + 1"


def test_a_good_judge_saves_people_and_a_useless_one_is_said_not_to_help(
    store: Store, program: Callable[..., str]
) -> None:
    true = _grading(store)
    good, useless = CommandJudge(program(_READ)), None
    ask_judge(store, "pilot", good, now=lambda: NOW)
    result = judge_result(store, "pilot", good.name)
    (row,) = result.estimates
    assert row.ci is not None and row.ci[0] < np.mean(true) < row.ci[1]
    assert row.people_items == 30 and row.items == 120 and row.helps
    assert row.saved_ci is not None and row.saved_ci[0] < row.saved_items < row.saved_ci[1]
    assert result.verdict.startswith("The judge helps with 1 of 1 result")
    useless = CommandJudge(
        program("import zlib; return 1 + zlib.crc32(text.encode()) % 5").replace(
            "judge.py", "judge.py ''"
        )
    )
    ask_judge(store, "pilot", useless, now=lambda: NOW)
    result = judge_result(store, "pilot", useless.name)
    assert result.estimates[0].saved_items == 0
    assert result.verdict.startswith("The judge does not help")
    assert result.estimates[0].ci == pytest.approx(result.estimates[0].people_ci, rel=0.05)


def test_position_bias_is_one_for_who_takes_the_first_and_zero_for_who_reads(
    store: Store, program: Callable[..., str]
) -> None:
    _ranking(store)
    first = CommandJudge(program(_ALWAYS_FIRST))
    ask_judge(store, "ranks", first, now=lambda: NOW)
    bias = judge_result(store, "ranks", first.name).position_bias["overall"]
    assert bias is not None and (bias.value, bias.ci, bias.same, bias.pairs) == (1.0, (1.0, 1.0), 0.0, 60)  # fmt: skip
    assert "depend on the order: overall (1.000" in judge_result(store, "ranks", first.name).verdict
    reads = CommandJudge(program("return sorted(texts.values()).index(text) + 1") + " x")
    ask_judge(store, "ranks", reads, now=lambda: NOW)
    result = judge_result(store, "ranks", reads.name)
    bias = result.position_bias["overall"]
    assert bias is not None and (bias.value, bias.same) == (0.0, 1.0)
    differences = {row.name: row.value for row in result.estimates if row.kind == "difference"}
    assert differences == {"a − b": 0.5, "a − c": 1.0, "b − c": 0.5}


def test_models_are_never_mixed_with_people_unless_asked(
    store: Store, program: Callable[..., str], tmp_path: Path
) -> None:
    _grading(store, items=12, judged=12)
    before = list(store.judgments("pilot"))
    status = store.status("pilot")
    ask_judge(store, "pilot", CommandJudge(program(_READ)), now=lambda: NOW)
    assert list(store.judgments("pilot")) == before and store.status("pilot") == status
    with Store.open(f"sqlite:///{tmp_path}/s.db", include_models=True) as mixed:
        rows = list(mixed.judgments("pilot"))
        assert [row.via for row in rows] == ["web"] * 12 + ["model"] * 24
        assert len({row.annotator for row in rows}) == 3  # a person, and the judge in both turns
        assert campaigns.report_content(mixed, "pilot", seed=0)
    people, both = tmp_path / "people.jsonl", tmp_path / "both.jsonl"
    common = ["campaign", "judgments", "pilot", "--store", f"sqlite:///{tmp_path}/s.db"]
    assert main([*common, "-o", str(people)]) == main([*common, "--include-models", "-o", str(both)]) == 0  # fmt: skip
    assert (len(people.read_text().splitlines()), len(both.read_text().splitlines())) == (12, 36)


def test_a_program_that_dies_is_asked_only_for_the_rest(
    store: Store, program: Callable[..., str], tmp_path: Path
) -> None:
    _grading(store, items=10, judged=2)
    command = program(_READ, most=7)
    with pytest.raises(NewsdeskError, match="ended with code 7; 13 tasks have no answer yet"):
        ask_judge(store, "pilot", CommandJudge(command), now=lambda: NOW)
    assert len(store.model_answers("pilot")) == 7
    run = ask_judge(store, "pilot", CommandJudge(program(_READ)), now=lambda: NOW)
    assert (run.asked, run.stored_before, run.unusable) == (13, 7, 0)
    again = ask_judge(store, "pilot", CommandJudge(command), now=lambda: NOW)
    assert (again.asked, again.stored_before) == (0, 20)


def test_after_a_kill_nothing_that_was_stored_is_asked_again(
    store: Store, program: Callable[..., str], tmp_path: Path
) -> None:
    _grading(store, items=40, judged=3)
    slow = program("import time; time.sleep(0.02); return 3")
    url = f"sqlite:///{tmp_path}/s.db"
    arguments = ["campaign", "judge", "pilot", "--with", slow, "--store", url]
    running = subprocess.Popen([sys.executable, "-m", "newsdesk", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    while len(store.model_answers("pilot")) < 10:
        assert running.poll() is None
    running.send_signal(signal.SIGKILL)
    running.wait()
    stored = {(answer.task, answer.turn) for answer in store.model_answers("pilot")}
    (tmp_path / "asked.txt").unlink()
    run = ask_judge(store, "pilot", CommandJudge(slow), now=lambda: NOW)
    assert run.stored_before == len(stored) and run.asked == 80 - len(stored)
    numbers = {f"{int(task[1:]) + 1}/{turn}" for task, turn in stored}
    assert not numbers & set(_asked(tmp_path)) and len(_asked(tmp_path)) == run.asked


def test_what_is_no_answer_is_stored_as_such_and_asked_again_on_demand(
    store: Store, program: Callable[..., str]
) -> None:
    _grading(store, items=4, judged=2)
    judge = CommandJudge(program("return 9 if text.endswith('1') else 'good'"))
    run = ask_judge(store, "pilot", judge, now=lambda: NOW)
    assert run.unusable == 8
    faults = {answer.fault for answer in store.model_answers("pilot")}
    assert faults == {"c1 (grade): 9 is not one of 1, 2, 3, 4, 5", *(f"c{n} (grade): 'good' is not one of 1, 2, 3, 4, 5" for n in (0, 2, 3))}  # fmt: skip
    assert ask_judge(store, "pilot", judge, now=lambda: NOW).asked == 0
    assert "could not be read" in judge_result(store, "pilot", judge.name).verdict
    program(_READ)  # the same command answers now
    assert ask_judge(store, "pilot", judge, now=lambda: NOW, retry=True).unusable == 0


@pytest.mark.parametrize(
    ("program_text", "said"),
    [
        ("print('hello')", "an answer is no JSON object"),
        ('print(\'{"task": "9/9"}\')', "which was not asked"),
        ("pass", "8 tasks have no answer"),
        ("import time; time.sleep(60)", "no answer for 1 s"),
    ],
)
def test_a_program_that_does_not_answer_is_an_error_in_one_line(
    store: Store, tmp_path: Path, program_text: str, said: str
) -> None:
    _grading(store, items=4, judged=2)
    (tmp_path / "bad.py").write_text(program_text)
    timeout_s = 1.0 if "sleep" in program_text else 60.0
    judge = CommandJudge(f"{sys.executable} {tmp_path}/bad.py", timeout_s)
    with pytest.raises(NewsdeskError) as error:
        ask_judge(store, "pilot", judge, now=lambda: NOW)
    assert said in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(NewsdeskError, match="cannot be run"):
        ask_judge(store, "pilot", CommandJudge("no-such-program"), now=lambda: NOW)


def test_a_store_of_schema_4_gets_the_table_of_models_and_an_unmigrated_one_has_no_answers(
    store: Store, tmp_path: Path
) -> None:
    _grading(store, items=4, judged=2)
    with sqlite3.connect(tmp_path / "s.db") as old:
        for added in ("gold", "notes", "model_answers"):
            old.execute(f"DROP TABLE {added}")
        old.execute("UPDATE newsdesk_schema SET version = 4")
    with Store.open(f"sqlite:///{tmp_path}/s.db") as migrated:
        assert migrated.model_answers("pilot") == []
        assert len(list(migrated.judgments("pilot"))) == 2


def _answer_by_texts(body: dict[str, Any]) -> str:
    """Grade 5 whatever the texts say; a model that obeys what is outside the data would say so."""
    asked = outside_data(body)
    assert not any(attack in asked for attack in INJECTIONS)
    return "A: 5" if "X: value" in asked else "5"


def test_a_language_model_judges_and_is_not_led_astray_by_texts(
    store: Store, tmp_path: Path
) -> None:
    tasks = [Task(f"t{n}", f"i{n}", (Target(f"c{n}", text),)) for n, text in enumerate(INJECTIONS)]
    store.create("pilot", protocol("grade"), tasks, ["ann"], per_item=1, seed=0)
    with endpoint(_answer_by_texts) as server:
        judge = ModelJudge(model=server.spec, cache=str(tmp_path / "cache"))
        run = ask_judge(store, "pilot", judge, now=lambda: NOW)
        assert (run.asked, run.unusable) == (60, 0)
        assert len(server.requests) == 60
        assert ask_judge(store, "pilot", judge, now=lambda: NOW).asked == 0
        url = f"sqlite:///{tmp_path}/s.db"
        named = f"llm(model='{server.spec}', cache='none', temperature=.5)"
        assert main(["campaign", "judge", "pilot", "--with", named, "--dry-run", "--store", url]) == 0  # fmt: skip
        assert len(server.requests) == 60
    assert {value for answer in store.model_answers("pilot") for value in answer.answers.values()} == {5}  # fmt: skip


def _sheet(kind: str, texts: int) -> JudgeSheet:
    form = protocol({"rank": "rank", "scale": "grade", "select": "constructive", "label": "relate"}[kind])  # fmt: skip
    task = Task("t", "i", tuple(Target(f"c{n}", f"text {n}") for n in range(texts)))
    return sheets_of(1, task, form, seed=0)[0]


@pytest.mark.parametrize(
    ("kind", "texts", "said", "values"),
    [
        ("rank", 3, "Sure: B > A = C.", {"B": 1, "A": 2, "C": 2}),
        ("rank", 3, "B > A", {}),
        ("rank", 2, "B", {"A": 2, "B": 1}),
        ("rank", 2, "A or B", {}),
        ("scale", 1, "I would say 4.", {"A": 4}),
        ("scale", 1, "14", {}),
        ("scale", 2, "A: 4\nB - 2", {"A": 4, "B": 2}),
        ("select", 3, "A, C", {"A": True, "B": False, "C": True}),
        ("select", 3, "None of them", {"A": False, "B": False, "C": False}),
        ("select", 3, "hm", {}),
        ("select", 1, "Yes!", {"A": True}),
    ],
)
def test_answers_of_models_are_read_or_left_out(
    kind: str, texts: int, said: str, values: dict[str, Value]
) -> None:
    assert read_values(said, _sheet(kind, texts)) == values


def test_a_sheet_names_no_system_and_the_second_turn_turns_the_order_round() -> None:
    task = Task("secret-task", "i", (Target("sys-one", "x"), Target("sys-two", "y")))
    first, second = sheets_of(3, task, protocol("rank"), seed=0)
    assert list(first.shown.values()) == list(second.shown.values())[::-1]
    text = json.dumps(first.as_json())
    assert "sys-" not in text and "secret" not in text
    alone = sheets_of(1, Task("t", "i", (Target("c", "x"),)), protocol("grade"), seed=0)
    assert [sheet.as_json()["answers"] for sheet in alone] == [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
