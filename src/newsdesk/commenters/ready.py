"""Small fitted commenters that ship with the package, one of each system, so that they can be tried without training anything.

They were fitted on the English threads of the sample newsroom without the one about the dam that was opened (`HELD_OUT`), by `python -m training.fit_commenters`: eleven articles show how the systems work and are good for nothing else.
"""

from __future__ import annotations

import os

from newsdesk.commenters.commenter import Commenter
from newsdesk.packaged import path

HELD_OUT = "2031-03-05-dam-release/2"
SYSTEMS = ("ir-t", "ir-tc", "ir-quality", "seq2seq", "att", "att-tc")
# The models by name, each with what a user should know before trusting it.
MODELS = {
    f"sample-{name}": f"the commenter {name}, fitted on eleven threads of the sample newsroom: a demonstration"
    for name in SYSTEMS
}


def load_commenter(model: str | os.PathLike[str]) -> Commenter:
    """Load a commenter from a folder, or by the name of one that ships; a folder that is called like one is written with its path, as `./sample-att`."""
    name = os.fspath(model)
    return Commenter.load(path("commenters", "data", name) if name in MODELS else name)
