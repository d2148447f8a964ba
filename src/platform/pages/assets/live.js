// Reads the page again every two seconds while somebody looks at it, and shows what is new. Without it the page works
// all the same, as it was when it was opened.
const interval = 2_000;

async function renew() {
  const shown = document.querySelector("main[data-live]");
  if (!shown || document.hidden || isBusy(shown)) return;
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok || response.redirected) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
  if (!fresh || isBusy(shown)) return;
  const open = new Set([...shown.querySelectorAll("details[open]")].map(({ id }) => id));
  for (const details of fresh.querySelectorAll("details")) {
    if (details.id) details.open = open.has(details.id);
  }
  const focused = document.activeElement?.id;
  shown.replaceChildren(...fresh.childNodes);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Whether somebody is filling in a form, or selecting text. */
function isBusy(shown) {
  const { activeElement } = document;
  const isTyping = activeElement?.matches("input, select, textarea, button") && shown.contains(activeElement);
  return isTyping || String(getSelection()) !== "";
}

async function watch() {
  try {
    await renew();
  } catch {
    // The server is away; the next round asks again.
  }
  setTimeout(watch, interval);
}
setTimeout(watch, interval);
