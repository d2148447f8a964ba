import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Source } from "../source/source.js";
import { applyFixes, type SkippedFix } from "./apply-fixes.js";
import { LineHistory } from "./line-history.js";

/** One round's gain may be the next one's collision, but no text needs many. */
export const maxRounds = 10;

/** What fixing until nothing is left to fix has led to. */
export interface FixedSource {
  readonly text: string;
  /** Which lines of the first text are still there. */
  readonly lines: LineHistory;
  /** Every finding whose fix was made, round by round; each stands in the text of its round. */
  readonly applied: readonly Diagnostic[];
  /** What a check of the new text finds. */
  readonly diagnostics: readonly Diagnostic[];
  /** The fixes among these that cannot be made. */
  readonly skipped: readonly SkippedFix[];
  /** Why it stopped: nothing was left to fix, the next round would undo an earlier one, or there were too many. */
  readonly end: "settled" | "circle" | "too-many-rounds";
}

/**
 * Fixes a configuration, checks it again, and so on: more is found once the first errors are gone.
 * @param found what a check of the source has found
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
