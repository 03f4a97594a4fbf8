"""An object store on loopback that every process started meanwhile takes for S3."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def object_store() -> Iterator[str]:
    """The address of moto's server; the settings that lead there are in the environment."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "PYTHONPATH": os.pathsep.join(str(Path(each).resolve()) for each in sys.path),
    }
    s3fs.S3FileSystem.clear_instance_cache()  # clients of an earlier store
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        yield settings["AWS_ENDPOINT_URL"]
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()
