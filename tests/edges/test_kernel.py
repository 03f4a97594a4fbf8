"""The kernel as it is built: by the hook where there is a compiler, not at all where there is none, and never one of another source."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from newsdesk import kernel

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", PROJECT / "hatch_build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_hook_and_the_package_name_the_file_alike(hook: ModuleType) -> None:
    assert hook.file_name() == kernel.file_name(hook.SOURCE.read_bytes())
    assert hook.file_name() != kernel.file_name(b"another source")


def test_the_hook_compiles_where_there_is_a_compiler(hook: ModuleType, tmp_path: Path) -> None:
    if hook.compiler() is None:
        pytest.skip("no C compiler is in the path")
    assert hook.compile_kernel(tmp_path / "kernel.so")
    assert ctypes.CDLL(str(tmp_path / "kernel.so")).newsdesk_words
    assert [each.name for each in tmp_path.iterdir()] == ["kernel.so"]


def test_without_a_compiler_there_is_a_note_and_no_kernel(
    hook: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert not hook.compile_kernel(tmp_path / "kernel.so")
    assert "no C compiler is in the path" in capsys.readouterr().err


def test_a_compiler_that_fails_leaves_a_note_and_no_kernel(
    hook: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CC", str(shutil.which("false")))
    assert not hook.compile_kernel(tmp_path / "kernel.so")
    assert "cannot compile kernel.c" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["off", "OFF", "0", "no"])
def test_the_environment_switches_the_kernel_off(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(kernel.SWITCH, value)
    assert not kernel.has_kernel()
