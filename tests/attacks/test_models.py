"""Model folders of a stranger: one line each, nothing executed, nothing allocated that a header asks for."""

from __future__ import annotations

import io
import resource
import time
from pathlib import Path

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.arrays import mapped_array, unpacked_arrays
from newsdesk.errors import NewsdeskError
from newsdesk.model import ARTICLES, Saved, articles_seen, save_model
from newsdesk.rankers.ranker import Ranker, ranker
from tests.attacks.hostile_models import HOSTILE, plain_arrays, plant
from tests.cli.running import run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "ranker"
    ranker("svr(cost=0.1, min_count=1)").fit(samples.threads()[:4]).save(folder)
    return folder


def test_no_hostile_folder_is_loaded_or_costs_anything(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a pickle would leave its mark
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    wrong = {}
    for what, change in HOSTILE.items():
        folder = plant(model, tmp_path / what, change)
        try:
            Ranker.load(folder)
            wrong[what] = "was loaded"
        except NewsdeskError as error:
            if "\n" in str(error):
                wrong[what] = str(error)
        except Exception as error:  # noqa: BLE001, any other one is a traceback
            wrong[what] = repr(error)
    assert wrong == {}
    assert not Path("PWNED").exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
    assert time.process_time() - began < 10


def test_the_command_says_it_in_one_line(model: Path, tmp_path: Path) -> None:
    folder = plant(model, tmp_path / "evil", HOSTILE["nothing at all"])
    done = run("rank", "apply", str(folder), str(samples.path("threads-en.jsonl")))
    assert done.returncode == 1
    assert done.stderr.strip().endswith("not a file of plain arrays (File is not a zip file)")
    assert len(done.stderr.splitlines()) == 1


def test_arrays_of_every_kind_are_read_as_numpy_does(tmp_path: Path) -> None:
    arrays = plain_arrays()
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    read = unpacked_arrays(packed.getvalue())
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
        for again in (read[name], mapped_array(tmp_path / f"{name}.npy")):
            assert (again.dtype, again.shape) == (array.dtype, array.shape)
            assert again.tolist() == array.tolist()
    read["floats"][0, 0] = 9.0  # as writable as numpy's own


def test_a_model_is_there_with_its_list_of_articles_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill at any moment of saving: what `corpus forget` asks is never answered by a model without its list."""
    articles = [thread.article for thread in samples.threads()[:2]]
    saved = Saved("length", {}, {}, {"a": np.zeros(3)})
    opened = Path.open

    class KilledError(BaseException):
        pass

    for moment in range(4):
        folder = tmp_path / str(moment)
        save_model(folder, "ranker", saved, articles=articles[:1])
        left = moment

        def killing(self: Path, *rest: object, **more: object) -> object:
            nonlocal left
            if self.name.endswith(".part"):
                left -= 1
                if left < 0:
                    raise KilledError
            return opened(self, *rest, **more)  # type: ignore[call-overload]

        monkeypatch.setattr(Path, "open", killing)
        if moment < 3:
            with pytest.raises(KilledError):
                save_model(folder, "ranker", saved, articles=articles)
            assert not (folder / "model.json").exists()
        else:
            save_model(folder, "ranker", saved, articles=articles)
            assert (folder / ARTICLES).exists()
            assert articles_seen(folder, [article.id for article in articles]) == 2
        monkeypatch.undo()


def test_a_folder_that_cannot_be_written_is_said_before_the_fit(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    threads = str(tmp_path / "missing.jsonl")  # reading it would come next
    for out in ("/proc/newsdesk-model", str(tmp_path / "file")):
        done = run("rank", "fit", "--train", threads, "-o", out)
        assert done.returncode == 1 and out in done.stderr
        assert "missing.jsonl" not in done.stderr
