// Shows times in the reader's time zone. Without this script they are in UTC, and say so.
/** The reader's time zone. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
// Swedish writes 2026-01-31 23:59:59.
const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** A moment to the second in the reader's time zone. */
export function momentText(moment) {
  return format.format(moment);
}

/** Localizes the times within a part of a page. The moment itself stays in the attribute. */
export function localize(part) {
  for (const time of part.querySelectorAll("time[data-moment]")) {
    time.textContent = momentText(new Date(time.dateTime)) + (time.dataset.fraction ?? "");
  }
  for (const head of part.querySelectorAll("[data-zone]")) head.textContent = `Time (${zone})`;
  for (const name of part.querySelectorAll("[data-zone-name]")) name.textContent = zone;
}

localize(document);
