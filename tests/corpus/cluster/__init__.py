"""Tests of events from articles alone."""
