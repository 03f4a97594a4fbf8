"""One word, one meaning: an option of one name takes one kind of value and says the same in every command that has it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import click
import pytest

from newsdesk.cli.lazy import ALIASES, RENAMED
from newsdesk.cli.main import newsdesk
from tests.cli.running import all_commands, run

# Options of several commands → what every help text of theirs says. What stands in one command alone has one meaning anyway.
MEANING = {
    "--data": r"[Ff]older",
    "--length": r"^How much length counts",
    "--annotator": "annotator|^Annotator whose",
    "--articles": "^Articles",
    "--by": "[Cc]omments per article|Who decides",
    "--campaign": "campaign",
    "--cited-by": "^Events",
    "--clusters": "^Clusters",
    "--cluster-by": "^Outputs that are logs",
    "--controls": "^Control questions with known answers",
    "--correction": "^Correction of the p-values",
    "--dates": "^Order of dates",
    "--days": "^Largest distance .* in days|^Days that an event stays open",
    "--dev": "[Dd]ev threads|[Cc]lusters to (choose hyper-parameters|tune .*) on",
    "--dry-run": "tokens and cost",
    "--engine": "inline: this process alone",
    "--explain": "how the words of this item were matched|a line for each article",
    "--fit": "^Fit .* save",
    "--folds": "^Number of .*folds",
    # What an earlier run left is written or computed again.
    "--force": "^Overwrite|not empty|again|no longer named",
    "--human": "^Human scores",
    "--in-order": "in file order",
    "--include-models": "(judgments|answers) of models and programs",
    "--input-format": "^(File format|Format of files)",
    "--jobs": "[Ww]orker processes|at the same time",
    "--json": "JSON",
    "--judgments": "[Jj]udgments|[Gg]rades",
    "--k": "^Cutoffs k",
    "--lang": "[Ll]anguage",
    "--level": "[Ss]ignificance level",
    "--map": "^Columns|[Ff]ields and their columns",
    "--max-chars": "^Longest text",
    "--max-words": "^Length limit",
    "--measure": "^Measure",
    "--method": "^Name or spec of a summarizer",
    "--metrics": "^Names or specs of metrics",
    "--min-chars": "^Shortest text",
    "--model": "^Name or spec of a (ranker|commenter)|^Also ask a model",
    "--model-dir": "[Mm]odel",
    "--models": "^Names or specs of (rankers|commenters)",
    "--name": "^Name of",
    "--one-by-one": "^Show every output",
    "--only": "begin with this",
    "--ours": "the stored answers",
    "--out": "[Oo]utput|^Folder|to this file|^Write the result",
    "--outlet": "^Keep only these hosts",
    "--position-bias": "[Cc]orrect likes for the position",
    "--preset": "of a paper|qin2018|base",
    "--probability": "^Smallest probability with which an article joins an event",
    "--protocol": "[Pp]rotocol|constructive",
    "--question": "[Qq]uestion",
    "--questions": "only these questions",
    "--ranker": "^Ranker that rates",
    "--real-from": "one real comment per article",
    "--references": "^References",
    "--report": "^Write (the )?counts",
    "--retry": "^Ask again",
    "--sample": "[Nn]umber of clusters|random sample",
    "--samples": "bootstrap samples",
    "--seed": "^Random seed",
    "--since": "of this day .* and later",
    "--store": "[Dd]atabase|store of --campaign|of a store",
    "--systems": "^Columns of a wide table",
    "--theirs": "the sheet's answers",
    "--tasks": "tasks",
    "--threads": "[Tt]hreads",
    "--threshold": "similarity",
    "--timeout": "^Seconds",
    "--timeout-s": "ime limit of .* in seconds",
    "--test": "test threads",
    "--top": "[Nn]umber|per article|cutoff k of the top",
    "--train": "^Training threads|^Clusters to fit",
    "--tune": "^Choose settings|for tuning",
    "--type": "hold|[Tt]ype of the records|^Record type",
    "--unit": "^Unit of --max-words",
    "--until": "of this day .* and earlier",
    "--values": "^Precomputed values",
    "--weights": "^Map from .* to (a|its) weight",
}
# Options whose commands take different kinds of values, and why that is right.
MIXED = {
    "--out": "what is written is a file or a folder, as the command's metavar says",
    "--tune": "`comment fit` tunes or does not; `study table5` says on how many clusters",
    "--preset": "that of `corpus comments` is a spec with settings, the others are names",
    "--folds": "`rank compare` takes a number too, or the word groups",
    "--by": "`study curve` goes by one of several counts; `campaign adjudicate` names who decides",
    "--explain": "`score` explains one item on a page; `corpus cluster` every article in a file",
}
# Letters that stand for different words, and why.
LETTERS = {"-m": "what is run or measured: --method, --metrics, --model and --models"}


def all_options() -> Iterator[tuple[str, str, click.Option]]:
    """Every name of an option that help shows, with its command and the option."""
    for words in all_commands():
        command: click.Command = newsdesk
        for word in words:
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word) or command
        for option in command.params:
            if isinstance(option, click.Option):
                yield from ((name, " ".join(words), option) for name in option.opts)


def kind_of(option: click.Option) -> str:
    """The kind of value that an option takes; several values of a kind, and one among choices, count as that kind."""
    if option.is_flag:
        return "flag"
    if option.metavar:
        return option.metavar.removesuffix("S") if option.metavar.isalpha() else option.metavar
    if isinstance(option.type, click.Choice):
        return "one of several words"
    return {"integer range": "integer", "float range": "float"}.get(
        option.type.name, option.type.name.replace("file", "FILE")
    )


def test_an_option_takes_one_kind_of_value_in_every_command() -> None:
    kinds: dict[str, set[str]] = defaultdict(set)
    for name, _, option in all_options():
        kinds[name].add(kind_of(option))
    mixed = {name for name, values in kinds.items() if len(values) > 1 and name.startswith("--")}
    assert mixed == set(MIXED)


def test_an_option_says_the_same_in_every_command() -> None:
    commands: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, command, option in all_options():
        commands[name].append((command, option.help or ""))
    shared = {name: uses for name, uses in commands.items() if len(uses) > 1 and name[1] == "-"}
    assert set(shared) == set(MEANING)
    for name, uses in shared.items():
        for command, text in uses:
            assert re.search(MEANING[name], text), f"{command} {name}: {text}"


def test_no_folder_is_written_to_standard_output() -> None:
    folders = [
        (command, option)
        for name, command, option in all_options()
        if name == "--out" and kind_of(option) == "DIR"
    ]
    assert len(folders) >= 10
    for command, option in folders:
        with pytest.raises(click.BadParameter, match="standard output"):
            option.type.convert("-", option, None)
        assert option.type.convert("out", option, None) == "out", command


def test_a_letter_stands_for_one_word() -> None:
    words: dict[str, set[str]] = defaultdict(set)
    for name, _, option in all_options():
        if not name.startswith("--"):
            words[name].add(next(word for word in option.opts if word.startswith("--")))
    assert {name for name, longer in words.items() if len(longer) > 1} == set(LETTERS)


def test_an_old_name_is_gone_from_help_and_its_command_has_the_new_one() -> None:
    options: dict[str, set[str]] = defaultdict(set)
    for name, command, _ in all_options():
        options[command].add(name)
    renames = [
        (command, old, new)
        for old, uses in RENAMED.items()
        for new, commands in uses.items()
        for command in commands
    ]
    aliases = [(command, *names) for command, pair in ALIASES.items() for names in pair.items()]
    for command, old, new in renames + aliases:
        assert old not in options[command], f"{command} {old}"
        assert new in options[command], f"{command} {new}"


@pytest.mark.parametrize(
    ("command", "old", "value"),
    [
        (("score", "out.jsonl", "-r", "refs.jsonl"), "--per-item", "items.jsonl"),
        (("campaign", "weights", "pilot", "-o", "r.jsonl"), "--map", "minmax"),
        (("summarize", "clusters.jsonl", "-m", "expected-rouge"), "--since", "2019-05-01"),
        (("study", "claims", "no-such-claims"), "--data", "d=x.jsonl"),
    ],
)
def test_names_of_the_design_work_silently(command: tuple[str, ...], old: str, value: str) -> None:
    [new] = (names[old] for names in ALIASES.values() if old in names)
    done, named = run(*command, old, value), run(*command, new, value)
    assert done.returncode == named.returncode == 1, done.stderr
    assert done.stderr == named.stderr
    assert "note:" not in done.stderr


@pytest.mark.parametrize("spelling", [("--most", "0"), ("--most=0",)])
def test_an_old_name_works_and_one_line_names_the_new_one(spelling: tuple[str, ...]) -> None:
    done = run("rank", "explain", "model", "t.jsonl", *spelling)
    assert done.returncode == 2
    assert done.stderr.startswith("note: --most is now --top; the old name goes in the next ver")
    assert "'--top'" in done.stderr
    assert "0 is not in the range" in done.stderr


def test_what_follows_two_dashes_is_no_option() -> None:
    assert "note:" not in run("records", "check", "--", "--format").stderr
