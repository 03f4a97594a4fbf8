"""`newsdesk rank` as a user meets it: fit, apply, eval, game and audit on the sample threads, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import newsdesk
from newsdesk import records, samples
from newsdesk.campaigns.store import Store
from newsdesk.cli.main import main
from newsdesk.rankers import Ranker
from newsdesk.types import Ranked, Thread
from tests.campaigns.worlds import VOTE, judgments
from tests.cli.running import run
from tests.rankers.plain import thread


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test threads, a RankSVM and its run."""
    path = tmp_path_factory.mktemp("rank")
    threads = samples.threads()
    for name, part in (("train", threads[:7]), ("dev", threads[7:9]), ("test", threads[9:])):
        records.write(path / f"{name}.jsonl", part)
    fitted = run(
        *("rank", "fit", "--model", "ranksvm", "--train", str(path / "train.jsonl")),
        *("--dev", str(path / "dev.jsonl"), "-o", str(path / "model")),
    )
    assert fitted.returncode == 0, fitted.stderr
    assert "dev NDCG@5" in fitted.stderr
    applied = run(
        *("rank", "apply", str(path / "model"), str(path / "test.jsonl")),
        *("-o", str(path / "run.jsonl")),
    )
    assert (applied.returncode, applied.stderr) == (0, "83 comments of 3 articles\n")
    return path


def test_a_run_ranks_every_comment_in_jsonl_and_in_trec(folder: Path, tmp_path: Path) -> None:
    lines = list(records.read(folder / "run.jsonl", Ranked))
    assert len(lines) == 83
    assert [line.rank for line in lines[:3]] == [1, 2, 3]
    out = tmp_path / "run.trec"
    test = str(folder / "test.jsonl")
    assert run("rank", "apply", str(folder / "model"), test, "-o", str(out)).returncode == 0
    assert list(records.read(out, Ranked)) == lines
    assert run("rank", "apply", str(folder / "model"), test, "-o", "-").stdout.count("\n") == 83


def test_eval_prints_every_measure_as_json(folder: Path) -> None:
    done = run(
        *("rank", "eval", str(folder / "run.jsonl"), "--threads", str(folder / "test.jsonl")),
        *("--k", "1,5", "--baselines", "random,length", "--json", "--samples", "200"),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [row["system"] for row in report["systems"]] == ["run", "random", "length"]
    names = [f"{name}@{k}" for name in ("ndcg", "precision", "strict_precision") for k in (1, 5)]
    controlled = ["lmp", "blmp", "blmp_longer", "blmp_shorter", "sauc"]
    for row in report["systems"]:
        assert list(row) == ["system", *names, *controlled, "n", "ci", "signature"]
        assert row["n"] == 3
        assert list(row["ci"]) == [*names, *controlled]
    assert report["systems"][2]["blmp"] == 0.5
    assert set(report["ceiling"]) == {"true_rate", "fresh_panel"}
    assert len(report["comparisons"]) == 3 * 11
    assert set(report["comparisons"][0]) == {
        "first", "second", "measure", "difference", "ci", "p_randomization", "p_t"
    }  # fmt: skip


def test_the_table_has_intervals_and_the_ceiling_beside_each_figure(folder: Path) -> None:
    done = run(
        *("rank", "eval", str(folder / "run.jsonl"), "-t", str(folder / "test.jsonl")),
        *("--baselines", "length", "--samples", "100"),
    )
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["measure", "run", "length", "true", "rate", "fresh", "panel"]
    assert lines[1].startswith("ndcg@1  ")
    assert lines[1].count("[") == 2
    assert any(line.split()[:3] == ["blmp", "run", "length"] for line in lines)
    assert lines[-1].startswith("3 articles; rank-eval|gain:linear")


def test_an_unfinished_or_foreign_run_is_noted(folder: Path, tmp_path: Path) -> None:
    lines = list(records.read(folder / "run.jsonl", Ranked))
    records.write(tmp_path / "short.jsonl", [*lines[2:], Ranked("elsewhere", "c", 1.0, 1)])
    done = run(
        *("rank", "eval", str(tmp_path / "short.jsonl"), "-t", str(folder / "test.jsonl")),
        *("--json", "--samples", "20"),
    )
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "note: short lacks 2 judged comments (ranked last)",
        "note: short ranks 1 unjudged comment (left out)",
    ]


def test_runs_of_one_file_name_keep_their_paths(folder: Path, tmp_path: Path) -> None:
    lines = list(records.read(folder / "run.jsonl", Ranked))
    paths = [tmp_path / name / "run.jsonl" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        records.write(path, lines)
    words = [str(path) for path in paths]
    done = run("rank", "eval", *words, "-t", str(folder / "test.jsonl"), "--json", "--samples", "9")
    assert [row["system"] for row in json.loads(done.stdout)["systems"]] == words


def test_qrels_are_threads_without_texts(tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text("q 0 a 2\nq 0 b 0\nr 0 c 1\n")
    (tmp_path / "run.trec").write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\nr Q0 c 1 1 t\n")
    done = run(
        *("rank", "eval", str(tmp_path / "run.trec"), "-t", str(tmp_path / "x.qrels")),
        *("--k", "1", "--json", "--samples", "20"),
    )
    row = json.loads(done.stdout)["systems"][0]
    assert (row["ndcg@1"], row["n"]) == (1.0, 2)
    assert [row[name] for name in ("lmp", "blmp", "sauc")] == [None] * 3


def test_game_counts_what_filler_turns_round(folder: Path) -> None:
    model, test = str(folder / "model"), str(folder / "test.jsonl")
    done = run("rank", "game", model, test, "--json", "--samples", "50")
    rows = json.loads(done.stdout)["fillers"]
    assert [row["kind"] for row in rows] == ["bland", "polite", "boilerplate", "repeat"]
    assert all(0 <= row["share"] <= 1 and row["pairs"] > 20 for row in rows)
    table = run("rank", "game", model, test, "--kinds", "bland,repeat", "--samples", "50").stdout
    lines = table.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["filler", "bland", "repeat"]
    assert all(line.startswith("rank-game|filler:") for line in lines[4:])
    assert [row["signature"].split("|")[1] for row in rows] == [
        f"filler:{row['kind']}" for row in rows
    ]


def test_game_tries_styles_of_ones_own(folder: Path, tmp_path: Path) -> None:
    styles = tmp_path / "styles.toml"
    styles.write_text('[[style]]\nname = "spell"\ntexts = ["Abra. Cadabra."]\n')
    words = ("rank", "game", str(folder / "model"), str(folder / "test.jsonl"), "--samples", "50")
    rows = json.loads(run(*words, "--fillers", str(styles), "--json").stdout)["fillers"]
    assert [row["kind"] for row in rows] == ["spell:append", "spell:prepend", "spell:interleave"]
    named = run(*words, "--fillers", str(styles), "--kinds", "spell,bland").stdout.splitlines()
    assert [line.split()[0] for line in named[:3]] == ["filler", "spell", "bland"]


def test_game_searches_for_the_cheapest_rise(folder: Path) -> None:
    words = ("rank", "game", str(folder / "model"), str(folder / "test.jsonl"), "--search")
    few = ("--sample", "4", "--max-words", "30", "--samples", "20", "--kinds", "quote,salad")
    rows = json.loads(run(*words, *few, "--json").stdout)["tricks"]
    assert {row["trick"] for row in rows} == {"quote", "salad", "combined"}
    shares = [row["share"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert rows[0]["trick"] == "combined"
    table = run(*words, *few).stdout
    assert rows[0]["worst"]["text"] in table
    assert "worst case, " in table


def test_audit_sets_likes_beside_scores(folder: Path) -> None:
    train = str(folder / "train.jsonl")
    report = json.loads(run("rank", "audit", train, "--json", "--samples", "50").stdout)
    assert report["ci"][0] <= report["pearson"] <= report["ci"][1]
    assert report["count"] == report["n"] // 2
    table = run("rank", "audit", train, "--top", "20", "--samples", "50").stdout
    assert table.splitlines()[0].split() == ["score", "20", "random", "20", "most", "liked"]
    assert "r = " in table.splitlines()[-2]
    assert table.splitlines()[-1].startswith("rank-audit|")
    assert report["signature"].endswith("|samples:50|seed:0|newsdesk:" + newsdesk.__version__)


def test_audit_of_equal_likes_prints_no_correlation(tmp_path: Path) -> None:
    path = tmp_path / "threads.jsonl"
    comments = [{"id": str(n), "text": "x", "likes": 2, "score": n} for n in range(6)]
    path.write_text(json.dumps({"article": {"id": "a", "text": ""}, "comments": comments}))
    report = json.loads(run("rank", "audit", str(path), "--json", "--samples", "20").stdout)
    assert [report[name] for name in ("pearson", "ci", "spearman")] == [None, None, None]
    table = run("rank", "audit", str(path), "--samples", "20").stdout
    assert table.splitlines()[-2].endswith("6 comments: r = – (one side is constant)")


@pytest.mark.parametrize("verb", ["eval", "audit"])
def test_what_is_printed_can_go_to_a_file(verb: str, folder: Path, tmp_path: Path) -> None:
    test, out = str(folder / "test.jsonl"), tmp_path / "x.json"
    first = ("eval", str(folder / "run.jsonl"), "-t", test) if verb == "eval" else ("audit", test)
    words = ("rank", *first, "--samples", "20", "--json")
    assert run(*words, "-o", str(out)).stdout == ""
    assert out.read_text("utf-8") == run(*words).stdout
    again = run(*words, "-o", str(out))
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    assert run(*words, "-o", str(out), "--force").returncode == 0


def test_likes_can_be_the_target_and_a_model_is_not_overwritten(
    folder: Path, tmp_path: Path
) -> None:
    words = (
        *("rank", "fit", "-m", "svr", "--train", str(folder / "train.jsonl")),
        *("--target", "likes", "-o", str(tmp_path / "m")),
    )
    assert run(*words).returncode == 0
    saved = json.loads((tmp_path / "m" / "model.json").read_text("utf-8"))
    assert (saved["format"], saved["ranker"], saved["settings"]["target"]) == (1, "svr", "likes")
    again = run(*words)
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    assert run(*words, "--force").returncode == 0


def test_a_ranker_learns_straight_from_a_campaign(folder: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    train = str(folder / "train.jsonl")
    started = run(
        *("campaign", "new", "pilot", "--protocol", "constructive", "--threads", train),
        *("--annotators", "ann", "--per-item", "1", "--store", store),
    )
    assert started.returncode == 0, started.stderr
    with Store.open(store, create=False) as opened:
        for task in list(opened.tasks("pilot")):
            # Here the shorter half of what is shown together is the constructive one.
            limit = sorted(len(target.text) for target in task.targets)[len(task.targets) // 2]
            votes = [len(target.text) < limit for target in task.targets]
            opened.import_judgments("pilot", judgments("pilot", VOTE, task, "ann", votes))
    fitted = run(
        *("rank", "fit", "-m", "ranksvm", "--campaign", "pilot", "--store", store),
        *("--train", train, "-o", str(tmp_path / "model")),
    )
    assert fitted.returncode == 0, fitted.stderr
    model = Ranker.load(tmp_path / "model")
    test = samples.threads()[9]
    lengths = [len(comment.text) for comment, _ in model.rank(test)]
    half = len(lengths) // 2
    assert sum(lengths[:half]) < sum(lengths[half:])


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("fit", "-m", "ranksvn", "--train", "test.jsonl", "-o", "m"), 1, "did you mean 'ranksvm'"),
        (("fit", "-m", "svr", "--train", "none.jsonl", "-o", "m"), 1, "no such file"),
        (("fit", "-m", "svr", "-o", "m"), 2, "name threads with --train"),
        (("fit", "-m", "svr", "--campaign", "x", "-o", "m"), 1, "newsdesk.db"),
        (("fit", "-m", "svr", "--train", "bare.jsonl", "-o", "m"), 1, "no comment has a 'score'"),
        (("fit", "-m", "like", "--train", "test.jsonl", "--target", "likes", "-o", "m"), 1, "target"),
        (("fit", "-m", "svr", "--train", "test.jsonl", "-o", "test.jsonl"), 1, "is a file"),
        (("apply", "nowhere", "test.jsonl"), 1, "no saved ranker there"),
        (("eval", "--threads", "test.jsonl"), 2, "at least one RUN"),
        (("eval", "run.jsonl", "--threads", "test.jsonl", "--k", "1,x"), 2, "not a list like"),
        (("eval", "run.jsonl", "--threads", "test.jsonl", "--k", "5,5"), 2, "repeats a depth"),
        (("eval", "run.jsonl", "--threads", "test.jsonl", "--baselines", "svr"), 2, "'svr'"),
        (("eval", "run.jsonl", "--threads", "train.jsonl"), 1, "ranks nothing of article"),
        (("eval", "run.jsonl", "--threads", "bare.jsonl"), 1, "no comment of the threads"),
        (("game", "model", "test.jsonl", "--kinds", "bald"), 1, "no filler is called 'bald'"),
        (("audit", "bare.jsonl"), 1, "fewer than two comments"),
        (("fit", "-m", "svr", "--train", "one.jsonl", "-o", "m"), 1, "too little to fit svr on: 1 comment of one article"),
        (("fit", "--train", "one.jsonl", "-o", "m"), 1, "too little to fit argument on: 1 comment of one article"),
        (("fit", "--train", "clusters.jsonl", "-o", "m"), 1, "clusters.jsonl: this file holds clusters; threads are needed"),
        (("apply", "model", "clusters.jsonl"), 1, "clusters.jsonl: this file holds clusters; threads are needed"),
        (("explain", "model", "test.jsonl"), 1, "gives no reasons; fit 'argument'"),
        (("eval", "test.jsonl", "--threads", "test.jsonl"), 1, "test.jsonl: this file holds threads; the lines of a run are needed"),
        (("apply", "model", "khmer.jsonl"), 1, "article 'k': language 'km' is written without spaces"),
        (("game", "model", "khmer.jsonl"), 1, "article 'k': language 'km' is written without spaces"),
        (("fit", "-m", "svr(lang='xx')", "--train", "test.jsonl", "-o", "m"), 1, "language 'xx' is not an ISO 639-1 code"),
        (("fit", "-m", "argument(lang='km')", "--train", "test.jsonl", "-o", "m"), 1, "language 'km' is written"),
        (("vectors", "test.jsonl", "--lang", "km", "-o", "m"), 1, "language 'km' is written"),
        (("compare", "one.jsonl", "-m", "svr", "--folds", "2"), 1, "1 group of articles: too few for 2 folds"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...],
    code: int,
    reason: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    records.write("bare.jsonl", [thread("t", ["a", "b"], [None, None])], overwrite=True)
    records.write("one.jsonl", [thread("t", ["a", "b"], [1, None])], overwrite=True)
    records.write("khmer.jsonl", [thread("k", ["a", "b"], [0, 1], lang="km")], overwrite=True)
    records.write("clusters.jsonl", samples.clusters()[:1], overwrite=True)
    assert main(["rank", *words]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert reason in said.err
    assert not (folder / "m").exists()


def test_threads_are_read_from_standard_input(folder: Path) -> None:
    test = (folder / "test.jsonl").read_bytes()
    done = run("rank", "apply", str(folder / "model"), "-", "-o", "-", stdin=test)
    assert done.stdout == (folder / "run.jsonl").read_text("utf-8")


def test_a_thread_without_comments_ranks_nothing(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    records.write(empty, [Thread(samples.threads()[0].article, ())])
    done = run("rank", "apply", str(folder / "model"), str(empty), "-o", "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "0 comments of 1 article\n")


def test_fit_without_a_model_is_argument_and_explain_says_why(folder: Path, tmp_path: Path) -> None:
    model, out = str(tmp_path / "ours"), tmp_path / "reasons.jsonl"
    fitted = run("rank", "fit", "--train", str(folder / "train.jsonl"), "-o", model)
    assert fitted.returncode == 0, fitted.stderr
    assert "\nargument: en, wordllama vectors" in fitted.stderr
    explain = ("rank", "explain", model, str(folder / "test.jsonl"), "-o", str(out))
    assert run(*explain).returncode == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(lines) == 83
    fields = ["article", "comment", "score", "probability", "reasons", "padding", "point", "standing", "probability_error"]  # fmt: skip
    assert list(lines[0]) == fields
    assert {line["standing"] for line in lines} == {"stands out", "solid", "thin"}
    again = run(*explain)
    assert again.returncode == 1
    assert "--force" in again.stderr
    refused = run("rank", "explain", str(folder / "model"), str(folder / "test.jsonl"))
    assert refused.returncode == 1
    assert "a 'ranksvm' model gives no reasons" in refused.stderr


def test_little_data_is_a_warning_on_stderr_that_comparisons_print_once(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    train = str(folder / "train.jsonl")
    assert main(["rank", "fit", "-m", "svr(cost=0.1)", "--train", train, "-o", str(tmp_path)]) == 0
    assert "warning: svr is fitted on little data (191 comments of 7 articles)" in (
        capsys.readouterr().err
    )
    assert main(["rank", "compare", train, "-m", "svr(cost=0.1)", "--samples", "20"]) == 0
    assert capsys.readouterr().err.count("little data") == 1


def test_a_model_of_one_language_warns_on_text_of_another(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    chinese = tmp_path / "zh.jsonl"
    records.write(chinese, samples.threads("zh")[:2])
    warning = "warning: the model was fitted on comments in 'en', but article"
    for verb in ("apply", "game"):
        assert main(["rank", verb, str(folder / "model"), str(chinese)]) == 0
        assert capsys.readouterr().err.count(warning) == 1
        assert main(["rank", verb, str(folder / "model"), str(folder / "test.jsonl")]) == 0
        assert warning not in capsys.readouterr().err


def test_help_calls_k_a_cutoff(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("eval", "compare"):
        assert main(["rank", verb, "--help"]) == 0
        assert "Cutoffs k of NDCG@k" in capsys.readouterr().out
