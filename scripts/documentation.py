"""Writes the pages of docs/ that are made from the code: `python scripts/documentation.py`."""

from pathlib import Path

from nenette_agents.documentation import environments

DOCS = Path(__file__).resolve().parents[1] / "docs"

if __name__ == "__main__":
    (DOCS / "environment-reference.md").write_text(environments.markdown(), encoding="utf-8")
