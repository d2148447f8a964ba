import type { Diagnostic, Severity } from "../diagnostics/diagnostic.js";
import { renderText } from "../diagnostics/render-text.js";
import type { World } from "./world.js";

/** Prints diagnostics and how many there are; nothing when there are none. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[], world: World): void {
  if (diagnostics.length === 0) return;
  world.err(renderText(diagnostics));
  const count = (severity: Severity, plural: string): string[] => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [`${number} ${number === 1 ? severity : plural}`];
  };
  world.err(
    `${[...count("error", "errors"), ...count("warning", "warnings"), ...count("note", "notes")].join(", ")}\n`,
  );
}
