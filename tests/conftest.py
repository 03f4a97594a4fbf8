"""What all tests share: the real data if it is there, and no way out to the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from newsdesk import kernel
from tests.browser.chromium import CHROMIUM
from tests.cpu import (  # noqa: F401  (hooks that pytest finds here)
    pytest_runtest_logstart,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    pytest_terminal_summary as summary_of_seconds,
    pytest_testnodedown,
)

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

hypothesis.settings.register_profile(
    "newsdesk",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("newsdesk")


@pytest.fixture(autouse=True, scope="session")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's folders of data and cache for the length of the run: no test leaves a key in the real ones."""
    folder = tmp_path_factory.mktemp("data-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    summary_of_seconds(terminalreporter)
    if CHROMIUM is None:
        terminalreporter.write_line(
            "CHROMIUM IS NOT INSTALLED: the web app was not tested in a browser", red=True
        )
    if not kernel.has_kernel():
        terminalreporter.write_line(
            "THE KERNEL IS NOT COMPILED HERE: numpy alone was tested", red=True
        )


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the real data (../shared/data beside the project) is not on this machine")
    return SHARED


@pytest.fixture(scope="module", params=["with the kernel", "by numpy"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a module twice, with the compiled kernel and without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(kernel.SWITCH, "off" if request.param == "by numpy" else "")
        if request.param == "with the kernel" and not kernel.has_kernel():
            pytest.skip("the kernel is not compiled here")
        yield


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if host not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
