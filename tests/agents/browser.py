"""A headless Chromium with the page open: what the page's tests need, and what every one of them checks."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """The browser's path; skips the test where there is none."""
    found = os.environ.get("NENETTE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium was found on this machine (Debian: apt-get install chromium)")
    return found


@contextmanager
def opened_browser() -> Iterator[Any]:
    """Chromium, with a profile of its own, which is thrown away."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield browser
        browser.close()


def check_width(tab: Any) -> None:
    """Nothing of what is shown now is wider than the screen."""
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@contextmanager
def opened(browser: Any, file: Path, *, width: int = 1280, **asked: object) -> Iterator[Any]:
    """The page in a new tab, with what is asked in its address: no errors, no requests, and nothing that overflows."""
    tab = browser.new_page(viewport={"width": width, "height": 800})
    mistakes: list[str] = []
    tab.on("console", lambda message: mistakes.append(message.text))
    tab.on("pageerror", lambda error: mistakes.append(str(error)))
    tab.on("request", lambda request: None if request.url.startswith(file.as_uri()) else mistakes.append(request.url))
    tab.goto(f"{file.as_uri()}#{'&'.join(f'{name}={value}' for name, value in asked.items())}")
    tab.wait_for_selector("body[data-ready=yes]")
    check_width(tab)
    yield tab
    check_width(tab)
    assert mistakes == []
    tab.close()
