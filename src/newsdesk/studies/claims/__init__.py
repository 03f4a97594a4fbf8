"""Claims of papers: each number bound to a `newsdesk` command and to its data, and checked by running it."""

from newsdesk.studies.claims.check import check_claims, check_places
from newsdesk.studies.claims.claim import Claim, ClaimsFile, read_claims, shipped_claims
from newsdesk.studies.claims.result import Answer, CheckedNumber

__all__ = [
    "Answer",
    "CheckedNumber",
    "Claim",
    "ClaimsFile",
    "check_claims",
    "check_places",
    "read_claims",
    "shipped_claims",
]
