"""A claims file of a stranger, beside which anything may lie, and code that tries to leave the folder by every door of Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from newsdesk.studies.claims import check_claims, read_claims
from tests.studies.claims.test_claims import OUTPUTS, REFERENCES, claim, write

# Each is tried in a confined process; `out` is the folder above the confined one, with a file `theirs`.
ATTACKS = {
    "a descriptor of a folder outside": "os.open('x', os.O_CREAT | os.O_WRONLY, dir_fd=os.open(out, os.O_RDONLY))",
    "a folder outside by a link": "os.open('link', os.O_RDONLY)",
    "a folder beside a descriptor": "os.mkdir('../x', dir_fd=os.open('.', os.O_RDONLY))",
    "a rename beside a descriptor": "os.rename('inside', '../x', dst_dir_fd=os.open('.', os.O_RDONLY))",
    "a removal beside a descriptor": "os.remove('../theirs', dir_fd=os.open('.', os.O_RDONLY))",
    "a link beside a descriptor": "os.symlink('inside', '../x', dir_fd=os.open('.', os.O_RDONLY))",
    "a hard link beside a descriptor": "os.link('inside', '../x', dst_dir_fd=os.open('.', os.O_RDONLY))",
    "a mode by a descriptor": "os.fchmod(os.open(out + '/theirs', os.O_RDONLY), 0o777)",
    "a time by a descriptor": "os.utime(os.open(out + '/theirs', os.O_RDONLY), (0, 0))",
    "a relative path from elsewhere": "(os.chdir(out), open('x', 'w'))",
    "shared memory": "open('/dev/shm/newsdesk-x', 'w')",
    "a name like a device": "open('/dev/nullx', 'w')",
    "a packet": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "a name server": "socket.gethostbyname('example.org')",
    "a signal to another process": "os.kill(os.getppid(), 0)",
    "another program": "subprocess.Popen(['true'])",
    "another process": "os.fork()",
    "a database outside": "sqlite3.connect(out + '/x.db')",
}
CODE = """
import os, socket, sqlite3, subprocess, sys
from newsdesk.studies.claims.confined import RefusedError, confine
out = os.path.dirname(sys.argv[1])
open("inside", "w").close()
confine(sys.argv[1])
for attack in sys.argv[2:]:
    os.chdir(sys.argv[1])
    try:
        eval(attack)
        print("succeeded")
    except RefusedError:
        print("refused")
    except OSError as error:
        print(error)
"""


def test_no_door_of_python_leads_out_of_the_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "theirs").write_text("theirs")
    before = (tmp_path / "theirs").stat()
    (work / "link").symlink_to(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(work), *ATTACKS.values()],
        cwd=work,
        capture_output=True,
        text=True,
    )
    outcomes = dict(zip(ATTACKS, done.stdout.splitlines(), strict=True))
    assert outcomes == dict.fromkeys(ATTACKS, "refused"), done.stderr
    after = (tmp_path / "theirs").stat()
    assert (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)
    assert {path.name for path in tmp_path.iterdir()} == {"work", "theirs"}


def test_what_confined_code_may_do_still_works(tmp_path: Path) -> None:
    code = """
import os, shutil, sqlite3, sys, tempfile
from newsdesk.studies.claims.confined import confine
confine(sys.argv[1])
with tempfile.TemporaryDirectory(dir=".") as folder:
    os.makedirs(folder + "/a/b"); open(folder + "/a/b/c", "w").close()
connection = sqlite3.connect("x.db"); connection.execute("CREATE TABLE t (a)"); connection.close()
open("x", "w").close(); os.rename("x", "y"); os.chmod("y", 0o600); open(os.devnull, "w").close()
shutil.rmtree("deep", ignore_errors=True); print("done"); os.write(1, b"")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "done\n", done.stderr


def test_modules_that_lie_in_the_working_folder_are_not_imported(tmp_path: Path) -> None:
    """Every module that the command imports, planted in the folder and in the home folder inside it."""
    folder = tmp_path / "paper"
    home = (
        folder
        / f".scratch/.local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    )
    home.mkdir(parents=True)
    planted = f"open({str(tmp_path / 'PWNED')!r}, 'w').close()\n"
    for name in (
        "lazy_loader",
        "click",
        "numpy",
        "json",
        "usercustomize",
        "sitecustomize",
        "runpy",
    ):
        (folder / f"{name}.py").write_text(planted)
        (home / f"{name}.py").write_text(planted)
    (home / "evil.pth").write_text(f"import os; {planted}")
    (folder / "outputs.jsonl").write_text(OUTPUTS)
    (folder / "references.jsonl").write_text(REFERENCES)
    (checked,) = check_claims(read_claims(write(folder, claim("x", 0.857))), work=folder)
    assert not (tmp_path / "PWNED").exists()
    assert checked.answer == "reproduced", checked.reason
