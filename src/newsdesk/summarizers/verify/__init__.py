"""Summaries checked against their sources: every clause with the sentence that supports it, or the reason why none does."""

from newsdesk.summarizers.verify.verifier import (
    CheckedClause,
    CheckedSentence,
    SourceCheck,
    support,
)

__all__ = ["CheckedClause", "CheckedSentence", "SourceCheck", "support"]
