"""Draws the picture of the README: docs/perfect-play.png."""

from pathlib import Path

from nenette_agents.benchmark.picture import draw

if __name__ == "__main__":
    draw(Path(__file__).resolve().parents[1] / "docs" / "perfect-play.png")
