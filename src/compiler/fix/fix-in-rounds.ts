import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Source } from "../source/source.js";
import { applyFixes, type SkippedFix } from "./apply-fixes.js";
import { LineHistory } from "./line-history.js";

/** Maximum number of rounds. A round may resolve collisions of the previous one, but no text needs many. */
export const maxRounds = 10;

/** The result of fixing in rounds. */
export interface FixedSource {
  readonly text: string;
  /** The lines of the original text that remain unchanged. */
  readonly lines: LineHistory;
  readonly applied: readonly Diagnostic[];
  /** The diagnostics of the new text. */
  readonly diagnostics: readonly Diagnostic[];
  /** Fixes of these diagnostics that cannot be applied. */
  readonly skipped: readonly SkippedFix[];
  /**
   * Why fixing ended: nothing was left to fix, the next round would have undone an earlier one, or there were too
   * many rounds.
   */
  readonly end: "settled" | "circle" | "too-many-rounds";
}

/**
 * Fixes and checks a configuration repeatedly, because fixing errors may reveal more.
 * @param found the diagnostics of the source
 * @param check checks a changed text under the same path
 */
export async function fixInRounds(
  source: Source,
  found: readonly Diagnostic[],
  check: (text: string) => Promise<readonly Diagnostic[]>,
): Promise<FixedSource> {
  const lines = new LineHistory(source.text);
  const seen = new Set([source.text]);
  const applied: Diagnostic[] = [];
  let { text } = source;
  let diagnostics = found;
  for (let round = 1; ; round++) {
    const next = applyFixes({ path: source.path, text }, diagnostics);
    const end = endOf(next.applied.length > 0, seen.has(next.text), round);
    if (end) return { text, lines, applied, diagnostics, skipped: next.skipped, end };
    lines.change(text, next.splices);
    applied.push(...next.applied);
    text = next.text;
    seen.add(text);
    diagnostics = await check(text);
  }
}

function endOf(isFixed: boolean, isKnown: boolean, round: number): FixedSource["end"] | undefined {
  if (!isFixed) return "settled";
  if (isKnown) return "circle";
  return round > maxRounds ? "too-many-rounds" : undefined;
}
