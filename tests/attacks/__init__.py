"""Attacks on files, folders and stores: what a stranger tried, each with what must happen instead.

Attacks on requests, sessions and sheets stand beside what they attack (`tests/service/test_attacks.py`, `tests/campaigns/`).
"""
