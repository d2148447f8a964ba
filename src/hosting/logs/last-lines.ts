import type { LogLevel } from "../../store/logs/log-line.js";

/**
 * Returns the last lines of a log, in order. Errors are counted separately, so that a flood of other lines does not
 * push them out.
 * @param most the limits for errors and for other lines
 */
export function lastLines<Line extends { readonly level: LogLevel }>(
  lines: readonly Line[],
  most: number,
): Line[] {
  const left = { errors: most, others: most };
  const kept: Line[] = [];
  for (const line of lines.toReversed()) {
    const pot = line.level === "error" ? "errors" : "others";
    if (left[pot] === 0) continue;
    left[pot] -= 1;
    kept.push(line);
  }
  return kept.reverse();
}
