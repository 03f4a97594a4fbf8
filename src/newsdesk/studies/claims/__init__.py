"""Claims of papers: each number bound to a `newsdesk` command and to the hash of its data, and checked by running it."""

from newsdesk.studies.claims.check import Answer, Checked, check_claims
from newsdesk.studies.claims.claim import Claim, ClaimsFile, read_claims, shipped_claims

__all__ = [
    "Answer",
    "Checked",
    "Claim",
    "ClaimsFile",
    "check_claims",
    "read_claims",
    "shipped_claims",
]
