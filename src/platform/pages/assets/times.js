// Shows times in the reader's time zone. Without this script they are in UTC, and say so.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** Localizes the times of an element. The original stays in the attributes. */
export function localize(root) {
  for (const time of root.querySelectorAll("time[data-moment]")) {
    const text = format.format(new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
  for (const head of root.querySelectorAll("[data-zone]")) {
    const text = `Time (${zone})`;
    if (head.textContent !== text) head.textContent = text;
  }
}

localize(document);
// Before the next paint, so that nobody sees the times of a page that was renewed in UTC.
new MutationObserver(() => localize(document)).observe(document.querySelector("main"), {
  childList: true,
  characterData: true,
  subtree: true,
});
