"""Tests of desks."""
