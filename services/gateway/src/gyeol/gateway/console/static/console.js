// The console works without this. It saves a click: filters apply at once, and the page of a run keeps itself up to date.
"use strict";

for (const form of document.querySelectorAll("form[data-filter]")) {
  form.addEventListener("change", (event) => {
    if (event.target.type !== "search") form.requestSubmit();
  });
}

const page = document.getElementById("content");
const seconds = Number(page?.dataset.refresh ?? 0);

async function refreshed() {
  const idle = !page.contains(document.activeElement) || document.activeElement === page;
  if (document.hidden || !idle || String(getSelection())) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("content");
  if (!fresh) return;
  const opened = [...page.querySelectorAll("details")].map((details) => details.open);
  page.replaceChildren(...fresh.childNodes);
  page.querySelectorAll("details").forEach((details, at) => (details.open = opened[at] ?? details.open));
  if (fresh.dataset.refresh === undefined) clearInterval(timer);
}

const again = () => refreshed().catch(() => {});
const timer = seconds ? setInterval(again, seconds * 1000) : 0;
if (seconds) document.addEventListener("visibilitychange", again);
