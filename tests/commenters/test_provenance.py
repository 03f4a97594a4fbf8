"""Seals: what was altered is named, other keys are refused, and the private key stays private."""

from __future__ import annotations

import copy
import json
import stat
from pathlib import Path
from typing import Any

import pytest

import newsdesk as nd
from newsdesk.commenters.suggestion import (
    FIELDS,
    LABEL,
    SealKey,
    data_folder,
    open_key,
    public_key,
    read_rows,
    sealed,
    verify,
)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> SealKey:
    return open_key(tmp_path_factory.mktemp("key"))


def suggestion() -> nd.Suggestion:
    source = {
        "kind": "retrieved",
        "quotation": True,
        "article": "n1",
        "comment": "c1",
        "similarity": 0.5,
    }
    return nd.Suggestion("a1", "A fair point.", 0.25, "ir-t", source, "0123", "ir-t|x:1", at="2026-01-02T03:04:05Z")  # fmt: skip


@pytest.fixture
def row(key: SealKey) -> dict[str, Any]:
    return json.loads(json.dumps(sealed(suggestion(), key).as_json()))


def test_a_sealed_suggestion_is_unaltered_and_labelled(row: dict[str, Any], key: SealKey) -> None:
    assert tuple(row) == FIELDS
    assert row["label"] == LABEL == "machine-suggested"
    assert verify(row).good
    assert verify(row, key=key.public).good


CHANGES: dict[str, Any] = {
    "article": "a2", "text": "A fair point!", "score": 0.250001, "system": "att", "label": "by a reader",
    "source": {"kind": "generated"}, "model": "0124", "at": "2026-01-02T03:04:06Z", "signature": "ir-t|x:2",
}  # fmt: skip


@pytest.mark.parametrize("name", [each for each in FIELDS if each != "seal"])
def test_a_changed_field_is_named(name: str, row: dict[str, Any]) -> None:
    assert verify({**row, name: CHANGES[name]}).altered == (name,)
    without = {key: value for key, value in row.items() if key != name}
    assert verify(without).altered == (name,)


@pytest.mark.parametrize("name", [each for each in FIELDS if each != "seal"])
def test_a_changed_byte_in_any_field_is_named(name: str, row: dict[str, Any]) -> None:
    text = json.dumps(row[name])
    changed = 0
    for place in range(len(text)):
        for byte in ("x", "7"):
            try:
                value = json.loads(text[:place] + byte + text[place + 1 :])
            except ValueError:
                continue
            if json.dumps(value) != text:
                changed += 1
                assert verify({**row, name: value}).altered == (name,), value
    assert changed >= len(text) // 2


def test_every_changed_byte_of_the_line_is_noticed(row: dict[str, Any]) -> None:
    line = json.dumps(row)
    for place in range(0, len(line), 7):
        changed = line[:place] + ("x" if line[place] != "x" else "y") + line[place + 1 :]
        try:
            value = json.loads(changed)
        except ValueError:
            continue
        assert not verify(value).good, changed


def test_an_added_field_and_a_nested_change_are_named(row: dict[str, Any]) -> None:
    assert verify({**row, "author": "ann"}).altered == ("author",)
    nested = copy.deepcopy(row)
    nested["source"]["comment"] = "c2"
    assert verify(nested).altered == ("source",)


def test_hashes_that_were_changed_with_their_field_break_the_seal(row: dict[str, Any]) -> None:
    forged = copy.deepcopy(row)
    other = copy.deepcopy(row)
    other["text"] = "Another text."
    from newsdesk.commenters.suggestion import _hashes

    forged["text"], forged["seal"]["fields"] = other["text"], _hashes(other)
    assert verify(forged).altered == ("seal",)


def test_another_key_is_refused(row: dict[str, Any], tmp_path: Path) -> None:
    other = open_key(tmp_path)
    verdict = verify(row, key=other.public)
    assert not verdict.good and verdict.refused == "sealed with another key" and not verdict.altered


def test_no_seal_is_no_trust(row: dict[str, Any]) -> None:
    assert verify({**row, "seal": None}).refused == "there is no whole seal"
    assert verify({**row, "seal": {"key": "1"}}).refused == "there is no whole seal"


def test_the_key_is_kept_private_and_used_again(tmp_path: Path) -> None:
    first, second = open_key(tmp_path), open_key(tmp_path)
    assert first.public == second.public
    assert stat.S_IMODE((tmp_path / "commenter-key.pem").stat().st_mode) == 0o600
    assert public_key(tmp_path / "commenter-key.pub") == first.public
    assert public_key(tmp_path / "commenter-key.pem") == first.public
    (tmp_path / "bad.pem").write_text("no key")
    with pytest.raises(nd.DataError, match="not an ed25519 key"):
        public_key(tmp_path / "bad.pem")


def test_files_are_lines_or_one_object(row: dict[str, Any], tmp_path: Path) -> None:
    lines, whole = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n")
    whole.write_text(json.dumps({"suggestions": [row]}))
    assert len(read_rows(str(lines))) == 2 and len(read_rows(str(whole))) == 1
    whole.write_text("[1]")
    with pytest.raises(nd.DataError, match="not a suggestion"):
        read_rows(str(whole))


def test_no_test_writes_into_the_user_s_own_data_folder(data_home: Path) -> None:
    assert data_folder() == data_home / "newsdesk"
    open_key()
    assert (data_home / "newsdesk" / "commenter-key.pem").is_file()
