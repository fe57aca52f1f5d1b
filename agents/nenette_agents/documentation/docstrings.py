"""What docstrings say: of names in Google's sections, and in paragraphs that begin with a word such as "Reward:"."""

import inspect
import re

__all__ = ["entries", "paragraph"]


def paragraph(documented: object, name: str) -> str:
    """The paragraph that begins with `name` and a colon, on one line, without these words.

    Raises:
        ValueError: there is none.
    """
    for block in _doc(documented).split("\n\n"):
        if block.startswith(f"{name}:"):
            return " ".join(block.removeprefix(f"{name}:").split())
    raise ValueError(f"the docstring of {documented!r} has no paragraph {name!r}")


def entries(documented: object, section: str) -> dict[str, str]:
    """What a section ("Args", "Attributes") says of each name, on one line; nothing where there is no such section."""
    found = re.search(rf"^{section}:\n((?:[ ]+.*\n|\n)*)", _doc(documented) + "\n", flags=re.MULTILINE)
    texts = dict[str, str]()
    name = ""
    for line in inspect.cleandoc(found[1]).splitlines() if found else ():
        if not line.startswith(" "):
            name, _, text = line.partition(":")
            texts[name] = text.strip()
        else:
            texts[name] += f" {line.strip()}"
    return texts


def _doc(documented: object) -> str:
    return inspect.getdoc(documented) or ""
