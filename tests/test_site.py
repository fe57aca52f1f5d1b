"""The site of the documentation: it builds strictly, holds every page, and loads nothing from a network."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="the extra docs brings what builds the site")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"index", "changelog", "contributing"}
    assert pages | {"404"} == {path.stem for path in site.glob("*.html")}
    assert (site / "tutorial.ipynb").is_file()


@pytest.mark.parametrize(
    "module",
    [
        "nenette",
        "nenette.games",
        "nenette.exact",
        "nenette.policies",
        "nenette.matches",
        "nenette.testing",
        "nenette_agents",
    ],
)
def test_the_reference_has_every_public_class_and_function(site, module):
    api = (site / "api.html").read_text()
    public = import_module(module)
    for name in public.__all__:
        one = getattr(public, name)
        if inspect.isclass(one) or inspect.isfunction(one):
            places = (module, "nenette", one.__module__)  # what two packages show is on the page once
            assert any(f'id="{place}.{name}"' in api for place in places), f"docs/api.md has no {module}.{name}"


def test_the_reference_is_made_from_the_docstrings(site):
    api = (site / "api.html").read_text()
    assert "Scores an agent, exactly where the game is solved" in api
    assert "__getstate__" not in api


def test_nothing_is_loaded_from_a_network(site):
    loaded = re.compile(
        r"""(?:<(?:script|img|iframe|source)[^>]*\ssrc|<link[^>]*\shref)=["']?(?:https?:)?//[^"'\s>]+"""
    )
    for path in site.rglob("*.html"):
        assert not loaded.findall(path.read_text()), path
    for path in site.rglob("*.css"):
        assert not re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", path.read_text()), path


def test_the_made_up_links_are_gone(site):
    """A link of the README to a page of docs/ is one to a page of the site."""
    for name in ("index", "contributing", "changelog"):
        text = (site / f"{name}.html").read_text()
        assert 'href="docs/' not in text
        assert ".md" not in re.findall(r'href="([^"#]*)', text)
