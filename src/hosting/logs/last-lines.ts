import type { HostedLevel } from "../engine.js";

/**
 * The last lines of a log, in their order: errors are counted by themselves, so that no flood of others pushes them out.
 * @param most of the errors, and of the others
 */
export function lastLines<Line extends { readonly level: HostedLevel }>(
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
