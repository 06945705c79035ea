"""The console in a real browser: at a desk and on a phone, by day and by night, with a mouse and without."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select, WebDriverWait

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_PANEL
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from support.browser import complaints, look
from support.record import life, record_dropped, seed, stage_completed, triplet_accepted

pytestmark = pytest.mark.needs_browser

RUN = "/runs/run-1"
TRIPLET = triplet_accepted(seed(1)).triplet
PAGES = (
    "/runs",
    RUN,
    f"{RUN}/triplets",
    f"{RUN}/triplets/{TRIPLET.id}",
    f"{RUN}/drops",
    f"{RUN}/training",
    "/lineage?node=run-1",
    "/law",
    "/packs",
    "/api",
    "/runs/none",
)

CONTRAST = """
const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255)
  .map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
const behind = (e) => { for (; e; e = e.parentElement) { const b = getComputedStyle(e).backgroundColor;
  if (!/, 0\\)$|transparent/.test(b)) return b; } return "rgb(255, 255, 255)"; };
return [...document.querySelectorAll("main :is(p, a, dt, dd, th, td, small, label, button, li, h1, h2, h3, b, span.badge), .top a")]
  .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && !e.closest(".zero, .unseen, .skip"))
  .map((e) => { const a = light(getComputedStyle(e).color), b = light(behind(e));
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 30)]; })
  .filter(([ratio]) => ratio < 4.5).map(([ratio, what]) => ratio.toFixed(2) + " " + what);
"""
"""Texts whose contrast with what is behind them is below 4.5 to 1, the limit of WCAG 2 AA."""


async def a_run(house: Any, *, sealed: bool = True) -> None:
    data = {"target": 8, "strata": [{"name": "IV/G", "target": 8}]}
    status = {"state": "Training", "data": data, "conditions": [{"type": "DataSealed", "status": "True"}]}
    await house.start_run(spec='{"data":{"budget":{"money":"1"}}}', status=json.dumps(status))
    await house.hear(*[event for number in range(4) for event in life(seed(number))], *life(seed(1, benign=True)))
    await house.hear(*[stage_completed(seed(9), stage) for stage in ("seed", "policy", "candidate")])
    await house.hear(record_dropped(seed(9), "judge", DROP_REASON_PANEL))
    if sealed:
        await house.seal()
    points = [pb.MetricPoint(step=step, name="loss", value=1 / (step + 1)) for step in range(5)]
    await house.artifacts.RecordMetrics(pb.RecordMetricsRequest(run_id="run-1", points=points))


def visit(browser: WebDriver, address: str) -> None:
    browser.get(address)
    assert complaints(browser) == [] or address.endswith("/none")


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)], ids=["at a desk", "on a phone by night"])
async def test_pages_fit_can_be_read_and_break_no_policy(
    house: Any,
    browser: WebDriver,
    width: int,
    dark: bool,
) -> None:
    await a_run(house)

    def journey(base: str) -> None:
        look(browser, width=width, dark=dark)
        for path in PAGES:
            visit(browser, base + path)
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, f"{path} is {wide} wide"
            assert browser.execute_script(CONTRAST) == [], path
            unnamed = browser.execute_script(
                "return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea')]"
                ".filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"
            )
            assert unnamed == [], path

    async with house.gateway() as client:
        await asyncio.to_thread(journey, str(client.base_url).rstrip("/"))


async def test_everything_can_be_done_with_the_keyboard(house: Any, browser: WebDriver) -> None:
    await a_run(house, sealed=False)

    def press(*keys: str) -> None:
        for key in keys:
            browser.switch_to.active_element.send_keys(key)

    def focused() -> str:
        return str(browser.execute_script("return document.activeElement.textContent.trim()"))

    def until(words: str) -> None:
        for _ in range(60):
            press(Keys.TAB)
            if words in focused():
                return
        raise AssertionError(f"the keyboard does not reach {words!r}")

    def journey(base: str) -> None:
        look(browser)
        visit(browser, f"{base}{RUN}/triplets/{TRIPLET.id}")
        press(Keys.TAB)
        assert focused() == "본문으로 건너뛰기"
        outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
        press(Keys.ENTER)
        assert browser.execute_script("return document.activeElement.id") == "content"
        until("기록하고 열람하기")
        assert TRIPLET.rejected not in browser.page_source
        press(Keys.ENTER)
        WebDriverWait(browser, 10).until(lambda page: TRIPLET.rejected in page.page_source)
        until("procedure-first")
        press(Keys.SPACE)
        assert browser.find_elements(By.CSS_SELECTOR, ".candidate[open]")
        until("반려")
        press(Keys.ENTER)
        WebDriverWait(browser, 10).until(lambda page: "반려했습니다" in page.page_source)

    async with house.gateway() as client:
        await asyncio.to_thread(journey, str(client.base_url).rstrip("/"))


async def test_filters_apply_at_once(house: Any, browser: WebDriver) -> None:
    await a_run(house)

    def journey(base: str) -> None:
        look(browser)
        visit(browser, f"{base}{RUN}/triplets")
        assert len(browser.find_elements(By.CSS_SELECTOR, ".questions > li")) == 5
        Select(browser.find_element(By.NAME, "kind")).select_by_value("benign")
        WebDriverWait(browser, 10).until(lambda page: "kind=benign" in page.current_url)
        assert len(browser.find_elements(By.CSS_SELECTOR, ".questions > li")) == 1

    async with house.gateway() as client:
        await asyncio.to_thread(journey, str(client.base_url).rstrip("/"))


async def test_the_page_of_a_run_is_up_to_date_when_a_visitor_comes_back_to_it(house: Any, browser: WebDriver) -> None:
    await house.start_run(status='{"state": "Gathering"}')

    def opened(base: str) -> None:
        look(browser)
        visit(browser, base + RUN)
        browser.execute_script("window.untouched = true")

    def changed() -> None:
        browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
        WebDriverWait(browser, 15).until(lambda page: "통과" in page.find_element(By.ID, "content").text)
        assert browser.execute_script("return window.untouched") is True
        assert complaints(browser) == []

    async with house.gateway() as client:
        await asyncio.to_thread(opened, str(client.base_url).rstrip("/"))
        status = json.dumps({"state": "Succeeded", "verdict": "Pass"})
        await house.runs.UpdateRunStatus(pb.UpdateRunStatusRequest(id="run-1", status_json=status))
        await asyncio.to_thread(changed)


async def test_a_visitor_signs_in_and_out(
    house: Any,
    browser: WebDriver,
    tokens: Callable[..., Any],
) -> None:
    await a_run(house)
    file, secrets = tokens("reviewer")

    def journey(base: str) -> None:
        look(browser)
        browser.delete_all_cookies()
        visit(browser, base + RUN)
        assert browser.current_url == f"{base}/login?next=%2Fruns%2Frun-1"
        browser.switch_to.active_element.send_keys(secrets["reviewer"], Keys.ENTER)
        WebDriverWait(browser, 10).until(lambda page: page.current_url == base + RUN)
        assert "the-reviewer" in browser.find_element(By.CSS_SELECTOR, ".who").text
        browser.find_element(By.XPATH, "//button[contains(., '나가기')]").click()
        WebDriverWait(browser, 10).until(lambda page: "/login" in page.current_url)

    async with house.gateway(tokens_file=file) as client:
        await asyncio.to_thread(journey, str(client.base_url).rstrip("/"))
