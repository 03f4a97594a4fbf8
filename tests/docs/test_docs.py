"""Docs under test: every Python and command block runs, every command and name is documented, every link leads somewhere."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from pathlib import Path

import pytest

import newsdesk
from newsdesk.cli.main import main
from newsdesk.registry import TABLES
from tests.cli.running import all_commands

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("bench", "training", "research")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for part in ("docs", *SCRIPTS) for page in (ROOT / part).rglob("*.md")),
    ]
)
_SCRIPT = re.compile(rf"python\s+-m\s+({'|'.join(SCRIPTS)})([ .])([a-z]\w*)")
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def run_blocks(page: Path) -> int:
    """Run the Python blocks of a page in one namespace and its `newsdesk` lines in the same folder; how many ran."""
    namespace: dict[str, object] = {}
    ran = 0
    for language, body in _BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(body, str(page), "exec"), namespace)
            ran += 1
        elif not language:
            for line in body.splitlines():
                if line.startswith("newsdesk "):
                    assert main(shlex.split(line)[1:]) == 0, line
                    ran += 1
    return ran


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *(ROOT / "docs/tutorial").glob("*.md")], ids=lambda page: page.name
)
def test_every_block_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_blocks(page)
    assert ran >= (1 if page.name == "README.md" else 3)  # the README's commands are in its doors


def test_the_doors_of_the_readme_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = 0
    for language, body in _BLOCK.findall((ROOT / "README.md").read_text("utf-8")):
        if language != "console":
            continue
        printed: list[str] = []
        for line in body.splitlines():
            if line.startswith("$ "):
                assert main(shlex.split(line)[2:]) == 0, line
                printed = "".join(capsys.readouterr()).splitlines()
            else:
                assert line in printed
                shown += 1
    assert shown >= 4


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs/reference/command.md").read_text("utf-8")
    nouns = {words[0] for words in all_commands() if len(words) > 1}
    for words in all_commands():
        if words[0] not in nouns or len(words) > 1:
            assert f"## newsdesk {' '.join(words)}\n" in page


@pytest.mark.parametrize("kind", list(TABLES))
def test_every_name_of_a_table_is_documented(kind: str) -> None:
    reference = "\n".join(
        page.read_text("utf-8") for page in (ROOT / "docs/reference").glob("*.md")
    )
    for name in TABLES[kind]:
        assert re.search(rf"^\| `{re.escape(name)}` \|", reference, re.MULTILINE), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_readme_links_every_tutorial_how_to_and_reference_page() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for page in PAGES:
        if page.parent.name in ("tutorial", "how-to", "reference"):
            assert f"({page.relative_to(ROOT)})" in readme, page.name


def test_every_decision_record_has_a_number_of_its_own_which_its_title_repeats() -> None:
    paths = sorted((ROOT / "docs/decisions").glob("*.md"))
    numbers = [int(path.name.partition("-")[0]) for path in paths]
    assert numbers == list(range(1, len(paths) + 1))
    for path, number in zip(paths, numbers, strict=True):
        assert path.read_text("utf-8").startswith(f"# {number}. "), path.name


def test_every_script_that_is_named_exists_and_runs_as_it_is_written() -> None:
    sources = [path for part in ("src", "tests", *SCRIPTS) for path in (ROOT / part).rglob("*.py")]
    named = {
        words
        for path in [*PAGES, *sources]
        if path.name != "CHANGELOG.md"
        for words in _SCRIPT.findall(path.read_text("utf-8"))
    }
    assert len(named) > 30
    for folder, joint, name in named:
        source = (ROOT / folder / f"{name}.py").read_text("utf-8")
        assert "\ndef main(" in source, name
        if joint == ".":  # without a runner
            assert '\nif __name__ == "__main__":\n' in source, f"{folder}.{name}"
        else:
            assert (ROOT / folder / "__main__.py").exists(), folder


def modules() -> list[str]:
    modules = pkgutil.walk_packages(newsdesk.__path__, "newsdesk.")
    # The compiled kernel is a library for ctypes, not a module.
    return [module.name for module in modules if "._kernel_" not in module.name]


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is_for_and_its_examples_hold(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_the_changelog_knows_the_next_version() -> None:
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
