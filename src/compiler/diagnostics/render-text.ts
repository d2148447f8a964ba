import type { Diagnostic, Severity } from "./diagnostic.js";
import { frame } from "./frame.js";
import { colored, plain } from "./paint.js";

/** How findings are printed. */
export interface TextOptions {
  /** Whether to decorate with the colours of a terminal; not by default. */
  readonly color?: boolean;
}

/** Nobody reads more at once. */
const maxPrinted = 50;
const gravity: readonly Severity[] = ["error", "warning", "note"];

/**
 * Findings as text, a paragraph each with the line of the source they are about.
 * Of more than 50 the gravest are printed, in order, and then how many are left.
 */
export function renderText(diagnostics: readonly Diagnostic[], { color = false }: TextOptions = {}): string {
  const printed = gravest(diagnostics);
  const paragraphs = printed.map((diagnostic) =>
    frame(diagnostic, color ? colored : plain)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const left = diagnostics.length - printed.length;
  return [...paragraphs, ...(left > 0 ? [`... and ${left} more\n`] : [])].join("\n");
}

function gravest(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= maxPrinted) return diagnostics;
  const ranked = diagnostics.toSorted((a, b) => gravity.indexOf(a.severity) - gravity.indexOf(b.severity));
  const kept = new Set(ranked.slice(0, maxPrinted));
  return diagnostics.filter((diagnostic) => kept.has(diagnostic));
}
