import type { Code } from "./catalog.js";
import type { Diagnostic, Severity } from "./diagnostic.js";
import { frame, oneLine } from "./frame.js";
import { colored, plain } from "./paint.js";

/** How findings are printed. */
export interface TextOptions {
  /** Whether to decorate with the colours of a terminal; not by default. */
  readonly color?: boolean;
}

/** Nobody reads more at once. */
const maxPrinted = 50;
const gravity: readonly Severity[] = ["error", "warning", "note"];

/** What the user has only to know: there is nothing to look at, and often there are many. */
const brief: ReadonlySet<Code> = new Set<Code>(["field-renamed", "entity-renamed"]);

/**
 * Findings as text, a paragraph each with the line of the source they are about; names that became others take a line.
 * Of more than 50 the gravest are printed, in order, and then how many are left.
 */
export function renderText(diagnostics: readonly Diagnostic[], { color = false }: TextOptions = {}): string {
  const printed = gravest(diagnostics);
  const paint = color ? colored : plain;
  const left = diagnostics.length - printed.length;
  let text = "";
  let isAfterLine = false;
  for (const diagnostic of printed) {
    const isLine = brief.has(diagnostic.code);
    const lines = isLine ? [oneLine(diagnostic, paint)] : frame(diagnostic, paint);
    if (text !== "" && !(isLine && isAfterLine)) text += "\n";
    text += lines.map((line) => `${line}\n`).join("");
    isAfterLine = isLine;
  }
  return left > 0 ? `${text}\n... and ${left} more\n` : text;
}

function gravest(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= maxPrinted) return diagnostics;
  const ranked = diagnostics.toSorted((a, b) => gravity.indexOf(a.severity) - gravity.indexOf(b.severity));
  const kept = new Set(ranked.slice(0, maxPrinted));
  return diagnostics.filter((diagnostic) => kept.has(diagnostic));
}
