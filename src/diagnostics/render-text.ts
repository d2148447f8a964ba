import { type Location, positionAt } from "../source/source.js";
import type { Diagnostic } from "./diagnostic.js";

/** Findings as plain text, one paragraph each: `path:line:col: error[code]: message`, then what belongs to it. */
export function renderText(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${paragraph(diagnostic).join("\n")}\n`).join("");
}

function paragraph({ at, severity, code, message, related, notes, hint }: Diagnostic): string[] {
  return [
    `${at ? `${place(at)}: ` : ""}${severity}[${code}]: ${message}`,
    ...related.map((other) => `  ${place(other.at)}: ${other.text}`),
    ...notes.map((note) => `  note: ${note}`),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ];
}

function place({ source, start }: Location): string {
  const { line, column } = positionAt(source, start);
  return `${source.path}:${line}:${column}`;
}
