import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import { parseDocument } from "../parse/parse-document.js";
import { parseYaml } from "../parse/parse-yaml.js";
import type { Source } from "../source/source.js";
import { candidates, chooseApart, type SkipReason } from "./candidates.js";
import { FixProof } from "./fix-proof.js";
import { Scalars } from "./scalars.js";
import type { Splice } from "./splice.js";

/** What became of a text whose faults were to be fixed. */
export interface AppliedFixes {
  readonly text: string;
  /** Those whose fix was made, in order. */
  readonly applied: readonly Diagnostic[];
  /** Those that carry a fix which was not made, in order. */
  readonly skipped: readonly SkippedFix[];
  /** How the text came about, in order. */
  readonly splices: readonly Splice[];
}

/** A fix that was not made. */
export interface SkippedFix {
  readonly diagnostic: Diagnostic;
  readonly reason: SkipReason;
}

/**
 * Makes the fixes that diagnostics carry, each as a whole or not at all. Nothing but the keys and values they name
 * changes: comments, formatting and the way a string is quoted stay where that is possible, and the new text is read
 * again to prove it.
 * @param source the configuration as it was read
 * @param diagnostics what a check of it found, in order; of fixes that collide the first is made
 */
export function applyFixes(source: Source, diagnostics: readonly Diagnostic[]): AppliedFixes {
  const fixable = diagnostics.filter(({ fix }) => fix !== undefined && fix.length > 0);
  const tree = fixable.length > 0 ? parseDocument(source, new Report(), parseYaml) : undefined;
  const reasons = new Map<Diagnostic, SkipReason>();
  const all = tree ? candidates(source, fixable, new Scalars(tree), reasons) : [];
  let possible = all;
  for (;;) {
    const { chosen, waiting } = chooseApart(possible);
    const proof = new FixProof(source, tree);
    const rejected = new Set(proof.take(chosen));
    possible = possible.filter((candidate) => !rejected.has(candidate));
    // What waited for a fix that cannot be made need not wait.
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
