import type { Diagnostic, Severity } from "./diagnostic.js";

/** Number of diagnostics by severity. */
export interface SeverityCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
}

/** Counts diagnostics by severity. */
export function countSeverities(diagnostics: readonly Diagnostic[]): SeverityCounts {
  const count = (severity: Severity): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return { errors: count("error"), warnings: count("warning"), notes: count("note") };
}
