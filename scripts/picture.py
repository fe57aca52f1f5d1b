"""Draws the pictures of the README: docs/tables.png and docs/perfect-play.png; `--tables` the first one alone."""

import sys
from pathlib import Path

from nenette_agents.benchmark.picture import draw
from nenette_agents.benchmark.table_picture import draw_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"

if __name__ == "__main__":
    draw_tables(DOCS / "tables.png")
    if "--tables" not in sys.argv:
        draw(DOCS / "perfect-play.png")
