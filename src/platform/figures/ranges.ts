import type { Span } from "./figure.js";

/** Milliseconds. */
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A time before now for which a history can be shown. */
export interface HistoryRange {
  /** In addresses: `?range=24h`. */
  readonly name: string;
  /** For people. */
  readonly text: string;
  /** Milliseconds. */
  readonly length: number;
  /** Milliseconds of one column: at least a minute within the last day, and at least five minutes before. */
  readonly step: number;
  /** Milliseconds of one row in its table. */
  readonly row: number;
}

const day24: HistoryRange = { name: "24h", text: "24 hours", length: day, step: 5 * minute, row: hour };
/** From the shortest to the longest. */
export const historyRanges: readonly HistoryRange[] = [
  { name: "1h", text: "1 hour", length: hour, step: minute, row: 5 * minute },
  { name: "6h", text: "6 hours", length: 6 * hour, step: minute, row: 15 * minute },
  day24,
  { name: "7d", text: "7 days", length: 7 * day, step: 30 * minute, row: 6 * hour },
  { name: "30d", text: "30 days", length: 30 * day, step: 2 * hour, row: day },
];

/** The range with a name; 24 hours for any other name. */
export function rangeOf(name: string | null): HistoryRange {
  return historyRanges.find((range) => range.name === name) ?? day24;
}

/** The whole columns of a range up to now, the current one included. @param now milliseconds since 1970 */
export function spanOf({ length, step }: Pick<HistoryRange, "length" | "step">, now: number): Span {
  const to = Math.floor(now / step) * step + step;
  return { from: to - length, to, step };
}

/** The last 24 hours, as the charts show them. @param now milliseconds since 1970 */
export function lastDay(now: number): Span {
  return spanOf(day24, now);
}

/** The last hour in minutes, as overviews show it. @param now milliseconds since 1970 */
export function lastHour(now: number): Span {
  return spanOf({ length: hour, step: minute }, now);
}
