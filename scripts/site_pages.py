"""Makes pages of the site from README.md, CHANGELOG.md and CONTRIBUTING.md: hooks that mkdocs.yml names."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that lie beside docs/ to those in it."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links between files of the project into links between pages; one to a file that is no page is its text."""
    source = next((name for name, made in PAGES.items() if made == page.file.src_uri), f"docs/{page.file.src_uri}")
    folder = (ROOT / source).parent

    def on_the_site(found: re.Match[str]) -> str:
        picture, text, target, anchor = found.groups()
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        path = (folder / target).resolve().relative_to(ROOT).as_posix()
        to = PAGES.get(path) or path.removeprefix("docs/")
        if path.startswith("docs/") or path in PAGES:
            return f"{picture}[{text}]({to}{anchor})"
        return text

    return _LINK.sub(on_the_site, markdown)
