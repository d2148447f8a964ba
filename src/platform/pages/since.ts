import { type Html, html } from "../http/html.js";
import { lengthOf } from "./charts/spans.js";

/**
 * Since when something lasts: `since 07:19 UTC (12 min)`.
 * @param at milliseconds since 1970
 * @param now milliseconds since 1970
 */
export function sinceOf(at: number, now: number): Html {
  const time = new Date(at).toISOString();
  const isToday = time.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  const text = isToday ? time.slice(11, 16) : time.slice(0, 16).replace("T", " ");
  return html`since <time datetime="${time}">${text} UTC</time> (${lengthOf(roughly(Math.max(0, now - at)))})`;
}

/** Under a minute, in steps of a quarter of a minute: a page that renews itself would change every second. */
export function roughly(milliseconds: number): number {
  return milliseconds < 60_000 ? Math.floor(milliseconds / 15_000) * 15_000 : milliseconds;
}

/** How long ago something was: `just now`, `45 s ago`, `12 min ago`. */
export function agoOf(at: number, now: number): string {
  const age = roughly(Math.max(0, now - at));
  return age === 0 ? "just now" : `${lengthOf(age)} ago`;
}
