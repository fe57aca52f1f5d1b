"""Draws the pictures of the README and of docs/findings.md into docs/.

python scripts/picture.py             tables.png, perfect-play.png, solo.png, distances.png
python scripts/picture.py --tables    the first one alone
python scripts/picture.py --findings  the last two alone
"""

import sys
from pathlib import Path

from nenette_agents.benchmark.pictures import draw, draw_distances, draw_solo, draw_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"

if __name__ == "__main__":
    if "--findings" not in sys.argv:
        draw_tables(DOCS / "tables.png")
    if not {"--tables", "--findings"} & set(sys.argv):
        draw(DOCS / "perfect-play.png")
    if "--tables" not in sys.argv:
        draw_solo(DOCS / "solo.png")
        draw_distances(DOCS / "distances.png")
