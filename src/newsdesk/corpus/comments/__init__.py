"""Comment corpora by the filters of papers: `build_comments(inputs, folder, preset=…)`.

`presets` holds the papers' numbers, `planning` what every preset drops and draws, `stats` Table 2 and its figures, `build` the two passes over the
files.
"""

from newsdesk.corpus.comments.build import CommentsReport, build_comments
from newsdesk.corpus.comments.presets import PRESETS

__all__ = ["PRESETS", "CommentsReport", "build_comments"]
