"""A language is one entry of `newsdesk.languages` and data files: no other module has a table of languages."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from newsdesk import packaged, samples
from newsdesk.languages import LANGUAGES, LISTED, check_language, settings_of
from newsdesk.registry import TOKENIZERS
from newsdesk.text import tokenizer_for

SOURCE = Path(__file__).resolve().parents[2] / "src" / "newsdesk"
CODES = {"en", "zh", "ja"}
# Tables that are keyed by something else, or hold rules of the language itself, not a setting of it.
ALLOWED = {
    "languages.py": "the table",
    "registry.py": "tokenizers by their names",
    "text/sentences.py": "the grammar of Chinese and Japanese sentences",
    "corpus/extract/__init__.py": "the languages of a script, of which most are not set up here",
}


def tables(text: str) -> list[int]:
    """The lines of literals that hold two or more of the languages as keys or items."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Dict):
            items = node.keys
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            items = list(node.elts)
        else:
            continue
        codes = {item.value for item in items if isinstance(item, ast.Constant)}
        if len(CODES & codes) > 1:
            lines.append(node.lineno)
    return lines


def test_only_one_module_has_a_table_of_languages() -> None:
    holders = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if tables(path.read_text("utf-8"))
    }
    assert holders <= ALLOWED.keys()


def test_a_table_of_languages_is_seen() -> None:
    assert tables('x = {"en": 1, "zh": 2}\ny = ("ja", "en")\nz = ("en", "de")') == [1, 2]


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_entry_names_a_language_and_a_tokenizer_that_exist(code: str) -> None:
    check_language(code)
    assert settings_of(f"{code}-XX") is LANGUAGES[code]
    assert settings_of(code).tokenizer in TOKENIZERS
    assert tokenizer_for(code).name == settings_of(code).tokenizer


@pytest.mark.parametrize("code", LISTED)
def test_a_listed_language_has_all_its_files(code: str) -> None:
    for kind in ("words", "filler", "padding"):
        assert packaged.path("rankers", "data", f"{kind}-{code}.txt").is_file()
    assert code in packaged.sections("rankers", "restate.txt")
    assert {"density", "characters", "function"} <= packaged.sections(
        "simulate", f"{code}.txt"
    ).keys()
    assert samples.threads(code)
