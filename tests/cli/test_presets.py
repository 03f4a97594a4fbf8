"""Settings of papers by name: a preset fills options and settings of methods, and what the user states wins."""

from __future__ import annotations

import json

import click
import pytest

from newsdesk.cli.main import newsdesk
from newsdesk.cli.presets import PRESETS
from newsdesk.registry import COMMENTERS, RANKERS, SUMMARIZERS
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


def test_an_unknown_preset_lists_those_of_the_command() -> None:
    done = run("study", "table5", "c.jsonl", "--preset", "gholipour2021")
    assert done.returncode == 2
    assert "gholipour2020" in done.stderr


def test_list_presets_prints_every_option_and_setting() -> None:
    content = json.loads(run("list", "presets", "--json").stdout)["presets"]
    assert set(content) == set(PRESETS)
    assert content["gholipour2020"]["options"]["study tune"]["sample"] == 100
