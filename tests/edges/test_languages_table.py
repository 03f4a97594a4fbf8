"""A language is one entry of `newsdesk.languages` and data files: no other module has a table of languages."""

from __future__ import annotations

import pytest

from newsdesk import packaged, samples
from newsdesk.languages import LANGUAGES, LISTED, check_language, has_spaces, settings_of
from newsdesk.registry import TOKENIZERS
from newsdesk.text import tokenizer_for
from tests.edges.modules import Module, modules

# Tables that are keyed by something else, or hold rules of the language itself, not a setting of it.
ALLOWED = {
    "languages.py": "the table",
    "registry.py": "tokenizers by their names",
    "doctor.py": "extras by their names",
    "commenters/abstaining.py": "what the sentences of a person begin with, by their grammar",
    "text/sentences.py": "the grammar of Chinese and Japanese sentences",
    "corpus/extract/__init__.py": "the languages of a script, of which most are not set up here",
}


def test_only_one_module_has_a_table_of_languages() -> None:
    holders = {module.name for module in modules().values() if module.language_tables}
    assert holders <= ALLOWED.keys()


def test_a_table_of_languages_is_seen() -> None:
    text = 'x = {"en": 1, "zh": 2}\ny = ("ja", "en")\nz = ("en", "de")'
    assert Module.read("a.py", text).language_tables == (1, 2)


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_entry_names_a_language_and_a_tokenizer_that_exist(code: str) -> None:
    check_language(code)
    assert settings_of(f"{code}-XX") is LANGUAGES[code]
    assert settings_of(code).tokenizer in TOKENIZERS
    assert tokenizer_for(code).name == settings_of(code).tokenizer


@pytest.mark.parametrize("code", LISTED)
def test_a_listed_language_has_all_its_files(code: str) -> None:
    for kind in ("words", "filler", "padding", "gate"):
        assert packaged.path("rankers", "data", f"{kind}-{code}.txt").is_file()
    assert packaged.path("rankers", "data", f"order-{code}.npz").is_file()
    assert code in packaged.sections("rankers", "gate-languages.txt") or not has_spaces(code)
    assert code in packaged.sections("rankers", "restate.txt")
    assert {"density", "characters", "function"} <= packaged.sections(
        "simulate", f"{code}.txt"
    ).keys()
    assert samples.threads(code)
