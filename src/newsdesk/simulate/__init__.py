"""Simulated worlds of any size with known ground truth: events, articles, threads, outputs and the people who judge them."""

from newsdesk.simulate.folder import write_world
from newsdesk.simulate.presets import PRESETS
from newsdesk.simulate.texts import SCENARIOS, Scenario, scenario
from newsdesk.simulate.world import PROTOCOLS, TRUTH, World, world

__all__ = [
    "PRESETS",
    "PROTOCOLS",
    "SCENARIOS",
    "TRUTH",
    "Scenario",
    "World",
    "scenario",
    "world",
    "write_world",
]
