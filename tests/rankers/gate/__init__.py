"""Tests of the gate before the score."""
