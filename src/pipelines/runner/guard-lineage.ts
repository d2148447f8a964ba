import { type LineageChange, lineageChanges } from "../sinks/lineage/lineage-changes.js";
import { readLineage, type SinkLineage } from "../sinks/lineage/sink-lineage.js";
import { type KeptLineage, type LineageGuard, resetMark } from "../state/lineage-guard.js";
import { SinkError } from "../state/sink-error.js";

/** Advice about a sink whose rows are now computed differently. */
export interface ChangeAdvice {
  /** For the case that it may continue or start over; without it, it continues. */
  readonly either?: string;
  /** For the case that it can only start over. */
  readonly anew: string;
}

/** Stops a sink from silently continuing with rows that are computed differently than before. */
export function lineageGuard(lineage: SinkLineage, advice: ChangeAdvice): LineageGuard {
  return {
    text: JSON.stringify(lineage),
    check(kept) {
      const changes = changesSince(kept, lineage);
      if (changes.length === 0) return;
      const { either, anew } = advice;
      const said = isBarred(changes) ? anew : either;
      if (said !== undefined) throw new SinkError(`${changesText(changes)}. ${said}`, false);
    },
  };
}

/** A guard that lets a sink continue although its rows are now computed differently. */
export function acceptingGuard(lineage: SinkLineage): LineageGuard {
  return { text: JSON.stringify(lineage), check: () => undefined };
}

/**
 * How the computation differs from that of a sink's existing rows; empty if it does not, or if the sink does not
 * know.
 */
export function changesSince(
  { text, isWritten }: KeptLineage,
  lineage: SinkLineage,
): readonly LineageChange[] {
  if (text === resetMark) return [{ text: "a reset that was interrupted", bars: true }];
  if (text === undefined || !isWritten) return [];
  const before = readLineage(text);
  return before ? lineageChanges(before, lineage) : [];
}

/** Whether a sink cannot continue at its position. */
export function isBarred(changes: readonly LineageChange[]): boolean {
  return changes.some(({ bars }) => bars);
}

/** Changes as a sentence without a final period. */
export function changesText(changes: readonly LineageChange[]): string {
  return `Its rows are no longer computed as before: ${changes.map(({ text }) => text).join("; ")}`;
}
