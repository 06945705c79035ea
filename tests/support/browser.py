"""A real browser: Debian's Chromium, driven by its own driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--lang=ko",
    "--accept-lang=ko",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDriver]:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("Chromium and its driver are not installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in _FLAGS:
        options.add_argument(flag)
    opened = webdriver.Chrome(options=options, service=Service(driver))
    opened.set_page_load_timeout(30)
    yield opened
    opened.quit()


def look(browser: WebDriver, *, width: int = 1200, dark: bool = False) -> None:
    """Makes the browser a desk or a phone, by day or by night."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def complaints(browser: WebDriver) -> list[str]:
    """What the browser objected to since it was last asked: scripts that failed, policies that were broken."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
