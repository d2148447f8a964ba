import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import { parseDocument } from "../parse/parse-document.js";
import { parseYaml } from "../parse/parse-yaml.js";
import type { Source } from "../source/source.js";
import { applicableFixes, chooseApart, type SkipReason } from "./candidates.js";
import { FixProof } from "./fix-proof.js";
import { Scalars } from "./scalars.js";
import type { Splice } from "./splice.js";

/** The result of applying fixes to a text. */
export interface AppliedFixes {
  readonly text: string;
  /** Diagnostics whose fix was applied, in order. */
  readonly applied: readonly Diagnostic[];
  /** Diagnostics whose fix was not applied, in order. */
  readonly skipped: readonly SkippedFix[];
  /** The splices that produced the text, in order. */
  readonly splices: readonly Splice[];
}

/** A fix that was not applied. */
export interface SkippedFix {
  readonly diagnostic: Diagnostic;
  readonly reason: SkipReason;
}

/**
 * Applies the fixes of diagnostics, each atomically. Only the keys and values that they name change. Comments,
 * formatting and, where possible, the quoting style stay the same; parsing the new text verifies this.
 * @param source the configuration as read
 * @param diagnostics the diagnostics of the source, in order; if fixes collide, the first is applied
 */
export function applyFixes(source: Source, diagnostics: readonly Diagnostic[]): AppliedFixes {
  const fixable = diagnostics.filter(({ fix }) => fix !== undefined && fix.length > 0);
  const tree = fixable.length > 0 ? parseDocument(source, new Report(), parseYaml) : undefined;
  const reasons = new Map<Diagnostic, SkipReason>();
  const all = tree ? applicableFixes(source, fixable, new Scalars(tree), reasons) : [];
  let possible = all;
  for (;;) {
    const { chosen, waiting } = chooseApart(possible);
    const proof = new FixProof(source, tree);
    const rejected = new Set(proof.take(chosen));
    possible = possible.filter((candidate) => !rejected.has(candidate));
    // Fixes that waited for a rejected one can now be tried.
    if (rejected.size > 0 && waiting.length > 0) continue;
    const made = new Set(proof.accepted.flatMap((candidate) => candidate.diagnostics));
    const isWaiting = new Set(waiting.flatMap(({ diagnostics: those }) => those));
    const skipped = fixable
      .filter((diagnostic) => !made.has(diagnostic))
      .map((diagnostic) => ({
        diagnostic,
        reason: reasons.get(diagnostic) ?? (isWaiting.has(diagnostic) ? "collision" : "impossible"),
      }));
    return {
      text: proof.text,
      applied: fixable.filter((diagnostic) => made.has(diagnostic)),
      skipped,
      splices: proof.splices,
    };
  }
}
