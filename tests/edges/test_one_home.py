"""Small things that every part needs have one home each: a second definition fails here, with the place of the first."""

from __future__ import annotations

import pytest

from tests.edges.modules import Module, modules

# Name → the module that defines it; nowhere else may a module define it at its top level.
HOMES = {
    "Floats": "arrays.py",
    "Ints": "arrays.py",
    "Bools": "arrays.py",
    "rounded": "arrays.py",
    "best_first": "arrays.py",
    "unit_rows": "arrays.py",
    "file_digest": "files.py",
    "parse_toml": "records/schema.py",
    "CsvRows": "records/tables.py",
    "stream": "streams.py",
    "one_of": "settings.py",
    "at_least": "settings.py",
    "signature": "signatures.py",
    "sha256_of": "signatures.py",
    "sections": "packaged.py",
    "has_spaces": "languages.py",
    "LISTED": "languages.py",
    "main_language": "text/language.py",
    "excerpt": "wording.py",
    "json_text": "jsonl.py",
    "json_line": "jsonl.py",
    "feedback": "feedback.py",
    "dislike_ratio": "feedback.py",
}
# What would be a second definition under another name → the only module that may say it.
PHRASES = {
    "csv.reader(": "records/tables.py",
    "resources.files(": "packaged.py",
    'f"{key}:{value}" for key': "signatures.py",
    "random.default_rng(": "streams.py",
    "dislikes or 0": "feedback.py",
    "tomllib.load": "records/schema.py",
}
# What fails in many ways on a hostile file → what to use instead.
UNSAFE = {"np.load(": "arrays.unpacked_arrays", "json.loads(": "jsonl.json_value"}
# They read what they wrote themselves, or a request that was checked before.
_OWN_DATA = ("jsonl.py", "campaigns/", "service/")


@pytest.mark.parametrize("name", HOMES)
def test_a_name_is_defined_in_its_home_alone(name: str) -> None:
    homes = [module.name for module in modules().values() if name in module.definitions]
    assert homes == [HOMES[name]]


@pytest.mark.parametrize("phrase", PHRASES)
def test_nobody_does_by_hand_what_has_a_home(phrase: str) -> None:
    homes = [module.name for module in modules().values() if phrase in module.text]
    assert homes == [PHRASES[phrase]]


@pytest.mark.parametrize("phrase", UNSAFE)
def test_files_of_strangers_are_read_by_what_checks_them(phrase: str) -> None:
    texts = {m.name: m.text for m in modules().values() if not m.name.startswith(_OWN_DATA)}
    unchecked = [name for name, text in texts.items() if phrase in text]
    assert not unchecked, f"use {UNSAFE[phrase]} in {', '.join(unchecked)}"


def test_a_second_definition_is_seen() -> None:
    text = "import numpy\nFloats = 1\ndef stream(): pass\nInts: int = 2"
    assert Module.read("a.py", text).definitions == ("Floats", "stream", "Ints")


def test_no_two_classes_of_the_package_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for module in modules().values():
        for name in module.classes:
            places.setdefault(name, []).append(module.name)
    assert len(places) > 500
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
