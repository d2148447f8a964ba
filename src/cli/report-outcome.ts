import { countSeverities } from "../diagnostics/count-severities.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderGithub } from "../diagnostics/render-github.js";
import { renderJson } from "../diagnostics/render-json.js";
import { renderText } from "../diagnostics/render-text.js";
import type { ReportArguments } from "./options.js";
import { count } from "./summary.js";
import type { World } from "./world.js";

/**
 * Prints diagnostics and how many there are. As text and for GitHub nothing is printed when there are none; the JSON
 * document is always printed, whole.
 */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  { format, color }: ReportArguments,
  world: World,
): void {
  if (format === "json") world.out(renderJson(diagnostics));
  if (format === "json" || diagnostics.length === 0) return;
  if (format === "github") world.out(renderGithub(diagnostics));
  else world.err(`${renderText(diagnostics, { color: color && world.color })}\n`);
  world.err(`${counted(diagnostics)}\n`);
}

/** The world of a command: beside a JSON document nothing goes to standard output, so people are told elsewhere. */
export function worldFor({ format }: ReportArguments, world: World): World {
  return format === "json" ? { ...world, out: world.err } : world;
}

function counted(diagnostics: readonly Diagnostic[]): string {
  const { errors, warnings, notes } = countSeverities(diagnostics);
  const counts = [
    [errors, "error"],
    [warnings, "warning"],
    [notes, "note"],
  ] as const;
  return counts.flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)])).join(", ");
}
