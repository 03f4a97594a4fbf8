"""Settings of papers by name: a preset fills options and settings of methods, and what the user states wins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

from newsdesk.cli.main import newsdesk
from newsdesk.cli.presets import PRESETS
from newsdesk.commenters.compare import METRICS
from newsdesk.metrics.systems import split_specs
from newsdesk.registry import COMMENTERS, RANKERS, SUMMARIZERS, Registry, Spec
from tests.cli.running import run

COMMANDS = [(name, command) for name, preset in PRESETS.items() for command in preset.options]


def command_named(path: str) -> click.Command:
    command: click.Command = newsdesk
    for word in path.split():
        assert isinstance(command, click.Group)
        member = command.get_command(click.Context(command), word)
        assert member is not None, path
        command = member
    return command


def parsed(path: str, *words: str) -> dict[str, object]:
    """Return the parameters that a command line gives a command."""
    return command_named(path).make_context(path, list(words)).params


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_a_preset_names_parameters_that_its_command_has(name: str, command: str) -> None:
    parameters = {parameter.name for parameter in command_named(command).params}
    assert set(PRESETS[name].options[command]) <= parameters
    assert "preset" in parameters


@pytest.mark.parametrize("name", PRESETS)
def test_every_setting_of_a_preset_is_one_of_its_method(name: str) -> None:
    for method, settings in PRESETS[name].methods.items():
        table = next(t for t in (SUMMARIZERS, RANKERS, COMMENTERS) if method in t)
        built = table.make(method, **settings)
        assert {key: getattr(built, key) for key in settings} == settings


def test_a_preset_fills_what_is_not_stated_and_an_explicit_option_wins() -> None:
    plain = parsed("study table5", "c.jsonl")
    preset = parsed("study table5", "c.jsonl", "--preset", "gholipour2020")
    assert plain["methods"] is None
    assert str(preset["methods"]).startswith("oracle-multi,oracle-single,")
    stated = parsed(
        "study table5", "--max-words", "25", "--methods", "centroid", "c.jsonl", "--preset", "gholipour2020",
    )  # fmt: skip
    assert (stated["max_words"], stated["methods"], stated["unit"]) == (25, "centroid", "tokens")


def test_settings_of_methods_are_added_to_specs_that_do_not_state_them() -> None:
    completed = PRESETS["gholipour2020"].completed
    assert completed("submodular+abs,centroid") == "submodular+abs(extract_words=100),centroid"
    assert completed("submodular+abs(extract_words=50)") == "submodular+abs(extract_words=50)"


def test_the_preset_of_the_wcep_paper_builds_what_the_paper_states() -> None:
    preset = PRESETS["gholipour2020"]
    names = str(preset.options["study table5"]["methods"]).split(",")
    built = {
        name: SUMMARIZERS.make(name, max_words=40, **preset.methods.get(name, {})) for name in names
    }
    assert len(built) == 11
    assert {summarizer.min_tokens for summarizer in built.values()} == {7}
    network = built["bertreg"]
    assert (network.hidden, network.rate, network.epochs, network.batch) == (256, 0.02, 8, 8)
    assert network.target == "f"
    assert built["submodular+abs"].extract_words == 100


def built(table: Registry, preset: str, command: str) -> dict[str, Any]:
    """Return the methods of a command's table as its preset builds them."""
    names = PRESETS[preset].options[command]["models"]
    specs = split_specs(PRESETS[preset].completed(names))
    return {Spec.parse(spec).name: table.make(spec) for spec in specs}


def test_the_preset_of_the_commenting_paper_builds_what_the_paper_states() -> None:
    models = built(COMMENTERS, "qin2018", "comment compare")
    assert list(models) == ["ir-t", "ir-tc", "seq2seq", "att", "att-tc"]
    for model in models.values():
        assert (model.max_words, model.too_long, model.pairs) == (50, "truncate", "all")
        assert model.vocabulary == 30_000
    for name in ("ir-t", "ir-tc"):
        assert models[name].relevance_model == "cnn"
    for name in ("seq2seq", "att", "att-tc"):
        network = models[name]
        assert (network.units, network.patience, network.max_content_words) == (256, None, None)
    metrics = split_specs(PRESETS["qin2018"].options["comment compare"]["metrics"])
    assert metrics == list(METRICS)


def test_the_preset_of_the_constructive_comments_paper_builds_what_the_paper_states() -> None:
    models = built(RANKERS, "fujita2019", "rank compare")
    assert list(models) == ["like", "random", "length", "ranksvm", "svr", "ranknet", "lstm-reg"]
    assert models["like"].dislike_weight == 5
    for name in ("ranksvm", "svr"):
        assert (models[name].min_count, models[name].cost, models[name].beyond_grid) == (
            4,
            None,
            False,
        )
    for name in ("ranknet", "lstm-reg"):
        network = models[name]
        assert (network.units, network.dimensions, network.iterations) == (300, 300, 10_000)
        assert (network.batch, network.learning_rate, network.patience) == (10, 1e-4, None)
        assert (network.min_count, network.vector_min_count, network.epochs) == (4, 5, 5)
    vectors = parsed("rank vectors", "t.jsonl", "-o", "v.txt", "--preset", "fujita2019")
    assert (vectors["dimensions"], vectors["min_count"], vectors["epochs"]) == (300, 5, 5)
    compared = parsed("rank compare", "t.jsonl", "--preset", "fujita2019")
    assert compared["ks"] == [1, 5, 10]


def test_a_preset_keeps_the_exit_code_of_its_command(tmp_path: Path) -> None:
    rows = tmp_path / "comments.csv"
    lines = [
        "article,id,text,score",
        "a,1,Well said,1",
        "a,2,No,0",
        "b,3,Yes,1",
        "b,4,Why,0",
        "b,5,,0",
    ]
    rows.write_text("\n".join(lines) + "\n")
    command = ["rank", "fit", "--model", "ranksvm(min_count=1)", "--train", str(rows)]
    plain, preset = (
        run(*command, "-o", str(tmp_path / name), *words)
        for name, words in {"plain": [], "preset": ["--preset", "fujita2019"]}.items()
    )
    assert (plain.returncode, preset.returncode) == (3, 3), plain.stderr
    header = json.loads((tmp_path / "preset" / "model.json").read_text())
    assert (header["settings"]["beyond_grid"], header["settings"]["min_count"]) == (False, 1)


def test_an_unknown_preset_lists_those_of_the_command() -> None:
    done = run("study", "table5", "c.jsonl", "--preset", "gholipour2021")
    assert done.returncode == 2
    assert "gholipour2020" in done.stderr


def test_list_presets_prints_every_option_and_setting() -> None:
    content = json.loads(run("list", "presets", "--json").stdout)["presets"]
    assert set(content) == set(PRESETS)
    assert content["gholipour2020"]["options"]["study tune"]["sample"] == 100
