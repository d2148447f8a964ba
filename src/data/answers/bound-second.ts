import { Refusal } from "./refusal.js";

/**
 * The first or last whole second (since 1970) of a period that a time parameter bounds.
 * @param name of the parameter
 * @param text RFC 3339
 * @throws Refusal for a day that does not exist
 */
export function boundSecond(name: string, text: string, end: "first" | "last"): number {
  const [, fraction] = /(\.\d+)/.exec(text) ?? [];
  const time = Date.parse(
    text
      .replace(fraction ?? "", "")
      .replace(" ", "T")
      .toUpperCase(),
  );
  // Date.parse takes 30 February for 2 March.
  const midnight = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text.slice(0, 10));
  if (!isDay || Number.isNaN(time))
    throw new Refusal("BAD_REQUEST", `${name} must be a time such as 2026-01-31T12:00:00Z.`);
  const isBetween = /[1-9]/.test(fraction ?? "");
  return time / 1000 + (isBetween && end === "first" ? 1 : 0);
}
