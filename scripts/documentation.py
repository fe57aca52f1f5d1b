"""Writes what in docs/ is made from something else: `python scripts/documentation.py`.

environment-reference.md and the schema of benchmarks are made from the code, tutorial.ipynb from tutorial.md.
"""

from pathlib import Path

from nenette_agents.benchmark import suite
from nenette_agents.documentation import environments, notebook

DOCS = Path(__file__).resolve().parents[1] / "docs"

if __name__ == "__main__":
    (DOCS / "environment-reference.md").write_text(environments.markdown(), encoding="utf-8")
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    suite.SCHEMA_FILE.write_text(suite.schema_text(), encoding="utf-8")
    (DOCS / "tutorial.ipynb").write_text(notebook.notebook(page), encoding="utf-8")
