"""docs/tutorial.ipynb, made from docs/tutorial.md: its programs and commands are cells, without outputs."""

import json
import re
from typing import Any

__all__ = ["LEFT_OUT", "cells", "notebook"]

LEFT_OUT = "<!-- not in the notebook -->"
"""Before a block that stays text: what a person types in a terminal."""
_BLOCK = re.compile(rf"(?:^{LEFT_OUT}\n)?^```(\w*)\n(.*?)^```\n?", flags=re.MULTILINE | re.DOTALL)


def cells(page: str) -> list[tuple[str, str]]:
    """The kind, "markdown" or "code", and the source of each cell of a page. Commands begin with "!"."""
    found, rest = list[tuple[str, str]](), ""
    place = 0
    for block in _BLOCK.finditer(page):
        rest += page[place : block.start()]
        place = block.end()
        language, source = block.groups()
        if block[0].startswith(LEFT_OUT):
            rest += block[0].removeprefix(f"{LEFT_OUT}\n")
            continue
        found.append(("markdown", rest))
        rest = ""
        commands = "".join(f"!{line}\n" for line in source.splitlines() if line)
        found.append(("code", source if language == "python" else commands))
    found.append(("markdown", rest + page[place:]))
    return [(kind, source.strip("\n")) for kind, source in found if source.strip()]


def notebook(page: str) -> str:
    """The notebook of a page, as Jupyter's format 4.5 has it."""
    made = [_cell(number, kind, source) for number, (kind, source) in enumerate(cells(page))]
    about = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell.update(execution_count=None, outputs=[])
    cell["source"] = source.splitlines(keepends=True)
    return cell
