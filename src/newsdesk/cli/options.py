"""Options that mean the same wherever they stand."""

from __future__ import annotations

import click

force = click.option("--force", is_flag=True, help="Replace what is there.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
samples = click.option("--samples", default=10_000, show_default=True, help="Bootstrap draws.")
seed = click.option("--seed", default=0, show_default=True, help="Seed of all draws.")
