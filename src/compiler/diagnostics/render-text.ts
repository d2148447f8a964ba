import type { Code } from "./catalog.js";
import type { Diagnostic, Severity } from "./diagnostic.js";
import { frame, oneLine } from "./frame.js";
import { colored, plain } from "./paint.js";

export interface TextOptions {
  /** Whether to use a terminal's colours; false by default. */
  readonly color?: boolean;
}

/** The maximum number of diagnostics to print. */
const maxPrinted = 50;
const gravity: readonly Severity[] = ["error", "warning", "note"];

/** Codes of diagnostics printed in one line: they need no excerpt, and are often numerous. */
const brief: ReadonlySet<Code> = new Set<Code>(["field-renamed", "entity-renamed"]);

/**
 * Renders diagnostics as text, each as a paragraph with its source line. Notes about renames take one line. Of more
 * than 50 diagnostics, prints the most severe, in order, and then the number of others.
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
